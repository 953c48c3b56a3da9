package intent_test

import (
	"testing"

	"voicegateway/internal/intent"
)

// TestUnderstands: what the house accepts as a sentence if nothing else shows that it was
// addressed.
func TestUnderstands(t *testing.T) {
	t.Parallel()
	m := intent.Short{Matcher: matcher(t, shortHouse("en"))}
	for text, want := range map[string]bool{
		"turn on the desk lamp":                    true,
		"what time is it":                          true,
		"turn on the lights":                       true, // asks in which room
		"turn the lights off in here":              true,
		"turn on the desk lamp and the heater":     true,
		"and the bedroom too":                      true, // continues the sentence before
		"make it a bit brighter":                   true,
		"turn them off please":                     true,
		"":                                         false,
		"please":                                   false,
		"the desk lamp":                            false, // nothing to be done with it
		"turn on the dishwasher":                   false,
		"turn on the lights in the attic":          false,
		"if it rains close the kitchen blinds":     false,
		"she turned on the desk lamp":              false,
		"don't turn on the desk lamp":              false,
		"have you ever been to the seaside":        false,
		"set the thermostat to five hundred":       false,
		"tell me something about the desk lamp":    false,
		"it was a long day and the kids are tired": false,
	} {
		if got := m.Understands(text); got != want {
			t.Errorf("Understands(%q) = %v, want %v", text, got, want)
		}
	}
}
