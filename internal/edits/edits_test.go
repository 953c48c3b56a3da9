package edits_test

import (
	"fmt"
	"math"
	"testing"

	"voicegateway/internal/edits"
)

func TestUnlikeness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{{"", "", 0}, {"on", "on", 0}, {"on", "off", 2.0 / 3}, {"", "on", 1}, {"küche", "kuche", 0.2}, {"light", "lights", 1.0 / 6}} {
		if got := edits.Unlikeness(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// ExampleCost compares phones, of which P and B are nearly the same.
func ExampleCost() {
	exchange := func(p, q string) float64 {
		switch {
		case p == q:
			return 0
		case p+q == "PB":
			return 0.3
		}
		return 1
	}
	fmt.Println(edits.Cost([]string{"P", "EH", "T"}, []string{"B", "EH"}, exchange))
	// Output: 1.3
}
