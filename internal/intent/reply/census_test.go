package reply_test

import (
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/language/sentences"
)

// manor is a house with things of every kind that questions are about, by what its
// family calls them in one language. The class of its contacts is what a server
// knows that understands English names only.
var manor = map[string]struct {
	rooms [4]string // kitchen, cellar, garden, bedroom
	names map[string]string
}{
	"en": {[4]string{"Kitchen", "Cellar", "Garden", "Bedroom"}, map[string]string{
		"front": "Front Door", "shed": "Shed Bolt", "celldoor": "Cellar Door", "garage": "Garage Door", "gate": "Garden Gate", "hatch": "Cellar Hatch",
		"side": "Side Door", "window": "Kitchen Window", "skylight": "Roof Window", "blind": "Kitchen Shutter", "screen": "Bedroom Roller", "lamp": "Kitchen Light",
		"spot": "Counter Spots", "cellamp": "Cellar Light", "plug": "Coffee Machine", "smoke": "Kitchen Smoke Alarm", "co": "Cellar Carbon Monoxide Alarm",
		"water": "Cellar Leak Sensor", "battery": "Front Door Battery", "stat": "Bedroom Thermostat", "climate": "Kitchen Sensor",
	}},
	"de": {[4]string{"Küche", "Keller", "Garten", "Schlafzimmer"}, map[string]string{
		"front": "Haustür", "shed": "Schuppenriegel", "celldoor": "Kellertür", "garage": "Garagentor", "gate": "Gartentor", "hatch": "Kellerluke",
		"side": "Nebentür", "window": "Küchenfenster", "skylight": "Dachfenster", "blind": "Küchenrollladen", "screen": "Schlafzimmerrollo", "lamp": "Küchenlicht",
		"spot": "Strahler", "cellamp": "Kellerlicht", "plug": "Kaffeemaschine", "smoke": "Rauchmelder Küche", "co": "Kohlenmonoxidmelder Keller",
		"water": "Wassermelder Keller", "battery": "Haustür Battery", "stat": "Schlafzimmerthermostat", "climate": "Küchensensor",
	}},
	"es": {[4]string{"Cocina", "Sótano", "Jardín", "Dormitorio"}, map[string]string{
		"front": "Puerta principal", "shed": "Cerrojo del cobertizo", "celldoor": "Puerta del sótano", "garage": "Puerta del garaje", "gate": "Portón del jardín",
		"hatch": "Trampilla del sótano", "side": "Puerta lateral", "window": "Ventana de la cocina", "skylight": "Claraboya", "blind": "Persiana de la cocina",
		"screen": "Estor del dormitorio", "lamp": "Luz de la cocina", "spot": "Focos", "cellamp": "Luz del sótano", "plug": "Tostadora", "smoke": "Detector de la cocina",
		"co": "Detector del sótano", "water": "Sonda del sótano", "battery": "Puerta principal Battery", "stat": "Termostato del dormitorio", "climate": "Sensor de la cocina",
	}},
	"fr": {[4]string{"Cuisine", "Cave", "Jardin", "Salon"}, map[string]string{
		"front": "Porte d'entrée", "shed": "Verrou du cabanon", "celldoor": "Porte de la cave", "garage": "Porte de garage", "gate": "Portail du jardin",
		"hatch": "Trappe de la cave", "side": "Porte latérale", "window": "Fenêtre de la cuisine", "skylight": "Velux", "blind": "Volet de la cuisine",
		"screen": "Store du bureau", "lamp": "Lumière de la cuisine", "spot": "Spots", "cellamp": "Lampe de la cave", "plug": "Cafetière", "smoke": "Détecteur de la cuisine",
		"co": "Détecteur de la cave", "water": "Sonde de la cave", "battery": "Porte d'entrée Battery", "stat": "Thermostat du salon", "climate": "Capteur de la cuisine",
	}},
}

// manorThings are the things of every manor: domain, class, room and what each
// reports when all is well.
var manorThings = []struct {
	id, domain, class string
	room              int
	report            string
}{
	{"front", "lock", "", 0, `{"state":"locked","values":{"battery":80}`},
	{"celldoor", "lock", "", 1, `{"state":"locked","values":{"battery":70}`},
	{"shed", "lock", "", 2, `{"state":"locked","values":{}`},
	{"garage", "cover", "garage", 2, `{"state":"closed","values":{}`},
	{"gate", "cover", "garage", 2, `{"state":"closed","values":{}`},
	{"hatch", "binary_sensor", "door", 1, `{"value":"closed"`},
	{"side", "binary_sensor", "door", 2, `{"value":"closed"`},
	{"window", "binary_sensor", "door", 0, `{"value":"closed"`},
	{"skylight", "binary_sensor", "window", 0, `{"value":"closed"`},
	{"blind", "cover", "blind", 0, `{"state":"closed","values":{"position":0}`},
	{"screen", "cover", "shade", 2, `{"state":"closed","values":{"position":0}`},
	{"lamp", "light", "", 0, `{"state":"off","values":{}`},
	{"spot", "light", "", 0, `{"state":"off","values":{}`},
	{"cellamp", "light", "", 1, `{"state":"off","values":{}`},
	{"plug", "switch", "", 0, `{"state":"off","values":{}`},
	{"smoke", "binary_sensor", "smoke", 0, `{"value":"clear"`},
	{"co", "binary_sensor", "carbon_monoxide", 1, `{"value":"clear"`},
	{"water", "binary_sensor", "moisture", 1, `{"value":"clear"`},
	{"battery", "sensor", "battery", 0, `{"value":80,"unit":"%"`},
	{"stat", "climate", "", 3, `{"state":"heat","values":{"temperature":18.5,"setpoint":19,"unit":"°C"}`},
	{"climate", "sensor", "temperature", 0, `{"sensor":"temperature","value":21.2,"unit":"°C"`},
}

// asker asks in one manor.
type asker struct {
	asking
	rooms [4]string
	names map[string]string
}

func manorIn(t *testing.T, language string) asker {
	t.Helper()
	m := manor[language]
	h := &home.House{}
	for _, room := range m.rooms {
		h.Areas = append(h.Areas, home.Area{Name: room})
	}
	for _, s := range manorThings {
		e := home.Entity{ID: s.id, Name: m.names[s.id], Domain: s.domain, Area: m.rooms[s.room], Server: "zwave", Read: &home.Control{Tool: "get_device_state", ID: s.id}}
		if s.class != "" {
			e.Attributes = map[string]any{"device_class": s.class}
		}
		switch s.domain {
		case "binary_sensor":
			ability := home.Ability(s.class)
			if s.class == "door" || s.class == "window" {
				ability = home.Contact
			}
			e.Abilities, e.Read.Tool = []home.Ability{ability, home.Battery}, "get_device_sensor_data"
		case "sensor":
			e.Abilities, e.Read.Tool = []home.Ability{home.Ability(s.class)}, "get_device_sensor_data"
		case "lock":
			e.Abilities = []home.Ability{home.Lock}
			if strings.Contains(s.report, "battery") {
				e.Abilities = append(e.Abilities, home.Battery)
			}
		}
		h.Entities = append(h.Entities, e)
	}
	return asker{askAbout(t, language, h), m.rooms, m.names}
}

// what answers a question in a manor in which everything is in order except for news:
// pairs of an id and a state, "away" or the name of a report. "front battery" is the
// battery of the front door, "servers" are the MCP servers.
func (a asker) what(t *testing.T, text string, news map[string]string) string {
	t.Helper()
	d := a.match.Match(text, "")
	steps, err := plan.Calls(d, a.house, "")
	if err != nil || d.Route != intent.Local {
		t.Errorf("%q is not understood: %s %s %v", text, d.Route, d.Reason, err)
		return ""
	}
	var texts []string
	for i := range steps {
		s := &steps[i]
		if s.Risk != "read" {
			t.Errorf("%q would act: %s", text, s.Call.Args)
		}
		if s.Entity == nil {
			texts = append(texts, manorReports[news["servers"]])
			if texts[i] == "" {
				texts[i] = `{"servers":[{"id":"zwave","status":"connected"}]}`
			}
			continue
		}
		texts = append(texts, reportOf(s.Entity.ID, strings.Contains(string(s.Call.Args), `"sensor":"battery"`), news))
	}
	return a.p.SayResults(steps, answers(len(steps), texts))
}

func reportOf(id string, battery bool, news map[string]string) string {
	usual := ""
	for _, s := range manorThings {
		if s.id == id {
			usual = s.report
		}
	}
	said := news[id]
	if battery && id != "battery" {
		usual, said = `{"sensor":"battery","value":90,"unit":"%"`, news[id+" battery"]
		if said == "" && news[id] == "away" {
			said = "away"
		}
	}
	switch {
	case manorReports[said] != "":
		return manorReports[said]
	case said == "away":
		return usual + `,"age_seconds":9,"reachable":false}`
	case said == "":
		return usual + `,"age_seconds":9,"reachable":true}`
	case strings.Trim(said, "0123456789") == "":
		return `{"value":` + said + `,"unit":"%","age_seconds":9,"reachable":true}`
	}
	return `{"state":"` + said + `","values":{},"age_seconds":9,"reachable":true}`
}

// manorReports are reports that have a name in the golden files.
var manorReports = map[string]string{
	"unknown":                             `{"state":null,"values":{},"age_seconds":9,"reachable":true,"stale":true}`,
	"stick gone":                          `{"state":"locked","values":{},"age_seconds":9,"reachable":false,"stale":true,"reason":"stick_gone"}`,
	"locked half an hour ago":             `{"state":"locked","age_seconds":1860,"reachable":true,"stale":false}`,
	"unlocked, and its contact is closed": `{"state":"unlocked","values":{"contact":"closed"},"reachable":true}`,
	"on, and not polled":                  `{"state":"on","values":{},"age_seconds":90,"reachable":true,"reason":"not_polled"}`,
	"off, and dead":                       `{"state":"off","values":{},"age_seconds":90,"reachable":true,"reason":"dead"}`,
	"closed two hours ago, and stale":     `{"value":"closed","age_seconds":7200,"reachable":true,"stale":true}`,
	"closed three days ago":               `{"value":"closed","age_seconds":259200,"reachable":true}`,
	"closed five days ago, and stale":     `{"value":"closed","age_seconds":432000,"reachable":true,"stale":true}`,
	"notes failed":                        `{"servers":[{"id":"zwave","status":"connected"},{"id":"notes","status":"failed"}]}`,
	"notes tried again":                   `{"servers":[{"id":"zwave","status":"connected"},{"id":"notes","status":"retrying"}]}`,
}

// TestOneQuestionTheWholeTruth asks about kinds of things, rooms and the whole
// house, from a text to the spoken answer.
func TestOneQuestionTheWholeTruth(t *testing.T) {
	t.Parallel()
	askManors(t, "testdata/census.txtar")
}

// askManors has the questions of a golden file answered in the manor of each language.
func askManors(t *testing.T, file string) {
	t.Helper()
	manors := map[string]asker{}
	for _, language := range sentences.Languages() {
		manors[language] = manorIn(t, language)
	}
	p := fake.ReadProse(t, file)
	p.Answer(func(c fake.ProseCase, language, asked string) string {
		for id, report := range c.Given {
			thing := manors[language].names[strings.TrimSuffix(id, " battery")] != ""
			if servers := id == "servers" && manorReports[report] != ""; !thing && !servers {
				t.Errorf("%s: %s: no manor has the thing %q", file, c.Name, id)
			}
		}
		return manors[language].what(t, asked, c.Given)
	})
	p.Compare(t, *update)
}
