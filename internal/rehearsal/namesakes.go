package rehearsal

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
)

// Namesakes are things of one room with one name, of which commands are alike: who says the
// name is asked which one is meant.
type Namesakes struct {
	Name, Area string
	Things     []home.Entity
	// Aliases are other names for those of Things that have none of their own, by id.
	Aliases map[string]string
}

// Mended reports whether each of them can be named.
func (n Namesakes) Mended() bool { return len(n.Aliases) == 0 }

// SameNames finds the things that have one name. Things of several rooms are told
// apart by their rooms.
func SameNames(h *home.House) []Namesakes {
	var found []Namesakes
	for i, e := range h.Entities {
		first := slices.IndexFunc(h.Entities, func(x home.Entity) bool { return twins(x, e) })
		if e.Control == nil || first == i {
			continue
		}
		at := slices.IndexFunc(found, func(n Namesakes) bool { return n.Things[0].ID == h.Entities[first].ID })
		if at < 0 {
			at = len(found)
			found = append(found, Namesakes{Name: h.Entities[first].Name, Area: e.Area, Things: []home.Entity{h.Entities[first]}})
		}
		found[at].Things = append(found[at].Things, e)
	}
	taken := names(h)
	for i := range found {
		taken = found[i].number(h, taken)
	}
	slices.SortStableFunc(found, func(a, b Namesakes) int { return cmp.Compare(plain(a.Name), plain(b.Name)) })
	return found
}

// twins reports whether a sentence that names one thing may mean the other.
func twins(a, b home.Entity) bool {
	return a.Control != nil && plain(a.Name) == plain(b.Name) && strings.EqualFold(a.Area, b.Area) &&
		slices.ContainsFunc(a.Abilities, func(x home.Ability) bool { return slices.Contains(b.Abilities, x) })
}

// number gives those that have no name of their own one with a number, which is said in
// every language, and returns the names that are taken then.
func (n *Namesakes) number(h *home.House, taken []string) []string {
	n.Aliases = map[string]string{}
	next := 1
	for _, e := range n.Things {
		own := slices.ContainsFunc(e.Aliases, func(a string) bool {
			return !slices.ContainsFunc(h.Entities, func(x home.Entity) bool { return x.ID != e.ID && called(x, a) })
		})
		if own {
			continue
		}
		name := ""
		for ; name == "" || slices.Contains(taken, name); next++ {
			name = plain(n.Name) + " " + strconv.Itoa(next)
		}
		n.Aliases[e.ID] = name
		taken = append(taken, name)
	}
	return taken
}

// called reports whether a thing has a name.
func called(e home.Entity, name string) bool {
	return plain(e.Name) == plain(name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return plain(a) == plain(name) })
}
