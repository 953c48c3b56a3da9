package reply_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/intent/sentences"
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
	h := watches[language].house()
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
	return asking{h, m, p}
}

// told returns the answer to a question when each sensor in reports reports its
// text and the others are clear.
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
	return a.p.Told(steps, answers(len(steps), texts))
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
			"co":     {"is there carbon monoxide", "is there any carbon monoxide in the cellar", "is there a gas leak"},
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

// TestAlarmsAreTold pins the sentences.
func TestAlarmsAreTold(t *testing.T) {
	t.Parallel()
	tampered := `{"state":"locked","values":{"tamper":"detected"},"age_seconds":9,"reachable":true}`
	one := func(id, report string) map[string]string { return map[string]string{id: report} }
	tests := map[string][]struct {
		text    string
		reports map[string]string
		want    string
	}{
		"en": {
			{"is there smoke in the attic", one("smoke1", detected), "Yes, the attic smoke alarm reports smoke."},
			{"is there smoke in the attic", nil, "No, the attic smoke alarm reports no smoke."},
			{"is there smoke in the attic", one("smoke1", lost), "The attic smoke alarm cannot be reached; it last reported no smoke."},
			{"is there smoke in the attic", one("smoke1", lostOn), "The attic smoke alarm cannot be reached; it last reported smoke."},
			{"is there smoke in the attic", one("smoke1", odd), "I don't know about the attic smoke alarm."},
			{"is there smoke in the attic", one("smoke1", `{"value":"clear","age_seconds":259200,"reachable":true}`), "No, the attic smoke alarm reports no smoke. That was 3 days ago."},
			{"is there a fire", nil, "No, the attic smoke alarm and the hall smoke alarm report no smoke. The boiler heat alarm reports no temperature alarm."},
			{"is there smoke", nil, "No, the attic smoke alarm and the hall smoke alarm report no smoke."},
			{"is there smoke", one("smoke2", detected), "Yes, the hall smoke alarm reports smoke."},
			{"is there smoke", map[string]string{"smoke1": detected, "smoke2": detected}, "Yes, the attic smoke alarm and the hall smoke alarm report smoke."},
			{"is there smoke", map[string]string{"smoke1": detected, "smoke2": lost}, "Yes, the attic smoke alarm reports smoke. I can't reach the hall smoke alarm."},
			{"is there smoke", one("smoke2", lost), "The attic smoke alarm reports no smoke. I can't reach the hall smoke alarm."},
			{"is there smoke", map[string]string{"smoke1": never, "smoke2": odd}, "I don't know about the attic smoke alarm and the hall smoke alarm."},
			{"is there a fire", map[string]string{"smoke1": detected, "heat": detected}, "Yes, the attic smoke alarm reports smoke. The boiler heat alarm reports a temperature alarm."},
			{"is the attic smoke alarm ok", one("smoke1", detected), "The attic smoke alarm reports smoke."},
			{"is the attic smoke alarm ok", nil, "Yes, the attic smoke alarm is all right."},
			{"is the attic smoke alarm ok", one("smoke1", lost), "I can't reach the attic smoke alarm."},
			{"is the attic smoke alarm ok", one("smoke1", lostOn), "The attic smoke alarm reports smoke."},
			{"is the attic smoke alarm ok", one("smoke1", odd), "I don't know about the attic smoke alarm."},
			{"is the cellar water sensor dry", one("water", detected), "The cellar water sensor reports water."},
			{"is the hall empty", one("motion", detected), "The hall motion reports movement."},
			{"is the hall empty", nil, "The hall motion reports no movement."},
			{"has the attic smoke alarm been tampered with", one("smoke1", detected), "Yes, the attic smoke alarm reports tampering."},
			{"has the attic smoke alarm been tampered with", nil, "No, the attic smoke alarm reports no tampering."},
			{"has the front door been tampered with", one("lock", tampered), "Yes, the front door reports tampering."},
			{"has the front door been tampered with", one("lock", `{"state":"locked","values":{},"reachable":true}`), "I don't know about the front door."},
			{"is the cellar window open", one("window", `{"value":"open","reachable":true}`), "Yes, the cellar window is open."},
			{"is the cellar window closed", one("window", `{"value":"open","reachable":true}`), "No, the cellar window is open."},
			{"is the cellar window open", one("window", odd), "I don't know about the cellar window."},
			{"is the cellar window closed", one("window", odd), "I don't know about the cellar window."},
			{"is the cellar window open", one("window", `{"value":"closed","reachable":false}`), "The cellar window cannot be reached; it last reported closed."},
		},
		"de": {
			{"brennt es auf dem dachboden", one("smoke1", detected), "Ja, Rauchmelder Dachboden meldet Rauch."},
			{"brennt es auf dem dachboden", nil, "Nein, Rauchmelder Dachboden meldet keinen Rauch."},
			{"gibt es rauch", nil, "Nein, Rauchmelder Dachboden und Rauchmelder Flur melden keinen Rauch."},
			{"gibt es rauch", one("smoke1", lost), "Rauchmelder Flur meldet keinen Rauch. Rauchmelder Dachboden erreiche ich nicht."},
			{"ist rauchmelder flur in ordnung", one("smoke2", detected), "Rauchmelder Flur meldet Rauch."},
			{"steht wasser im keller", one("water", detected), "Ja, Wassermelder meldet Wasser."},
			{"wurde der rauchmelder flur manipuliert", one("smoke2", detected), "Ja, Rauchmelder Flur meldet Sabotage."},
			{"ist das kellerfenster offen", one("window", `{"value":"open"}`), "Ja, Kellerfenster ist offen."},
			{"ist das kellerfenster zu", one("window", odd), "Über Kellerfenster weiß ich nichts."},
		},
		"es": {
			{"hay fuego en el desván", one("smoke1", detected), "Sí, Detector del desván: hay humo."},
			{"hay humo en el desván", nil, "No, Detector del desván: no hay humo."},
			{"está el detector del desván bien", one("smoke1", detected), "Detector del desván: hay humo."},
			{"alguien ha manipulado el detector del desván", one("smoke1", detected), "Sí, Detector del desván: hay sabotaje."},
			{"hay agua en el sótano", one("water", detected), "Sí, Sonda de agua: hay agua."},
		},
		"fr": {
			{"y a-t-il le feu dans le grenier", one("smoke1", detected), "Oui, Détecteur du grenier : de la fumée."},
			{"y a-t-il de la fumée dans le grenier", nil, "Non, Détecteur du grenier : pas de fumée."},
			{"est-ce que le détecteur du grenier a été trafiqué", one("smoke1", detected), "Oui, Détecteur du grenier : sabotage."},
			{"y a-t-il une fuite", one("water", lost), "Sonde de fuite est injoignable ; dernier état : pas d'eau."},
		},
	}
	for language, cases := range tests {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			a := askIn(t, language)
			for _, c := range cases {
				if got := a.told(t, c.text, c.reports); got != c.want {
					t.Errorf("%q with %v:\ngot  %q\nwant %q", c.text, c.reports, got, c.want)
				}
			}
		})
	}
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
