package reply_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
)

// flatThings are what a flat has beside doors and windows that a person means as well
// who asks whether all is well: domain, class, what each reports when all is well, and
// its name by language.
var flatThings = []struct {
	id, domain, class, report string
	abilities                 []home.Ability
	names                     map[string]string
}{
	{"front", "lock", "", `{"state":"locked","values":{}`, []home.Ability{home.Lock}, map[string]string{"en": "Front Door", "de": "Haustür", "fr": "Porte d'entrée", "es": "Puerta principal"}},
	{"back", "lock", "", `{"state":"locked","values":{}`, []home.Ability{home.Lock}, map[string]string{"en": "Back Door", "de": "Hintertür", "fr": "Porte de derrière", "es": "Puerta trasera"}},
	{"patio", "binary_sensor", "door", `{"value":"closed"`, []home.Ability{home.Contact, home.Battery}, map[string]string{"en": "Patio Door", "de": "Terrassentür", "fr": "Porte de la terrasse", "es": "Puerta de la terraza"}},
	{"window", "binary_sensor", "window", `{"value":"closed"`, []home.Ability{home.Contact, home.Battery}, map[string]string{"en": "Kitchen Window", "de": "Küchenfenster", "fr": "Fenêtre de la cuisine", "es": "Ventana de la cocina"}},
	{"roof", "binary_sensor", "window", `{"value":"closed"`, []home.Ability{home.Contact, home.Battery}, map[string]string{"en": "Roof Window", "de": "Dachfenster", "fr": "Fenêtre de toit", "es": "Ventana del tejado"}},
	{"curtain", "cover", "curtain", `{"state":"closed","values":{"position":0}`, []home.Ability{home.OpenClose}, map[string]string{"en": "Bedroom Curtain", "de": "Schlafzimmervorhang", "fr": "Rideau de la chambre", "es": "Cortina del dormitorio"}},
	{"drape", "cover", "curtain", `{"state":"closed","values":{"position":0}`, []home.Ability{home.OpenClose}, map[string]string{"en": "Office Curtain", "de": "Bürovorhang", "fr": "Rideau du bureau", "es": "Cortina del despacho"}},
	{"valve", "valve", "valve", `{"state":"closed","values":{}`, []home.Ability{home.OpenClose}, map[string]string{"en": "Water Valve", "de": "Wasserventil", "fr": "Vanne d'eau", "es": "Válvula de agua"}},
	{"lamp", "light", "", `{"state":"off","values":{}`, []home.Ability{home.OnOff}, map[string]string{"en": "Kitchen Light", "de": "Küchenlicht", "fr": "Lumière de la cuisine", "es": "Luz de la cocina"}},
	{"spot", "light", "", `{"state":"off","values":{}`, []home.Ability{home.OnOff}, map[string]string{"en": "Hall Light", "de": "Flurlicht", "fr": "Lumière du couloir", "es": "Luz del pasillo"}},
	{"oven", "switch", "", `{"state":"off","values":{}`, []home.Ability{home.OnOff}, map[string]string{"en": "Oven", "de": "Backofen", "fr": "Four", "es": "Horno"}},
	{"siren", "switch", "siren", `{"state":"off","values":{}`, []home.Ability{home.OnOff}, map[string]string{"en": "Siren", "de": "Sirene", "fr": "Sirène", "es": "Sirena"}},
	{"smoke", "binary_sensor", "smoke", `{"value":"clear"`, []home.Ability{"smoke", home.Battery}, map[string]string{"en": "Hall Smoke Alarm", "de": "Rauchmelder Flur", "fr": "Détecteur de fumée", "es": "Detector de humo"}},
	{"co", "binary_sensor", "carbon_monoxide", `{"value":"clear"`, []home.Ability{"carbon_monoxide", home.Battery}, map[string]string{"en": "Cellar CO Alarm", "de": "CO-Melder Keller", "fr": "Détecteur de monoxyde", "es": "Detector de monóxido"}},
	{"gas", "binary_sensor", "gas", `{"value":"clear"`, []home.Ability{"gas"}, map[string]string{"en": "Stove Gas Alarm", "de": "Gasmelder Herd", "fr": "Détecteur de gaz", "es": "Detector de gas"}},
	{"leak", "binary_sensor", "moisture", `{"value":"clear"`, []home.Ability{"moisture", home.Battery}, map[string]string{"en": "Cellar Leak Sensor", "de": "Wassermelder Keller", "fr": "Détecteur d'eau", "es": "Sensor de agua"}},
	{"motion", "binary_sensor", "motion", `{"value":"clear"`, []home.Ability{home.Motion}, map[string]string{"en": "Hallway Motion", "de": "Bewegung Flur", "fr": "Mouvement du couloir", "es": "Movimiento del pasillo"}},
	{"warm", "sensor", "temperature", `{"value":21,"unit":"°C"`, []home.Ability{home.Temperature}, map[string]string{"en": "Kitchen Thermometer", "de": "Küchenthermometer", "fr": "Thermomètre de la cuisine", "es": "Termómetro de la cocina"}},
	{"plug", "switch", "", `{"state":"off","values":{}`, []home.Ability{home.OnOff}, map[string]string{"en": "Coffee Machine", "de": "Kaffeemaschine", "fr": "Cafetière", "es": "Tostadora"}},
	{"stat", "climate", "", `{"state":"heat","values":{"setpoint":19}`, []home.Ability{home.Setpoint, home.Mode}, map[string]string{"en": "Bedroom Thermostat", "de": "Schlafzimmerthermostat", "fr": "Thermostat de la chambre", "es": "Termostato del dormitorio"}},
	{"remote", "sensor", "button", `{"value":null`, []home.Ability{"button_1"}, map[string]string{"en": "Wall Remote Button 1", "de": "Wandsender Button 1", "fr": "Télécommande Button 1", "es": "Botonera Button 1"}},
	{"remote2", "sensor", "button", `{"value":null`, []home.Ability{"button_2"}, map[string]string{"en": "Wall Remote Button 2", "de": "Wandsender Button 2", "fr": "Télécommande Button 2", "es": "Botonera Button 2"}},
}

// flatIn is a flat in a language without the things that are missing.
func flatIn(t *testing.T, language string, missing []string) asking {
	t.Helper()
	h := &home.House{}
	for _, s := range flatThings {
		if slices.Contains(missing, s.id) {
			continue
		}
		e := home.Entity{ID: s.id, Name: s.names[language], Domain: s.domain, Area: "Flat", Server: "zwave", Read: &home.Control{Tool: "get_device_state", ID: s.id}, Abilities: s.abilities}
		if s.class != "" {
			e.Attributes = map[string]any{"device_class": s.class}
		}
		if s.domain == "binary_sensor" || s.domain == "sensor" {
			e.Read.Tool = "get_device_sensor_data"
		} else {
			e.Control = &home.Control{Tool: "control", ID: s.id}
		}
		h.Entities = append(h.Entities, e)
	}
	return askAbout(t, language, h)
}

// flatReport is what a thing of a flat reports.
func flatReport(s *plan.Step, given map[string]string) string {
	said, usual := given[s.Entity.ID], ""
	if strings.Contains(string(s.Call.Args), `"sensor":"battery"`) {
		said, usual = given[s.Entity.ID+" battery"], `{"sensor":"battery","value":90,"unit":"%"`
	} else {
		for _, thing := range flatThings {
			if thing.id == s.Entity.ID {
				usual = thing.report
			}
		}
	}
	switch {
	case said == "":
		return usual + `,"age_seconds":9,"reachable":true}`
	case said == "away":
		return usual + `,"age_seconds":9,"reachable":false}`
	case said == "unknown":
		return `{"state":null,"values":{},"age_seconds":9,"reachable":true}`
	case strings.Trim(said, "-0123456789") == "":
		return `{"value":` + said + `,"unit":"%","age_seconds":9,"reachable":true}`
	}
	return `{"state":"` + said + `","values":{},"age_seconds":9,"reachable":true}`
}

// TestNoAllClearForWhatWasNotLookedAt asks whether all is well in flats in which
// something is not, is not known, or has no sensor. A thing with the state "none" is
// not in the flat.
func TestNoAllClearForWhatWasNotLookedAt(t *testing.T) {
	t.Parallel()
	flats := map[string]asking{}
	p := fake.ReadProse(t, "testdata/clear.txtar")
	p.Answer(func(c fake.ProseCase, language, asked string) string {
		var missing []string
		for _, id := range slices.Sorted(maps.Keys(c.Given)) {
			if c.Given[id] == "none" {
				missing = append(missing, id)
			}
		}
		key := language + " " + strings.Join(missing, " ")
		if flats[key].house == nil {
			flats[key] = flatIn(t, language, missing)
		}
		a := flats[key]
		d := a.match.Match(asked, "")
		if d.Route != intent.Local {
			return a.p.Refusal(d)
		}
		steps, err := plan.Calls(d, a.house, "")
		if err != nil {
			return a.p.Apology(err)
		}
		var texts []string
		for i := range steps {
			if steps[i].Entity == nil {
				texts = append(texts, `{"servers":[{"id":"zwave","status":"connected"}]}`)
				continue
			}
			texts = append(texts, flatReport(&steps[i], c.Given))
		}
		return a.p.SayResults(steps, answers(len(steps), texts))
	})
	p.Compare(t, *update)
}

// TestWhatCannotBeDoneIsNeverDenied orders things to do what they cannot: the answer is
// that, and never that there is no such thing or that the sentence makes no sense.
func TestWhatCannotBeDoneIsNeverDenied(t *testing.T) {
	t.Parallel()
	flats := map[string]asking{}
	p := fake.ReadProse(t, "testdata/cannot.txtar")
	p.Answer(func(_ fake.ProseCase, language, asked string) string {
		if flats[language].house == nil {
			flats[language] = flatIn(t, language, nil)
		}
		a := flats[language]
		d := a.match.Match(asked, "")
		if d.Route != intent.Local {
			if d.Reason != intent.WrongKind {
				t.Errorf("%s: %q is %s: %s %q", language, asked, d.Route, d.Reason, d.Heard)
			}
			return a.p.Refusal(d)
		}
		steps, err := plan.Calls(d, a.house, "")
		if err != nil || len(steps) == 0 || steps[0].Err == nil {
			t.Errorf("%s: %q would act: %v %v", language, asked, steps, err)
			return ""
		}
		return a.p.Apology(steps[0].Err)
	})
	p.Compare(t, *update)
}
