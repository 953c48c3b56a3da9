package mind_test

import (
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/language/speech"
)

// TestWhatCanBePutBackIsRevocable: the ear may end a whole sentence early if little is lost
// should its speaker go on.
func TestWhatCanBePutBackIsRevocable(t *testing.T) {
	t.Parallel()
	h := fake.Cottage()
	h.Entities = append(h.Entities, home.Entity{
		ID: "switch.oven", Name: "Oven", Domain: "switch", Area: "Kitchen", Abilities: []home.Ability{home.OnOff}, Server: "zwave",
		Control: &home.Control{Tool: "control_zwave_device", ID: "Oven"}, Read: &home.Control{Tool: "get_device_state", ID: "Oven"},
	})
	m := moveInto(t, "en", h).answer
	for text, want := range map[string]speech.Completeness{
		"turn on":                            speech.Incomplete,
		"turn on the kitchen light":          speech.Revocable,
		"turn off the coffee machine":        speech.Revocable,
		"dim the left lamp to forty percent": speech.Revocable,
		"is the front door locked":           speech.Revocable, // a question
		"set the thermostat to twenty":       speech.Growable,
		"lock the front door":                speech.Closed, // the way back is dangerous
		"turn off the oven":                  speech.Closed,
		"set a timer for ten minutes":        speech.Closed, // a second one would run beside it
		"cancel the timer":                   speech.Closed, // it is gone for ever
	} {
		if got := m.Judge(text); got != want {
			t.Errorf("%q is judged %d, want %d", text, got, want)
		}
	}
}
