package answer_test

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestWhatToDoWithANamedThing: after a name alone the answer says what to do with
// it, in a few words; anything else is a sentence of its own.
func TestWhatToDoWithANamedThing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language string
		lines    []string
		calls    string
	}{
		{"en", []string{"the kitchen light", "on"}, "Kitchen Light on"},
		{"en", []string{"kitchen light", "turn it on"}, "Kitchen Light on"},
		{"en", []string{"kitchen light", "off please"}, "Kitchen Light off"},
		{"en", []string{"coffee machine", "switch that off"}, "Coffee Machine off"},
		{"en", []string{"left lamp", "50 percent"}, "Left Lamp level 50"},
		{"en", []string{"the right lamp", "make it blue"}, "Right Lamp colour blue"},
		{"en", []string{"front door", "lock it"}, "Front Door lock"},
		{"en", []string{"left lamp", "turn on the kitchen light"}, "Kitchen Light on"},
		{"en", []string{"kitchen light", "+31s", "on"}, ""},
		{"de", []string{"Left Lamp", "an"}, "Left Lamp on"},
		{"de", []string{"Left Lamp", "aus"}, "Left Lamp off"},
		{"de", []string{"Left Lamp", "schalte sie ein"}, "Left Lamp on"},
		{"de", []string{"Left Lamp", "auf 50 Prozent"}, "Left Lamp level 50"},
		{"es", []string{"Left Lamp", "enciende"}, "Left Lamp on"},
		{"es", []string{"Left Lamp", "apágala"}, "Left Lamp off"},
		{"es", []string{"Left Lamp", "enciéndela"}, "Left Lamp on"},
		{"fr", []string{"Left Lamp", "allume"}, "Left Lamp on"},
		{"fr", []string{"Left Lamp", "éteins-la"}, "Left Lamp off"},
	} {
		t.Run(tt.language+" "+strings.Join(tt.lines, ", "), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, tt.language, nil)
				for _, l := range tt.lines {
					k.line(l)
				}
				if got := strings.Join(k.world.Calls, "; "); !strings.HasSuffix(got, tt.calls) || tt.calls == "" && got != "" {
					t.Errorf("said %q, made %q, want %q", k.said, got, tt.calls)
				}
			})
		})
	}
}
