//go:build accept

package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestAcceptHeardFreely plays an order in words that no sentence of ours has. The neural
// recogniser writes it by itself, and it is asked about although its kind is very sure.
func TestAcceptHeardFreely(t *testing.T) {
	t.Parallel()
	const said = "set my alarm to wake me up at seven tomorrow."
	out, errs, status := command(t, environ(t, "VOICE_GATEWAY_STT_MOONSHINE_DIR="+filepath.Join(fake.Models(t), "moonshine-tiny-en")),
		"hear", "--json", "--no-wake", "--engine", "moonshine", "--home", fake.Shared(t, "speech", "clips", "home.json"), spoken(t, said))
	var r record.Record
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("status %d, %v: %s", status, err, errs)
	}
	if r.Reading == nil || r.Reading.Verdict != "ask" || r.Transcript.Engine != "moonshine" || r.Outcome != record.Asked {
		t.Errorf("%q: heard %+v, read as %+v, %s %q (%s)", said, r.Transcript, r.Reading, r.Outcome, r.Reply, r.Error)
	}
}
