package reply_test

import (
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
)

// TestThingsOfOneNameAreToldApartByTheirRooms asks which of several things is meant.
func TestThingsOfOneNameAreToldApartByTheirRooms(t *testing.T) {
	t.Parallel()
	words := map[string]map[string]string{
		"de": {"Lamp": "Lampe", "Light": "Licht", "Kitchen Lamp": "Küchenlampe", "Bedroom": "Schlafzimmer", "Kitchen": "Küche", "Pantry": "Speisekammer", "Hall": "Flur"},
		"es": {"Lamp": "Lámpara", "Light": "Luz", "Kitchen Lamp": "Lámpara de la cocina", "Bedroom": "Dormitorio", "Kitchen": "Cocina", "Pantry": "Despensa", "Hall": "Pasillo"},
		"fr": {"Lamp": "Lampe", "Light": "Lumière", "Kitchen Lamp": "Lampe de la cuisine", "Bedroom": "Salon", "Kitchen": "Cuisine", "Pantry": "Cellier", "Hall": "Couloir"},
	}
	golden := fake.ReadProse(t, "testdata/namesakes.txtar")
	for _, c := range []struct {
		name   string
		things [][2]string // name and room
	}{
		{"in two rooms", [][2]string{{"Lamp", "Bedroom"}, {"Lamp", "Kitchen"}}},
		{"one is another name", [][2]string{{"Lamp", "Bedroom"}, {"Lamp", "Kitchen"}, {"Light", "Hall"}}},
		{"signs", [][2]string{{"Blind #1 (left)", "Hall"}, {"Küche ✨ Lampe Ω", "Küche"}}},
		{"named by its room", [][2]string{{"Kitchen Lamp", "Kitchen"}, {"Kitchen Lamp", "Pantry"}}},
		{"in one room", [][2]string{{"Lamp", "Hall"}, {"Lamp", "Hall"}}},
		{"without rooms", [][2]string{{"Lamp", ""}, {"Lamp", ""}}},
	} {
		for _, language := range sentences.Languages() {
			p, err := reply.Ours(language)
			if err != nil {
				t.Fatal(err)
			}
			translate := func(word string) string {
				if translated, ok := words[language][word]; ok {
					return translated
				}
				return word
			}
			var things []*home.Entity
			for _, s := range c.things {
				things = append(things, &home.Entity{Name: translate(s[0]), Area: translate(s[1]), Domain: "light"})
			}
			golden.Say(c.name, fake.ProseLine{Language: language, Said: p.Which(things)})
		}
	}
	golden.Compare(t, *update)
}
