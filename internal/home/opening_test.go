package home_test

import (
	"strings"
	"testing"

	"voicegateway/internal/home"
)

// TestOpenings: families' names tell which opening a thing is, in all our
// languages, whatever class a server guessed.
func TestOpenings(t *testing.T) {
	t.Parallel()
	tests := map[home.Opening]string{
		home.Door:               `Front Door; Haustür; Nebentuer; Puerta principal; Porte d'entrée; Mailbox`,
		home.Window:             `Kitchen Window; Garage Window; Küchenfenster; Dachfenster; Dachluke Fenster; Ventana del garaje; Fenêtre de la cave; Velux`,
		home.Garage:             `Garage; Garage Door; Garagentor; Puerta del garaje; Porte de garage`,
		home.GateWay:            `Garden Gate; Hoftor; Tor; Portón; Portail`,
		home.Hatch:              `Cellar Hatch; Kellerluke; Katzenklappe; Trampilla del desván; Trappe`,
		home.Door | home.Window: `Porte-fenêtre; Fenstertür`,
	}
	for want, list := range tests {
		for name := range strings.SplitSeq(list, ";") {
			e := home.Entity{Name: strings.TrimSpace(name), Domain: "binary_sensor", Attributes: map[string]any{"device_class": "door"}}
			if got := e.Opening(); got != want {
				t.Errorf("%q is %b, want %b", e.Name, got, want)
			}
		}
	}
}

// TestNoOpenings checks that a thing without a contact never counts as an opening,
// whatever it is called.
func TestNoOpenings(t *testing.T) {
	t.Parallel()
	for _, e := range []home.Entity{
		{Name: "Front Door", Domain: "lock"},
		{Name: "Garage Light", Domain: "light"},
		{Name: "Window Blind", Domain: "cover", Attributes: map[string]any{"device_class": "blind"}},
		{Name: "Garage Motion", Domain: "binary_sensor", Attributes: map[string]any{"device_class": "motion"}},
		{Name: "Fensterrollo", Domain: "cover"},
	} {
		if got := e.Opening(); got != 0 {
			t.Errorf("%s %q is %b, want none", e.Domain, e.Name, got)
		}
	}
	contact := home.Entity{Name: "Front Door", Domain: "lock", Abilities: []home.Ability{home.Lock, home.Contact}}
	if contact.Opening() != home.Door {
		t.Error("a lock that tells whether its door is open is no door")
	}
}
