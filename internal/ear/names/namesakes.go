package names

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
)

// Namesakes are things in one room that share a name and accept the same commands: the user
// who says the name is asked which one is meant.
type Namesakes struct {
	Name, Area string
	Things     []home.Entity
	// Aliases are proposed names, by id, for the things that have no other name of their own.
	Aliases map[string]string
}

// Mended reports whether each of them can be named.
func (n Namesakes) Mended() bool { return len(n.Aliases) == 0 }

// SameNames finds the things that share a name. Things in different rooms are told apart
// by their rooms.
func SameNames(h *home.House) []Namesakes {
	type place struct{ name, area string }
	there := map[place][]*Namesakes{}
	var all []*Namesakes
	for _, e := range h.Entities {
		if e.Control == nil || len(e.Abilities) == 0 {
			continue
		}
		at := place{plainName(e.Name), strings.ToLower(e.Area)}
		i := slices.IndexFunc(there[at], func(n *Namesakes) bool {
			return slices.ContainsFunc(n.Things, func(x home.Entity) bool { return twins(x, e) })
		})
		if i >= 0 {
			there[at][i].Things = append(there[at][i].Things, e)
			continue
		}
		n := &Namesakes{Name: e.Name, Area: e.Area, Things: []home.Entity{e}}
		there[at], all = append(there[at], n), append(all, n)
	}
	taken, owners := names(h), owners(h)
	var found []Namesakes
	for _, n := range all {
		if len(n.Things) > 1 {
			n.number(owners, taken)
			found = append(found, *n)
		}
	}
	slices.SortStableFunc(found, func(a, b Namesakes) int { return cmp.Compare(plainName(a.Name), plainName(b.Name)) })
	return found
}

// twins reports whether two things of the same name have an ability in common, so that a
// sentence about one may mean the other.
func twins(a, b home.Entity) bool {
	return slices.ContainsFunc(a.Abilities, func(x home.Ability) bool { return slices.Contains(b.Abilities, x) })
}

// owners are how many things have a name, their own or another.
func owners(h *home.House) map[string]int {
	all := map[string]int{}
	for _, e := range h.Entities {
		its := map[string]bool{plainName(e.Name): true}
		for _, a := range e.Aliases {
			its[plainName(a)] = true
		}
		for name := range its {
			all[name]++
		}
	}
	return all
}

// number gives the things without a name of their own one with a number, because
// numbers work in every language. The new names are then taken.
func (n *Namesakes) number(owners map[string]int, taken map[string]bool) {
	n.Aliases = map[string]string{}
	next := 1
	for _, e := range n.Things {
		if slices.ContainsFunc(e.Aliases, func(a string) bool { return owners[plainName(a)] == 1 }) {
			continue
		}
		name := ""
		for ; name == "" || taken[name]; next++ {
			name = plainName(n.Name) + " " + strconv.Itoa(next)
		}
		n.Aliases[e.ID] = name
		taken[name] = true
	}
}

// called reports whether a thing has a name.
func called(e home.Entity, name string) bool {
	return plainName(e.Name) == plainName(name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return plainName(a) == plainName(name) })
}
