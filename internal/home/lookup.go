package home

import (
	"slices"
	"strings"
)

// Empty reports whether nothing is known about the house: no file was given and no
// server has told of its devices.
func (h *House) Empty() bool { return h == nil || len(h.Entities) == 0 }

// Entity finds an entity by its id; nil if there is none.
func (h *House) Entity(id string) *Entity {
	if h == nil {
		return nil
	}
	for i := range h.Entities {
		if h.Entities[i].ID == id {
			return &h.Entities[i]
		}
	}
	return nil
}

// Some returns the entities with these ids that the house has.
func (h *House) Some(ids []string) []*Entity {
	var out []*Entity
	for _, id := range ids {
		if e := h.Entity(id); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// Like returns the other things of the kind of an entity that can be controlled and fit.
func (h *House) Like(e *Entity, fits func(*Entity) bool) []*Entity {
	var out []*Entity
	for i := range h.Entities {
		x := &h.Entities[i]
		if x.ID != e.ID && x.Control != nil && x.Domain == e.Domain && strings.EqualFold(x.DeviceClass(), e.DeviceClass()) && fits(x) {
			out = append(out, x)
		}
	}
	return out
}

// Area finds an area by name or alias, ignoring case; nil if there is none.
func (h *House) Area(name string) *Area {
	if h == nil {
		return nil
	}
	for i := range h.Areas {
		if same(name, h.Areas[i].Name, h.Areas[i].Aliases) {
			return &h.Areas[i]
		}
	}
	return nil
}

// OnFloor reports whether an area lies on the named floor.
func (h *House) OnFloor(area, floor string) bool {
	a := h.Area(area)
	return a != nil && strings.EqualFold(a.Floor, floor)
}

// AreaNames lists the areas in house order, followed by areas that only entities
// mention.
func (h *House) AreaNames() []string {
	if h == nil {
		return nil
	}
	var names []string
	for _, a := range h.Areas {
		names = append(names, a.Name)
	}
	for _, e := range h.Entities {
		if e.Area != "" && !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, e.Area) }) {
			names = append(names, e.Area)
		}
	}
	return names
}

// Can reports whether the entity has an ability.
func (e *Entity) Can(a Ability) bool { return slices.Contains(e.Abilities, a) }

// DeviceClass is the entity's device_class attribute, or "".
func (e *Entity) DeviceClass() string {
	s, _ := e.Attributes["device_class"].(string)
	return s
}

// In reports whether the entity stands in the named area.
func (e *Entity) In(area string) bool { return e.Area != "" && strings.EqualFold(e.Area, area) }

func same(want, name string, aliases []string) bool {
	return strings.EqualFold(want, name) ||
		slices.ContainsFunc(aliases, func(a string) bool { return strings.EqualFold(want, a) })
}

// Names are what things and areas of the house are called, with their aliases.
func (h *House) Names() (names []string) {
	if h == nil {
		return nil
	}
	for i := range h.Entities {
		names = append(append(names, h.Entities[i].Name), h.Entities[i].Aliases...)
	}
	for i := range h.Areas {
		names = append(append(names, h.Areas[i].Name), h.Areas[i].Aliases...)
	}
	return names
}
