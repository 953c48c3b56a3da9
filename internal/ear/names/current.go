package names

import (
	"slices"

	"voicegateway/internal/home"
)

// Current lists the confusions of the present house that have no remedy yet. alike are
// those found by comparing names. kept, which may be nil, is the report of the last
// rehearsal; its confusions count only if the thing, and what it was mistaken for, still
// have the same names.
func Current(kept *Report, alike []Confusion, h *home.House) []Confusion {
	now := slices.Clone(alike)
	if kept == nil {
		kept = &Report{}
	}
	keys := keysOf(h)
	for _, c := range kept.Confused {
		e := slices.IndexFunc(h.Entities, func(e home.Entity) bool { return e.ID == c.ID && e.Name == c.Name })
		if e < 0 {
			continue
		}
		c.Known = c.Known || c.Alias != "" && called(h.Entities[e], c.Alias)
		i := slices.IndexFunc(now, func(x Confusion) bool { return x.ID == c.ID })
		switch {
		case i < 0 && !c.Alike:
			with := slices.DeleteFunc(slices.Clone(c.With), func(name string) bool { return keys[plainName(name)] == 0 })
			if len(c.With) > 0 && len(with) == 0 {
				continue // what it was taken for is gone
			}
			c.With, c.Key = with, keys.of(h.Entities[e])
			now = append(now, c)
		case i >= 0 && c.Alias != "" && !now[i].Known: // that name has been heard
			now[i].Alias, now[i].Known = c.Alias, c.Known
		}
	}
	return slices.DeleteFunc(now, Confusion.Mended)
}

// Groups puts the confusions together that concern each other.
func Groups(all []Confusion) [][]Confusion {
	var groups [][]Confusion
	for _, c := range all {
		group := []Confusion{c}
		groups = slices.DeleteFunc(groups, func(g []Confusion) bool {
			if slices.ContainsFunc(g, func(x Confusion) bool { return concern(x, c) }) {
				group = append(slices.Clone(g), group...)
				return true
			}
			return false
		})
		groups = append(groups, group)
	}
	return groups
}

// concern reports whether one of two confusions is about the other's thing.
func concern(a, b Confusion) bool {
	return a.Name == b.Name || slices.Contains(a.With, b.Name) || slices.Contains(b.With, a.Name)
}

// keys counts the things and rooms with a name, by the spoken form of the name.
type keys map[string]int

func keysOf(h *home.House) keys {
	k := keys{}
	for _, e := range h.Entities {
		k[plainName(e.Name)]++
	}
	for _, a := range h.Areas {
		k[plainName(a.Name)]++
	}
	return k
}

// of returns the id of a thing if others have the same name, else "".
func (k keys) of(e home.Entity) string {
	if k[plainName(e.Name)] < 2 {
		return ""
	}
	return e.ID
}
