package grounded

import "strings"

// ref is a mention of a thing, a room or what the gateway keeps.
type ref struct {
	words   words // by which it is called
	kinds   words // of them those that are kinds
	thing   int   // the entity of that very name; -1: none
	area    bool  // a room alone
	known   bool  // the thing or a room is named, not only a kind
	vague   bool  // "a lamp": any
	our     bool  // "the lamp": a certain one
	count   float64
	counted bool // "two lamps"
	from    int
	to      int // the words of the clause it takes
}

// refs finds what a clause mentions.
func (g *Ground) refs(t *tongue, text []word) []ref {
	var out []ref
	for i := 0; i < len(text); {
		r, n := g.refAt(t, text[i:])
		if n == 0 {
			i++
			continue
		}
		r.from, r.to = i, i+n
		g.determine(t, text, &r)
		out = append(out, r)
		i += n
	}
	return out
}

// refAt reads the words of the house at the beginning of a text and returns how many they
// are: 0 if there are none, or if they name neither a thing nor a room.
func (g *Ground) refAt(t *tongue, text []word) (r ref, n int) {
	r = ref{words: words{}, kinds: words{}, thing: -1}
	mentions := false
	for n < len(text) {
		if found, ok := g.place.at(text[n:]); ok {
			r.named(found, mentions)
			mentions = true
			for _, w := range found.folded {
				g.note(t, &r, w)
			}
			n += len(found.folded)
			continue
		}
		w := text[n].folded
		kind := t.kind(w)
		if kind == "" && (text[n].stop || !g.place.words[w] || t.common[w]) {
			break
		}
		if kind != "" {
			r.area = strings.HasPrefix(kind, roomOf) && (!mentions || r.area)
			mentions = true
		}
		g.note(t, &r, w)
		n++
	}
	if !mentions {
		return ref{}, 0
	}
	return r, n
}

// named notes a name, that of a thing or a room.
func (r *ref) named(found name, mentions bool) {
	r.known, r.area = true, found.thing < 0 && (!mentions || r.area)
	if found.thing >= 0 {
		r.thing = found.thing
	}
}

// note adds a word to what something is called by.
func (g *Ground) note(t *tongue, r *ref, w string) {
	kind := t.kind(w)
	switch {
	case t.common[w]:
	case kind == "":
		r.words[w] = true
	case t.kinds[w] == "" && g.place.words[w]:
		r.words[w] = true // a compound that is a name
	case t.kinds[w] == "":
		g.part(r, w, kind)
	default:
		r.words[kind], r.kinds[kind] = true, true
	}
}

// part reads a glued word, such as Küchenlicht: the room, and the kind.
func (g *Ground) part(r *ref, w, kind string) {
	r.words[kind], r.kinds[kind] = true, true
	for known := range g.place.words {
		const short = 3
		if len(known) > short && len(w) > len(known) && w[:len(known)] == known {
			r.words[known], r.known = true, true
		}
	}
}

// ofOthers reports whether the text links a kind of thing to something that the house
// does not have: "the fire of London".
func (g *Ground) ofOthers(t *tongue, text []word, r *ref) bool {
	if r.known || r.to+1 >= len(text) || text[r.to].folded != "of" && text[r.to].folded != "von" {
		return false
	}
	next := r.to + 1
	for next+1 < len(text) && t.definite[text[next].folded] {
		next++
	}
	w := text[next].folded
	return !g.place.words[w] && t.kind(w) == "" && !t.small(w)
}

// determine looks at what stands before a mention.
func (g *Ground) determine(t *tongue, text []word, r *ref) {
	if g.ofOthers(t, text, r) {
		r.vague = true
		return
	}
	for i := r.from - 1; i >= 0; i-- {
		w := text[i]
		switch {
		case t.indefinite[w.folded]:
			r.vague = true
			return
		case t.definite[w.folded] || t.every[w.folded] || t.none[w.folded]:
			r.our = true
			return
		case w.value != nil:
			r.count, r.counted = *w.value, true
			r.our = true
			return
		case w.stop || t.small(w.folded) || r.from-i > 2:
			return
		case r.thing < 0 && !r.area:
			r.words[w.folded] = true // which of its kind, in words of no name
		}
	}
}
