package home_test

import (
	"fmt"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
)

// TestMisspeltHazards reads names with a slip, and harmless names that look like them,
// on things of the kinds whose names are read forgivingly.
func TestMisspeltHazards(t *testing.T) {
	t.Parallel()
	kinds := []home.Entity{
		{Domain: "switch"}, {Domain: "light", Abilities: []home.Ability{home.OnOff}}, {Domain: "cover"}, {Domain: ""}, {Domain: "fan"}, {Domain: "scene"},
	}
	missed, wrong := map[string]bool{}, map[string]bool{}
	for _, e := range kinds {
		for _, m := range fake.MisspeltHazards() {
			right := e
			e.Name, right.Name = m.Name, m.Right
			if right.Hazards()&^e.Hazards() != 0 {
				missed[m.Right+" as "+m.Name] = true
			}
		}
		for _, name := range fake.Lookalikes() {
			if e.Name = name; e.Hazards() != 0 {
				wrong[name] = true
			}
		}
	}
	t.Logf("%d of 300 misspelt hazards are missed, %d of 300 harmless names are taken for one", len(missed), len(wrong))
	if len(missed) > 0 || len(wrong) > 6 {
		t.Errorf("missed: %v; harmless: %v", missed, wrong)
	}
}

// TestHazardsOfSlips has what the set does not hold.
func TestHazardsOfSlips(t *testing.T) {
	t.Parallel()
	lamp := []home.Ability{home.OnOff, home.Brightness}
	tests := map[string]struct {
		entity home.Entity
		want   home.Hazard
	}{
		"in both words":           {home.Entity{Name: "Frnt Dor", Domain: "switch"}, home.Gate},
		"a Cyrillic letter":       {home.Entity{Name: "Ѕiren", Domain: "switch"}, home.Loud},
		"a Cyrillic letter, lamp": {home.Entity{Name: "Оven", Domain: "light", Abilities: lamp}, home.Hot},
		"letters apart":           {home.Entity{Name: "S i r e n", Domain: "switch"}, home.Loud},
		"a digit":                 {home.Entity{Name: "G4rage", Domain: "switch"}, home.Gate},
		"m for rn":                {home.Entity{Name: "Alarrn", Domain: "switch"}, home.Loud},
		"together":                {home.Entity{Name: "Watr Heatr", Domain: "switch"}, home.Hot},
		"together, joined":        {home.Entity{Name: "Waterheatr", Domain: "switch"}, home.Hot},
		"together by the area":    {home.Entity{Name: "Mian", Area: "Watr", Domain: "switch"}, home.Wet},
		"two words glued":         {home.Entity{Name: "Watervalve 2", Domain: "switch"}, home.Wet},
		"in what drives it":       {home.Entity{Name: "Garagenantreib", Domain: "switch"}, home.Gate},
		"before what drives it":   {home.Entity{Name: "Gaargenantrieb", Domain: "switch"}, home.Gate},
		"beside an umlaut":        {home.Entity{Name: "Trüöffner", Domain: "switch"}, home.Gate},
		"an umlaut doubled":       {home.Entity{Name: "Tüüren", Domain: "switch"}, home.Gate},
		"an article glued":        {home.Entity{Name: "laporte", Domain: "switch"}, home.Gate},
		"a relay glued":           {home.Entity{Name: "Garagerelay", Domain: "switch"}, home.Gate},
		"a 1 for an l":            {home.Entity{Name: "Venti1", Domain: "switch"}, home.Wet},
		"four letters cut":        {home.Entity{Name: "Of en", Domain: "switch"}, home.Hot},
		"a car":                   {home.Entity{Name: "Hatchback Charger", Domain: "switch"}, 0},
		"a cupboard's lock":       {home.Entity{Name: "Schrankschloss", Domain: "switch"}, 0},
		"an alias":                {home.Entity{Name: "Relay 3", Aliases: []string{"Stov"}, Domain: "switch"}, home.Hot},
		"a thermostat":            {home.Entity{Name: "Suana", Domain: "climate"}, home.Hot},
		"a garage's thermostat":   {home.Entity{Name: "Garge", Domain: "climate"}, 0},
		"a misspelt room":         {home.Entity{Name: "Opener", Area: "Garge", Domain: "switch"}, home.Gate},
		"a cover there":           {home.Entity{Name: "Left", Area: "Garge", Domain: "cover"}, home.Gate},
		"a shade there":           {home.Entity{Name: "Shade", Area: "Garge", Domain: "cover"}, 0},
		"a freezer there":         {home.Entity{Name: "Garge Freezer", Domain: "switch"}, 0},
		"a relay of a lamp there": {home.Entity{Name: "Garge Light", Domain: "light", Abilities: lamp[:1]}, 0},
		"a dimmer":                {home.Entity{Name: "Garten Lampe", Domain: "light", Abilities: lamp}, 0},
		"a misspelt dimmer":       {home.Entity{Name: "Garge", Domain: "light", Abilities: lamp}, 0},
		"a sensor":                {home.Entity{Name: "Stov", Domain: "sensor"}, 0},
		"a port of a strip":       {home.Entity{Name: "Port E", Domain: "switch"}, 0},
		"a hallway":               {home.Entity{Name: "Flur", Domain: "switch"}, 0},
		"nothing":                 {home.Entity{Domain: "switch"}, 0},
	}
	for name, tc := range tests {
		if got := tc.entity.Hazards(); got != tc.want {
			t.Errorf("%s, %q: %b, want %b", name, tc.entity.Name, got, tc.want)
		}
	}
}

func FuzzLikelyHazard(f *testing.F) {
	f.Add("Garge Dor", "Garage")
	f.Add("S i r e n 4 (Licht) & 🚪\u0308", "")
	f.Add("four", "\xff")
	f.Fuzz(func(t *testing.T, name, area string) {
		if exact, likely := home.NamesHazard(area, name), home.LikelyHazard(area, name); exact&^likely != 0 {
			t.Errorf("%q in %q is %b as it is written and %b when it is read forgivingly", name, area, exact, likely)
		}
	})
}

// BenchmarkHazards judges 200 things of a house: for the first time, and again.
func BenchmarkHazards(b *testing.B) {
	words := []string{"Kitchen", "Ceiling", "Garten", "Steckdose", "Büro", "Lampadaire", "Dormitorio", "Workbench"}
	house := func(of int) []home.Entity {
		var all []home.Entity
		for i := range 200 {
			all = append(all, home.Entity{Name: fmt.Sprintf("%s %s %c%c", words[i%8], words[i/8%8], 'a'+of%26, 'a'+of/26%26), Area: words[i%5], Domain: "switch"})
		}
		return all
	}
	b.Run("first", func(b *testing.B) {
		of := 0
		for b.Loop() {
			of++
			for _, e := range house(of) {
				e.Hazards()
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		all := house(0)
		for b.Loop() {
			for i := range all {
				all[i].Hazards()
			}
		}
	})
}
