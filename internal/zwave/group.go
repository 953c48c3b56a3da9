package zwave

import (
	"context"
	"sync"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// group returns the devices for a name that means several: "kitchen lights", "lights in
// the kitchen", a room's name alone for its lights, or several names with commas or
// "and". It is empty if the name means one device. An unknown area or name never makes
// the group larger.
func (m *model) group(name string) []*entity {
	key := form.GroupKey(name)
	kind, area, isType := m.names.Several(name)
	if isType && area == m.names.Area(key) {
		return m.ofType(kind, area)
	}
	if whole := m.wholeNodes[key]; len(whole) == 1 {
		return m.controllable(whole[0]) // all outlets of a power strip
	}
	if isType {
		return m.ofType(kind, area)
	}
	return m.names.Listed(name, m.exact)
}

// members returns the devices for a name that no device has, but that means several.
func (m *model) members(name string) []*entity {
	if len(m.exact(name)) > 0 {
		return nil
	}
	return m.group(name)
}

// emptyGroup returns a refusal for a group without members; nil where the name is
// no group.
func (m *model) emptyGroup(name string) error {
	key := form.GroupKey(name)
	kind, area, ok := m.names.Several(name)
	if !ok || len(m.wholeNodes[key]) > 0 || len(m.ofType(kind, area)) > 0 {
		return nil
	}
	return form.Refuse("There is no %s in %s.", form.NounOf(kind), area)
}

func (m *model) ofType(kind, area string) []*entity {
	var out []*entity
	for _, e := range m.entities {
		if e.Domain == kind && e.node.area() == area {
			out = append(out, e)
		}
	}
	return out
}

// commandGroup runs one command for several devices at the same time, each in its
// place; the receipt holds a receipt for each device. Dangerous acts are for one device
// at a time.
func (c *commander) commandGroup(ctx context.Context, m *model, members []*entity, places []*order.Place, a form.Command) (tools.Receipt, error) {
	for _, place := range places {
		defer place.Pass()
	}
	r := tools.Receipt{Device: a.Device, Property: a.Action}
	if form.TooMany(domainsOf(members), a.Action) {
		return form.EndTooMany(r, namesOf(m, members)), nil
	}
	r.Devices = make([]tools.Receipt, len(members))
	errs := make([]error, len(members))
	var wg sync.WaitGroup
	for i, e := range members {
		wg.Go(func() { r.Devices[i], errs[i] = c.commandOne(ctx, places[i], m, e, a, false) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return r, err
		}
	}
	return form.Sum(r), nil
}

func namesOf(m *model, list []*entity) []string {
	out := make([]string, 0, len(list))
	for _, e := range list {
		name := e.Name
		if m.identifier(e) != name {
			name = m.distinctName(e)
		}
		out = append(out, name)
	}
	return out
}

func domainsOf(list []*entity) (all []string) {
	for _, e := range list {
		all = append(all, e.Domain)
	}
	return all
}
