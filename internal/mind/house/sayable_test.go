package house_test

import (
	"log/slog"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/mind/house"
)

// TestNamesWithSignsAreFoundByWhatIsSaid speaks of things whose names contain signs that
// are not pronounced, and of two lamps that differ only in their rooms.
func TestNamesWithSignsAreFoundByWhatIsSaid(t *testing.T) {
	t.Parallel()
	named := func(id, name, area, domain string) home.Entity {
		return home.Entity{ID: id, Name: name, Area: area, Domain: domain, Abilities: []home.Ability{home.OnOff, home.OpenClose}}
	}
	known := &home.House{
		Areas: []home.Area{{Name: "Bed Room"}, {Name: "Küche ✨"}, {Name: "Office"}},
		Entities: []home.Entity{
			named("blind", "Blind #1 (left)", "Bed Room", "cover"), named("blind2", "Blind #2 (right)", "Bed Room", "cover"),
			named("kitchen", "Küche ✨ Lampe Ω", "Küche ✨", "light"),
			named("lamp1", "Desk Lamp", "Office", "light"), named("lamp2", "Desk Lamp", "Bed Room", "light"),
		},
	}
	h, err := house.New(intent.English(), known, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"open blind one left":                 "blind",
		"open blind 1 left":                   "blind",
		"open the left blind":                 "blind",
		"close blind two right":               "blind2",
		"turn on the küche lampe":             "kitchen",
		"turn on the kuche lampe":             "kitchen",
		"turn on the office desk lamp":        "lamp1",
		"turn on the desk lamp in the office": "lamp1",
	} {
		d := h.Match(text, "")
		if len(d.Actions) != 1 || len(d.Actions[0].Devices) != 1 || d.Actions[0].Devices[0] != want {
			t.Errorf("%q: %+v, want %s", text, d, want)
		}
	}
	if d := h.Match("turn on the desk lamp", ""); d.Route != intent.Ask {
		t.Errorf("of two desk lamps one is chosen: %+v", d)
	}
	for _, e := range h.House().Entities {
		if want := e.Name == "Desk Lamp"; e.Namesakes != want {
			t.Errorf("%s (%s): namesakes %t", e.Name, e.Area, e.Namesakes)
		}
	}
}
