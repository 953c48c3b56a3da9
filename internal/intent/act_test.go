package intent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

func matcherFor(tb testing.TB, language string) *intent.Matcher {
	tb.Helper()
	path := "testdata/house.json"
	if language != "en" {
		path = "testdata/house_" + language + ".json"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var h home.House
	if err := json.Unmarshal(data, &h); err != nil {
		tb.Fatal(err)
	}
	pack, err := intent.Ours(language)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := intent.New(pack, &h)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// changes reports whether a decision would change something in the house now, which a
// command for later does not.
func changes(d intent.Decision) bool {
	for _, a := range d.Actions {
		if d.Route == intent.Local && a.Intent != catalogue.StartTimer && catalogue.Of(a.Intent).Risk != tools.Read {
			return true
		}
	}
	postponed := d.Would != nil && d.Would.Intent == catalogue.StartTimer && d.Act == "future" // it is asked when
	return d.Route == intent.Ask && d.Would != nil && !postponed
}

// TestNoOrderActs: a command changes nothing if it is forbidden, reported, made
// conditional or meant for another time.
func TestNoOrderActs(t *testing.T) {
	t.Parallel()
	for language, tt := range map[string]struct{ commands, frames []string }{
		"en": {
			[]string{"turn on the kitchen light", "close the bedroom curtains", "set the thermostat to 21 degrees", "turn the reading lamp off"},
			[]string{
				"don't %s", "never %s", "please do not %s", "you must never %s", "he said %s", "mum told me to %s", "if it rains %s", "if it rains, %s", "when i come home %s",
				"tomorrow %s", "%s tomorrow", "%s if it rains", "%s when i get home", "unless it is dark %s", "he always says %s", "i would never %s", "%s, he said", "tonight %s", "%s at eight", "every morning %s",
				"whatever you do don't %s", "i don't want you to %s", "can you please not %s", "under no circumstances %s", "once the film is over %s", "nobody should %s", "i will %s", "they are going to %s", "%s, no don't",
			},
		},
		"de": {
			[]string{"schalte die Küchenlampe ein", "mach die Leselampe aus"},
			[]string{
				"%s nicht", "%s niemals", "bitte %s auf keinen Fall", "er sagte %s", "Mama hat gesagt %s", "wenn es regnet %s", "wenn es regnet, %s", "sobald ich komme %s", "morgen %s", "%s morgen",
				"%s falls es regnet", "%s wenn ich heimkomme", "%s um acht Uhr", "jeden Abend %s", "%s, rief er", "heute Abend %s", "falls niemand da ist %s",
			},
		},
		"es": {
			[]string{"enciende la luz de la cocina", "apaga la luz de la cocina"},
			[]string{
				"no %s", "nunca %s", "dijo %s", "mamá dice %s", "si llueve %s", "si llueve, %s", "cuando llegue a casa %s", "mañana %s", "%s mañana", "%s si llueve", "%s a las ocho", "cada noche %s", "%s, gritó ella", "esta noche %s",
			},
		},
		"fr": {
			[]string{"allume la lampe du salon", "éteins la lampe du salon"},
			[]string{
				"ne %s pas", "%s jamais", "il a dit %s", "maman dit %s", "s'il pleut %s", "s'il pleut, %s", "quand je rentre %s", "demain %s", "%s demain", "%s s'il pleut", "%s à huit heures", "chaque soir %s", "%s, cria-t-elle", "ce soir %s",
			},
		},
	} {
		m := matcherFor(t, language)
		for _, command := range tt.commands {
			if act := m.SpeechAct(command); !act.MayAct() {
				t.Errorf("%s %q: %s may not act", language, command, act)
			}
			for _, frame := range tt.frames {
				text := fmt.Sprintf(frame, command)
				if d := m.Match(text, ""); changes(d) || d.Act.MayAct() {
					t.Errorf("%s %q: %s, may act %v, as a %s", language, text, brief(d), d.Act.MayAct(), d.Act)
				}
			}
		}
	}
}

// TestWishesAreNotOverheard: a text that asks for something in the house is not talk
// between people, and other talk is.
func TestWishesAreNotOverheard(t *testing.T) {
	t.Parallel()
	for language, tt := range map[string]struct{ wishes, talk []string }{
		"en": {[]string{"i would love some light in the bedroom", "we would appreciate a bit more light in the kitchen"}, []string{"i had a bad dream", "and then he turned on the light and", "turn on the light and"}},
		"de": {[]string{"ich hätte gern mehr Licht im Flur"}, []string{"und dann sagte er nichts"}},
		"es": {[]string{"me gustaría un poco más de luz en la cocina"}, []string{"y entonces él dijo que sí o"}},
		"fr": {[]string{"on a besoin de lumière dans la chambre", "on a besoin d'un peu de lumière dans le salon"}, []string{"il a dit bonjour et"}},
	} {
		m := matcherFor(t, language)
		for _, text := range tt.wishes {
			if d := m.Match(text, ""); d.Reason == intent.Overheard || !d.Act.MayAct() {
				t.Errorf("%s %q: %s, as a %s", language, text, brief(d), d.Act)
			}
		}
		for _, text := range tt.talk {
			if d := m.Match(text, ""); d.Reason != intent.Overheard {
				t.Errorf("%s %q: %s, want it overheard", language, text, brief(d))
			}
		}
	}
}
