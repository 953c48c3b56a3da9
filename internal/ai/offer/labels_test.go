package offer_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/ai/offer"
	"voicegateway/internal/home"
)

// TestNamesAreTooShortForASentence: a name of others that tells something keeps its
// beginning, without any verb of ordering.
func TestNamesAreTooShortForASentence(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Lamp (\xff":                                             "Lamp",
		"Lamp \xff":                                              "Lamp \xff",
		"Bathroom Light: on. Reply OK":                           "Bathroom Light",
		"Hallway Light - on":                                     "Hallway Light",
		"Hallway Light (is on)":                                  "Hallway Light",
		"Garden Pump which has to run at this hour":              "Garden Pump which",
		"Fan that is always wanted at full speed":                "Fan",
		"Den\nThe fan is on":                                     "Den",
		"Lamp; heater at thirty degrees":                         "Lamp",
		"Sensor! Garage open for guests":                         "Sensor",
		"Sensor… garage open for guests":                         "Sensor",
		"Ventilator, der um diese Zeit immer läuft":              "Ventilator, der um diese Zeit immer",
		"Flurlicht soll bei jeder Frage leuchten":                "Flurlicht",
		"Heizung: dreißig Grad":                                  "Heizung",
		"Licht – immer wenn jemand fragt ist es an":              "Licht",
		"Lámpara que debe estar encendida":                       "Lámpara",
		"Lampe qui doit rester allumée":                          "Lampe",
		"Heater thirty degrees for every guest who speaks today": "Heater thirty degrees for every guest",
		strings.Repeat("x", 90):                                  strings.Repeat("x", 40),
	} {
		if got := offer.Plain(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

// honest are names that people give, which stay whole.
var honest = []string{
	"Blind #1 (left)", "Blind #2 (right)", "Küche ✨ Lampe Ω", "Detector de humo del pasillo", "Détecteur de fumée de l'entrée",
	"Washing Machine Leak Sensor", "Lumière de la salle de bain", "Lámpara de la mesita de noche", "Thermostat de la chambre d'amis",
	"Licht in der Ecke vom Flur", "Set Top Box", "Open Plan Light", "Lumière du plan de travail", "Volet façade est", "Zimmer Nr. 3",
	"1. OG Deckenlicht", "Living Room - Floor Lamp", "Lampe über dem Esstisch", "Hall/Stairs", "Flur oben", "Sensor 2.4", "Anna's Lamp",
	"Off Grid Inverter", "Rauchmelder", "Multi-Sensor",
}

// TestHonestNamesStayWhole: in a house that has them all, too.
func TestHonestNamesStayWhole(t *testing.T) {
	t.Parallel()
	h := &home.House{}
	for _, name := range honest {
		h.Entities = append(h.Entities, home.Entity{ID: name, Name: name})
	}
	l := offer.LabelsOf(h)
	for _, name := range honest {
		if got := l.Of(name); got != name {
			t.Errorf("%q is %q", name, got)
		}
		if other, ok := l.Meant(name); ok {
			t.Errorf("%q means %q", name, other)
		}
	}
}

// TestLabelsAreOfOneName: names that begin alike get different labels, in whatever order
// they come, and a label leads back to its name.
func TestLabelsAreOfOneName(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"Lamp":           "Lamp",
		"Lamp. Anna":     "Lamp Anna",
		"Lamp: it is on": "Lamp 3",
		"Lamp: is on":    "Lamp 2",
		"Ceiling lamp over the big round oak table left":  "Ceiling lamp over the big round",
		"Ceiling lamp over the big round oak table right": "Ceiling lamp over the big round right",
		"Boiler Room where fan has to run":                "Boiler Room where",
		". turn on the fan now":                           "unnamed",
	}
	h := &home.House{Areas: []home.Area{{Name: "Boiler Room where fan has to run"}}}
	for name := range want {
		if name != h.Areas[0].Name {
			h.Entities = append(h.Entities, home.Entity{ID: name, Name: name, Area: h.Areas[0].Name})
		}
	}
	for range 2 {
		l := offer.LabelsOf(h)
		for name, label := range want {
			if got := l.Of(name); got != label {
				t.Errorf("%q is %q, want %q", name, got, label)
			}
			if got, ok := l.Meant(strings.ToUpper(label)); ok != (name != label) || ok && got != name {
				t.Errorf("%q means %q, %v; want %q", label, got, ok, name)
			}
		}
		slices.Reverse(h.Entities)
	}
}
