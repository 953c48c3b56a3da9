package reply_test

import (
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
)

// TestThingsOfOneNameAreToldApartByTheirRooms asks which of two lamps is meant.
func TestThingsOfOneNameAreToldApartByTheirRooms(t *testing.T) {
	t.Parallel()
	lamp := func(name, area string) *home.Entity { return &home.Entity{Name: name, Area: area, Domain: "light"} }
	tests := map[string]struct {
		language string
		things   []*home.Entity
		want     string
	}{
		"english":             {"en", []*home.Entity{lamp("Lamp", "Bedroom"), lamp("Lamp", "Kitchen")}, "Do you mean the bedroom lamp or the kitchen lamp?"},
		"german":              {"de", []*home.Entity{lamp("Lampe", "Schlafzimmer"), lamp("Lampe", "Küche")}, "Meinst du Lampe Schlafzimmer oder Lampe Küche?"},
		"spanish":             {"es", []*home.Entity{lamp("Lámpara", "Dormitorio"), lamp("Lámpara", "Cocina")}, "¿Te refieres a Lámpara de Dormitorio o Lámpara de Cocina?"},
		"french":              {"fr", []*home.Entity{lamp("Lampe", "Salon"), lamp("Lampe", "Cuisine")}, "Tu parles de Lampe Salon ou Lampe Cuisine ?"},
		"one is another name": {"en", []*home.Entity{lamp("Lamp", "Bedroom"), lamp("Lamp", "Kitchen"), lamp("Light", "Hall")}, "Do you mean the bedroom lamp, the kitchen lamp or the light?"},
		"signs":               {"en", []*home.Entity{lamp("Blind #1 (left)", "Hall"), lamp("Küche ✨ Lampe Ω", "Küche")}, "Do you mean the blind 1 left or the küche lampe?"},
		"named by its room":   {"en", []*home.Entity{lamp("Kitchen Lamp", "Kitchen"), lamp("Kitchen Lamp", "Pantry")}, "Do you mean the kitchen lamp or the pantry kitchen lamp?"},
		"in one room":         {"en", []*home.Entity{lamp("Lamp", "Hall"), lamp("Lamp", "Hall")}, "Which one do you mean?"},
		"without rooms":       {"en", []*home.Entity{lamp("Lamp", ""), lamp("Lamp", "")}, "Which one do you mean?"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := reply.Ours(tc.language)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Which(tc.things); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
