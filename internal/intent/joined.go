package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/mood"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
)

// mostParts is how many commands, or things of one command, a sentence may join.
const mostParts = 6

// joined understands a sentence of several parts: separate commands, and things that
// share the verb of a command. All of it is done or nothing.
type joined struct {
	m      *Matcher
	area   string
	steps  *int
	shares bool // "and" was said, so a part may be a thing of the command before it

	matched map[string]reading // by text, because the ways to cut a sentence share many
	rests   map[int]reading    // by the number of parts at the end
}

// reading is what was made of a text.
type reading struct {
	decision Decision
	ok       bool
}

func newJoined(m *Matcher, area string, shares bool, steps *int) *joined {
	return &joined{m: m, area: area, steps: steps, shares: shares, matched: make(map[string]reading), rests: make(map[int]reading)}
}

// known is the matcher's, once for each text.
func (j *joined) known(texts ...string) (Decision, bool) {
	text := joinWords(texts...)
	r, done := j.matched[text]
	if !done {
		r.decision, r.ok = j.m.known(text, j.area, j.steps)
		j.matched[text] = r
	}
	return r.decision, r.ok
}

// all understands the parts from the first on. A part that is refused or asked
// about decides for all of them; ok is false if a part is not understood.
func (j *joined) all(parts []string) (d Decision, ok bool) {
	if len(parts) == 0 {
		return Decision{Route: Local, Reason: BySentences}, true
	}
	r, done := j.rests[len(parts)]
	if !done {
		r.decision, r.ok = j.cut(parts)
		j.rests[len(parts)] = r
	}
	return r.decision, r.ok
}

// cut tries where the first command ends.
func (j *joined) cut(parts []string) (d Decision, ok bool) {
	var refused Decision
	for _, understood := range []func([]string) (Decision, bool){j.ended, j.group} {
		for n := 1; n <= len(parts) && *j.steps > 0; n++ {
			first, ok := understood(parts[:n])
			if !ok {
				continue
			}
			rest, ok := j.all(parts[n:])
			switch {
			case !ok:
			case first.Route == Local && rest.Route == Local:
				rest.Actions = append(slices.Clone(first.Actions), rest.Actions...)
				rest.fixed = first.fixed + " " + rest.fixed
				return rest, true
			case refused.Route == "":
				refused = decisive(first, rest)
			}
		}
	}
	return refused, refused.Route != ""
}

// decisive returns the decision that counts for two parts of which at least one cannot be
// done: a refusal before a question. The acts beside a question are kept with it, so that
// they can be refused before it is asked.
func decisive(a, b Decision) Decision {
	if a.Route != Reject && b.Route == Reject || a.Route == Local {
		a, b = b, a
	}
	if a.Route == Reject {
		a.Together = true
		return a
	}
	a.Beside, a.Would = slices.Concat(a.Beside, b.Actions, b.Beside), nil
	return a
}

// shared reports whether parts may be things of a command that stands before them.
func (j *joined) shared(parts []string) bool {
	return j.shares && !slices.ContainsFunc(parts, func(part string) bool { return !j.leadsThing(part) })
}

// leadsThing reports whether a part begins like the name of a thing, and not like a
// command: with an article, a preposition or a word of a name. The name of a thing may
// also be a verb: "switch".
func (j *joined) leadsThing(part string) bool {
	first, _, _ := strings.Cut(part, " ")
	if j.m.leads[first] || j.isArticle(first) {
		return true
	}
	return j.m.index.Household(first) && !j.m.mood.Verb(first) ||
		strings.Contains(first, "'") && j.m.mood.Read(part, j.m.called) != mood.Question
}

// ended understands one command for several things whose value comes after the last of
// them: "set the lamp and the light to 40 percent". It is tried first, because its parts
// may be commands as well.
func (j *joined) ended(parts []string) (Decision, bool) {
	if len(parts) < 2 || !j.shared(parts[1:]) {
		return Decision{}, false
	}
	last := strings.Fields(parts[len(parts)-1])
	var other Decision // where another cut of the sentence may tell more
	for n := len(last) - 1; n > 0; n-- {
		d, ok := j.oneFor(parts, last[:n], last[n:])
		switch {
		case ok && d.Route == Local:
			return d, true
		case ok && other.Route == "":
			other = d
		}
	}
	return other, other.Route != ""
}

// group understands one command, or one command for several things.
func (j *joined) group(parts []string) (Decision, bool) {
	if len(parts) == 1 {
		d, ok := j.known(parts[0])
		if !ok && !j.shared(parts) { // what a thing is called is looked at with its command
			d, ok = j.m.unknown(j.m.strip(parts[0]), j.area, j.steps)
		}
		return d, ok && j.decides(d)
	}
	if !j.shared(parts[1:]) {
		return Decision{}, false
	}
	last := strings.Fields(parts[len(parts)-1])
	if d, ok := j.oneFor(parts, last, nil); ok {
		return d, true
	}
	return j.unheard(parts, last)
}

// decides reports whether a decision on one part is one on the whole sentence.
func (j *joined) decides(d Decision) bool {
	if d.Route == Ask && d.Would != nil && len(d.Would.Later) > 0 {
		return false // the answer would be the time of one of several commands
	}
	return d.Route == Local || d.Route == Ask || d.Route == Reject && d.Reason.stopsAll()
}

// oneFor understands one command for several things: the first part begins it with
// its first thing, the last one is a thing and what follows the things.
func (j *joined) oneFor(parts, thing, tail []string) (Decision, bool) {
	s := sharing{joined: j, head: strings.Fields(parts[0]), tail: strings.Join(tail, " ")}
	first, ok := j.known(parts[0], s.tail)
	if !ok || !s.begins(first) {
		return Decision{}, false
	}
	return s.with(first, append(slices.Clone(parts[1:len(parts)-1]), strings.Join(thing, " ")))
}

// unheard understands such a command when its first thing is misheard, or unknown:
// then the others must be known.
func (j *joined) unheard(parts, last []string) (Decision, bool) {
	words := strings.Fields(parts[0])
	if !slices.ContainsFunc(words, j.isArticle) && !j.m.index.Household(words[len(words)-1]) {
		return Decision{}, false
	}
	for n := len(last); n > max(len(last)-2, 0); n-- {
		s := sharing{joined: j, head: words, tail: strings.Join(last[n:], " ")}
		first, ok := j.m.unknown(j.m.strip(joinWords(parts[0], s.tail)), j.area, j.steps)
		if !ok || first.Route == Model || !j.decides(first) {
			continue
		}
		things := append(slices.Clone(parts[1:len(parts)-1]), strings.Join(last[:n], " "))
		if d, ok := s.with(first, things); ok {
			return d, true
		}
	}
	return Decision{}, false
}

// sharing is a command whose words before and after its first thing apply to other things
// as well.
type sharing struct {
	*joined
	head []string // with the first thing at its end
	tail string
}

// begins reports whether a decision is that of a command to things of the house.
func (s *sharing) begins(d Decision) bool {
	if d.Route == Ask {
		return d.Reason == WhichArea
	}
	if d.Route != Local || len(d.Actions) != 1 {
		return false
	}
	a := &d.Actions[0]
	return len(a.Devices) > 0 || s.tail == "" && len(a.about()) > 0 // each act has its own end
}

// about are the things that an action is about, or the act whose end it sets.
func (a *Action) about() []string {
	out := a.Devices
	if a.Intent == catalogue.Until {
		for i := range a.Later {
			out = append(out, a.Later[i].Devices...)
		}
	}
	return out
}

// with adds the things to the first decision.
func (s *sharing) with(first Decision, things []string) (Decision, bool) {
	all := first
	for _, thing := range things {
		d, ok := s.thing(&first, thing)
		switch {
		case !ok:
			return Decision{}, false
		case all.Route != Local || d.Route != Local:
			all = decisive(all, d)
		case slices.ContainsFunc(all.Actions, func(a Action) bool { return slices.Equal(a.about(), d.Actions[0].about()) }):
			return Decision{}, false // "to one hundred and fifty" names no second thing
		default:
			all.Actions = append(slices.Clone(all.Actions), d.Actions...)
		}
	}
	return all, true
}

// thing understands the command with one of the things in place of the first.
func (s *sharing) thing(first *Decision, thing string) (Decision, bool) {
	var asked Decision
	for _, n := range s.cuts(first) {
		d, ok := s.known(strings.Join(s.head[:n], " "), thing, s.tail)
		if !ok && first.one() != nil && first.one().Intent == catalogue.Until { // "schalte die Lampe bis acht ein"
			d, ok = s.known(strings.Join(s.head[:n], " "), thing, s.head[len(s.head)-1])
		}
		switch {
		case !ok:
		case d.Route == Local && s.alike(first, &d):
			return d, true
		case d.Route == Ask && asked.Route == "":
			asked = d
		}
	}
	if named := s.spellOut(thing); named != thing {
		return s.thing(first, named)
	}
	if asked.Route != "" {
		asked.Would = nil // it would be only a part of what was asked for
		return asked, true
	}
	return s.stranger(first, thing)
}

// cuts are how many words of the head may stand before its thing, the likeliest first: the
// thing has few words and stands at the end, unless an end of the act follows it.
func (s *sharing) cuts(first *Decision) (all []int) {
	for n := range s.head {
		if n > 0 || s.tail != "" {
			all = append(all, n)
		}
	}
	if one := first.one(); one == nil || one.Intent != catalogue.Until {
		slices.Reverse(all)
	}
	return all
}

// spellOut puts the thing in place of a word that stands for another of the same kind:
// "the kitchen light and the bedroom one", "la luz de la cocina y la del dormitorio".
func (s *sharing) spellOut(thing string) string {
	for _, one := range s.m.except.Ones {
		if rest, ok := strings.CutPrefix(thing, one+" "); ok {
			return rest
		}
		if rest, ok := strings.CutSuffix(thing, " "+one); ok {
			return rest + " " + s.head[len(s.head)-1]
		}
	}
	return thing
}

// alike reports whether a command does to another thing what the first command does to
// its thing. A dangerous command also counts as alike; the code that refuses it says so.
func (s *sharing) alike(first, other *Decision) bool {
	if len(other.Actions) != 1 || len(other.Actions[0].about()) == 0 {
		return false
	}
	if first.Route != Local || s.m.dangerous(*other) {
		return true
	}
	a, b := &first.Actions[0], &other.Actions[0]
	return a.Intent == b.Intent && slices.EqualFunc(a.Later, b.Later, func(a, b Action) bool { return a.Intent == b.Intent })
}

// stranger decides on a thing that the house does not have by these words: it is
// what is alike, or the whole sentence is refused.
func (s *sharing) stranger(first *Decision, thing string) (Decision, bool) {
	if !s.namesThing(thing) {
		return Decision{}, false
	}
	for n := range s.head {
		d, ok := s.m.unknown(s.m.strip(joinWords(strings.Join(s.head[:n], " "), thing, s.tail)), s.area, s.steps)
		if ok && s.decides(d) && (d.Route != Local || s.alike(first, &d)) {
			d.Would = nil
			return d, true
		}
	}
	return Decision{}, false
}

// namesThing reports whether words may be the name of a thing: they begin with an
// article, or end in the word for something that many houses have.
func (j *joined) namesThing(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && (j.m.index.Household(words[len(words)-1]) || len(words) > 1 && j.isArticle(words[0]))
}

func (j *joined) isArticle(word string) bool { return j.m.index.WithoutArticle(word+" x") == "x" }

// leadWords are the words with which the name of a thing may begin: articles,
// prepositions, and the words of names, rooms, floors and kinds.
func leadWords(pack *Pack, h *home.House) map[string]bool {
	out := make(map[string]bool)
	add := func(texts []string) {
		for _, text := range texts {
			for w := range strings.FieldsSeq(text) {
				out[w] = true
			}
		}
	}
	small := sentences.WordsOf(pack.Language).Hazards
	add(small.Articles)
	add(small.Prepositions)
	add(pack.Except.Ones)
	for i := range h.Entities {
		add(EntityNames(&h.Entities[i], pack))
	}
	for _, name := range h.AreaNames() {
		add(AreaSpoken(h, name, pack))
	}
	for _, f := range h.Floors {
		add(names.SpokenForms(f.Name))
	}
	for _, l := range pack.Lists {
		for _, v := range l.Values {
			if class, ok := v.Out.(string); ok && (coverings[class] != nil || class == "light" || class == "fan") {
				add(v.Texts)
			}
		}
	}
	return out
}

// joinWords joins texts that are not empty by spaces.
func joinWords(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), " ")
}

// acts reports whether an action is one on things, and not talk or a timer.
func acts(a *Action) bool {
	switch catalogue.Of(a.Intent).Plan {
	case catalogue.Switch, catalogue.Command, catalogue.Adjust, catalogue.Question:
		return len(a.Devices) > 0
	default:
		return false
	}
}
