package zwave

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"voicegateway/internal/zwave/wire"
)

// fullHouse is a network of the largest size, 232 nodes: dimmers with a meter, so
// that each has three things that a person can name.
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
	m := h.directory.current()
	const room = "Garage Desk Lamp A" // without the room it is one of several
	b.Run("id", func(b *testing.B) {
		id := m.entities[len(m.entities)/2].ID
		b.ReportAllocs()
		for b.Loop() {
			if _, e, _, err := h.directory.resolve(b.Context(), id); err != nil || e == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("name", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, e, _, err := h.directory.resolve(b.Context(), "coffee machine"); err != nil || e == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("room", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, e, _, err := h.directory.resolve(b.Context(), room); err != nil || e == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("misspelt", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(m.exact("garadge desk lamb a")) > 0 || len(m.names.Similar("garadge desk lamb a")) == 0 {
				b.Fatal("the candidates are not as expected")
			}
		}
	})
}

// BenchmarkList lists one page of the devices in a house of 232 nodes.
func BenchmarkList(b *testing.B) {
	h := fullHouse(b)
	for _, page := range []int{1, 7} {
		b.Run(fmt.Sprintf("page=%d", page), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := h.Tools()[0].Call(b.Context(), fmt.Appendf(nil, `{"page":%d}`, page)); err != nil || r.Failed {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// bigAnswer returns a getNodes answer of 232 nodes with 60 values each. It is as
// long as the longest answer seen; events fill the rest of its 10 MB.
func bigAnswer(tb testing.TB, id string) []byte {
	tb.Helper()
	event := `{"event":"value updated","time":"2026-11-21T05:18:30.000Z","args":[{"prevValue":21.5,"newValue":21.6}]},`
	var out strings.Builder
	out.WriteString(`{"success":true,"message":"Success zwave api call","result":[`)
	for n := 2; n < 234; n++ {
		fmt.Fprintf(&out, `{"id":%d,"name":"Lamp %d","loc":"Room %d","status":"Alive","available":true,"ready":true,"isListening":true,`, n, n, n%12)
		fmt.Fprintf(&out, `"eventsQueue":[%s{}],"values":{`, strings.Repeat(event, 245))
		for v := range 60 {
			if v > 0 {
				out.WriteByte(',')
			}
			class, property := 112, fmt.Sprint(v)
			if v == 0 {
				class, property = wire.MultilevelSwitch, "currentValue"
			}
			fmt.Fprintf(&out, `"%[2]d-0-%[3]s":{"id":"%[1]d-%[2]d-0-%[3]s","nodeId":%[1]d,"commandClass":%[2]d,"commandClassName":"Configuration",`+
				`"endpoint":0,"property":"%[3]s","propertyName":"%[3]s","type":"number","readable":true,"writeable":true,"label":"Parameter %[3]s",`+
				`"stateless":false,"commandClassVersion":4,"min":0,"max":99,"list":false,"value":%[4]d,"lastUpdate":1795238308762}`, n, class, property, v)
		}
		out.WriteString(`}}`)
		if n < 233 {
			out.WriteByte(',')
		}
	}
	fmt.Fprintf(&out, `],"args":[],"origin":{"args":[],"requestId":%q}}`, id)
	return []byte(out.String())
}

// take runs an answer of getNodes through everything a refresh does.
func (h *House) take(tb testing.TB, body []byte) {
	tb.Helper()
	got := make(chan answer, 1)
	h.link.pending[h.link.id+"-big"] = pending{answer: got}
	h.handle("zwave/_CLIENTS/ZWAVE_GATEWAY-x/api/getNodes", body, false)
	a := <-got
	nodes, skipped, err := decodeNodes(a.result)
	if err != nil || len(skipped) > 0 || len(nodes) != 232 {
		tb.Fatal(len(nodes), skipped, err)
	}
	h.adopt(newModel(1, nodes, chooseScheme(nodes, h.link.topicsInSight()), nil), a.seq)
}

// BenchmarkRefresh takes the largest list of nodes from the broker's message to
// the model.
func BenchmarkRefresh(b *testing.B) {
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		b.Fatal(err)
	}
	body := bigAnswer(b, h.link.id+"-big")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		h.take(b, body)
	}
}

// BenchmarkMemory measures the memory of a house of 232 nodes with 60 values
// each.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		h, err := New(DefaultConfig(), nil, quietLog())
		if err != nil {
			b.Fatal(err)
		}
		body := bigAnswer(b, h.link.id+"-big")
		runtime.GC()
		runtime.ReadMemStats(&before)
		h.take(b, body)
		for _, id := range h.directory.current().topics.values {
			h.handle("zwave/"+h.directory.current().topics.topic(id), []byte(`{"time":1795238308762,"value":1}`), false)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(h)
		runtime.KeepAlive(body)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
}

// TestLargestAnswerIsTaken checks that the answer of bigAnswer has its length,
// and is understood.
func TestLargestAnswerIsTaken(t *testing.T) {
	t.Parallel()
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		t.Fatal(err)
	}
	body := bigAnswer(t, h.link.id+"-big")
	if len(body) < 10<<20 || !json.Valid(body) {
		t.Fatalf("the answer has %d bytes, valid: %t", len(body), json.Valid(body))
	}
	h.take(t, body)
	if n := len(h.Home().Entities); n != 232 {
		t.Errorf("%d entities", n)
	}
}
