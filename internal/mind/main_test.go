package mind_test

import (
	"flag"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the conversations")

func TestMain(m *testing.M) {
	time.Local = time.UTC // times of day are spoken
	goleak.VerifyTestMain(m)
}

func lines(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return strings.Join(s, "\n") + "\n"
}
