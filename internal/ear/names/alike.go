package names

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/ear/rival"
	"voicegateway/internal/home"
	"voicegateway/internal/language/numbers"
)

// How different two names sound, in phones that are not alike (rival.Distance).
const (
	// confusing is the difference of names that people and recognisers take for each
	// other: one phone, or a few that sound alike.
	confusing = 1.0
	// clear is more than that which a proposed name has to every other name.
	clear = 2.0
)

// mostSpeakings bounds the pronunciations of one name; most names have one or two.
const mostSpeakings = 16

// mostCompared bounds the things, and the rooms, whose names are compared: each with each
// takes seconds for so many.
const mostCompared = 1000

// wordsOf are the words of a name as they are said, in lower case, with numbers in words.
func wordsOf(name, language string) []string {
	if l, ok := numbers.For(language); ok {
		if said := l.InWords(name); said != "" {
			name = said
		}
	}
	return strings.Fields(plainName(name))
}

// usersOf lists for each word in the names of a house what is called by it.
func usersOf(h *home.House, language string) map[string][]string {
	type use struct{ word, name string }
	users, seen := map[string][]string{}, map[use]bool{}
	all, _ := thingsAndRooms(h)
	for _, e := range all {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			for _, w := range wordsOf(name, language) {
				if u := (use{w, e.Name}); !seen[u] {
					seen[u] = true
					users[w] = append(users[w], e.Name)
				}
			}
		}
	}
	return users
}

// Vocabulary lists the words in the names of a house, and in those that may be proposed for it.
func Vocabulary(h *home.House, language string) []string {
	seen, taken := usersOf(h, language), names(h)
	all, _ := thingsAndRooms(h)
	for _, e := range all {
		for _, name := range proposals(taken, e, language) {
			for _, w := range wordsOf(name, language) {
				seen[w] = nil
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// thingsAndRooms are what commands are about: the things that can be controlled, and the rooms,
// which have no id. Of more than are compared the first are taken; left is how many are not.
func thingsAndRooms(h *home.House) (all []home.Entity, left int) {
	for _, e := range h.Entities {
		switch {
		case e.Control == nil:
		case len(all) < mostCompared:
			all = append(all, e)
		default:
			left++
		}
	}
	rooms := h.Areas[:min(len(h.Areas), mostCompared)]
	for _, a := range rooms {
		all = append(all, home.Entity{Name: a.Name, Aliases: a.Aliases})
	}
	return all, left + len(h.Areas) - len(rooms)
}

// Likeness compares names by how they are pronounced, without a sound.
type Likeness struct {
	// Left is how many things and rooms are not compared, as there are too many.
	Left     int
	language string
	names    map[string]bool // all that the house has
	keys     keys
	sounds   map[string][]string // phones of each pronunciation, by word
	all      []named
	taken    map[int][][][]string // the pronunciations of names that are proposed, by index in all
}

// named is a thing or a room with the pronunciations of all its names, its own first.
type named struct {
	home.Entity
	plain string // its own name
	says  [][][]string
}

// NewLikeness takes the pronunciations of the Vocabulary, each in CMU phones. A word without one
// makes its name incomparable.
func NewLikeness(h *home.House, language string, sounds map[string][]string) *Likeness {
	all, left := thingsAndRooms(h)
	l := &Likeness{Left: left, language: language, names: names(h), keys: keysOf(h), sounds: sounds, taken: map[int][][][]string{}}
	for _, e := range all {
		n := named{Entity: e, plain: plainName(e.Name)}
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			n.says = append(n.says, l.say(name))
		}
		l.all = append(l.all, n)
	}
	return l
}

// say is a name in phones, in each of its pronunciations.
func (l *Likeness) say(name string) [][]string {
	all := [][]string{nil}
	for _, word := range wordsOf(name, l.language) {
		var longer [][]string
		for _, before := range all {
			for _, p := range l.sounds[word] {
				if len(longer) < mostSpeakings {
					longer = append(longer, slices.Concat(before, strings.Fields(p)))
				}
			}
		}
		all = longer
	}
	return all
}

// FindConfusions lists the names that sound like another thing's, with another name for each
// where there is a clear one. Each is compared with each, until ctx ends.
func (l *Likeness) FindConfusions(ctx context.Context) ([]Confusion, error) {
	var found []Confusion
	for i, n := range l.all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if with := l.like(i); len(with) > 0 {
			c := Confusion{ID: n.ID, Key: l.keys.of(n.Entity), Name: n.Name, With: with, Alike: true}
			c.Alias, c.Known = l.propose(i)
			found = append(found, c)
		}
	}
	return found, nil
}

// like names the things that one sounds like, of its own kind: rooms are said in other
// places of a sentence than things. Those of the same name are another matter.
func (l *Likeness) like(i int) (with []string) {
	for j, other := range l.all {
		if j != i && (other.ID == "") == (l.all[i].ID == "") && other.plain != l.all[i].plain &&
			nearest(l.all[i].says[0], other.says) <= confusing && !slices.Contains(with, other.Name) {
			with = append(with, other.Name)
		}
	}
	return with
}

// propose returns a name that tells a thing apart: another name that it already has
// (known), else a new one.
func (l *Likeness) propose(i int) (name string, known bool) {
	for j, alias := range l.all[i].Aliases {
		if said := l.all[i].says[j+1]; len(said) > 0 && l.apart(i, said) > confusing {
			return plainName(alias), true
		}
	}
	if new := l.Clear(l.all[i].Entity, 1); len(new) > 0 {
		return new[0], false
	}
	return "", false
}

// Clear lists at most so many new names of a thing that sound like nothing else, nor like a
// name that was listed for another thing before.
func (l *Likeness) Clear(e home.Entity, most int) (clearly []string) {
	i := slices.IndexFunc(l.all, func(n named) bool { return n.ID == e.ID && n.Name == e.Name })
	if i < 0 {
		return nil
	}
	for _, name := range proposals(l.names, e, l.language) {
		if said := l.say(name); len(clearly) < most && len(said) > 0 && l.apart(i, said) > clear {
			clearly = append(clearly, name)
			l.taken[i] = append(l.taken[i], said)
		}
	}
	return clearly
}

// apart is how far a name of a thing is from those of all others.
func (l *Likeness) apart(i int, said [][]string) float64 {
	least := math.Inf(1)
	for j, other := range l.all {
		if j != i {
			least = min(least, nearest(said, other.says), nearest(said, l.taken[j]))
		}
	}
	return least
}

// nearest is how far a name is from the nearest of several that can be said; infinite where
// it is clear of all.
func nearest(said [][]string, names [][][]string) float64 {
	least := math.Inf(1)
	for _, name := range names {
		if len(said) > 0 && len(name) > 0 {
			least = min(least, rival.Within(said, name, clear))
		}
	}
	return least
}
