package fake

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// Spread reports percentiles of a benchmark's measurements as metrics such as p50-ns,
// after the prefix and a dash if there is a prefix: a family notices the median and the
// tail, and not the mean.
func Spread(b *testing.B, prefix string, took []time.Duration, percents ...float64) {
	b.Helper()
	if len(took) == 0 {
		b.Fatalf("nothing was measured for %q", prefix)
	}
	if prefix != "" {
		prefix += "-"
	}
	sorted := slices.Sorted(slices.Values(took))
	for _, p := range percents {
		rank := int(math.Ceil(p / 100 * float64(len(sorted)))) // the nearest rank
		b.ReportMetric(float64(sorted[max(rank, 1)-1]), fmt.Sprintf("%sp%v-ns", prefix, p))
	}
}
