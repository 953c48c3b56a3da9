package grounded

import (
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// place is what is known of the names of a house.
type place struct {
	things []thing
	named  map[string][]name // exact names by their first word
	words  words             // every word of a name
}

// thing is an entity with the words it may be called by.
type thing struct {
	*home.Entity
	words words
}

// name is an exact name of a thing or an area.
type name struct {
	folded []string
	thing  int    // in things; -1 for an area
	area   string // of an area: its name
}

// newPlace reads the names of a house.
func newPlace(h *home.House, tongues []*tongue, labels *Labels) *place {
	p := &place{named: map[string][]name{}, words: words{}}
	if h == nil {
		return p
	}
	common := words{}
	for _, t := range tongues {
		maps.Copy(common, t.common)
	}
	areas := map[string]words{}
	for _, a := range h.Areas {
		areas[strings.ToLower(a.Name)] = words{}
		for _, said := range append(labels.both(a.Name), a.Aliases...) {
			p.learn(said, -1, a.Name, areas[strings.ToLower(a.Name)], tongues, common)
		}
	}
	for _, f := range h.Floors {
		for _, said := range append([]string{f.Name}, f.Aliases...) {
			p.learn(said, -1, f.Name, words{}, tongues, common)
		}
	}
	for i := range h.Entities {
		e := &h.Entities[i]
		own := words{}
		for _, said := range append(labels.both(e.Name), e.Aliases...) {
			p.learn(said, i, "", own, tongues, common)
		}
		maps.Copy(own, areas[strings.ToLower(e.Area)])
		for _, kind := range kindsOf(e) {
			own[kind] = true
		}
		p.things = append(p.things, thing{e, own})
	}
	for first := range p.named {
		slices.SortFunc(p.named[first], func(a, b name) int { return len(b.folded) - len(a.folded) })
	}
	return p
}

// learn notes a name, and its words among those of the thing.
func (p *place) learn(said string, index int, area string, own words, tongues []*tongue, common words) {
	var folded []string
	for w := range strings.FieldsSeq(fold(home.Spoken(said))) {
		folded = append(folded, w)
		if common[w] {
			continue
		}
		p.words[w], own[w] = true, true
		for _, t := range tongues {
			if kind := t.kind(w); kind != "" {
				own[kind] = true
			}
		}
	}
	if len(folded) > 0 {
		p.named[folded[0]] = append(p.named[folded[0]], name{folded, index, area})
	}
}

// at finds the longest name at the beginning of a text.
func (p *place) at(text []word) (name, bool) {
	if len(text) == 0 {
		return name{}, false
	}
	for _, n := range p.named[text[0].folded] {
		if begins(text, n.folded) {
			return n, true
		}
	}
	return name{}, false
}

// kindsOf tells which kinds an entity is of, by what its server says.
func kindsOf(e *home.Entity) []string {
	kinds := map[string][]string{
		"light": {"light"}, "lock": {"door"}, "climate": {"heating"}, "fan": {"fan"}, "switch": {"switch"}, "cover": {"blind"},
	}[e.Domain]
	switch e.DeviceClass() {
	case "curtain":
		kinds = []string{"curtain"}
	case "garage", "garage_door":
		kinds = []string{"garage", "door"}
	case "door", "gate", "opening":
		kinds = []string{"door"}
	case "window":
		kinds = []string{"window"}
	case "temperature", "humidity", "battery", "motion", "smoke":
		kinds = []string{e.DeviceClass()}
	case "occupancy", "presence":
		kinds = []string{"motion"}
	}
	var out []string
	for _, k := range append(kinds, "device") {
		out = append(out, kindOf+k)
	}
	if slices.Contains(kinds, "garage") {
		return slices.DeleteFunc(out, func(k string) bool { return k == kindOf+"blind" })
	}
	return out
}
