package grounded

import (
	"slices"
	"strings"
)

// deed judges a clause that tells of an act: something was done, is being done or
// will be. It is not sure about any other clause.
func (g *Ground) deed(k *claim) (v Verdict, sure bool) {
	t := k.t
	if t.saysDone(k.text) {
		k.refs = nil
		return g.act(k), true
	}
	kind, found := k.speakerActs()
	if !found && k.promises() {
		found = true
	}
	if found {
		switch {
		case k.denied:
			return g.refuses(), true
		case kind == isLooking && g.looked && k.looked():
			return Free, false // what it found is judged as a state
		case kind == isLooking:
			return Hollow, true
		}
		return g.act(k), true
	}
	if k.general() {
		return Free, true
	}
	if k.passive() {
		return g.wasDone(k)
	}
	return Free, false
}

// wasDone judges a clause that says that something was done, or was not.
func (g *Ground) wasDone(k *claim) (v Verdict, sure bool) {
	switch {
	case k.denied && k.none && len(k.states) > 0 && k.verb >= 0 && k.t.present[k.text[k.verb].folded]:
		return Free, false // "nothing is switched on" tells how it is
	case k.denied:
		return g.refuses(), true
	}
	v = g.act(k)
	if v == Invented && len(k.states)+len(k.numbers) > 0 && g.proven(k, false) {
		v = Proven // "is set to 40 percent" is also a state
	}
	return v, true
}

// saysDone reports whether a text is one that says that it is done, with small words
// before and behind it: "already done for you".
func (t *tongue) saysDone(text []word) bool {
	for {
		if n := t.done.at(text); n > 0 {
			return n == len(trimmed(t, text))
		}
		if len(text) < 2 || !t.adverbs[text[0].folded] {
			return false
		}
		text = text[1:]
	}
}

// unparted is a text without the signs that part its clauses: "done, and dusted".
func unparted(text []word) []word {
	return slices.DeleteFunc(slices.Clone(text), func(w word) bool { return w.stop })
}

// trimmed is a text without the small words at its end: "done for you".
func trimmed(t *tongue, text []word) []word {
	n := t.done.at(text)
	for end := len(text); end > n; end-- {
		if w := text[end-1].folded; !t.adverbs[w] && !t.pronouns[w] && !t.hours[w] && text[end-1].value == nil {
			return text[:end]
		}
	}
	return text[:n]
}

// act is the verdict on a claimed act.
func (g *Ground) act(k *claim) Verdict {
	k.acts = true
	if g.proven(k, true) {
		return Told
	}
	return Invented
}

// refuses is the verdict on "I did not do it".
func (g *Ground) refuses() Verdict {
	if slices.ContainsFunc(g.items, func(it item) bool { return it.done }) {
		return Invented
	}
	return Free
}

// speaking is what a speaker says to do.
type speaking int

const (
	isActing speaking = iota
	isLooking
)

// speakerActs reports whether the speaker says to do, have done or be about to do
// something, other than thinking and talking.
func (k *claim) speakerActs() (what speaking, found bool) {
	t := k.t
	for i, w := range k.text {
		n := t.let.at(k.text[i:])
		switch {
		case n > 0 && i+n < len(k.text):
			if what, found = t.verbIn(k.text[i+n:]); found {
				return what, true
			}
		case t.first[w.folded]:
			if what, found = k.speakerAt(i); found {
				return what, true
			}
		case len(t.aloneEnds) > 0 && k.alone(i):
			return t.kindOfVerb(w)
		}
	}
	return 0, false
}

// alone reports whether a verb tells by its form that the speaker does it.
func (k *claim) alone(i int) bool {
	t, w := k.t, k.text[i]
	if t.thinking[w.folded] && !t.own[w.folded] {
		return false
	}
	if t.own[w.folded] || i+1 < len(k.text) && t.have[w.folded] && t.participle(k.text[i+1]) {
		return true
	}
	if i+1 < len(k.text) && t.am[w.folded] && t.ends(k.text[i+1], t.ingEnds) {
		return true
	}
	for _, e := range t.aloneEnds {
		if len(w.lower) > len(e)+3 && w.lower[len(w.lower)-len(e):] == e {
			return true
		}
	}
	return false
}

// speakerAt looks at the verbs beside a word for the speaker.
func (k *claim) speakerAt(i int) (what speaking, found bool) {
	t := k.t
	after := k.text[i+1:]
	for len(after) > 0 && t.adverbs[after[0].folded] || len(after) > 0 && t.pronouns[after[0].folded] {
		after = after[1:]
	}
	if i > 0 && t.verbal(k.text[i-1]) {
		if what, found = k.finite(k.text[i-1], after); found {
			return what, true
		}
		return 0, false
	}
	if len(after) == 0 {
		return 0, false
	}
	return k.finite(after[0], after[1:])
}

// verbal reports whether a word before the speaker may be the verb, where languages
// turn them round: "mache ich".
func (t *tongue) verbal(w word) bool {
	return len(t.ownEnds) > 0 && t.code == "de" && (t.own[w.folded] || t.have[w.folded] || t.will[w.folded] || t.thinking[w.folded] ||
		t.able[w.lower] || t.am[w.folded] || t.ends(w, t.ownEnds)) && !t.definite[w.folded] && !t.indefinite[w.folded] && !t.adverbs[w.folded]
}

// finite judges the verb of the speaker, with what follows it.
func (k *claim) finite(verb word, rest []word) (what speaking, found bool) {
	t := k.t
	verb = t.written(verb)
	switch w := verb.folded; {
	case t.able[verb.lower]:
		return 0, false
	case t.have[w]:
		return t.participleIn(rest)
	case t.will[w]:
		return t.verbIn(rest)
	case t.am[w]:
		return t.ingIn(rest)
	case t.looking[w]:
		return isLooking, true
	case t.thinking[w]:
		return 0, false
	case t.own[w], t.past[w], t.ends(verb, t.ownEnds), t.acts[w], t.code == "en" && t.ends(verb, t.pastEnds):
		return t.kindOfVerb(verb)
	}
	return 0, false
}

// written is a German verb of the speaker's with the ending that many leave out: "ich
// weck", "ich merk's".
func (t *tongue) written(verb word) word {
	if t.code != "de" || t.small(verb.folded) || t.thinking[verb.folded] || t.will[verb.folded] || strings.HasSuffix(verb.folded, "e") || t.ends(verb, t.pastEnds) {
		return verb
	}
	verb.folded = strings.TrimSuffix(verb.folded, "'s") + "e"
	verb.lower = strings.TrimSuffix(verb.lower, "'s") + "e"
	return verb
}

// promises reports whether the speaker says to tell something at another time: "I'll
// give you a shout in ten minutes".
func (k *claim) promises() bool {
	t := k.t
	speaks := slices.IndexFunc(k.text, func(w word) bool { return t.first[w.folded] })
	if speaks < 0 || k.denied || !k.clock() {
		return false
	}
	will := slices.ContainsFunc(k.text, func(w word) bool { return t.will[w.folded] })
	tells := slices.ContainsFunc(k.text, func(w word) bool { return t.tells[w.folded] })
	return will && t.code == "en" || tells && t.code != "en"
}

// kindOfVerb tells looking from acting.
func (t *tongue) kindOfVerb(w word) (what speaking, found bool) {
	if t.looking[w.folded] {
		return isLooking, true
	}
	return isActing, true
}

// verbIn finds the verb after a word that promises one. In a language that puts it at the
// end, it looks there.
func (t *tongue) verbIn(rest []word) (what speaking, found bool) {
	if len(rest) == 0 {
		return 0, false
	}
	verb := rest[0]
	for len(rest) > 1 && (t.adverbs[verb.folded] || t.pronouns[verb.folded]) && !t.own[verb.folded] {
		rest = rest[1:]
		verb = rest[0]
	}
	if t.code == "de" {
		verb = rest[len(rest)-1]
	}
	if t.been[verb.folded] && len(rest) > 1 && t.ends(rest[1], t.ingEnds) {
		verb = rest[1]
	}
	if t.thinking[verb.folded] || t.been[verb.folded] && !t.acts[verb.folded] && t.code == "en" {
		return 0, false
	}
	return t.kindOfVerb(verb)
}

// participle reports whether a word tells what was done.
func (t *tongue) participle(w word) bool {
	return t.acts[w.folded] || t.past[w.folded] || t.looked[w.folded] || t.ends(w, t.pastEnds)
}

// participleIn finds what the speaker has done.
func (t *tongue) participleIn(rest []word) (what speaking, found bool) {
	for i, w := range rest {
		if t.thinking[w.folded] && !t.acts[w.folded] {
			return 0, false
		}
		if t.indefinite[w.folded] && t.code == "en" || t.definite[w.folded] && t.code == "en" {
			return 0, false // what the speaker owns
		}
		if t.code == "de" && i+1 < len(rest) && !t.participle(rest[len(rest)-1]) {
			return 0, false
		}
		if t.code == "de" {
			w = rest[len(rest)-1]
			if t.thinking[w.folded] || !t.participle(w) {
				return 0, false
			}
			return t.kindOfVerb(w)
		}
		if t.participle(w) {
			return t.kindOfVerb(w)
		}
	}
	return 0, false
}

// ingIn finds what the speaker is doing.
func (t *tongue) ingIn(rest []word) (what speaking, found bool) {
	if t.let.at(rest) > 0 {
		return t.verbIn(rest[t.let.at(rest):])
	}
	for len(rest) > 0 && t.adverbs[rest[0].folded] {
		rest = rest[1:]
	}
	if len(rest) == 0 || t.thinking[rest[0].folded] || !t.ends(rest[0], t.ingEnds) {
		return 0, false
	}
	return t.kindOfVerb(rest[0])
}

// looked reports whether the clause tells that the speaker has looked, and does not
// promise it.
func (k *claim) looked() bool {
	return slices.ContainsFunc(k.text, func(w word) bool { return k.t.looked[w.folded] })
}

// passive reports whether a clause says that something was done without saying who
// did it, or what is being done, as in "alarm set for seven" and "turning it off".
func (k *claim) passive() bool {
	t := k.t
	if t.gerund(k.text) {
		return !slices.ContainsFunc(k.text[1:], func(w word) bool { return t.grounds[w.folded] })
	}
	if k.informs() || k.underWay() {
		return true
	}
	at := k.participleAt()
	if at < 0 || at == 0 && k.imperative() {
		return false
	}
	return k.done(at)
}

// done reports whether the participle at a place tells of an act.
func (k *claim) done(at int) bool {
	certain := slices.ContainsFunc(k.refs, func(r ref) bool { return r.from < at && !r.vague && (r.kept() || k.moves(at)) })
	switch {
	case certain:
		return true
	case k.foreign(at):
		return k.served(at)
	}
	return (at == 0 || k.verb >= 0 && k.verb < at) && (k.moves(at) || k.keepsAny())
}

// underWay reports whether a clause without a verb tells what a thing is doing: "blinds
// going up".
func (k *claim) underWay() bool {
	t := k.t
	if k.verb >= 0 || len(k.refs) == 0 || k.refs[0].vague || k.refs[0].to >= len(k.text) || len(t.ingEnds) == 0 {
		return false
	}
	next := k.text[k.refs[0].to]
	return !k.foreign(k.refs[0].to) && t.ends(next, t.ingEnds) && !t.thinking[next.folded] && !t.small(next.folded)
}

// informs reports whether a clause says that a member of the family knows something now.
func (k *claim) informs() bool {
	t := k.t
	at := slices.IndexFunc(k.text, func(w word) bool { return t.informed[w.folded] })
	if at < 0 || len(k.refs) > 0 || !k.foreign(len(k.text)) {
		return false
	}
	return yours(k.text) || k.knows(at)
}

// knows reports whether a clause says that a person, named in it, knows, and says nothing
// else: "Anna has been told". at is the place of the word that says so.
func (k *claim) knows(at int) bool {
	t := k.t
	has := func(i int, w word) bool {
		return i > 0 && (t.small(w.folded) || t.informed[w.folded] || t.have[w.folded])
	}
	strange := 0
	for i, w := range k.text {
		if !has(i, w) {
			strange++
		}
	}
	given := slices.ContainsFunc(k.text[:at], func(w word) bool { return t.been[w.folded] || t.have[w.folded] || t.informed[w.folded] })
	tail := at+1 < len(k.text) || given || slices.ContainsFunc(k.text[:at], func(w word) bool { return t.pronouns[w.folded] || t.adverbs[w.folded] })
	named := !t.small(k.text[0].folded) && t.let.at(k.text) == 0
	return named && strange == 1 && tail
}

// participleAt returns the place of the word that says what was done, or -1. After an
// article such a word only describes: "a set value".
func (k *claim) participleAt() int {
	t := k.t
	for i, w := range k.text {
		if t.acts[w.folded] && (i == 0 || !t.indefinite[k.text[i-1].folded] && !t.definite[k.text[i-1].folded]) {
			return i
		}
	}
	return -1
}

// served reports whether a clause says that something was done in the way in which only a
// servant would say it: "milk was added".
func (k *claim) served(at int) bool {
	const subject = 3 // words of it, with the verb
	if k.verb < 0 && len(k.text) > 1 && k.t.serves[k.text[at].folded] {
		return at == len(k.text)-1 && at <= subject
	}
	return k.t.serves[k.text[at].folded] && k.verb >= 0 && k.verb < at && at <= subject &&
		!slices.ContainsFunc(k.text[at+1:], func(w word) bool { return !k.t.small(w.folded) })
}

// imperative reports whether a clause that begins with a verb may be an instruction: "set
// the timer".
func (k *claim) imperative() bool {
	t := k.t
	return t.own[k.text[0].folded] && len(k.text) > 1 && (t.definite[k.text[1].folded] || t.indefinite[k.text[1].folded] ||
		len(k.refs) > 0 && k.refs[0].from == 1)
}

// moves reports whether the word at a place says that something happened, and not only
// how something is.
func (k *claim) moves(at int) bool {
	t := k.t
	if len(t.states[k.text[at].folded]) == 0 {
		return true
	}
	return slices.ContainsFunc(k.text[:at], func(w word) bool {
		return t.have[w.folded] || w.folded == "been" || w.folded == "being" || w.folded == "wird" || w.folded == "werden" || w.folded == "wurde" || w.folded == "wurden"
	})
}

// kept reports whether a mention is of something that the gateway keeps.
func (r ref) kept() bool {
	for kind := range r.kinds {
		if len(kind) > len(keptOf) && kind[:len(keptOf)] == keptOf {
			return true
		}
	}
	return false
}

func (k *claim) keepsAny() bool { return slices.ContainsFunc(k.refs, ref.kept) }
