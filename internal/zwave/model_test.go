package zwave

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// recordedNodes returns the getNodes result of a recorded gateway.
func recordedNodes(t *testing.T) json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(fake.Shared(t, "zwave", "recordings", "06-api.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var m struct {
			Topic   string
			Payload struct{ Result json.RawMessage }
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && bytes.HasPrefix(m.Payload.Result, []byte(`[{"id"`)) {
			return m.Payload.Result
		}
	}
	t.Fatal("the recording has no getNodes answer")
	return nil
}

func TestEntitiesOfTheRecordedHouse(t *testing.T) {
	nodes, skipped, err := decodeNodes(recordedNodes(t))
	if err != nil || len(skipped) > 0 {
		t.Fatalf("%v, skipped %v", err, skipped)
	}
	m := newModel(0x7e57abcd, nodes, wire.Scheme{}, map[string][]string{"kitchen lamp": {"sink light"}})
	got := map[string]string{}
	for _, e := range m.home.Entities {
		got[e.Name] += e.Domain + " in " + e.Area
	}
	want := map[string]string{
		"Kitchen Lamp": "light in Kitchen", "Kitchen Lamp Power": "sensor in Kitchen", "Kitchen Lamp Energy": "sensor in Kitchen",
		"Ceiling Light":           "light in Living Room",
		"Living Room Temperature": "sensor in Living Room", "Living Room Humidity": "sensor in Living Room",
		"Living Room Illuminance": "sensor in Living Room", "Living Room Motion": "binary_sensor in Living Room",
		"Living Room Battery": "sensor in Living Room",
		"Front Door":          "binary_sensor in ", "Front Door Battery": "sensor in ",
		"Termostato Salón": "climate in Salón",
		"Front Lock":       "lock in Hall/Entrance", "Front Lock Battery": "sensor in Hall/Entrance",
		"Blind #1 (left)": "cover in Bed Room", "Garage.Shade+": "cover in Garage",
		"Küche ✨ Lampe Ω": "light in Küche", "Wall Remote": "sensor in ",
		"Power Strip 1": "switch in Office", "Power Strip 2": "switch in Office",
		"Device 13": "switch in ",
		"Desk Lamp": "light in Office", "Desk_Lamp": "light in Office",
	}
	if !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s is %q, want %q", name, got[name], want[name])
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("%s (%s) should not be there", name, got[name])
			}
		}
	}
	if found := m.exact("SINK light"); len(found) != 1 || found[0].Name != "Kitchen Lamp" {
		t.Errorf("the alias finds %v", found)
	}
	// "Desk Lamp" and "Desk_Lamp" share all topics and, spoken, their name.
	if !m.topics.shared[14] || !m.topics.shared[15] || len(m.exact("desk lamp")) != 2 {
		t.Errorf("colliding nodes are not seen as such: %v", m.topics.shared)
	}
	if e := m.exact("Kitchen Lamp")[0]; e.ID != "zw-7e57abcd-2-37-0" || !slices.Contains(e.abilities, home.Power) {
		t.Errorf("kitchen lamp: %+v", e)
	}
}

// TestNamesAreFoundByWhatIsSaid looks devices up without the signs in their names.
func TestNamesAreFoundByWhatIsSaid(t *testing.T) {
	nodes, _, err := decodeNodes(recordedNodes(t))
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(0x7e57abcd, nodes, wire.Scheme{}, nil)
	for said, want := range map[string]string{
		"blind one left": "Blind #1 (left)", "Blind 1 left": "Blind #1 (left)", "bed room blind one left": "Blind #1 (left)",
		"küche lampe": "Küche ✨ Lampe Ω", "kuche lampe": "Küche ✨ Lampe Ω", "garage shade": "Garage.Shade+",
		"power strip two": "Power Strip 2", "termostato salon": "Termostato Salón",
	} {
		if found := m.exact(said); len(found) != 1 || found[0].Name != want {
			t.Errorf("%q finds %v, want %s", said, found, want)
		}
	}
	for _, e := range m.home.Entities {
		if want := map[string]string{"Blind #1 (left)": "Blind 1 left", "Küche ✨ Lampe Ω": "Küche Lampe"}[e.Name]; want != "" && !slices.Contains(e.Aliases, want) {
			t.Errorf("%s has the other names %q, want %q", e.Name, e.Aliases, want)
		}
	}
}

func TestSchemeIsLearntFromTopics(t *testing.T) {
	nodes, _, err := decodeNodes(recordedNodes(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wire.Schemes() {
		seen := map[string]bool{}
		for id, n := range nodes {
			for vid := range n.values {
				seen[want.Value(want.Node(id, n.Name, n.Loc), vid)] = false
			}
		}
		if got := chooseScheme(nodes, seen); got != want {
			t.Errorf("topics of %+v are taken for %+v", want, got)
		}
	}
}

func TestDangerousActs(t *testing.T) {
	tests := map[string]struct {
		entity entity
		action string
		want   bool
	}{
		"lock":             {entity{Domain: "lock"}, "lock", false},
		"unlock":           {entity{Domain: "lock"}, "unlock", true},
		"open a garage":    {entity{Domain: "cover", Class: "garage"}, "open", true},
		"close a garage":   {entity{Domain: "cover", Class: "garage"}, "close", false},
		"stop a garage":    {entity{Domain: "cover", Class: "garage"}, "stop", false},
		"open a blind":     {entity{Domain: "cover", Class: "blind"}, "open", false},
		"open a valve":     {entity{Domain: "valve"}, "open", true},
		"valve on":         {entity{Domain: "valve"}, "on", true},
		"close a valve":    {entity{Domain: "valve"}, "close", false},
		"siren on":         {entity{Domain: "switch", Class: "siren"}, "on", true},
		"siren off":        {entity{Domain: "switch", Class: "siren"}, "off", false},
		"a gate's relay":   {entity{Domain: "switch", Name: "Gate Opener"}, "toggle", true},
		"an oven":          {entity{Domain: "switch", Name: "Oven"}, "on", true},
		"a lamp at a door": {entity{Domain: "light", Name: "Front Door Light"}, "on", false},
	}
	for name, tc := range tests {
		tc.entity.node = &node{}
		if got := form.Dangerous(tc.entity.thing(), tc.action, nil); got != tc.want {
			t.Errorf("%s: dangerous is %v, want %v", name, got, tc.want)
		}
	}
}

func TestPercentKeepsWhatWasSet(t *testing.T) {
	for p := range 99 {
		if got := toPercent(fromPercent(float64(p))); got != float64(p) {
			t.Errorf("%d percent reads %v", p, got)
		}
	}
	if toPercent(fromPercent(100)) != 100 || fromPercent(100) != full {
		t.Error("100 percent is not full")
	}
}

func FuzzDecodeNodes(f *testing.F) {
	f.Add([]byte(`[{"id":2,"values":{"37-0-currentValue":{"commandClass":37,"property":"currentValue","value":true}}}]`))
	f.Add([]byte(`[{"id":3,"name":5},{"id":4,"values":[]},null,{"id":5,"values":{"x":{"property":{}}}}]`))
	f.Add([]byte(`[{"id":6,"name":"Sensor","values":{"a":{"commandClass":49,"property":"Air temperature","readable":true},"b":{"commandClass":49,"property":"","readable":true}}}]`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		nodes, _, err := decodeNodes(body)
		if err != nil {
			return
		}
		m := newModel(1, nodes, wire.Scheme{}, nil)
		l := newLedger()
		l.load(nodes, 1)
		for _, e := range m.entities {
			m.state(e, l.read(e.main).value)
			m.values(e, l.read)
			for _, a := range actions {
				r := request{model: m, entity: e, value: 50.0, read: l.read}
				if s, err := plan(a.name, r); err == nil {
					_ = r.valid(s)
				}
			}
		}
		m.names.Similar("kitchen light")
	})
}

// FuzzHandle feeds any message of the broker to a house with a lamp, a remote
// control and two nodes of one name.
func FuzzHandle(f *testing.F) {
	for _, seed := range []struct{ topic, payload string }{
		{"zwave/_CLIENTS/ZWAVE_GATEWAY-x/status", `{"value":true}`},
		{"zwave/_CLIENTS/ZWAVE_GATEWAY-x/api/getInfo", `{"success":true,"origin":{"requestId":"x"}}`},
		{"zwave/_CLIENTS/ZWAVE_GATEWAY-x/api/writeValue/set", `{"args":[{"nodeId":2,"commandClass":37,"property":"targetValue"},true]}`},
		{"zwave/_CLIENTS/ZWAVE_GATEWAY-x/multicast/set", `{"nodes":[2],"value":false}`},
		{"zwave/_EVENTS/ZWAVE_GATEWAY-x/node/node_added", `{"data":[]}`},
		{"zwave/driver/status", `true`},
		{"zwave/a/status", `{"value":true,"nodeId":2}`},
		{"zwave/a/nodeinfo", `{"id":2,"name":"b","loc":null}`},
		{"zwave/a/switch_binary/endpoint_0/currentValue", `{"time":1,"value":true}`},
		{"zwave/a/switch_binary/endpoint_0/currentValue/set", `true`},
		{"zwave/b/central_scene/endpoint_0/scene/001", `{"time":1}`},
		{"zwave/c/switch_binary/endpoint_0/currentValue", `{"nodeId":5,"commandClass":37,"property":"currentValue","value":true,"lastUpdate":"x"}`},
	} {
		f.Add(seed.topic, []byte(seed.payload), false)
	}
	nodes, _, err := decodeNodes(json.RawMessage(`[
		{"id":2,"name":"a","values":{"x":{"commandClass":37,"property":"currentValue"}}},
		{"id":3,"name":"b","values":{"x":{"commandClass":91,"property":"scene","propertyKey":"001","readable":true}}},
		{"id":4,"name":"c","values":{"x":{"commandClass":37,"property":"currentValue"}}},
		{"id":5,"name":"c","values":{"x":{"commandClass":37,"property":"currentValue"}}}]`))
	if err != nil {
		f.Fatal(err)
	}
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		f.Fatal(err)
	}
	h.adopt(newModel(1, nodes, wire.Scheme{}, nil), 1)
	f.Fuzz(func(t *testing.T, topic string, payload []byte, retained bool) {
		lamp := nodes[2].find(37, 0, "currentValue", "").Address
		before := h.ledger.read(lamp)
		h.handle(topic, payload, retained)
		if after := h.ledger.read(lamp); retained && after.seq != before.seq {
			t.Errorf("a retained message changed the state: %+v", after)
		}
	})
}

// FuzzName looks up arbitrary names.
func FuzzName(f *testing.F) {
	for _, seed := range []string{"kitchen lamb", "all lights in the kitchen", "lamp, lamp and the lamp", " in ", "the", "\u0130 x"} {
		f.Add(seed)
	}
	nodes, _, err := decodeNodes(json.RawMessage(`[
		{"id":2,"name":"Kitchen Lamp","loc":"Kitchen","values":{"x":{"commandClass":38,"property":"currentValue"}}},
		{"id":3,"name":"Strip","loc":"Küche","values":{"x":{"commandClass":37,"endpoint":1,"property":"currentValue"},"y":{"commandClass":37,"endpoint":2,"property":"currentValue"}}}]`))
	if err != nil {
		f.Fatal(err)
	}
	m := newModel(1, nodes, wire.Scheme{}, nil)
	f.Fuzz(func(t *testing.T, name string) {
		if found := m.names.Similar(name); len(found) > len(m.entities) {
			t.Errorf("%q is like %d things", name, len(found))
		}
		if len(m.group(name)) > len(m.entities) {
			t.Errorf("%q is more than there is", name)
		}
		_, _, _ = m.names.Filters(form.ListArgs{Area: name, Type: name}, domains())
	})
}

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// BenchmarkHandle takes one state message in a house of 232 nodes; 20,000 a
// second would be 50 µs each.
func BenchmarkHandle(b *testing.B) {
	nodes := map[int]*node{}
	for id := 2; id < 234; id++ {
		n := &node{ID: id, Name: "Lamp " + strconv.Itoa(id), Loc: "Room", values: map[wire.ValueID]*value{}}
		for class := range 60 {
			vid := wire.ValueID{Node: id, Class: class, Property: "currentValue"}
			n.values[vid] = &value{Address: vid}
		}
		nodes[id] = n
	}
	h, err := New(DefaultConfig(), nil, quietLog())
	if err != nil {
		b.Fatal(err)
	}
	h.adopt(newModel(1, nodes, wire.Scheme{}, nil), 1)
	payload := []byte(`{"time":1795238308762,"value":true}`)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.handle("zwave/Room/Lamp_"+strconv.Itoa(2+i%232)+"/switch_binary/endpoint_0/currentValue", payload, false)
	}
}
