package intent_test

import (
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// shortNames are the names of the things in the house of the short sentences, by
// language, in the order of shortThings.
var shortNames = map[string][]string{
	"en": {
		"Kitchen", "Office", "Bedroom", "Hallway", "Garage", "Upstairs",
		"Kitchen Light", "Desk Lamp", "Bedroom Light", "Hallway Light", "Heater", "Coffee Machine", "Fridge", "Router", "Freezer Plug", "Ceiling Fan", "TV",
		"Kitchen Blinds", "Bedroom Blinds", "Garage Door", "Front Door", "Back Door", "Thermostat", "Bedroom Thermostat", "Siren", "Alarm", "Water Valve",
		"Kitchen Temperature", "Office Temperature",
	},
	"de": {
		"Küche", "Büro", "Schlafzimmer", "Flur", "Garage", "Oben",
		"Küchenlicht", "Schreibtischlampe", "Schlafzimmerlicht", "Flurlicht", "Heizdecke", "Kaffeemaschine", "Kühlschrank", "Router", "Gefriertruhe", "Deckenventilator", "Fernseher",
		"Küchenjalousie", "Schlafzimmerjalousie", "Garagentor", "Haustür", "Hintertür", "Thermostat", "Schlafzimmerthermostat", "Sirene", "Alarmanlage", "Wasserventil",
		"Küchentemperatur", "Bürotemperatur",
	},
	"es": {
		"Cocina", "Oficina", "Dormitorio", "Pasillo", "Garaje", "Arriba",
		"Luz de la Cocina", "Lámpara del Escritorio", "Luz del Dormitorio", "Luz del Pasillo", "Manta Eléctrica", "Máquina de Café", "Nevera", "Router", "Congelador", "Ventilador de Techo", "Tele",
		"Estor de la Cocina", "Estor del Dormitorio", "Puerta del Garaje", "Puerta Principal", "Puerta Trasera", "Termostato", "Termostato del Dormitorio", "Sirena", "Alarma", "Válvula de Agua",
		"Temperatura de la Cocina", "Temperatura de la Oficina",
	},
	"fr": {
		"Cuisine", "Bureau", "Chambre", "Couloir", "Garage", "Étage",
		"Lumière de la Cuisine", "Lampe de Bureau", "Lumière de la Chambre", "Lumière du Couloir", "Couverture Chauffante", "Cafetière", "Réfrigérateur", "Routeur", "Congélateur", "Ventilateur de Plafond", "Télé",
		"Store de la Cuisine", "Store de la Chambre", "Porte de Garage", "Porte d'Entrée", "Porte Arrière", "Thermostat", "Thermostat de la Chambre", "Sirène", "Alarme", "Vanne d'Eau",
		"Température de la Cuisine", "Température du Bureau",
	},
}

// shortThings are the things of that house: id, domain, class and room. Things that have
// to stay on are among them.
var shortThings = []struct {
	id, domain, class string
	room              int
}{
	{"kitchen_light", "light", "", 0},
	{"desk_lamp", "light", "", 1},
	{"bedroom_light", "light", "", 2},
	{"hallway_light", "light", "", 3},
	{"heater", "switch", "", 2},
	{"coffee_machine", "switch", "", 0},
	{"fridge", "switch", "", 0},
	{"router", "switch", "", 1},
	{"freezer", "switch", "", 4},
	{"ceiling_fan", "fan", "", 2},
	{"tv", "media_player", "", 2},
	{"kitchen_blinds", "cover", "blind", 0},
	{"bedroom_blinds", "cover", "blind", 2},
	{"garage_door", "cover", "garage", 4},
	{"front_door", "lock", "", 3},
	{"back_door", "lock", "", 0},
	{"thermostat", "climate", "", 1},
	{"bedroom_thermostat", "climate", "", 2},
	{"siren", "siren", "", 3},
	{"alarm", "alarm_control_panel", "", 3},
	{"valve", "valve", "water", 0},
	{"kitchen_temperature", "sensor", "temperature", 0},
	{"office_temperature", "sensor", "temperature", 1},
}

// shortHouse is a small house with names in a language: five rooms, of which the
// bedroom is upstairs.
func shortHouse(language string) *home.House {
	called := shortNames[language]
	rooms, things := called[:5], called[6:]
	h := &home.House{Floors: []home.Floor{{Name: called[5]}}}
	for i, room := range rooms {
		a := home.Area{Name: room}
		if i == 2 {
			a.Floor = called[5]
		}
		h.Areas = append(h.Areas, a)
	}
	for i, t := range shortThings {
		e := home.Entity{ID: t.id, Name: things[i], Domain: t.domain, Area: rooms[t.room]}
		if t.class != "" {
			e.Attributes = map[string]any{"device_class": t.class}
		}
		h.Entities = append(h.Entities, e)
	}
	return h
}

// TestShortSentences: what families say in a few words is understood without a
// model, all of it or none.
func TestShortSentences(t *testing.T) {
	t.Parallel()
	for language := range shortNames {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			pack, err := intent.Ours(language)
			if err != nil {
				t.Fatal(err)
			}
			m, err := intent.New(pack, shortHouse(language))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range told(t, "testdata/short_"+language+".txt") {
				if d := m.Match(s.text, s.area); !s.answeredBy(d) {
					t.Errorf("%s:%d %q: %s, want %s", language, s.line, s.text, inOneLine(d), s.want)
				}
			}
		})
	}
}

// answeredBy reports whether a decision is the one a line asks for.
func (s spoken) answeredBy(d intent.Decision) bool {
	switch reason, refused := strings.CutPrefix(s.want, "!"); {
	case refused:
		reason, heard, _ := strings.Cut(reason, " ")
		return d.Route == intent.Reject && string(d.Reason) == reason && d.Heard == heard
	case s.want == "?":
		return d.Route == intent.Ask
	case s.want == "none":
		return d.Route == intent.Model
	}
	return d.Route == intent.Local && s.fits(d.Actions)
}

// inOneLine is a decision in one line.
func inOneLine(d intent.Decision) string {
	if d.Route != intent.Local {
		return fmt.Sprintf("%s %s %q", d.Route, d.Reason, d.Heard)
	}
	var out []string
	for _, a := range d.Actions {
		out = append(out, fmt.Sprint(a.Intent, a.Devices, a.Slots))
	}
	return strings.Join(out, " and ")
}
