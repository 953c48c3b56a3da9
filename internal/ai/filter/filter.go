// Package filter holds back what a language model may not say. The house speaks for
// itself: a sentence of a model that names a thing, a room or a timer of the house, or
// tells a state, a number or an act of it, is spoken only where the same turn has read
// just that (REQUIREMENTS U10). Nothing is analysed: the names come from the house; the
// states, units and verbs from the language's file of words, where a new way of claiming
// something is a new word. The package is pure.
package filter

import "slices"

// Verdict is what is known about a sentence.
type Verdict int

// The verdicts, from harmless to worst.
const (
	Free   Verdict = iota // says nothing about the house
	Told                  // says only what the house has told already
	Read                  // a reading of the turn says so
	Unread                // tells of the house what the turn has not read
	Acted                 // tells of an act, done or promised
)

// Turn is the filter of one turn. One goroutine uses it.
type Turn struct {
	*House
	order    bool // the text may be a command
	about    bool // the text is about something of the house
	readings []reading
	outside  bool // a text from outside the house was read
	told     bool // the house has told what was read
	missing  []string
}

// Turn begins a turn in which nothing was read yet: with what was said to the house, and
// whether that may be a command.
func (k *House) Turn(said string, order bool) *Turn {
	t := &Turn{House: k, order: order}
	for _, l := range k.fluent(said) {
		s := k.parse(l, said)
		t.about = t.about || s.ours
	}
	return t
}

// Judge tells what is known about a sentence, in whatever of our languages it is.
func (t *Turn) Judge(said string) Verdict {
	worst := Free
	for _, l := range t.fluent(said) {
		s := t.parse(l, said)
		v := t.judge(s)
		if v == Unread {
			t.missing = append(t.missing, t.meant(s)...)
		}
		worst = max(worst, v)
	}
	return worst
}

// Tell notes that the house itself has told what was read so far.
func (t *Turn) Tell() { t.told = true }

// HasTold reports whether the house itself has told what was read.
func (t *Turn) HasTold() bool { return t.told }

// Missing lists the ids of the few things that held back sentences were about.
func (t *Turn) Missing() []string {
	const few = 3
	slices.Sort(t.missing)
	t.missing = slices.Compact(t.missing)
	return t.missing[:min(few, len(t.missing))]
}

// judge judges a sentence of one language.
func (t *Turn) judge(s *sentence) Verdict {
	deed := s.deed()
	switch {
	case s.asks, s.unable():
		return Free
	case s.saysDone(), deed == Acted, t.order && s.body == len(s.text): // "okay"
		return Acted
	case deed == Unread && len(t.readings) == 0 && !t.outside, t.about && s.answers():
		return Unread
	case !t.tells(s):
		return Free
	case t.hasRead(s) && t.told && s.strange == 0:
		return Told
	case t.hasRead(s):
		return Read
	case s.acts > len(s.states)+s.happens || s.starts(&s.Doing):
		return Acted
	}
	return Unread
}

// tells reports whether a sentence tells something of the house.
func (t *Turn) tells(s *sentence) bool {
	const short, few = 8, 2 // words
	names := len(s.mentions) > 0
	owned := s.kept && !s.denied && (s.has(&s.Yours) || s.has(&s.Have))
	served := len(s.text) <= short && !s.denied && s.has(&s.Serves)
	blind := t.order || t.about && len(t.readings) == 0 // nothing is known of what was asked
	switch {
	case len(s.ids) > 0, owned, served, s.starts(&s.Doing), blind && (names && (s.ours || s.strange <= few) || s.refers() && s.has(&s.Been)):
		return true
	case s.advises() && !t.order:
		return false
	case s.ours && (s.claims > 0 || s.kept && s.has(&s.Been) && s.strange <= few):
		return true
	case names:
		return s.strange == 0 && (s.claims > 0 || s.denied) && !s.has(&s.Able) || s.kept && s.counts() && s.strange <= few || slices.Contains(s.states, "detected") || slices.Contains(s.states, "clear")
	case t.outside && !t.about:
		return false
	case len(s.numbers) > 0:
		return s.strange <= 1 && s.has(&s.Been) || s.strange == 0
	case blind:
		return s.claims > 0 && s.strange <= few
	}
	return s.claims > 0 && s.strange == 0 || s.direct()
}
