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
	guests   bool // it is only about what servers of others may keep as well, such as a list
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
		t.about, t.guests = t.about || s.ours, t.guests || s.ours && s.keepsElsewhere()
	}
	return t
}

// isAbout reports whether the text is about the house. Once text from outside was read, a
// text about a list or the mail was about that.
func (t *Turn) isAbout() bool { return t.about && (!t.guests || !t.outside) }

// Judge tells what is known about a sentence, in whatever of our languages it is.
func (t *Turn) Judge(said string) Verdict {
	worst := Free
	for _, l := range t.fluent(said) {
		s := t.parse(l, said)
		v := t.judge(s)
		if v == Unread {
			t.missing = append(t.missing, t.thingsMeant(s)...)
		}
		worst = max(worst, v)
	}
	return worst
}

// IsUnable reports whether a sentence only says that its speaker does not know something or
// cannot do it.
func (t *Turn) IsUnable(said string) bool {
	unable := false
	for _, l := range t.fluent(said) {
		s := t.parse(l, said)
		if t.judge(s) != Free {
			return false
		}
		unable = unable || s.unable()
	}
	return unable
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
	deed := s.tellDeed()
	switch {
	case s.asks, s.unable():
		return Free
	case s.saysDone(), deed == Acted, t.order && s.body == len(s.text): // "okay"
		return Acted
	case deed == Unread && len(t.readings) == 0 && !t.outside, t.isAbout() && s.answers():
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

// few is how many words that are not of the house a sentence about it may have.
const few = 2

// tells reports whether a sentence tells something of the house.
func (t *Turn) tells(s *sentence) bool {
	switch {
	case len(s.ids) > 0, s.keepsFor(), s.serves(), s.starts(&s.Doing), t.isBlind() && s.replies():
		return true
	case s.advises() && !t.order:
		return false
	case s.ours && s.claims > 0, s.keeps():
		return true
	case len(s.mentions) > 0:
		return s.tellsOfHouse() || s.watches()
	}
	return (!t.outside || t.isAbout()) && t.tellsAlone(s)
}

// tellsAlone reports whether a sentence that names nothing tells something of the house:
// "it is on now". Few of its words may be of anything else.
func (t *Turn) tellsAlone(s *sentence) bool {
	switch {
	case len(s.numbers) > 0:
		return s.strange == 0 || s.strange == 1 && s.has(&s.Been)
	case t.isBlind():
		return s.claims > 0 && s.strange <= few
	}
	return s.claims > 0 && s.strange == 0 || s.direct()
}

// isBlind reports whether the turn is about the house, and nothing of it was read.
func (t *Turn) isBlind() bool { return t.order || t.isAbout() && len(t.readings) == 0 }
