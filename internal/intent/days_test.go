package intent_test

import (
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// A day that was said is never lost in the text of a reminder, and a day in the plural
// repeats.
func TestDaysAreKept(t *testing.T) {
	t.Parallel()
	const asked = "asked"
	for _, tt := range []struct{ language, text, slot, day, about string }{
		{"en", "remind me about tomorrow's meeting at nine", "day", "tomorrow", "meeting"},
		{"en", "set a reminder about tomorrow's meeting at nine", "day", "tomorrow", "meeting"},
		{"en", "remind me of the monday meeting at nine", "day", "monday", "meeting"},
		{"en", "set a reminder for next saturday visit grandma at five o'clock", "day", "saturday", "visit grandma"},
		{"en", "remind me to swim on wednesdays at five", "every", "wednesday", "swim"},
		{"en", "set a reminder for wednesdays at seven to swim", "every", "wednesday", "swim"},
		{"en", "remind me to swim on wednesday at five", "day", "wednesday", "swim"},
		{"en", "remind me to call mum next week at nine", asked, "", ""},
		{"en", "remind me to call mum every wednesday and friday at five", asked, "", ""},
		{"en", "remind me at five to buy tickets for saturday", "day", "", "buy tickets for saturday"},
		{"en", "remind me about today's meeting at nine", "day", "", "today's meeting"},
		{"de", "erinnere mich an das treffen nächste woche um neun", asked, "", ""},
		{"es", "recuérdame llamar a ana la próxima semana a las nueve", asked, "", ""},
		{"fr", "rappelle-moi d'appeler anne la semaine prochaine à neuf heures", asked, "", ""},
	} {
		pack, err := intent.Ours(tt.language)
		if err != nil {
			t.Fatal(err)
		}
		m, err := intent.New(pack, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := m.Match(tt.text, "")
		if tt.slot == asked {
			if d.Route != intent.Ask || d.Reason != intent.When {
				t.Errorf("%q is %s (%s) %v, want the question when", tt.text, d.Route, d.Reason, d.Actions)
			}
			continue
		}
		if len(d.Actions) != 1 || d.Actions[0].Intent != catalogue.Remind {
			t.Errorf("%q is %s (%s) %v, want a reminder", tt.text, d.Route, d.Reason, d.Actions)
			continue
		}
		slots := d.Actions[0].Slots
		if day, _ := slots[tt.slot].(string); day != tt.day || slots["text"] != tt.about {
			t.Errorf("%q has the slots %v, want %s %q and the text %q", tt.text, slots, tt.slot, tt.day, tt.about)
		}
	}
}
