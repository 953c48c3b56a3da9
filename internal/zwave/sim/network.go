package sim

import (
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// network is the nodes of a house.
type network struct {
	nodes map[int]*node
	order []int // of the nodes, by id
}

// newNetwork builds the nodes of a house; age is how old their values are.
func newNetwork(specs []NodeSpec, age time.Duration) (*network, error) {
	w := &network{nodes: map[int]*node{}}
	for _, spec := range specs {
		n, err := newNode(spec, age)
		if err != nil {
			return nil, err
		}
		w.nodes[n.spec.ID] = n
	}
	w.order = slices.Sorted(maps.Keys(w.nodes))
	return w, nil
}

func (w *network) add(n *node) {
	w.nodes[n.spec.ID] = n
	w.order = append(w.order, n.spec.ID)
	slices.Sort(w.order)
}

func (w *network) remove(n *node) {
	delete(w.nodes, n.spec.ID)
	w.order = slices.DeleteFunc(w.order, func(id int) bool { return id == n.spec.ID })
}

// find finds a node by id or name.
func (w *network) find(which any) *node {
	switch which := jsonValue(which).(type) {
	case float64:
		return w.nodes[int(which)]
	case string:
		for _, id := range w.order {
			if strings.EqualFold(w.nodes[id].spec.Name, which) {
				return w.nodes[id]
			}
		}
	}
	return nil
}

// nodeArg returns the node a call is about; nil if there is none. For the gateway, a
// number spelled as text is an unknown node.
func (w *network) nodeArg(args []any) *node {
	if len(args) == 0 {
		return nil
	}
	id, _ := args[0].(float64)
	return w.nodes[int(id)]
}

// free returns the next free node id.
func (w *network) free() int {
	id := 2
	for _, used := range w.order {
		id = max(id, used+1)
	}
	return id
}

// readyOrder returns all node ids, beginning with those in first.
func (w *network) readyOrder(first []int) []int {
	var out []int
	for _, id := range append(slices.Clone(first), w.order...) {
		if w.nodes[id] != nil && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// actUnseen changes devices without the gateway's knowing.
func (w *network) actUnseen(nodes []int, id wire.ValueID, to any) {
	for _, number := range nodes {
		n := w.nodes[number]
		if n == nil || !n.hears() {
			continue
		}
		id.Node = number
		v := n.find(id)
		if v == nil || !v.writeable || !n.obeys(v) || !fits(to, v.meta) {
			continue
		}
		v.fact = to
		if source := n.source(v); source.fact != nil || source.current() {
			source.fact = to
		}
	}
}

// broadcastValues returns one of each writable value in the house, and the Basic
// target of each endpoint that has one.
func (w *network) broadcastValues() []*value {
	seen := map[wire.ValueID]bool{}
	var out, basics []*value
	add := func(to *[]*value, v value) {
		v.id.Node = wire.Broadcast
		if !seen[v.id] {
			seen[v.id] = true
			v.readable, v.believed, v.fact, v.reported = false, nil, nil, false
			*to = append(*to, &v)
		}
	}
	low, high := 0.0, 255.0
	for _, id := range w.order {
		for _, v := range w.nodes[id].listValues() {
			if !v.writeable || !recorded().Classes[v.id.Class].House {
				continue
			}
			add(&out, *v)
			target := value{id: v.id, writeable: true, meta: meta{Type: "number", Label: "Target value", Name: "Target value", Min: &low, Max: &high}}
			target.id.Class, target.id.Property, target.id.Key = basic, "targetValue", ""
			add(&basics, target)
		}
	}
	return append(out, basics...)
}

// describeBroadcast returns, as getNodes describes it, the pseudo-node that
// stands for the whole house.
func (w *network) describeBroadcast() map[string]any {
	values := map[string]any{}
	for _, v := range w.broadcastValues() {
		values[v.id.String()] = v.describe()
	}
	return map[string]any{
		"id": wire.Broadcast, "name": "Broadcast", "virtual": true, "kind": "broadcast", "ready": true, "available": true,
		"failed": false, "inited": true, "eventsQueue": []any{}, "values": values,
	}
}
