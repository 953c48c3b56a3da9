package house

import (
	"cmp"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// part is one of the houses that are joined, each in the words of its server. "" is the house
// that is known without a server.
type part struct {
	server string
	*home.House
}

// room is an area of the whole house, with the areas of the servers that it stands for.
type room struct {
	home.Area

	of []*home.Area // as the servers call it
	by []string     // the servers
}

// joinAreas makes one list of the areas of all houses, and puts the things into it. Rooms of
// two houses are one if they have one name, or if the name of one is another name of the
// other: by its server, or by the configuration. Two rooms of one server always stay two.
func (h *House) joinAreas(all *home.House, parts []part) {
	var rooms []*room
	for _, p := range parts {
		for i := range p.Areas {
			rooms = joinArea(rooms, p.server, &p.Areas[i])
		}
	}
	called := map[string]string{} // what a room is called, by the names that the servers give it
	for _, r := range h.joinNamed(rooms) {
		for _, a := range r.of {
			called[text.Fold(a.Name)] = r.Name
			r.Floor = cmp.Or(r.Floor, a.Floor)
			r.Aliases = more(r.Aliases, a.Aliases)
			if !text.Same(a.Name, r.Name) {
				r.Aliases = more(r.Aliases, []string{a.Name})
			}
		}
		all.Areas = append(all.Areas, r.Area)
	}
	for i := range all.Entities {
		if name, known := called[text.Fold(all.Entities[i].Area)]; known {
			all.Entities[i].Area = name
		}
	}
}

// joinArea adds an area of a server to the room of its name, or as a new room.
func joinArea(rooms []*room, server string, a *home.Area) []*room {
	for _, r := range rooms {
		if text.Same(r.Name, a.Name) {
			r.of, r.by = append(r.of, a), append(r.by, server)
			return rooms
		}
	}
	own := *a
	own.Aliases = slices.Clone(a.Aliases)
	return append(rooms, &room{Area: own, of: []*home.Area{a}, by: []string{server}})
}

// joinNamed joins two rooms of different servers if the name of one is an alias of the
// other. An alias of several rooms joins no rooms, because it does not say which is meant.
func (h *House) joinNamed(rooms []*room) []*room {
	known := map[string][]*room{} // by their other names
	for _, r := range rooms {
		var also []string
		for _, a := range r.of {
			also = more(also, a.Aliases)
		}
		for name, given := range h.also.Aliases {
			if text.Same(name, r.Name) {
				also = more(also, given)
			}
		}
		for _, name := range also {
			known[text.Fold(name)] = append(known[text.Fold(name)], r)
		}
	}
	gone := map[*room]bool{}
	for _, r := range rooms {
		others := known[text.Fold(r.Name)]
		if len(others) != 1 || others[0] == r || gone[others[0]] || gone[r] {
			continue
		}
		into := others[0]
		if slices.ContainsFunc(into.by, func(server string) bool { return slices.Contains(r.by, server) }) {
			continue
		}
		into.of, into.by = append(into.of, r.of...), append(into.by, r.by...)
		gone[r] = true
	}
	return slices.DeleteFunc(rooms, func(r *room) bool { return gone[r] })
}

// joinFloors makes one list of the floors of all houses.
func joinFloors(all *home.House, parts []part) {
	for _, p := range parts {
		for _, f := range p.Floors {
			at := slices.IndexFunc(all.Floors, func(x home.Floor) bool { return text.Same(x.Name, f.Name) })
			if at < 0 {
				f.Aliases = slices.Clone(f.Aliases)
				all.Floors = append(all.Floors, f)
				continue
			}
			all.Floors[at].Aliases = more(all.Floors[at].Aliases, f.Aliases)
		}
	}
	for i := range all.Areas {
		for _, f := range all.Floors {
			if text.Same(f.Name, all.Areas[i].Floor) {
				all.Areas[i].Floor = f.Name
			}
		}
	}
}

// callHouses notes what people call each house: the kind of house that its server tells,
// where no other server tells the same, else the id of the server. Where there are several
// houses, every thing gets the name of its own.
func callHouses(all *home.House, parts []part) {
	kinds := map[string]int{}
	for _, p := range parts {
		kinds[text.Fold(p.Kind)]++
	}
	for _, p := range parts {
		if p.server == "" {
			continue
		}
		own := home.Teller{Server: p.server, Name: p.server, Health: p.Health}
		if p.Kind != "" && kinds[text.Fold(p.Kind)] == 1 {
			own.Name = line(p.Kind)
		}
		all.Tellers = append(all.Tellers, own)
	}
	if len(all.Tellers) < 2 {
		return
	}
	for i := range all.Entities {
		all.Entities[i].House = all.Teller(all.Entities[i].Server).Name
	}
}
