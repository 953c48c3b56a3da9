//go:build accept

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
)

// tabledLine is one line of hear --table --json.
type tabledLine struct {
	Kind, Voice, SNR, Denoise, Said, Text, Added, Ended, Placed string
	Intent, Wrong, Gate                                         bool
	Late                                                        int `json:"late_ms"`
}

// table is made once: it takes minutes, and two tests look at it.
var table struct { //nolint:gochecknoglobals // see above
	once  sync.Once
	lines []tabledLine
}

func tabled(t *testing.T) []tabledLine {
	t.Helper()
	dir := filepath.Dir(fake.Shared(t, "speech", "clips", "manifest.jsonl"))
	models := filepath.Dir(fake.Shared(t, "speech", "models", "vad.tflite"))
	table.once.Do(func() { table.lines = tableOf(t, dir, models) })
	if len(table.lines) == 0 {
		t.Fatal("there is no table")
	}
	return table.lines
}

// tableOf hears the recordings of a directory.
func tableOf(t *testing.T, dir, models string) (lines []tabledLine) {
	t.Helper()
	out, errs, status := command(t, environ(t, "VOICE_GATEWAY_WAKE_MODELS_DIR="+models, "VOICE_GATEWAY_STT_DENOISE=on"), "hear", "--table", dir, "--json")
	if status != 0 {
		t.Fatalf("status %d\n%s", status, errs)
	}
	for line := range strings.Lines(out) {
		var o tabledLine
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		lines = append(lines, o)
	}
	return lines
}

// TestAcceptAccuracy holds the recogniser to floors under what was measured with
// the denoiser, over the voices flite and festival. Of the ten clips at 10 dB seven
// were right; with so few of them a floor near that would judge the clips.
func TestAcceptAccuracy(t *testing.T) {
	type count struct{ of, right int }
	rows := map[string]*count{"clean": {}, "20": {}, "10": {}, "espeak": {}, "other speech": {}, "wake words": {}}
	commands, wrong := 0, 0
	for _, o := range tabled(t) {
		if o.Denoise != "on" || o.Kind == "background" {
			continue
		}
		key := o.SNR
		switch {
		case o.Kind == "oog":
			key = "other speech"
		case o.Kind == "wake" || o.Kind == "wake-negative":
			key = "wake words"
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
		if c == nil {
			continue
		}
		c.of++
		if o.Intent {
			c.right++
		} else {
			t.Logf("said %q, heard %q", o.Said, o.Text)
		}
	}
	for key, floor := range map[string]float64{
		"clean": 0.95, "20": 0.93, "10": 0.6, "espeak": 0.7, "other speech": 0.93, "wake words": 0.8,
	} {
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
