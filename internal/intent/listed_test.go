package intent_test

import (
	"testing"

	"voicegateway/internal/intent"
)

// TestCommandsJoinedByCommas: either all of the commands are done or none.
func TestCommandsJoinedByCommas(t *testing.T) {
	t.Parallel()
	m := matcher(t, ours(t))
	for text, want := range map[string]int{
		"turn on the kitchen light, turn off the bedroom lamp":                                 2,
		"Turn on the kitchen light, and turn off the bedroom lamp.":                            2,
		"please, turn on the kitchen light, then turn off the bedroom lamp, what time is it":   3,
		"turn on the kitchen light, turn off the bedroom lamp, and turn off the kitchen light": 3,
		"turn on the kitchen light, the weather is nice":                                       0,
		"hey, turn on the kitchen light":                                                       1,
		"turn on, the kitchen light":                                                           1,
		"turn on the kitchen light, , ,":                                                       1,
		", turn on the kitchen light":                                                          1,
		"turn on the kitchen light, the bedroom lamp":                                          0,
		"don't turn on the kitchen light, turn off the bedroom lamp":                           0,
	} {
		d := m.Match(text, "Kitchen")
		got := len(d.Actions)
		if d.Route != intent.Local {
			got = 0
		}
		if got != want {
			t.Errorf("%q: %d actions (%s, %s), expected %d", text, got, d.Route, d.Reason, want)
		}
	}
}
