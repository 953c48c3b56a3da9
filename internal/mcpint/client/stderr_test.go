package client

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestAFloodOnStderrIsLoggedInPart checks that of a flood the first lines of each second
// are logged, with the number of those that were left out.
func TestAFloodOnStderrIsLoggedInPart(t *testing.T) {
	var out bytes.Buffer
	l := &loggedLines{log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	now := time.Unix(0, 0)
	for i := range 3000 { // a thousand a second
		l.addLine(fmt.Appendf(nil, "line %d", i), now)
		now = now.Add(time.Millisecond)
	}
	got := strings.Count(out.String(), `msg="MCP server stderr"`)
	if got != 3*maxLoggedLines || !strings.Contains(out.String(), "lines=950") || !strings.Contains(out.String(), `"line 0"`) {
		t.Errorf("%d lines were logged, the first is\n%.300s", got, out.String())
	}
	out.Reset()
	for i := range 10 {
		l.addLine([]byte("calm"), now.Add(time.Duration(i)*time.Minute))
	}
	if got := strings.Count(out.String(), "text=calm"); got != 10 {
		t.Errorf("%d calm lines of ten were logged", got)
	}
}
