package zwave

import (
	"fmt"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// boxesOf files the nodes that nothing in the house is called by: a sensor with
// several measurements, a power strip, a device that has not told what it is.
// People who know zwave-js-ui call them by the names they gave there.
func boxesOf(nodes map[int]*node, entities []*entity) map[string][]*node {
	named := map[int]bool{}
	for _, e := range entities {
		if e.Name == e.node.display() {
			named[e.node.ID] = true
		}
	}
	out := map[string][]*node{}
	for id, n := range nodes {
		if named[id] {
			continue
		}
		key := fold(n.display())
		out[key] = append(out[key], n)
		if n.display() == unnamed(id) {
			out[fold(n.topicName())] = []*node{n}
		}
		if n.area() != "" {
			key = fold(n.area() + " " + n.display())
			out[key] = append(out[key], n)
		}
	}
	return out
}

// mains are what can be controlled in a node.
func (m *model) mains(n *node) []*entity {
	var out []*entity
	for _, e := range m.entities {
		if e.node == n && !isSensor(e) {
			out = append(out, e)
		}
	}
	return out
}

// unpack makes one entity of a node that is asked for as a whole, or says why
// that is not possible.
func (h *House) unpack(m *model, box []*node) (*entity, []string, error) {
	n := box[0]
	mains, sensors := m.mains(n), n.sensors()
	switch {
	case len(box) > 1:
		return nil, nil, refuse("There are %d devices called %q. Name the part you mean, as list_devices has it.", len(box), n.display())
	case len(mains) > 0:
		parts := namesOf(m, mains)
		return nil, parts, refuse("%s has %d parts: %s. Say which one.", n.display(), len(parts), strings.Join(parts, ", "))
	case len(sensors) > 0:
		e := n.sensorEntity(sensors[0])
		e.ID, e.Name, e.sensors = fmt.Sprintf("zw-%08x-%d", m.homeID, n.ID), n.display(), sensors
		for _, s := range sensors[1:] {
			e.abilities = append(e.abilities, s.kind)
		}
		return e, nil, nil
	case h.ledger.node(n.ID).dead():
		return nil, nil, silent(n.display() + " does not answer. Check that it has power, then try again.")
	case !n.Ready:
		return nil, nil, silent(n.display() + " is still telling the gateway what it can do. Try again in some minutes; a device with a battery has to be woken up.")
	default:
		return nil, nil, refuse("%s has nothing that can be controlled or read here.", n.display())
	}
}

// silent is a refusal because the device has not answered.
type silent string

func (s silent) Error() string { return string(s) }

// As makes it a refusal as well.
func (s silent) As(target any) bool {
	no, ok := target.(*refusal)
	if ok {
		*no = refusal(s)
	}
	return ok
}

// whole returns a node as one thing, for what is done to a whole node; nil if the
// name is not one of a node only.
func (m *model) whole(name string) *entity {
	if box := m.boxes[fold(name)]; len(box) == 1 && len(m.exact(name)) == 0 {
		return &entity{Name: box[0].display(), node: box[0], main: wire.ValueID{Node: box[0].ID}}
	}
	return nil
}
