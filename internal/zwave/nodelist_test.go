package zwave

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/zwave/wire"
)

// manyNodes is a list of nodes with so many sensors each, beside a switch; label is the
// label of each sensor.
func manyNodes(nodes, sensors int, label string) string {
	var out strings.Builder
	for i := range nodes {
		fmt.Fprintf(&out, `,{"id":%d,"name":"Lamp %[1]d","ready":true,"values":{"37-0-currentValue":{"commandClass":37,"endpoint":0,"property":"currentValue","value":true}`, i+1000)
		for v := range sensors {
			fmt.Fprintf(&out, `,"%d":{"commandClass":49,"endpoint":0,"property":"Sensor %[1]d","readable":true,"label":%q,"value":%[1]d}`, v, label)
		}
		out.WriteString("}}")
	}
	return out.String()[1:]
}

// TestListsAreBounded checks how much is taken of lists that are larger than any network,
// that every node keeps what it can do, and that what is left out is named.
func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxMember)
	for name, tt := range map[string]struct {
		list          string
		nodes, values int // that are taken at most
		skipped       int
		left          []string // the beginning of what is named
	}{
		"a Long Range network": {manyNodes(4_000, 9, ""), 4_000, 40_000, 0, nil},
		"too many nodes":       {manyNodes(maxNodes+68, 1, ""), maxNodes, 2 * maxNodes, 0, []string{"68 nodes, because 4232 are taken"}},
		"too many values of a node": {
			manyNodes(1, 2_999, "") + `,{"id":2,"values":{"a":{"commandClass":37,"property":"currentValue"}}}`, 2, 1_001, 0,
			[]string{"2000 of 3000 values of node 1000"},
		},
		"too many values of all": {
			manyNodes(60, 999, "") + `,{"id":2,"values":{"a":{"commandClass":37,"property":"currentValue"}}}`, 61, maxValues, 0,
			[]string{"of 1000 values of node 1000", "of 1000 values of node 1001"},
		},
		"too many bytes":  {manyNodes(120, 20, long[:maxMember/2]), 120, 120 * 21, 0, []string{"of 21 values of node 1000"}},
		"a long value":    {manyNodes(1, 2, long), 1, 1, 0, []string{"2 values of node 1000 that are longer than 16384 bytes"}},
		"a long name":     {`{"id":2,"name":"` + long + `"},{"id":3}`, 1, 0, 1, nil},
		"a long stranger": {`{"eventsQueue":["` + strings.Repeat(long, 20) + `"],"id":2},{"id":3}`, 2, 0, 0, nil},
		"a nested state":  {`{"id":2,"values":[{"commandClass":37,"property":"currentValue","value":[` + strings.Repeat("[],", maxNested) + `0]}]}`, 1, 1, 0, nil},
		"many odd values": {`{"id":2,"values":[` + strings.Repeat("5,", 50_000) + `5]}`, 1, 0, 50_001, nil},
		"the same twice":  {`{"id":2,"name":"a"},{"id":2,"name":"b"},[[1,{"a":[2]}],3],{"id":3}`, 2, 0, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readList([]byte("[" + tt.list + `],"origin":{}}`))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.nodes) != tt.nodes || valuesOf(got.nodes) > tt.values || valuesOf(got.nodes) < tt.values/2 || got.odd != tt.skipped || len(got.skipped) > maxTold {
				t.Errorf("%d nodes with %d values, %d cannot be read (%d told)", len(got.nodes), valuesOf(got.nodes), got.odd, len(got.skipped))
			}
			for id, n := range got.nodes {
				if len(n.values) > 0 && n.find(wire.BinarySwitch, 0, "currentValue", "") == nil {
					t.Fatalf("node %d has lost its switch", id)
				}
			}
			if len(tt.left) == 0 && len(got.left) > 0 || len(got.left) < len(tt.left) || len(got.left) > maxTold+2 {
				t.Fatalf("left out: %q", got.left)
			}
			for i, want := range tt.left {
				if !strings.Contains(got.left[i], want) {
					t.Errorf("left out: %q, want %q", got.left[i], want)
				}
			}
		})
	}
}

// TestEntitiesAreBounded checks that of too many entities the nodes with most lose some,
// and never what can be controlled.
func TestEntitiesAreBounded(t *testing.T) {
	t.Parallel()
	read, err := readList([]byte("[" + manyNodes(39, 999, "") + "," + `{"id":2,"name":"Small","values":{"a":{"commandClass":37,"property":"currentValue"}}}` + "]"))
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(1, read.nodes, wire.Scheme{}, nil)
	controllable := 0
	for _, e := range m.entities {
		if !isSensor(e) {
			controllable++
		}
	}
	if len(m.entities) > maxEntities || len(m.entities) < maxEntities/2 || controllable != 40 {
		t.Errorf("%d entities, %d of them can be controlled", len(m.entities), controllable)
	}
	if len(m.left) != maxTold+1 || !strings.HasSuffix(m.left[0], "of 1000 entities of node 1000") {
		t.Errorf("left out: %q", m.left)
	}
}

// TestKeptValuesAreBounded checks that a gateway that tells of other values each time,
// before it has read a node, does not fill the memory.
func TestKeptValuesAreBounded(t *testing.T) {
	t.Parallel()
	before := map[int]*node{}
	for round := range 20 {
		n := &node{ID: 2, values: map[wire.ValueID]*value{}}
		for i := range 400 - round {
			id := wire.ValueID{Node: 2, Class: 49, Property: fmt.Sprintf("%d-%d", round, i)}
			n.values[id] = &value{Address: id}
		}
		nodes := map[int]*node{2: n}
		keepUnread(nodes, before)
		before = nodes
	}
	if n := len(before[2].values); n > maxNodeValues || n < 400 {
		t.Errorf("%d values are kept", n)
	}
}

// TestTheResultIsFound checks that the result of an answer is found wherever it stands.
func TestTheResultIsFound(t *testing.T) {
	t.Parallel()
	for _, payload := range []string{
		`{"success":true,"message":"ok","result":[{"id":2}],"args":[]}`,
		` { "args" : [ {"result": [1]} ] , "result" : [{"id":2}] } `,
	} {
		if nodes, _, err := decodeNodes(resultOf("getNodes", []byte(payload))); err != nil || nodes[2] == nil {
			t.Errorf("%s: %v, %v", payload, nodes, err)
		}
	}
	for _, payload := range []string{`{"success":true}`, `{"result":7}`, `{"result":"x"}`, `{"result":null}`, `[]`} {
		if nodes, _, err := decodeNodes(resultOf("getNodes", []byte(payload))); err == nil {
			t.Errorf("%s: %v", payload, nodes)
		}
	}
	if got := resultOf("getInfo", []byte(`{"result":{"homeid":1},"args":[]}`)); string(got) != `{"homeid":1}` || !json.Valid(got) {
		t.Errorf("getInfo: %s", got)
	}
}
