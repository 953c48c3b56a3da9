package answer_test

import (
	"flag"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the conversations")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func lines(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return strings.Join(s, "\n") + "\n"
}
