package home_test

import (
	"testing"

	"voicegateway/internal/home"
)

// TestNames: a name with and without its article, with its room where it has
// namesakes, and whether it is that of several things.
func TestNames(t *testing.T) {
	t.Parallel()
	english := home.Names{
		Article: "the", Lower: true, Without: []string{"the", "my"}, Possessive: []string{"'s"},
		Plural: "s", Singular: []string{"ss", "'s", "us"}, InRoom: "{area} {name}",
	}
	french := home.Names{InRoom: "{name} {area}"}
	for _, tt := range []struct {
		names         home.Names
		thing         home.Entity
		plain, inside string
		several       bool
	}{
		{english, home.Entity{Name: "Kitchen Light", Area: "Kitchen"}, "kitchen light", "the kitchen light", false},
		{english, home.Entity{Name: "Christmas Lights"}, "christmas lights", "the christmas lights", true},
		{english, home.Entity{Name: "Light Mattress"}, "light mattress", "the light mattress", false},
		{english, home.Entity{Name: "My Lamp"}, "my lamp", "my lamp", false},
		{english, home.Entity{Name: "Dad's Lamp"}, "Dad's lamp", "Dad's lamp", false},
		{english, home.Entity{Name: "Lounge TV"}, "lounge TV", "the lounge TV", false},
		{english, home.Entity{Name: "LOUNGE TV"}, "lounge tv", "the lounge tv", false},
		{english, home.Entity{Name: "Lamp", Area: "Bedroom", Namesakes: true}, "bedroom lamp", "the bedroom lamp", false},
		{english, home.Entity{Name: "Bedroom Lamp", Area: "Bedroom", Namesakes: true}, "bedroom lamp", "the bedroom lamp", false},
		{english, home.Entity{Name: "Blind #1 (left)"}, "blind 1 left", "the blind 1 left", false},
		{french, home.Entity{Name: "Lampe", Area: "Salon", Namesakes: true}, "Lampe Salon", "Lampe Salon", false},
		{french, home.Entity{Name: "Volets"}, "Volets", "Volets", false},
	} {
		plain, inside := tt.names.Plain(&tt.thing), tt.names.Inside(&tt.thing)
		if several := tt.names.Several(plain); plain != tt.plain || inside != tt.inside || several != tt.several {
			t.Errorf("%q: %q, %q, several: %v", tt.thing.Name, plain, inside, several)
		}
	}
	if got := english.Room("Living Room"); got != "living room" {
		t.Errorf("the room is %q", got)
	}
}
