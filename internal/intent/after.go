package intent

import (
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/text"
)

// Pronouns are the words of a language that stand for a thing named before.
type Pronouns struct {
	One     []string `yaml:"one"`     // it
	Several []string `yaml:"several"` // them; a word in both lists may be either
	Glued   []string `yaml:"glued"`   // at the end of a verb: apágala
}

// source is how an action was said: enough to find its things in another room.
type source struct {
	block *block
	slots map[string]any // as the sentence filled them
	named bool           // it named its things
}

// Short matches short sentences beside whole ones.
type Short struct{ *Matcher }

// After matches a text that means nothing without the sentence before it: "and the
// bedroom", "all but the desk lamp". Its action holds the area or the devices that
// the text names; what is to be done with them only the sentence before tells.
func (f Short) After(text, area string) Decision {
	m := f.Matcher
	none := Decision{Route: Model, Reason: NoSentence}
	if m.pack.Exact || len(text) > maxText {
		return none
	}
	steps := maxSteps
	for _, said := range m.tellings(normalise(text)) {
		r := m.newRun(said, area, &steps, false)
		r.short = true
		if r.search() {
			return m.resolve(&r.best[0], area)
		}
	}
	said := normalise(text)
	for _, said := range slices.Compact([]string{m.strip(said), said}) { // "just the spots" is more than polite
		r := m.newRun(said, area, &steps, true)
		r.short = true
		if d, ok := r.unknown(); ok {
			return d
		}
	}
	return none
}

// tellings are a text as it was said and without polite words.
func (k *specialWords) tellings(text string) []string {
	return slices.DeleteFunc(slices.Compact([]string{text, k.trim(text), k.strip(text)}), func(s string) bool { return s == "" })
}

// About matches a text in which a pronoun stands for some of the things with the
// given ids: all those that the sentence may be about. The result several reports
// whether the pronoun means more than one thing. A text without a pronoun does not
// match.
func (f Short) About(text, area string, ids []string) (d Decision, several bool) {
	m := f.Matcher
	none := Decision{Route: Model, Reason: NoSentence}
	if m.pack.Exact || len(text) > maxText {
		return none, false
	}
	var things []int32
	for i := range m.house.Entities {
		if slices.Contains(ids, m.house.Entities[i].ID) {
			things = append(things, int32(i))
		}
	}
	steps := maxSteps
	for _, said := range m.tellings(normalise(text)) {
		for _, apart := range m.pack.Pronouns.separateForms(said) {
			r := m.newRun(apart, area, &steps, false)
			r.pronouns, r.things, r.presence.open = true, things, true
			if !r.search() {
				r.short = true
			}
			if !r.found() && !r.search() || r.best[0].block.Meta.Reject != "" {
				continue
			}
			word := r.best[0].pronoun()
			return m.resolve(&r.best[0], area), slices.Contains(m.pack.Pronouns.Several, word) && !slices.Contains(m.pack.Pronouns.One, word)
		}
	}
	if len(things) == 1 {
		return f.laterAbout(text, area, &m.house.Entities[things[0]]), false
	}
	return none, false
}

// Led takes the words off a text by which it goes on from the sentence before, or puts it
// right; no reports whether it was one of the latter, ok whether there was any.
func (f Short) Led(text string) (rest string, no, ok bool) {
	m := f.Matcher
	if m.pack.Exact || len(text) > maxText {
		return "", false, false
	}
	rest = m.trim(normalise(text))
	for again := true; again; {
		again = false
		for _, list := range [][]string{m.pack.Join, m.pack.Denials} {
			for _, word := range list {
				if after, cut := strings.CutPrefix(rest, word+" "); cut {
					rest, again, ok = after, true, true
					no = no || slices.Contains(m.pack.Denials, word)
				}
			}
		}
	}
	return rest, no, ok
}

// laterAbout matches a command for later in which a pronoun stands for a thing: "turn
// it off in ten minutes". The command holds the name of the thing, because nobody knows
// then what was meant.
func (f Short) laterAbout(text, area string, e *home.Entity) Decision {
	m := f.Matcher
	name := EntityNames(e, m.pack)[0]
	inRoom := name + " " + m.pack.Texts["in"] + " " + strings.ToLower(e.Area) // the speaker's room may have one of that name
	for _, said := range m.tellings(normalise(text)) {
		for _, apart := range m.pack.Pronouns.separateForms(said) {
			for _, word := range m.pack.Pronouns.One {
				whole := " " + apart + " "
				if !strings.Contains(whole, " "+word+" ") {
					continue
				}
				for _, name := range []string{name, inRoom} {
					d := m.Match(strings.Replace(whole, " "+word+" ", " "+name+" ", 1), area)
					if !d.timed() {
						continue
					}
					a := d.Would // its time is asked for
					if d.Route == Local {
						a = &d.Actions[0]
					}
					if len(a.Later) == 1 && slices.Equal(a.Later[0].Devices, []string{e.ID}) {
						return d
					}
				}
			}
		}
	}
	return Decision{Route: Model, Reason: NoSentence}
}

// pronoun is the word of a parse that stands for a thing, "" if there is none.
func (p *parse) pronoun() string {
	for i := range p.n {
		if c := &p.captures[i]; c.pronoun {
			return strings.TrimSpace(p.text[c.start:c.end])
		}
	}
	return ""
}

// separateForms are a text and, where its first word may be a verb with a pronoun at its
// end, the text with the two apart.
func (p *Pronouns) separateForms(said string) []string {
	out := []string{said}
	first, rest, _ := strings.Cut(said, " ")
	for _, end := range p.Glued {
		if verb, ok := strings.CutSuffix(first, end); ok && len(verb) > len(end) {
			out = append(out, strings.TrimSpace(text.StripStress(verb)+" "+end+" "+rest))
		}
	}
	return out
}

// pronoun continues after a word that stands for the things the search is about.
func (r *run) pronoun(i listStep, at place) {
	at.pos = r.skip(at)
	text := r.view(at)[at.pos:]
	for _, list := range [][]string{r.m.pack.Pronouns.One, r.m.pack.Pronouns.Several} {
		for _, word := range list {
			if strings.HasPrefix(text, word+" ") && r.allowed(r.things) {
				r.with(i, capture{start: at.pos, end: at.pos + len(word), items: r.things, pronoun: true}, place{pos: at.pos + len(word), broken: at.broken})
			}
		}
	}
}

// all resolves a sentence whose pronoun stands for things: for all things that the
// sentence may be about.
func (x *meaning) all() Decision {
	items := x.place(x.items)
	if len(items) == 0 {
		return x.reject(NoDevice, "")
	}
	items = x.ofClass(items)
	if len(items) == 1 {
		x.action.Slots["name"] = x.m.house.Entities[items[0]].Name
	}
	return x.finish(items)
}

// Elsewhere is an action said before, in another area: with the things it would
// have been about there. Things that were named are exchanged for their like.
func (f Short) Elsewhere(a Action, area string) Decision {
	m := f.Matcher
	place := m.house.Area(area)
	if place == nil {
		return Decision{Route: Reject, Reason: UnknownArea, Heard: area}
	}
	if from := a.source; from != nil && !from.named && a.Slots["name"] == nil {
		x := meaning{m: m, p: &parse{block: from.block}, area: place.Name, action: Action{Intent: a.Intent, Slots: maps.Clone(from.slots)}}
		delete(x.action.Slots, "floor")
		x.action.Slots["area"] = place.Name
		if kind, ok := x.action.Slots[slotKind].(string); ok {
			return x.findAsked(kind)
		}
		return x.byKind()
	}
	return f.alike(a, place.Name)
}

// alike makes the action one on the things of an area that are like the earlier ones; if
// things of the same name are there, only on these.
func (f Short) alike(a Action, area string) Decision {
	m := f.Matcher
	x := meaning{m: m, p: &parse{}, area: area, action: Action{Intent: a.Intent, Slots: maps.Clone(a.Slots)}}
	delete(x.action.Slots, "name")
	x.action.Slots["area"] = area
	var like, namesakes []int32
	for i := range m.house.Entities {
		e := &m.house.Entities[i]
		for _, id := range a.Devices {
			first := m.house.Entity(id)
			if first == nil || !e.In(area) || e.ID == id || e.Domain != first.Domain || !strings.EqualFold(e.DeviceClass(), first.DeviceClass()) {
				continue
			}
			if !slices.Contains(like, int32(i)) {
				like = append(like, int32(i))
			}
			if m.sameButRoom(e, first) && !slices.Contains(namesakes, int32(i)) {
				namesakes = append(namesakes, int32(i))
			}
		}
	}
	if len(namesakes) > 0 {
		like = namesakes
	}
	if len(like) == 0 {
		return x.reject(NoDevice, "")
	}
	if len(like) == 1 {
		x.action.Slots["name"] = m.house.Entities[like[0]].Name
	}
	return x.finish(like)
}

// sameButRoom reports whether two things have the same name apart from the words
// for their rooms: the kitchen light and the hallway light.
func (v *inventory) sameButRoom(a, b *home.Entity) bool {
	own := func(e *home.Entity) []string {
		var room []string
		for _, p := range placesOf(v.house, e.Area) {
			room = append(room, names.Normalise(p)...)
		}
		return slices.DeleteFunc(slices.Clone(names.Normalise(e.Name)), func(w string) bool { return slices.Contains(room, w) })
	}
	words := own(a)
	return len(words) > 0 && slices.Equal(words, own(b))
}
