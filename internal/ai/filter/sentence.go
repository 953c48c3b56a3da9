package filter

import (
	"slices"
	"strings"

	"voicegateway/internal/language/sentences"
)

// sentence is what a sentence names and claims, by its words.
type sentence struct {
	*language
	text     []word
	body     int       // where it begins, behind polite words
	asks     bool      // it is a question
	mentions set       // the words by which it names something of the house
	ids      []string  // of the things whose names it has
	ours     bool      // what it names is a certain thing or room: "the lamp"
	kept     bool      // it names something that the gateway keeps, such as a timer
	states   []string  // that it tells
	numbers  []float64 // that are measured
	claims   int       // how much it tells of the house
	acts     int
	happens  int // verbs of what things do
	strange  int // words that are neither small nor of the house
	denied   bool
	several  bool // it speaks of all things or of none
}

// parse finds the words of a sentence that tell of the house.
func (k *House) parse(l *language, said string) *sentence {
	s := &sentence{language: l, text: l.cut(said), mentions: set{}}
	for s.body < len(s.text) && (s.text[s.body].stop || l.at(s.text[s.body:], &l.Polite) > 0) {
		s.body += max(1, l.at(s.text[s.body:], &l.Polite))
	}
	for i := 0; i < len(s.text); {
		n := k.mention(s, i)
		if n == 0 && i < s.body {
			n = 1
		} else if n == 0 {
			s.note(i)
			n = 1
		}
		i += n
	}
	s.claims = len(s.states) + len(s.numbers) + s.acts + s.happens
	question := s.starts(&s.Asks) && strings.HasSuffix(strings.TrimRight(said, "\"'”’») "), "?")
	s.asks = question || s.starts(&s.Tells) && s.claims == 0 // "tell me which lamp"
	if s.ours && s.has(&s.Changed) {
		s.claims++
	}
	return s
}

// note reads a word that names nothing.
func (s *sentence) note(i int) {
	w := s.text[i]
	answer := i+1 < len(s.text) && s.text[i+1].stop && s.is(w, &s.Yes, &s.No)
	verb := i > 0 && s.is(w, &s.Own) && s.is(s.text[i-1], &s.Able, &s.ToVerb)
	switch {
	case w.stop, answer, verb:
		return
	case w.value != nil:
		s.count(i)
		return
	case !s.binds(i):
		s.states = append(s.states, s.language.states[w.text]...)
	}
	described := i > 0 && s.is(s.text[i-1], &s.Indefinite, &s.Definite) // "a set value"
	s.acts += one(s.is(w, &s.Acts) && !described)
	s.happens += one(s.is(w, &s.Happens))
	s.several = s.several || s.is(w, &s.Every, &s.None)
	s.denied = s.denied || s.is(w, &s.Denials)
	s.strange += one(!s.isLittle(w) && len(s.language.states[w.text]) == 0)
}

// count reads a number: one with a unit soon after it is measured, and a large one is a
// year.
func (s *sentence) count(i int) {
	const near, year = 5, 1000
	value := *s.text[i].value
	if slices.ContainsFunc(s.text[i+1:min(len(s.text), i+near)], func(w word) bool { return s.is(w, &s.Measures) }) {
		s.numbers = append(s.numbers, value)
		return
	}
	s.strange += one(value >= year)
}

// one is 1 for what is so.
func one(so bool) int {
	if so {
		return 1
	}
	return 0
}

// binds reports whether a word that may be a state only binds others: "on the table".
func (s *sentence) binds(i int) bool {
	if !s.is(s.text[i], &s.Particles) || i+1 == len(s.text) || s.text[i+1].stop {
		return false
	}
	return !s.is(s.text[i+1], &s.Adverbs, &s.Been) && (i == 0 || !s.is(s.text[i-1], &s.Acts, &s.Own, &s.Doing))
}

// mention reads a name or a word for a kind of thing, and returns how many words it has.
func (k *House) mention(s *sentence, i int) int {
	w := s.text[i]
	n, kind := k.at(s.text[i:]), s.kind(w.text)
	switch {
	case w.stop || w.value != nil:
		return 0
	case len(n.words) > 1 || len(n.words) == 1 && s.kinds[w.text] == "":
		s.ours = s.ours || n.id != "" || i == 0 || !s.is(s.text[i-1], &s.Indefinite)
		if n.id != "" {
			s.ids = append(s.ids, n.id)
		}
		for _, w := range n.words {
			k.call(s, w)
		}
		return len(n.words)
	case kind == "":
		return 0
	}
	k.call(s, w.text)
	s.ours = s.ours || s.certain(i)
	s.kept = s.kept || s.Kept[kind] != nil && !slices.Contains([]string{"music", "mood", "scene", "volume"}, kind)
	s.states = append(s.states, s.language.states[w.text]...)
	return 1
}

// ownKept are what only the gateway keeps.
var ownKept = []string{"timer", "alarm", "reminder"}

// keepsElsewhere reports whether all that a sentence names is kept, and others may keep it.
func (s *sentence) keepsElsewhere() bool {
	for kind := range s.mentions {
		if s.Kept[kind] == nil || slices.Contains(ownKept, kind) {
			return false
		}
	}
	return s.kept && len(s.ids) == 0
}

// call adds a word to those by which a sentence names something. Of a glued word that is
// no name, the room and the kind are added.
func (k *House) call(s *sentence, w string) {
	if kind := s.kind(w); kind != "" {
		s.mentions[kind] = true
	}
	if k.words[w] && s.kinds[w] == "" {
		s.mentions[w] = true
		return
	}
	for known := range k.words {
		if s.glued && s.kinds[w] == "" && len(known) > 3 && len(known) < len(w) && strings.HasPrefix(w, known) {
			s.mentions[known], s.ours = true, true
		}
	}
}

// certain reports whether the kind at a place is of a certain thing: "the old lamp",
// "both lamps", and "lamp" at the beginning.
func (s *sentence) certain(i int) bool {
	for at := i - 1; at >= max(0, i-2); at-- {
		switch w := s.text[at]; {
		case s.is(w, &s.Definite, &s.Yours, &s.Every) || w.value != nil:
			return true
		case w.stop || s.isLittle(w):
			return i == s.body
		}
	}
	return i <= s.body
}

// starts reports whether a sentence begins with a word of a list, behind polite words.
func (s *sentence) starts(list *sentences.List) bool {
	if s.body == len(s.text) {
		return false
	}
	w := s.text[s.body]
	w.text, _, _ = strings.Cut(w.text, "-") // dis-moi
	return s.is(s.text[s.body], list) || s.is(w, list)
}

// keepsFor reports whether a sentence says that the person has something that the gateway
// keeps: "your next meeting is at three".
func (s *sentence) keepsFor() bool { return s.kept && !s.denied && (s.has(&s.Yours) || s.has(&s.Have)) }

// serves reports whether a short sentence says what only a servant would have done: "milk
// was added".
func (s *sentence) serves() bool {
	const short = 8 // words
	return len(s.text) <= short && !s.denied && s.has(&s.Serves)
}

// replies reports whether a sentence is about what was asked for: it names something of
// the house, or begins with a word for it.
func (s *sentence) replies() bool {
	return len(s.mentions) > 0 && (s.ours || s.strange <= few) || s.refers() && s.has(&s.Been)
}

// keeps reports whether a sentence tells that something kept is there: "a reminder for
// four o'clock is in place".
func (s *sentence) keeps() bool {
	return s.kept && s.strange <= few && (s.ours && s.has(&s.Been) || s.counts())
}

// tellsOfHouse reports whether a sentence tells something of a kind of thing, in words of the
// house alone.
func (s *sentence) tellsOfHouse() bool {
	return s.strange == 0 && (s.claims > 0 || s.denied) && !s.has(&s.Able)
}

// watches reports whether a sentence tells what sensors watch for: "nobody is at home".
func (s *sentence) watches() bool {
	return slices.Contains(s.states, "detected") || slices.Contains(s.states, "clear")
}

// refers reports whether a sentence begins with a word for something that was named
// before, or with a verb of being where that word is left out.
func (s *sentence) refers() bool {
	for _, w := range s.text[s.body:] {
		if s.is(w, &s.Others) || len(s.AloneEnds) > 0 && s.is(w, &s.Present) {
			return true
		}
		if !s.is(w, &s.Adverbs) {
			return false
		}
	}
	return false
}

// direct reports whether a part of a sentence ends with how something is that it does not
// name: "everything is shut".
func (s *sentence) direct() bool {
	for i := range s.text {
		if len(s.language.states[s.text[i].text]) == 0 || i+1 < len(s.text) && !s.text[i+1].stop {
			continue
		}
		been := false
		for i--; i >= 0 && s.is(s.text[i], &s.Been, &s.Adverbs) && !s.is(s.text[i], &s.Pronouns); i-- {
			been = been || s.is(s.text[i], &s.Been)
		}
		if been && (i >= 0 && s.is(s.text[i], &s.Pronouns) || len(s.AloneEnds) > 0 && (i < 0 || s.text[i].stop)) {
			return true
		}
	}
	return false
}

// answers reports whether a sentence is a yes or a no, or begins with one.
func (s *sentence) answers() bool {
	return s.starts(&s.Yes) || s.starts(&s.No) || s.strange+s.claims+len(s.mentions) == 0
}

// saysDone reports whether a part of a sentence says that it is done, with nothing but
// small words around it.
func (s *sentence) saysDone() bool {
	begins := true
	for i, w := range s.text {
		if n := s.at(s.text[i:], &s.Done); begins && n > 0 {
			for n += i; n < len(s.text) && !s.text[n].stop && s.isLittle(s.text[n]); n++ {
				continue
			}
			if n == len(s.text) || s.text[n].stop {
				return true
			}
		}
		begins = w.stop || i < s.body || begins && s.is(w, &s.Adverbs)
	}
	return false
}

// tellDeed tells what the speaker says to do, to have done or to do soon: Acted, Unread where
// the speaker looks at something, Free where the speaker thinks or talks.
func (s *sentence) tellDeed() Verdict {
	worst := Free
	for i, w := range s.text {
		n := s.at(s.text[i:], &s.Let)
		switch {
		case n > 0:
		case s.is(w, &s.First), i == s.body && s.is(w, &s.Have):
			n = 1
		case s.speaks(w):
			return Acted
		default:
			continue
		}
		switch {
		case s.asksBack(i), s.is(w, &s.Able, &s.Thinking):
			continue
		case s.verbLast && i > 0 && !s.isLittle(s.text[i-1]) && !s.text[i-1].stop:
			n = -1 // "mache ich"
		}
		worst = max(worst, s.does(i+n))
	}
	return worst
}

// asksBack reports whether the speaker at a place asks what to do: "shall I turn
// it off?".
func (s *sentence) asksBack(i int) bool {
	return i > 0 && s.is(s.text[i-1], &s.Asks) && s.text[len(s.text)-1].said == "?"
}

// speaks reports whether a verb tells by its form that the speaker does it.
func (s *sentence) speaks(w word) bool {
	if len(s.AloneEnds) == 0 || s.is(w, &s.Thinking, &s.Looking) {
		return false
	}
	return s.is(w, &s.Own) || slices.ContainsFunc(s.AloneEnds, func(end string) bool { return len(w.said) > len(end)+3 && strings.HasSuffix(w.said, end) })
}

// does judges the verb of the speaker, which is the first word from a place on that tells
// something.
func (s *sentence) does(i int) Verdict {
	for i < len(s.text) && (s.is(s.text[i], &s.First, &s.Have, &s.Will, &s.Am, &s.Denials) || s.is(s.text[i], &s.Adverbs, &s.Pronouns) && !s.is(s.text[i], &s.Thinking, &s.Indefinite)) {
		i++
	}
	if i == len(s.text) || s.text[i].stop {
		return Free
	}
	w := s.text[i]
	open := w
	open.text += "e"                                                               // "ich glaub"
	article := s.is(w, &s.Definite, &s.Indefinite) && (!s.ours || !s.has(&s.Will)) // "I am the voice"
	switch {
	case s.is(w, &s.Looking):
		return Unread
	case s.is(w, &s.Doing), s.has(&s.Will) && s.has(&s.Hours): // "I'll give you a shout in ten minutes"
		return Acted
	case s.is(w, &s.Able, &s.Thinking), s.is(open, &s.Thinking), s.acts == 0 && (s.denied || article):
		return Free
	}
	return Acted
}

// unable reports whether the speaker says not to know something or not to be able to do
// it, or is sorry. A pause behind that must lead to what is not known.
func (s *sentence) unable() bool {
	first, able, denied := false, false, false
	for i, w := range s.text {
		first = first || s.is(w, &s.First)
		able = able || s.is(w, &s.Able, &s.Thinking)
		denied = denied || s.is(w, &s.Denials)
		if denied && i+1 < len(s.text) && (w.stop || s.is(w, &s.Joins)) && !s.is(s.text[i+1], &s.Unless, &s.Asks) {
			return false
		}
	}
	return first && able && denied || s.claims == 0 && s.at(s.text[s.body:], &s.Sorry) > 0
}

// advises reports whether a sentence tells the person what to do.
func (s *sentence) advises() bool {
	last := len(s.text) - 1
	for last > 0 && s.text[last].stop {
		last--
	}
	infinitive := s.verbLast && len(s.states)+s.acts == 0 && strings.HasSuffix(s.text[last].text, s.infinitive)
	return !s.has(&s.Been) && (s.starts(&s.Orders) || s.starts(&s.Advice) || infinitive)
}

// counts reports whether a sentence has a number.
func (s *sentence) counts() bool {
	return slices.ContainsFunc(s.text, func(w word) bool { return w.value != nil })
}

// has reports whether a sentence has a word of a list.
func (s *sentence) has(list *sentences.List) bool {
	return slices.ContainsFunc(s.text, func(w word) bool { return s.is(w, list) })
}
