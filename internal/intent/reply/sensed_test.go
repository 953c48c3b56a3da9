package reply_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
)

// watch is a house with sensors of every alarm, in one language.
type watch struct {
	rooms [3]string         // attic, cellar, hall
	names map[string]string // by id
}

var watches = map[string]watch{
	"en": {[3]string{"Attic", "Cellar", "Hall"}, map[string]string{
		"smoke1": "Attic Smoke Alarm", "smoke2": "Hall Smoke Alarm", "heat": "Boiler Heat Alarm", "water": "Cellar Water Sensor", "motion": "Hall Motion",
		"co": "Cellar Carbon Monoxide Alarm", "gas": "Cellar Gas Alarm", "window": "Cellar Window", "lock": "Front Door",
	}},
	"de": {[3]string{"Dachboden", "Keller", "Flur"}, map[string]string{
		"smoke1": "Rauchmelder Dachboden", "smoke2": "Rauchmelder Flur", "heat": "Hitzemelder", "water": "Wassermelder", "motion": "Bewegungsmelder",
		"co": "Kohlenmonoxidmelder", "gas": "Gasmelder", "window": "Kellerfenster", "lock": "Haustür",
	}},
	"es": {[3]string{"Desván", "Sótano", "Pasillo"}, map[string]string{
		"smoke1": "Detector del desván", "smoke2": "Detector del pasillo", "heat": "Sonda de caldera", "water": "Sonda de agua", "motion": "Movimiento del pasillo",
		"co": "Detector de monóxido", "gas": "Detector de gas", "window": "Ventana del sótano", "lock": "Puerta principal",
	}},
	"fr": {[3]string{"Grenier", "Cave", "Couloir"}, map[string]string{
		"smoke1": "Détecteur du grenier", "smoke2": "Détecteur du couloir", "heat": "Sonde de chaudière", "water": "Sonde de fuite", "motion": "Mouvement du couloir",
		"co": "Détecteur de monoxyde", "gas": "Détecteur de gaz", "window": "Fenêtre de la cave", "lock": "Porte d'entrée",
	}},
}

func (w watch) house() *home.House {
	h := &home.House{}
	for _, room := range w.rooms {
		h.Areas = append(h.Areas, home.Area{Name: room})
	}
	for _, s := range []struct {
		id, class string
		room      int
	}{
		{"smoke1", "smoke", 0},
		{"smoke2", "smoke", 2},
		{"heat", "heat", 1},
		{"water", "moisture", 1},
		{"motion", "motion", 2},
		{"co", "carbon_monoxide", 1},
		{"gas", "gas", 1},
		{"window", "window", 1},
	} {
		ability := home.Ability(s.class)
		if s.class == "window" {
			ability = home.Contact
		}
		h.Entities = append(h.Entities, home.Entity{
			ID: s.id, Name: w.names[s.id], Domain: "binary_sensor", Area: w.rooms[s.room], Server: "zwave",
			Attributes: map[string]any{"device_class": s.class}, Abilities: []home.Ability{ability, "tamper", home.Battery},
			Read: &home.Control{Tool: "get_device_sensor_data", ID: s.id},
		})
	}
	h.Entities = append(h.Entities, home.Entity{
		ID: "lock", Name: w.names["lock"], Domain: "lock", Area: w.rooms[2], Server: "zwave", Abilities: []home.Ability{home.Lock},
		Read: &home.Control{Tool: "get_device_state", ID: "lock"},
	})
	return h
}

// asking holds what leads from a question to its answer in one language.
type asking struct {
	house *home.House
	match *intent.Matcher
	p     *reply.Phrases
}

func askIn(t *testing.T, language string) asking {
	t.Helper()
	return askAbout(t, language, watches[language].house())
}

// told returns the answer to a question when each sensor in reports has the given report
// and the others are clear.
func (a asking) told(t *testing.T, text string, reports map[string]string) string {
	t.Helper()
	d := a.match.Match(text, "")
	steps, err := plan.Calls(d, a.house, "")
	if err != nil || d.Route != intent.Local {
		t.Errorf("%q is not understood: %s %s %v", text, d.Route, d.Reason, err)
		return ""
	}
	var texts []string
	for i := range steps {
		if steps[i].Risk != "read" {
			t.Errorf("%q would act: %s", text, steps[i].Call.Args)
		}
		report, told := reports[steps[i].Entity.ID]
		if !told {
			report = clear
		}
		if _, args, ok := strings.Cut(string(steps[i].Call.Args), `"sensor":"`); ok && strings.HasPrefix(report, "{") {
			sensor, _, _ := strings.Cut(args, `"`)
			report = fmt.Sprintf(`{"sensor":%q,%s`, sensor, report[1:])
		}
		texts = append(texts, report)
	}
	if len(texts) == 0 {
		t.Errorf("%q asks nothing", text)
		return ""
	}
	return a.p.SayResults(steps, answers(len(steps), texts))
}

// Answers of a sensor in a Z-Wave house.
const (
	clear    = `{"value":"clear","unit":"","age_seconds":9,"reachable":true}`
	detected = `{"value":"detected","unit":"","age_seconds":9,"reachable":true}`
	lost     = `{"value":"clear","unit":"","age_seconds":9,"reachable":false}`
	lostOn   = `{"value":"detected","unit":"","age_seconds":9,"reachable":false}`
	odd      = `{"value":"dust in device","unit":"","age_seconds":9,"reachable":true}`
	number   = `{"value":7,"unit":"","age_seconds":9,"reachable":true}`
	never    = `!It has not reported yet.`
)

// TestAlarmsAreNeverDenied asks every question about an alarm while it is on,
// while it is off, and while its state is unknown. The answers are yes, no, and
// neither.
func TestAlarmsAreNeverDenied(t *testing.T) {
	t.Parallel()
	questions := map[string]map[string][]string{
		"en": {
			"smoke1": {"is there smoke", "is there a fire", "is there any smoke in the attic", "is anything burning", "is the attic smoke alarm on", "is the attic smoke alarm going off", "has the attic smoke alarm gone off", "is the attic smoke alarm detecting smoke"},
			"heat":   {"is there a fire", "is something on fire", "is the house on fire", "is the boiler heat alarm on"},
			"water":  {"is there water in the cellar", "is there a leak", "is there a leak in the cellar", "is the cellar flooded", "is the cellar water sensor wet"},
			"motion": {"is anyone moving in the hall", "is there motion in the hall", "is anyone in the hall", "is the hall occupied", "is there motion", "is anyone moving"},
			"co":     {"is there carbon monoxide", "is there any carbon monoxide in the cellar"},
			"gas":    {"is there gas in the cellar", "is there a gas leak"},
		},
		"de": {
			"smoke1": {"gibt es rauch", "brennt es", "brennt es auf dem dachboden", "ist rauchmelder dachboden an", "hat rauchmelder dachboden ausgelöst", "ist der rauchmelder dachboden ausgelöst"},
			"heat":   {"brennt es", "ist der hitzemelder ausgelöst"},
			"water":  {"ist im keller wasser", "steht wasser im keller", "gibt es im keller wasser", "gibt es ein leck", "ist der wassermelder nass", "tritt wasser aus"},
			"motion": {"ist jemand im flur", "bewegt sich was im flur", "gibt es bewegung", "bewegt sich jemand"},
			"co":     {"gibt es kohlenmonoxid", "ist im keller kohlenmonoxid", "ist kohlenmonoxid in der luft"},
			"gas":    {"tritt gas aus", "gibt es gas im keller"},
		},
		"es": {
			"smoke1": {"hay humo", "hay fuego", "hay un incendio en el desván", "está el detector del desván activado", "ha saltado el detector del desván"},
			"heat":   {"hay fuego", "está la sonda de caldera activada"},
			"water":  {"hay agua en el sótano", "hay una fuga", "está la sonda de agua mojada"},
			"motion": {"hay alguien en el pasillo", "hay movimiento en el pasillo", "hay movimiento"},
			"co":     {"hay monóxido de carbono", "hay monóxido en el sótano"},
			"gas":    {"hay gas en el sótano", "hay una fuga de gas"},
		},
		"fr": {
			"smoke1": {"y a-t-il de la fumée", "y a-t-il le feu", "est-ce que ça brûle", "est-ce que le détecteur du grenier est déclenché", "est-ce que le détecteur du grenier sonne"},
			"heat":   {"y a-t-il un incendie", "est-ce que la sonde de chaudière est déclenchée"},
			"water":  {"y a-t-il de l'eau dans la cave", "y a-t-il une fuite", "est-ce que la sonde de fuite est mouillée"},
			"motion": {"y a-t-il quelqu'un dans le couloir", "y a-t-il du mouvement dans le couloir", "y a-t-il du mouvement"},
			"co":     {"y a-t-il du monoxyde de carbone", "est-ce qu'il y a du monoxyde dans la cave"},
			"gas":    {"y a-t-il une fuite de gaz", "y a-t-il du gaz dans la cave"},
		},
	}
	yes := map[string]string{"en": "Yes, ", "de": "Ja, ", "es": "Sí, ", "fr": "Oui, "}
	no := map[string]string{"en": "No, ", "de": "Nein, ", "es": "No, ", "fr": "Non, "}
	for language, byThing := range questions {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			a := askIn(t, language)
			for id, texts := range byThing {
				name := watches[language].names[id]
				for _, text := range texts {
					for _, on := range []string{detected, `{"state":"on"}`, `{"value":true,"age_seconds":-1}`} {
						if got := a.told(t, text, map[string]string{id: on}); !strings.HasPrefix(got, yes[language]) || !strings.Contains(strings.ToLower(got), strings.ToLower(name)) {
							t.Errorf("%q while it is %s: %q", text, on, got)
						}
					}
					if got := a.told(t, text, map[string]string{id: lostOn}); strings.HasPrefix(got, no[language]) {
						t.Errorf("%q while it was on: %q", text, got)
					}
					for _, off := range []string{clear, `{"state":"off"}`, `{"value":false}`} {
						if got := a.told(t, text, map[string]string{id: off}); !strings.HasPrefix(got, no[language]) {
							t.Errorf("%q while it is %s: %q", text, off, got)
						}
					}
					for _, unknown := range []string{lost, odd, number, never, `{"value":null}`} {
						got := a.told(t, text, map[string]string{id: unknown})
						if got == "" || strings.HasPrefix(got, no[language]) || strings.HasPrefix(got, yes[language]) || strings.Contains(got, "dust") {
							t.Errorf("%q while nobody knows (%s): %q", text, unknown, got)
						}
					}
				}
			}
		})
	}
}

// sensorReports are reports that have a name in the golden file.
var sensorReports = map[string]string{
	"clear":                     clear,
	"clear three days ago":      `{"value":"clear","age_seconds":259200,"reachable":true}`,
	"detected":                  detected,
	"clear, and lost":           lost,
	"detected, and lost":        lostOn,
	"dust in device":            odd,
	"never reported":            never,
	"open":                      `{"value":"open","reachable":true}`,
	"open, and no more":         `{"value":"open"}`,
	"closed, and lost":          `{"value":"closed","reachable":false}`,
	"locked, and tampered with": `{"state":"locked","values":{"tamper":"detected"},"age_seconds":9,"reachable":true}`,
	"locked, without tamper":    `{"state":"locked","values":{},"reachable":true}`,
}

// TestAlarmsAreTold asks single sensors, all of a kind, and those of a room.
func TestAlarmsAreTold(t *testing.T) {
	t.Parallel()
	houses := map[string]asking{}
	for _, language := range sentences.Languages() {
		houses[language] = askIn(t, language)
	}
	p := fake.ReadProse(t, "testdata/sensed.txtar")
	p.Answer(func(c fake.ProseCase, language, asked string) string {
		reports := map[string]string{}
		for id, name := range c.Given {
			reports[id] = sensorReports[name]
			if reports[id] == "" {
				t.Errorf("%s: there is no report %q in sensorReports", c.Name, name)
			}
		}
		return houses[language].told(t, asked, reports)
	})
	p.Compare(t, *update)
}

// TestEveryLanguageTellsEverySensor: each class has both its sentences in each
// language, and they differ.
func TestEveryLanguageTellsEverySensor(t *testing.T) {
	t.Parallel()
	en := written(t, "en")
	for _, language := range sentences.Languages() {
		got := written(t, language)
		for class, told := range got.Sensors {
			if en.Sensors[class] == nil || len(told) != 2 || told["on"] == "" || told["off"] == "" || told["on"] == told["off"] {
				t.Errorf("%s: sensors: %s: %v", language, class, told)
			}
		}
		if len(got.Sensors) != len(en.Sensors) {
			t.Errorf("%s: %d classes of sensors, %d in English", language, len(got.Sensors), len(en.Sensors))
		}
		for word := range en.States["button"] {
			if got.States["button"][word] == "" {
				t.Errorf("%s: a button that is %s has no word", language, word)
			}
		}
	}
	if !slices.Contains(sentences.Languages(), "en") {
		t.Error("there is no English")
	}
}
