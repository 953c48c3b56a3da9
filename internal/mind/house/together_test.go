package house

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// TestAreasOfTwoHousesAreOneList: rooms of two houses are one if they have one name, or if
// one has the name of the other as another name.
func TestAreasOfTwoHousesAreOneList(t *testing.T) {
	t.Parallel()
	type area = home.Area
	tests := map[string]struct {
		one, two []area // of the servers a and b; each thing of them is called by its server and area
		also     map[string][]string
		want     []string // area, floor: aliases
		things   []string // area of each thing
	}{
		"one name": {
			[]area{{Name: "Kitchen"}},
			[]area{{Name: "Kitchen"}},
			nil,
			[]string{"Kitchen, :"},
			[]string{"Kitchen", "Kitchen"},
		},
		"one name, written otherwise": {
			[]area{{Name: "Living Room"}},
			[]area{{Name: "living room "}},
			nil,
			[]string{"Living Room, :"},
			[]string{"Living Room", "Living Room"},
		},
		"only the second knows the floor": {
			[]area{{Name: "Kitchen", Aliases: []string{"galley"}}},
			[]area{{Name: "Kitchen", Floor: "Ground", Aliases: []string{"cooking corner", "Galley"}}},
			nil,
			[]string{"Kitchen, Ground: galley, cooking corner"},
			[]string{"Kitchen", "Kitchen"},
		},
		"two floors": {
			[]area{{Name: "Hall", Floor: "Ground"}},
			[]area{{Name: "Hall", Floor: "First"}},
			nil,
			[]string{"Hall, Ground:"},
			[]string{"Hall", "Hall"},
		},
		"an alias of the second": {
			[]area{{Name: "Lounge"}},
			[]area{{Name: "Living Room", Floor: "Ground", Aliases: []string{"lounge"}}},
			nil,
			[]string{"Living Room, Ground: lounge"},
			[]string{"Living Room", "Living Room"},
		},
		"an alias of the first": {
			[]area{{Name: "Living Room", Aliases: []string{"Lounge"}}},
			[]area{{Name: "Lounge"}},
			nil,
			[]string{"Living Room, : Lounge"},
			[]string{"Living Room", "Living Room"},
		},
		"by the configuration": {
			[]area{{Name: "Wohnzimmer"}},
			[]area{{Name: "Living Room", Floor: "Ground"}},
			map[string][]string{"living room": {"Wohnzimmer"}},
			[]string{"Living Room, Ground: Wohnzimmer"},
			[]string{"Living Room", "Living Room"},
		},
		"two rooms of one house": {
			[]area{{Name: "Hall"}, {Name: "Entrance", Aliases: []string{"Hall"}}},
			nil, nil,
			[]string{"Hall, :", "Entrance, : Hall"},
			[]string{"Hall", "Entrance"},
		},
		"an alias of two rooms": {
			[]area{{Name: "Bath"}},
			[]area{{Name: "Bathroom", Aliases: []string{"bath"}}, {Name: "Guest Bath", Aliases: []string{"bath"}}},
			nil,
			[]string{"Bath, :", "Bathroom, : bath", "Guest Bath, : bath"},
			[]string{"Bath", "Bathroom", "Guest Bath"},
		},
		"nothing in common": {
			[]area{{Name: "Attic"}},
			[]area{{Name: "Cellar"}},
			nil,
			[]string{"Attic, :", "Cellar, :"},
			[]string{"Attic", "Cellar"},
		},
	}
	for name, tc := range tests {
		for _, first := range []string{"a", "b"} {
			h, err := NewNamed(intent.English(), nil, Config{Aliases: tc.also}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			tell := map[string][]area{"a": tc.one, "b": tc.two}
			for _, server := range []string{first, map[string]string{"a": "b", "b": "a"}[first]} {
				told := home.House{Areas: tell[server]}
				for _, a := range tell[server] {
					told.Entities = append(told.Entities, home.Entity{ID: server + a.Name, Name: server + " in " + a.Name, Domain: "light", Area: a.Name})
				}
				body, err := json.Marshal(told)
				if err != nil {
					t.Fatal(err)
				}
				h.Tell(server, body)
			}
			var got, things []string
			for _, a := range h.House().Areas {
				got = append(got, strings.TrimSpace(a.Name+", "+a.Floor+": "+strings.Join(a.Aliases, ", ")))
			}
			for _, e := range h.House().Entities {
				things = append(things, e.Area)
			}
			if !slices.Equal(got, tc.want) || !slices.Equal(things, tc.things) {
				t.Errorf("%s, %s first: areas %q, want %q; things in %q, want %q", name, first, got, tc.want, things, tc.things)
			}
		}
	}
}

// TestOneSentenceForTwoHouses: a sentence about a floor, a room or a kind is about the
// things of all houses there, each on its server.
func TestOneSentenceForTwoHouses(t *testing.T) {
	t.Parallel()
	h := known(t)
	h.Tell("hub", []byte(`{"form":1,"kind":"Home Assistant","floors":[{"name":"Downstairs","aliases":["ground floor"]}],"areas":[{"name":"kitchen","floor":"Downstairs"},{"name":"Den","floor":"Downstairs"}],
		"entities":[{"id":"light.den","name":"Den Lamp","domain":"light","area":"Den","control":{"tool":"control_hub_device","id":"light.den"}},
		{"id":"light.island","name":"Island","domain":"light","area":"kitchen","control":{"tool":"control_hub_device","id":"light.island"}}]}`))
	h.Tell("zwave", []byte(`{"form":1,"kind":"Z-Wave","floors":[],"areas":[{"name":"Kitchen","floor":""},{"name":"Attic","floor":""}],
		"entities":[{"id":"zw-1","name":"Kitchen Light","domain":"light","area":"Kitchen","control":{"tool":"control_zwave_device","id":"Kitchen Light"}},
		{"id":"zw-2","name":"Attic Light","domain":"light","area":"Attic","control":{"tool":"control_zwave_device","id":"Attic Light"}}]}`))
	for text, want := range map[string][]string{
		"turn off the lights downstairs":     {"light.den", "light.island", "zw-1"},
		"turn off the kitchen lights":        {"light.island", "zw-1"},
		"turn off all the lights":            {"light.den", "light.island", "zw-1", "zw-2"},
		"turn on the island":                 {"light.island"},
		"turn off the lights in the attic":   {"zw-2"},
		"are any lights on in the kitchen":   {"light.island", "zw-1"},
		"turn off the ground floor lights":   {"light.den", "light.island", "zw-1"},
		"turn off the lights in the kitchen": {"light.island", "zw-1"},
	} {
		d := h.Match(text, "")
		var got []string
		for _, a := range d.Actions {
			got = append(got, a.Devices...)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q is about %q, want %q (%s)", text, got, want, d.Route)
		}
	}
	for id, want := range map[string]string{"light.den": "hub Home Assistant", "zw-1": "zwave Z-Wave"} {
		if e := h.House().Entity(id); e.Server+" "+e.House != want {
			t.Errorf("%s is of %s %s, want %s", id, e.Server, e.House, want)
		}
	}
	h.Tell("barn", []byte(`{"form":1,"kind":"Z-Wave","entities":[{"id":"zw-9","name":"Barn Light","domain":"light"}]}`))
	if e := h.House().Entity("zw-9"); e.House != "barn" {
		t.Errorf("of two houses of one kind, one is called %q", e.House)
	}
}
