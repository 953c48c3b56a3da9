package reply_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/intent/sentences"
	"voicegateway/internal/tools"
)

// table is a file of replies as it is written.
type table struct {
	Phrases, Units, Words, Colours map[string]string
	Things                         map[string][]string
	States, Sensors                map[string]map[string]string
	Days, Months                   []string
}

func written(t *testing.T, language string) table {
	t.Helper()
	data, err := sentences.Answered(language)
	if err != nil {
		t.Fatal(err)
	}
	var out table
	if err := yaml.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// ofCommands are the phrases that the things of a command fill in every way.
var ofCommands = regexp.MustCompile(`^(why_.*|stuck_.*|fate_unknown_of|accepted|no_answer|refused)$`)

var place = regexp.MustCompile(`\{\w+\}`)

// TestEveryLanguageHasEveryReply compares the tables with the English one: no key
// may be missing, and a phrase may use only places that are filled.
func TestEveryLanguageHasEveryReply(t *testing.T) {
	t.Parallel()
	optional := []string{"{is}", "{has}", "{it}", "{they}", "{its}", "{a}", "{things}", "{reports}", "{what}", "{goes}", "{half}"} // what another language can do without
	agreeing := []string{"{is}", "{has}"}                                                                                          // filled wherever the name of the thing of a command is
	en := written(t, "en")
	for _, language := range []string{"de", "es", "fr"} {
		got := written(t, language)
		for key, text := range en.Phrases {
			there, ok := got.Phrases[key]
			if !ok {
				t.Errorf("%s: the phrase %q is missing", language, key)
			}
			if text == "" {
				continue // the tool says it in English
			}
			for _, p := range place.FindAllString(text, -1) {
				if !slices.Contains(optional, p) && !strings.Contains(strings.ToLower(there), strings.ToLower(p)) {
					t.Errorf("%s: %s does not say %s", language, key, p)
				}
			}
			for _, p := range place.FindAllString(there, -1) {
				if agrees := slices.Contains(agreeing, p) && ofCommands.MatchString(key); !agrees && !strings.Contains(strings.ToLower(text), strings.ToLower(p)) {
					t.Errorf("%s: %s uses %s, which nobody fills", language, key, p)
				}
			}
		}
		for name, pair := range map[string][2][]string{
			"things": {slices.Collect(maps.Keys(en.Things)), slices.Collect(maps.Keys(got.Things))},
			"units":  {slices.Collect(maps.Keys(en.Units)), slices.Collect(maps.Keys(got.Units))},
			"words":  {slices.Collect(maps.Keys(en.Words)), slices.Collect(maps.Keys(got.Words))},
			"states": {slices.Collect(maps.Keys(en.States)), slices.Collect(maps.Keys(got.States))},
		} {
			for _, key := range pair[0] {
				if !slices.Contains(pair[1], key) {
					t.Errorf("%s: %s: %q is missing", language, name, key)
				}
			}
		}
		if len(got.Days) != 7 || len(got.Months) != 12 {
			t.Errorf("%s: %d days and %d months", language, len(got.Days), len(got.Months))
		}
	}
}

// TestToldInEveryLanguage follows commands and questions up to the spoken reply.
func TestToldInEveryLanguage(t *testing.T) {
	t.Parallel()
	const ok, no, at = `{"device":"x","outcome":"confirmed"}`, `{"device":"x","outcome":"no_answer"}`, `{"time":"2026-11-21T16:05:00Z","zone":"UTC","spoken":"It's 4:05 PM."}`
	tests := map[string][]struct{ area, text, result, want string }{
		"de": {
			{"Küche", "schalte die küchenlampe ein", ok, "Küchenlampe ist an."},
			{"Küche", "schalte die küchenlampe ein", no, "Küchenlampe hat nicht geantwortet."},
			{"Wohnzimmer", "licht aus", ok, "2 Lichter sind aus."},
			{"Wohnzimmer", "mach die leselampe rot", ok, "Leselampe ist jetzt rot."},
			{"Küche", "ist die haustür abgeschlossen", `{"state":"locked","age_seconds":180000,"reachable":true}`, "Ja, Haustür ist abgeschlossen. Das war vor 2 Tagen."},
			{"Küche", "wie kalt ist es draußen", `{"value":7.5,"unit":"°C","age_seconds":9}`, "Außentemperatur: 7.5 Grad."},
			{"Küche", "wie spät ist es", at, "Es ist 16 Uhr 5."},
			{"Küche", "welcher tag ist heute", at, "Heute ist Samstag, der 21. November."},
			{"Küche", "vergiss es", "", "Okay."},
		},
		"es": {
			{"Cocina", "enciende la luz de la cocina", ok, "He encendido Luz de la cocina."},
			{"Salón", "apaga las luces", ok, "He apagado 2 luces."},
			{"Cocina", "está la puerta principal cerrada con llave", `{"state":"unlocked","age_seconds":9,"reachable":true}`, "No, Puerta principal: sin llave."},
			{"Cocina", "qué hora es", at, "Son las 16 y 5."},
			{"Cocina", "qué día es hoy", at, "Hoy es sábado, 21 de noviembre."},
		},
		"fr": {
			{"Cuisine", "allume la lampe de la cuisine", ok, "Lampe de la cuisine : allumé."},
			{"Salon", "éteins les lumières", ok, "2 lumières : éteint."},
			{"Cuisine", "la porte d'entrée est-elle verrouillée", `{"state":"locked","age_seconds":9,"reachable":true}`, "Oui, Porte d'entrée : verrouillé."},
			{"Cuisine", "quelle heure est-il", at, "Il est 16 heures 5."},
		},
	}
	for language, cases := range tests {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			h, m, p := inLanguage(t, language)
			for _, c := range cases {
				steps, err := plan.Calls(m.Match(c.text, c.area), h, c.area)
				if err != nil {
					t.Errorf("%q: %v", c.text, err)
					continue
				}
				got := p.Told(steps, answers(len(steps), []string{c.result}))
				if got != c.want {
					t.Errorf("%q: got %q, want %q", c.text, got, c.want)
				}
				if c.result == ok && len(strings.Fields(strings.ReplaceAll(got, " :", ""))) > 8 {
					t.Errorf("%q is longer than eight words", got)
				}
			}
		})
	}
}

// TestNothingEnglishIsSaid: English texts of plans and tools are not said in
// another language.
func TestNothingEnglishIsSaid(t *testing.T) {
	t.Parallel()
	h, _, p := inLanguage(t, "de")
	for want, err := range map[string]error{
		"Ich weiß nicht, ob das geklappt hat.":     fmt.Errorf("calling: %w", tools.ErrNoAnswer),
		"Nicht erreichbar. Es wurde nichts getan.": fmt.Errorf("calling: %w", tools.ErrNotConnected),
		"Das hat leider nicht geklappt.":           sentence("The Z-Wave server is not connected."),
	} {
		if got := p.Apology(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
	for _, a := range []intent.Action{{Intent: "HassTurnOn", Devices: []string{"scene.movie"}}} {
		steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{a}}, h, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Told(steps, make([]tools.Result, 1)); got != "Filmabend kann ich nicht starten." {
			t.Errorf("got %q", got)
		}
	}
	refused := []plan.Step{{Action: intent.Action{Intent: "HassTurnOn"}, Entity: &home.Entity{Name: "Lampe", Domain: "light"}}}
	if got := p.Told(refused, []tools.Result{{Receipt: &tools.Receipt{Outcome: tools.Refused, Message: "No."}}}); got != "Lampe hat abgelehnt." {
		t.Errorf("got %q", got)
	}
}

func inLanguage(t *testing.T, language string) (*home.House, *intent.Matcher, *reply.Phrases) {
	t.Helper()
	path := "../testdata/house.json"
	if language != "en" {
		path = "../testdata/house_" + language + ".json"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	p, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	return h, m, p
}

// TestLanguagesHaveBothFiles: a language without sentences or without replies is
// half a language.
func TestLanguagesHaveBothFiles(t *testing.T) {
	t.Parallel()
	if got := sentences.Languages(); !slices.Equal(got, []string{"de", "en", "es", "fr"}) {
		t.Errorf("languages: %q", got)
	}
	for _, language := range sentences.Languages() {
		if _, err := intent.Ours(language); err != nil {
			t.Error(err)
		}
		if _, err := reply.Ours(language); err != nil {
			t.Error(err)
		}
	}
	if _, err := reply.Ours("xx"); err == nil || !strings.Contains(err.Error(), `"xx"`) {
		t.Errorf("an unknown language: %v", err)
	}
}

// TestARefusalBeginsASentence: in German the unknown thing comes first, and so
// begins with a capital.
func TestARefusalBeginsASentence(t *testing.T) {
	t.Parallel()
	p, err := reply.Ours("de")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Refusal(intent.Decision{Route: intent.Reject, Reason: "unknown_name", Heard: "lampe im bad"}); !strings.HasPrefix(got, "Lampe im bad") {
		t.Errorf("it says %q", got)
	}
}
