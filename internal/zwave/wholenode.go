package zwave

import (
	"fmt"
	"strings"

	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// wholeNodesOf indexes by name the nodes whose own name no entity has: a sensor
// with several measurements, a power strip, a device whose kind is not known yet.
// People who know zwave-js-ui call them by the names they gave there.
func wholeNodesOf(nodes map[int]*node, entities []*entity) map[string][]*node {
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
		key := form.Fold(n.display())
		out[key] = append(out[key], n)
		if n.display() == fallbackName(id) {
			out[form.Fold(n.topicName())] = []*node{n}
		}
		if n.area() != "" {
			key = form.Fold(n.area() + " " + n.display())
			out[key] = append(out[key], n)
		}
	}
	return out
}

// controllable returns the entities of a node that can be controlled.
func (m *model) controllable(n *node) []*entity {
	var out []*entity
	for _, e := range m.entities {
		if e.node == n && !isSensor(e) {
			out = append(out, e)
		}
	}
	return out
}

// wholeEntity makes one entity of a node that is commanded as a whole, or says why that
// is not possible.
func (d *directory) wholeEntity(m *model, nodes []*node) (*entity, []string, error) {
	n := nodes[0]
	mains, sensors := m.controllable(n), n.sensors()
	switch {
	case len(nodes) > 1:
		return nil, nil, form.Refuse("There are %d devices called %q. Name the part you mean, as list_devices has it.", len(nodes), n.display())
	case len(mains) > 0:
		parts := namesOf(m, mains)
		return nil, parts, form.Refuse("%s has %d parts: %s. Say which one.", n.display(), len(parts), strings.Join(parts, ", "))
	case len(sensors) > 0:
		e := n.sensorEntity(sensors[0])
		e.ID, e.Name, e.sensors = fmt.Sprintf("zw-%08x-%d", m.homeID, n.ID), n.display(), sensors
		for _, s := range sensors[1:] {
			e.abilities = append(e.abilities, s.kind)
		}
		return e, nil, nil
	case d.ledger.node(n.ID).dead():
		return nil, nil, unreachable(n.display() + " does not answer. Check that it has power, then try again.")
	case !n.Ready:
		return nil, nil, unreachable(n.display() + " is still telling the gateway what it can do. Try again in some minutes; a device with a battery has to be woken up.")
	default:
		return nil, nil, form.Refuse("%s has nothing that can be controlled or read here.", n.display())
	}
}

// unreachable is a refusal for a device that has not answered.
type unreachable string

func (u unreachable) Error() string { return string(u) }

// As lets errors.As find it as a refusal.
func (u unreachable) As(target any) bool {
	no, ok := target.(*form.Refusal)
	if ok {
		*no = form.Refusal(u)
	}
	return ok
}

// wholeNode returns a node as one entity, for acts on a whole node; nil if the
// name is unknown or also that of an entity.
func (m *model) wholeNode(name string) *entity {
	if nodes := m.wholeNodes[form.Fold(name)]; len(nodes) == 1 && len(m.exact(name)) == 0 {
		return &entity{Name: nodes[0].display(), node: nodes[0], main: wire.ValueID{Node: nodes[0].ID}}
	}
	return nil
}
