package intent_test

import (
	"testing"

	"voicegateway/internal/intent"
)

// TestSeveralInOneBreath: commands that are joined, where the words that join them, a
// number or a verb that is a thing as well could lead astray.
func TestSeveralInOneBreath(t *testing.T) {
	t.Parallel()
	tests := map[string]map[string]string{
		"en": {
			"set the thermostat to nineteen and a half degrees and turn on the desk lamp": "local",
			"turn on the desk lamp and set the thermostat to nineteen and a half":         "local",
			"turn off the desk lamp and set a timer for ten minutes":                      "local",
			"turn off the dishwasher and lock the front door":                             "unknown_name",
			"lock the front door and switch off the dishwasher":                           "unknown_name",
			"turn off the light in the attic and what's the temperature in the office":    "unknown_area",
			"turn on the desk lamp and close the kitchen blinds tomorrow":                 "llm",
			"turn on the desk lamp tomorrow and close the kitchen blinds":                 "llm",
			"is it raining and close the kitchen blinds":                                  "llm",
			"is the front door locked and turn off the desk lamp":                         "llm",
			"turn off everything in the garage and lock the front door":                   "nothing_to_switch",
			"turn on the desk lamp and the heater":                                        "local",
			"turn on the desk lamp and don't close the kitchen blinds":                    "llm",
		},
		"de": {
			"schließ die haustür ab und danach mach die schreibtischlampe aus": "local",
			"leuchten im flur aus und schließ die haustür ab":                  "local",
			"regnet es und mach die küchenjalousie zu":                         "llm",
			"ist die haustür zu und mach das flurlicht aus":                    "llm",
			"mach die schreibtischlampe aus und morgen schließ die haustür ab": "llm",
		},
		"es": {
			"pon la luz de la cocina al treinta y cinco por ciento y apaga la nevera": "local",
			"apaga la nevera y después enciende la luz de la cocina":                  "local",
			"apaga la nevera y mañana enciende la luz de la cocina":                   "llm",
		},
		"fr": {
			"éteins la cafetière ensuite allume la lumière de la cuisine":   "local",
			"éteins la cafetière et demain allume la lumière de la cuisine": "llm",
		},
	}
	for language, texts := range tests {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		m, err := intent.New(pack, shortHouse(language))
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			d := m.Match(text, "")
			got := string(d.Reason)
			if d.Route == intent.Local || d.Route == intent.Model {
				got = string(d.Route)
			}
			if got != want {
				t.Errorf("%s: %q: %s %s %q %s, want %s", language, text, d.Route, d.Reason, d.Heard, d.Act, want)
			}
		}
	}
}
