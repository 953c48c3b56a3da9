package hass

import (
	"cmp"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// entity is one thing of the house.
type entity struct {
	home.Entity

	object   string // the domain of its id in Home Assistant, which its services have
	device   string // the id of the device it is part of; "": none
	scale    string // the unit of its degrees
	features int
	shape    map[string]any
	members  []*entity // what it commands, of a group or a scene, also through other groups
	unlisted bool      // it has no entry in the registry, so nobody tells when it is not shown any more
	hidden   bool      // not shown to assistants: never named, but it guards what commands it
}

// model is the structure of the house at one moment. It is never changed.
type model struct {
	entities []*entity // in the order in which they are listed
	byID     map[string]*entity
	names    *form.Names[*entity]
	home     home.House
	left     int  // entities of known kinds that Home Assistant does not show to assistants
	admin    bool // the token may read everything
	empty    bool // there is nothing at all in Home Assistant yet
}

// newModel makes the house out of what is written down and of what the entities say.
func newModel(r *registries, states map[string]*status, shape map[string]map[string]any) *model {
	m := &model{byID: map[string]*entity{}, admin: r.admin, empty: len(states) == 0}
	all := map[string]*entity{}
	for id := range states {
		if e := newEntity(id, shape[id], r); e != nil {
			all[id] = e
		}
	}
	for id, e := range all {
		e.members = collectMembers(id, all, shape)
		e.hidden = !r.exposes(id, e.DeviceClass())
		if e.hidden {
			m.left++
			continue
		}
		m.entities = append(m.entities, e)
		m.byID[id] = e
	}
	order := Domains()
	slices.SortFunc(m.entities, func(a, b *entity) int {
		return cmp.Or(cmp.Compare(a.Area, b.Area), cmp.Compare(slices.Index(order, a.Domain), slices.Index(order, b.Domain)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	m.names = form.NewNames(m.entities, func(e *entity) form.Named {
		return form.Named{ID: e.ID, Name: e.Name, Aliases: e.Aliases, Area: e.Area}
	})
	m.home = m.structure(r)
	return m
}

// collectMembers returns what a group or a scene commands, also through groups that are no part of
// the house themselves.
func collectMembers(id string, all map[string]*entity, shape map[string]map[string]any) (members []*entity) {
	seen := map[string]bool{id: true}
	for todo := words(shape[id], "entity_id"); len(todo) > 0; todo = todo[1:] {
		next := todo[0]
		if seen[next] {
			continue
		}
		seen[next] = true
		if e := all[next]; e != nil {
			members = append(members, e)
		}
		todo = append(todo, words(shape[next], "entity_id")...)
	}
	return members
}

// newEntity makes a thing of an entity; nil for one of a kind that is no part of the house.
func newEntity(id string, shape map[string]any, r *registries) *entity {
	k, known := kinds[domainOf(id)]
	if !known {
		return nil
	}
	e := &entity{object: domainOf(id), device: r.entities[id].Device, scale: r.scale, shape: shape}
	if n, ok := shape["supported_features"].(float64); ok && n >= 0 && n < 1<<31 {
		e.features = int(n)
	}
	_, listed := r.entities[id]
	e.ID, e.Domain, e.unlisted = id, k.domain, !listed
	e.Name = nameOf(id, shape)
	e.Area = r.areas[r.areaOf(id)].Name
	e.Aliases = otherNames(e.Name, r.aliases[id])
	class, _ := shape["device_class"].(string)
	e.Attributes = map[string]any{"device_class": class}
	e.Abilities = k.find(e)
	e.Attributes = e.attributes()
	e.Read = &home.Control{Tool: form.ToolState, ID: id}
	if e.measures() {
		e.Read.Tool = form.ToolSensor
	}
	e.Costly = e.object == "script" && !slices.Contains(r.scripts, id)
	if k.acts {
		e.Control = &home.Control{Tool: form.ControlTool(Prefix), ID: id}
	}
	return e
}

// nameOf returns what people call an entity: its friendly name, else what its id says.
func nameOf(id string, shape map[string]any) string {
	if name, _ := shape["friendly_name"].(string); strings.TrimSpace(name) != "" {
		return strings.Join(strings.Fields(name), " ")
	}
	_, object, _ := strings.Cut(id, ".")
	return strings.ReplaceAll(object, "_", " ")
}

// otherNames returns the other names of something, and what people say where its name has signs
// that nobody says.
func otherNames(name string, aliases []string) []string {
	out := []string{}
	for _, a := range append([]string{home.SpokenName(name)}, aliases...) {
		a = strings.TrimSpace(a)
		has := func(b string) bool { return form.Fold(a) == form.Fold(b) }
		if a != "" && !has(name) && !slices.ContainsFunc(out, has) {
			out = append(out, a)
		}
	}
	return out
}

// structure returns the house in the project's common terms.
func (m *model) structure(r *registries) home.House {
	h := home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	floors := map[string]string{}
	for _, f := range r.floors {
		floors[f.ID] = f.Name
		h.Floors = append(h.Floors, home.Floor{Name: f.Name, Aliases: otherNames(f.Name, f.Aliases)})
	}
	inUse := map[string]bool{}
	for _, e := range m.entities {
		inUse[e.Area] = true
		h.Entities = append(h.Entities, e.Entity)
	}
	for _, a := range r.areas {
		if inUse[a.Name] {
			h.Areas = append(h.Areas, home.Area{Name: a.Name, Floor: floors[a.Floor], Aliases: otherNames(a.Name, a.Aliases)})
		}
	}
	slices.SortFunc(h.Areas, func(a, b home.Area) int { return cmp.Compare(a.Name, b.Name) })
	return h
}

// findDanger returns the thing for whose sake an act is dangerous: the entity itself, or one
// that it commands, such as the lock of a scene; nil if the act is not. For one that is not
// shown it returns the entity.
func (e *entity) findDanger(action string, value any) *entity {
	if form.Dangerous(&e.Entity, action, value) {
		return e
	}
	for _, thing := range e.members {
		disarms := thing.Domain == "alarm_control_panel" && (e.Domain == "scene" || e.Domain == "script")
		if disarms || form.Dangerous(&thing.Entity, action, value) {
			return either(thing.hidden, e, thing)
		}
	}
	return nil
}

// distinct returns a name that tells an entity from others of the same name: with the area
// where that is enough, else the id, which is a valid name as well.
func (m *model) distinct(e *entity) string {
	if len(m.names.Own(e.Name)) == 1 {
		return e.Name
	}
	if name := e.Area + " " + e.Name; e.Area != "" && len(m.names.Exact(name)) == 1 {
		return name
	}
	return e.ID
}

func (m *model) namesOf(list []*entity) []string {
	out := make([]string, 0, len(list))
	for _, e := range list {
		out = append(out, m.distinct(e))
	}
	return out
}

// members returns the things for a name that nothing has, but that means several.
func (m *model) members(name string) []*entity {
	if len(m.names.Exact(name)) > 0 {
		return nil
	}
	if domain, area, ok := m.names.Several(name); ok {
		return m.ofDomain(domain, area)
	}
	return m.names.Listed(name, m.names.Exact)
}

func (m *model) ofDomain(domain, area string) (out []*entity) {
	for _, e := range m.entities {
		if e.Domain == domain && e.Area == area {
			out = append(out, e)
		}
	}
	return out
}

// find returns the one thing of a name. A refusal says why there is none, or which could be
// meant, which are then in near as well.
func (m *model) find(name string) (e *entity, near []string, err error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil, form.Refuse("Say which device you mean.")
	}
	if exact := m.byID[name]; exact != nil {
		return exact, nil, nil
	}
	found := m.names.Exact(name)
	switch len(found) {
	case 1:
		return found[0], nil, nil
	case 0:
	default:
		near = m.namesOf(found)
		return nil, near, form.RefuseFor(tools.AmbiguousDevice, "There are %d devices called %q: %s. Say which one.", len(found), name, strings.Join(near, ", "))
	}
	if domain, area, ok := m.names.Several(name); ok && len(m.ofDomain(domain, area)) == 0 {
		return nil, nil, form.RefuseFor(tools.UnknownDevice, "There is no %s in %s.", form.NounOf(domain), area)
	}
	if near = m.namesOf(m.names.Similar(name)); len(near) == 0 {
		return nil, nil, form.RefuseFor(tools.UnknownDevice, "There is no device called %q.", name)
	}
	return nil, near, form.RefuseFor(tools.UnknownDevice, "There is no device called %q. Did you mean %s?", name, form.OrList(near))
}
