package rehearser_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/ear/rehearsal"
	"voicegateway/internal/ear/rehearser"
	"voicegateway/internal/home"
)

// alike are pairs of names that people take for each other, written down before anything
// compared them.
var alike = [][2]string{
	{"Den Light", "Ten Light"},
	{"Fan", "Van"},
	{"Desk Lamp", "Disc Lamp"},
	{"Bat Light", "Pat Light"},
	{"Zelbo", "Selbo"},
	{"Bath Light", "Path Light"},
	{"Bed Lamp", "Bad Lamp"},
	{"Hall Light", "Wall Light"},
	{"Ceiling Fan", "Sealing Fan"},
	{"Porch Light", "Torch Light"},
	{"Shed Light", "Shade Light"},
	{"Lamp", "Ramp"},
	{"Coat Lamp", "Goat Lamp"},
	{"Pool Pump", "Pull Pump"},
	{"Back Lamp", "Pack Lamp"},
	{"Kid Light", "Kit Light"},
	{"Mary's Lamp", "Merry's Lamp"},
	{"Ben's Lamp", "Pen's Lamp"},
	{"Main Light", "Mane Light"},
	{"Bar Light", "Car Light"},
	{"Dock Light", "Dog Light"},
	{"Sink Light", "Zinc Light"},
	{"Tea Kettle", "Key Kettle"},
	{"Cellar Light", "Seller Light"},
	{"Attic Fan", "Antic Fan"},
	{"Loft Light", "Lost Light"},
}

// unlike are pairs of names that people tell apart, written down at the same time.
var unlike = [][2]string{
	{"Kitchen Light", "Bedroom Light"},
	{"Desk Lamp", "Floor Lamp"},
	{"Front Door", "Back Door"},
	{"Fan", "Heater"},
	{"Left Lamp", "Right Lamp"},
	{"Upper Light", "Lower Light"},
	{"Lamp One", "Lamp Two"},
	{"Socket 5", "Socket 9"},
	{"Bed Lamp", "Bath Lamp"},
	{"Office Fan", "Office Lamp"},
	{"Den Light", "Desk Light"},
	{"Hall Light", "Hall Fan"},
	{"Coffee Machine", "Washing Machine"},
	{"Garden Light", "Garage Light"},
	{"Nursery Lamp", "Pantry Lamp"},
	{"Sofa Lamp", "Table Lamp"},
	{"Window Blind", "Roller Blind"},
	{"Ceiling Light", "Cellar Light"},
	{"Porch Light", "Pool Light"},
	{"Reading Lamp", "Bedside Lamp"},
	{"Stairs Light", "Shelf Light"},
	{"Tree Lights", "Window Lights"},
	{"Mirror Light", "Shower Light"},
	{"Lava Lamp", "Salt Lamp"},
	{"Toaster", "Kettle"},
	{"Radio", "Router"},
}

// thing is a switch or a lamp of this name.
func thing(name, area string) home.Entity {
	domain := "switch"
	if strings.HasSuffix(name, "Light") || strings.HasSuffix(name, "Lamp") {
		domain = "light"
	}
	id := domain + "." + strings.ToLower(strings.ReplaceAll(name, " ", "_"))
	return home.Entity{ID: id, Name: name, Domain: domain, Area: area, Control: &home.Control{Tool: "control_device", ID: name}, Abilities: []home.Ability{home.OnOff}}
}

// pairHouse is a house of two things.
func pairHouse(pair [2]string) *home.House {
	return &home.House{
		Areas: []home.Area{{Name: "Office"}, {Name: "Garage"}}, Floors: []home.Floor{},
		Entities: []home.Entity{thing(pair[0], "Office"), thing(pair[1], "Garage")},
	}
}

// compared is what the names alone tell.
func compared(t *testing.T, h *home.House) rehearsal.Report {
	t.Helper()
	r, err := rehearser.Compare(t.Context(), config(t, "flite").Recogniser, h)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNamesThatSoundAlike: without a sound, names that people take for each other are
// found, those that people tell apart are not blamed, and with the proposed names in the
// house everything is mended.
func TestNamesThatSoundAlike(t *testing.T) {
	t.Parallel()
	found, blamed, mended := 0, 0, 0
	for _, pair := range alike {
		h := pairHouse(pair)
		r := compared(t, h)
		if len(r.Confused) != 2 {
			t.Errorf("%v: %+v", pair, r.Confused)
			continue
		}
		found++
		for _, c := range r.Confused {
			if c.Alias == "" || c.Known {
				t.Errorf("%v: no new name for %+v", pair, c)
				continue
			}
			i := slices.IndexFunc(h.Entities, func(e home.Entity) bool { return e.ID == c.ID })
			h.Entities[i].Aliases = append(h.Entities[i].Aliases, c.Alias)
		}
		if again := compared(t, h); slices.ContainsFunc(again.Confused, func(c rehearsal.Confusion) bool { return !c.Mended() }) {
			t.Errorf("%v is not mended: %+v", pair, again.Confused)
		} else {
			mended++
		}
	}
	for _, pair := range unlike {
		if r := compared(t, pairHouse(pair)); len(r.Confused) > 0 {
			t.Errorf("%v: %+v", pair, r.Confused)
			blamed++
		}
	}
	t.Logf("%d of %d pairs that sound alike are found and %d mended, %d of %d that do not are blamed", found, len(alike), mended, blamed, len(unlike))
}
