package choosing_test

import (
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/choosing"
)

// TestCalled finds what a program means by a name.
func TestCalled(t *testing.T) {
	t.Parallel()
	var things []*home.Entity
	for _, l := range []string{"Office Light A/light/Office", "Office Light B/light/Office", "Left Lamp/light/Bedroom", "Right Lamp/light/Bedroom", "Blind/cover/Bedroom", "Decke/light/Küche"} {
		p := strings.Split(l, "/")
		things = append(things, &home.Entity{ID: p[0], Name: p[0], Domain: p[1], Area: p[2]})
	}
	for _, tt := range []struct{ language, name, want string }{
		{"en", "the left lamp", "Left Lamp"},
		{"en", "bedroom left lamp", "Left Lamp"},
		{"en", "office lights", "Office Light A, Office Light B, all"},
		{"en", "lights in the bedroom", "Left Lamp, Right Lamp, all"},
		{"en", "office light", "Office Light A, Office Light B"},
		{"en", "lamp", "Left Lamp, Right Lamp"},
		{"en", "bedroom blind", "Blind"},
		{"en", "cellar lamp", ""},
		{"en", "all", ""},
		{"en", "all the office lights", "Office Light A, Office Light B, all"},
		{"en", "all blinds", "Blind, all"},
		{"de", "alle Lichter Küche", "Decke, all"},
		{"en", "it", ""},
		{"en", "", ""},
		{"de", "Lichter Küche", "Decke, all"},
		{"de", "Licht Küche", "Decke"},
	} {
		w, err := choosing.Ours(tt.language)
		if err != nil {
			t.Fatal(err)
		}
		found, several := w.Called(tt.name, things)
		var got []string
		for _, e := range found {
			got = append(got, e.Name)
		}
		if several {
			got = append(got, "all")
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %q is %q, expected %q", tt.language, tt.name, text, tt.want)
		}
	}
}

// TestNamed finds the things whose names stand in a text, the longest name first.
func TestNamed(t *testing.T) {
	t.Parallel()
	var things []*home.Entity
	for _, name := range []string{"Lamp", "Desk Lamp", "Fan"} {
		things = append(things, &home.Entity{ID: name, Name: name, Area: "Office", Domain: "light"})
	}
	for told, want := range map[string]string{
		"Yes, the desk lamp is on.":           "Desk Lamp",
		"The lamp and the desk lamp are on.":  "Desk Lamp, Lamp",
		"The fan and the lamp are still off.": "Lamp, Fan",
		"Nothing is on.":                      "",
		"":                                    "",
	} {
		var got []string
		for _, e := range english(t).ThingsIn(told, things) {
			got = append(got, e.Name)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%q names %q, expected %q", told, text, want)
		}
	}
}
