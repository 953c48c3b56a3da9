package zwave

import (
	"fmt"
	"testing"

	"voicegateway/internal/zwave/wire"
)

// fullHouse is a network of the largest size, 232 nodes: dimmers with a meter,
// so that each is three things a person can name.
func fullHouse(tb testing.TB) *House {
	tb.Helper()
	rooms := []string{"Kitchen", "Living Room", "Bedroom", "Office", "Hallway", "Garage", "Attic", "Cellar"}
	kinds := []string{"Ceiling Light", "Floor Lamp", "Reading Lamp", "Wall Light", "Spotlight", "Desk Lamp", "Lantern"}
	nodes := map[int]*node{}
	for id := 2; id < 234; id++ {
		n := &node{
			ID: id, Name: fmt.Sprintf("%s %c", kinds[id%len(kinds)], 'A'+id/len(kinds)/len(rooms)), Loc: rooms[id/len(kinds)%len(rooms)],
			Status: "Alive", Available: true, values: map[wire.ValueID]*value{}, Listening: listeningInfo{Always: true},
		}
		for _, vid := range []wire.ValueID{
			{Class: wire.MultilevelSwitch, Property: "currentValue"},
			{Class: wire.MultilevelSwitch, Property: "targetValue"},
			{Class: wire.MultilevelSwitch, Property: "duration"},
			{Class: wire.Meter, Property: "value", Key: "65537"},
			{Class: wire.Meter, Property: "value", Key: "66049"},
		} {
			vid.Node = id
			n.values[vid] = &value{Address: vid, Type: "number", Readable: true, Writeable: true, Value: 0.0}
		}
		nodes[id] = n
	}
	nodes[100].Name = "Coffee Machine"
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		tb.Fatal(err)
	}
	h.ledger.load(nodes, 1)
	h.adopt(newModel(1, nodes, wire.Scheme{}, nil), 1)
	return h
}

// BenchmarkLookUp finds a device by what a person calls it in a house of 232
// nodes. Misspelt is the slow way: every name is compared.
func BenchmarkLookUp(b *testing.B) {
	h := fullHouse(b)
	m := h.current()
	const room = "Garage Desk Lamp A" // without the room it is one of several
	b.Run("id", func(b *testing.B) {
		id := m.entities[len(m.entities)/2].ID
		b.ReportAllocs()
		for b.Loop() {
			if _, e, _, err := h.resolve(b.Context(), id); err != nil || e == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("name", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, e, _, err := h.resolve(b.Context(), "coffee machine"); err != nil || e == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("room", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, e, _, err := h.resolve(b.Context(), room); err != nil || e == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("misspelt", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(m.exact("garadge desk lamb a")) > 0 || len(m.similar("garadge desk lamb a", 3)) == 0 {
				b.Fatal("the candidates are not as expected")
			}
		}
	})
}
