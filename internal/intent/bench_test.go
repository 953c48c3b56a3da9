package intent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// places and things name the devices of a house of any size, as people do.
var (
	places = strings.Fields("Kitchen Bedroom Bathroom Office Hallway Garage Attic Cellar Nursery Library Laundry Pantry Porch Terrace Garden " +
		"Workshop Studio Gym Lounge Study Balcony Sauna Stable Barn Shed Foyer Parlour Veranda Conservatory Annexe Loft Den Larder Scullery " +
		"Greenhouse Carport Cloakroom Playroom Basement Chapel")
	things = []struct{ name, domain string }{
		{"Ceiling Light", "light"},
		{"Lamp", "light"},
		{"Blinds", "cover"},
		{"Fan", "fan"},
		{"Thermostat", "climate"},
		{"Heater", "switch"},
		{"Speaker", "switch"},
		{"Door", "lock"},
		{"Spotlight", "light"},
		{"Curtain", "cover"},
	}
	owners = []string{"", "Old ", "Left ", "Right ", "Small "}
)

// houseOf has n devices with names of their own, at most 2000.
func houseOf(n int) *home.House {
	h := &home.House{}
	each := max(5, n/len(places)) // devices in a room
	for i := range n {
		place, thing := places[i/each], things[i%each%len(things)]
		if i%each == 0 {
			h.Areas = append(h.Areas, home.Area{Name: place})
		}
		e := home.Entity{ID: fmt.Sprint(i), Name: fmt.Sprintf("%s%s %s", owners[i%each/len(things)], place, thing.name), Domain: thing.domain, Area: place}
		if thing.domain == "light" {
			e.Attributes = map[string]any{"dimmable": true}
		}
		h.Entities = append(h.Entities, e)
	}
	return h
}

// said are sentences of a family in such a house, some of them spoken to each other.
var said = []string{
	"turn on the kitchen lamp", "dim the bedroom ceiling light to forty percent", "turn off the lights in the bathroom",
	"is the office fan on", "open the bedroom blinds and turn off the kitchen fan", "set the bathroom thermostat to twenty one degrees",
	"turn on the dishwasher", "turn on the ketchen lamb", "what should i cook with eggs and rice tonight", "what time is it",
}

// BenchmarkMatchInHouse matches sentences of a mix, one at a time, in houses of
// three sizes, and reports the median and the tail.
func BenchmarkMatchInHouse(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		b.Run(fmt.Sprintf("devices=%d", n), func(b *testing.B) {
			m, err := intent.New(intent.English(), houseOf(n))
			if err != nil {
				b.Fatal(err)
			}
			for _, s := range said[:6] {
				if d := m.Match(s, "Kitchen"); d.Route != intent.Local {
					b.Fatalf("%q is not understood: %+v", s, d)
				}
			}
			took := make([]time.Duration, 1<<17) // the last ones count
			count := 0
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				m.Match(said[count%len(said)], "Kitchen")
				took[count%len(took)] = time.Since(began)
				count++
			}
			fake.Spread(b, "", took[:min(count, len(took))], 50, 99)
		})
	}
}
