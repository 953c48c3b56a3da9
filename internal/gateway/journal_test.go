package gateway

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"voicegateway/internal/keep/record"
)

// TestTheLogHasOnlyTimesThatWereReached: a turn is one line, without fields for what it did
// not come to.
func TestTheLogHasOnlyTimesThatWereReached(t *testing.T) {
	var log bytes.Buffer
	j := &journal{log: slog.New(slog.NewTextHandler(&log, nil))}
	j.TurnEnded(record.Record{ID: "t1", Timings: record.Timings{Total: new(12.5)}})
	got := log.String()
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, "took=12.5") || strings.Contains(got, "confirmed") || strings.Contains(got, "=-1") {
		t.Errorf("the log has %q", got)
	}
}
