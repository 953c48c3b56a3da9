package filter

import (
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// House is what is known of the names of a house. It does not change and may be shared.
type House struct {
	languages []*language       // that of the house first
	names     map[string][]name // by their first word, long ones first
	words     set               // every word of a name
	things    []thing
}

// thing is a thing of the house with all words and kinds by which it may be named.
type thing struct {
	id string
	of set
}

// name is a name of a thing or of a room.
type name struct {
	words []string // folded
	id    string   // of the thing; "" for a room
	of    set      // all words and kinds by which the thing may be named
}

// Know reads the names of a house. It speaks the language of a code such as "en". The
// names are also known by the labels that a language model is given for them.
func Know(h *home.House, code string, label func(name string) string) *House {
	k := &House{names: map[string][]name{}, words: set{}}
	base, _, _ := strings.Cut(strings.ToLower(code), "-")
	for _, l := range languages() {
		if l.code == base {
			k.languages = slices.Insert(k.languages, 0, l)
		} else {
			k.languages = append(k.languages, l)
		}
	}
	if h == nil {
		return k
	}
	rooms := map[string]set{}
	for _, a := range h.Areas {
		rooms[strings.ToLower(a.Name)] = k.learn(set{}, "", append(a.Aliases, a.Name, label(a.Name))...)
	}
	for _, f := range h.Floors {
		k.learn(set{}, "", append(f.Aliases, f.Name)...)
	}
	for i := range h.Entities {
		e := &h.Entities[i]
		of := set{kindOf(e): true, "device": true}
		maps.Copy(of, rooms[strings.ToLower(e.Area)])
		k.learn(of, e.ID, append(e.Aliases, e.Name, label(e.Name))...)
		k.things = append(k.things, thing{e.ID, of})
	}
	for first := range k.names {
		slices.SortFunc(k.names[first], func(a, b name) int { return len(b.words) - len(a.words) })
	}
	return k
}

// learn notes the names of a thing or a room, and adds their words to those it may be
// named by.
func (k *House) learn(of set, id string, names ...string) set {
	for _, said := range names {
		words := strings.Fields(text.Simple(home.SpokenName(said)))
		if len(words) == 0 {
			continue
		}
		k.names[words[0]] = append(k.names[words[0]], name{words, id, of})
		for _, w := range words {
			little := false
			for _, l := range k.languages {
				if kind := l.kind(w); kind != "" {
					of[kind] = true
				}
				little = little || l.is(word{text: w}, &l.Common)
			}
			if !little {
				k.words[w], of[w] = true, true
			}
		}
	}
	return of
}

// at finds the longest name at the beginning of a text.
func (k *House) at(text []word) name {
	for _, n := range k.names[text[0].text] {
		if begins(text, n.words) {
			return n
		}
	}
	return name{}
}

// wordsOf returns all words of the things that a text names.
func (k *House) wordsOf(text string) set {
	out := set{}
	cut := k.languages[0].cut(text)
	for i := range cut {
		if n := k.at(cut[i:]); n.id != "" {
			maps.Copy(out, n.of)
		}
	}
	return out
}

// thingsMeant lists the ids of the things that a sentence names, or of the few that it may be
// about. A number is about a temperature.
func (k *House) thingsMeant(s *sentence) []string {
	const few = 3
	ids := s.ids
	for _, numbers := range []bool{len(s.numbers) > 0, false} {
		for _, t := range k.things {
			if len(s.ids) == 0 && len(s.mentions) > 0 && within(s.mentions, t.of) && (!numbers || t.of["temperature"]) {
				ids = append(ids, t.id)
			}
		}
		if len(ids) > 0 && len(ids) <= few {
			return ids
		}
		ids = nil
	}
	return ids
}

// kindOf tells which kind a thing is of, by what its server says.
func kindOf(e *home.Entity) string {
	switch class := e.DeviceClass(); class {
	case "curtain", "window", "temperature", "humidity", "battery", "motion", "smoke":
		return class
	case "garage", "garage_door", "door", "gate", "opening":
		return "door"
	case "occupancy", "presence":
		return "motion"
	}
	return map[string]string{"light": "light", "lock": "door", "climate": "heating", "fan": "fan", "switch": "switch", "cover": "blind"}[e.Domain]
}
