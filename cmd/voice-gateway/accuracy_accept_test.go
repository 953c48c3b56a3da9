//go:build accept

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// TestAcceptAccuracy holds the recogniser to floors under what was measured with
// the denoiser, over the voices flite and festival. Of the ten clips at 10 dB seven
// were right; with so few of them a floor near that would judge the clips.
func TestAcceptAccuracy(t *testing.T) {
	dir := filepath.Dir(fake.Shared(t, "speech", "clips", "manifest.jsonl"))
	out, errs, status := command(t, environ(t), "hear", "--table", dir, "--json")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, errs)
	}
	type count struct{ of, right int }
	rows := map[string]*count{"clean": {}, "20": {}, "10": {}, "espeak": {}, "other speech": {}}
	commands, wrong := 0, 0
	for line := range strings.Lines(out) {
		var o struct {
			Kind, Voice, SNR, Denoise, Said, Text string
			Intent, Wrong                         bool
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if o.Denoise != "on" {
			continue
		}
		key := o.SNR
		switch {
		case o.Kind == "oog":
			key = "other speech"
		case strings.HasPrefix(o.Voice, "espeak"):
			key = "espeak"
		}
		if o.Kind == "command" {
			commands++
			if o.Wrong {
				wrong++
			}
		}
		c := rows[key]
		if c == nil || o.Kind != "command" && o.Kind != "oog" {
			continue
		}
		c.of++
		if o.Intent {
			c.right++
		} else {
			t.Logf("said %q, heard %q", o.Said, o.Text)
		}
	}
	for key, floor := range map[string]float64{"clean": 0.95, "20": 0.93, "10": 0.5, "espeak": 0.7, "other speech": 0.93} {
		c := rows[key]
		t.Logf("%-12s %3d of %3d", key, c.right, c.of)
		if c.of == 0 || float64(c.right) < floor*float64(c.of) {
			t.Errorf("%s: %d of %d, want %.0f %%", key, c.right, c.of, 100*floor)
		}
	}
	if commands == 0 || float64(wrong) > 0.01*float64(commands) {
		t.Errorf("a wrong device acted on %d of %d commands, want at most 1 %%", wrong, commands)
	}
}
