package grounded

import "slices"

// claim is what a clause says about the house.
type claim struct {
	t       *tongue
	text    []word
	refs    []ref
	states  []string
	numbers []float64
	denied  bool
	every   bool
	none    bool
	acts    bool // it tells of an act
	goesOn  bool // its verb stands in the clause before
	verb    int  // the place of a verb that states something; -1: none
}

// clause judges one clause and returns what it claims. If the clause has no subject or no
// verb, it takes those of the clause before.
func (g *Ground) clause(t *tongue, c clause, before *claim) (v Verdict, k *claim) {
	text := c.text
	for n := t.polite.at(text); n > 0 && !t.bare(text) && t.done.at(text) != len(text); n = t.polite.at(text) {
		text = text[n:]
	}
	if len(text) == 0 {
		if g.command {
			return Hollow, before
		}
		return Free, before
	}
	if t.bare(text) && t.done.at(text) != len(text) {
		return g.answer(t, text), before
	}
	k = g.claimOf(t, text)
	if before != nil && len(k.refs) == 0 {
		k.refs = before.refs
	}
	if before != nil && k.verb < 0 {
		k.goesOn = before.verb >= 0 || before.goesOn
	}
	if v, sure := g.deed(k); sure {
		return v, k
	}
	return g.state(k), k
}

// claimOf collects what a clause says.
func (g *Ground) claimOf(t *tongue, text []word) *claim {
	k := &claim{t: t, text: text, refs: g.refs(t, text), verb: -1}
	for i, w := range text {
		k.denied = k.denied || t.denials[w.folded]
		k.every = k.every || t.every[w.folded]
		k.none = k.none || t.none[w.folded]
		if t.been[w.folded] && k.verb < 0 {
			k.verb = i
		}
		if w.value != nil && !k.isCount(i) && !k.isTime(i) {
			k.numbers = append(k.numbers, *w.value)
		}
	}
	for i := range text {
		// A state word before the verb only describes, unless the verb is the last word.
		if i >= k.verb || k.verb+1 == len(text) || t.firstParticle(text, i) {
			k.states = append(k.states, t.stateAt(text, i)...)
		}
	}
	return k
}

// firstParticle reports whether a clause begins with a particle, as in "off it goes".
func (t *tongue) firstParticle(text []word, i int) bool {
	return i == 0 && t.particles[text[0].folded] && len(text) > 1 && t.pronouns[text[1].folded] && !t.definite[text[1].folded]
}

func (k *claim) isCount(i int) bool {
	return slices.ContainsFunc(k.refs, func(r ref) bool { return r.counted && r.from == i+1 })
}

// isTime reports whether a number is a time of day or how long something takes.
func (k *claim) isTime(i int) bool {
	return k.text[i].clock || i+1 < len(k.text) && k.t.hours[k.text[i+1].folded]
}

// measured reports whether a number stands with a unit of the house.
func (k *claim) measured() bool {
	for i, w := range k.text {
		if w.value != nil && i+1 < len(k.text) && k.t.measures[k.text[i+1].folded] {
			return true
		}
	}
	return false
}

// stateAt returns the states that a word stands for at its place. A particle such as "on"
// is a state only after its verb, and there only at the end or before a word that cannot
// be its object.
func (t *tongue) stateAt(text []word, i int) []string {
	w := text[i].folded
	states := t.states[w]
	if len(states) == 0 || !t.particles[w] || i+1 == len(text) {
		return states
	}
	next := text[i+1]
	after := next.folded
	if t.firstParticle(text, i) || i > 0 && (t.acts[text[i-1].folded] || t.own[text[i-1].folded]) {
		return states
	}
	if next.stop || t.particles[after] || t.changed.at(text[i+1:]) > 0 || slices.Contains(trailing, after) {
		return states
	}
	return nil
}

// trailing are words that may follow a particle which is a state.
var trailing = []string{
	"now", "again", "already", "by", "from", "until", "von", "bis", "too", "as", "at", "in", "for", "since", "right", "still", "today", "tonight", "everywhere",
	"jetzt", "nun", "wieder", "schon", "bei", "mit", "seit", "heute", "gestellt", "gemacht", "geschaltet", "geblieben",
}

// general reports whether a clause tells how things are anywhere, or what may be
// done with them.
func (k *claim) general() bool {
	t := k.t
	if t.usually.in(k.text) && !slices.ContainsFunc(k.refs, func(r ref) bool { return r.thing >= 0 }) {
		return true
	}
	able := slices.ContainsFunc(k.text, func(w word) bool { return t.able[w.lower] })
	return able && !t.reports(k.text)
}

// defines reports whether a clause says what a thing is, as in "is the heart of many
// homes", and not how it is.
func (k *claim) defines() bool {
	if k.verb < 0 || len(k.states) > 0 || len(k.numbers) > 0 || k.verb+1 >= len(k.text) {
		return false
	}
	next := k.text[k.verb+1].folded
	return k.t.indefinite[next] || k.t.definite[next] && !k.t.pronouns[next] && !k.t.none[next]
}

// foreign reports whether a clause has a word, before the place to, that is neither a
// word of the house nor a small one.
func (k *claim) foreign(to int) bool {
	for i, w := range k.text[:to] {
		if slices.ContainsFunc(k.refs, func(r ref) bool { return r.from <= i && i < r.to }) {
			continue
		}
		if !k.t.small(w.folded) && w.value == nil && len(k.t.states[w.folded]) == 0 {
			return true
		}
	}
	return false
}
