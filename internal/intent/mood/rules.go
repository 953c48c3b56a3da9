package mood

import (
	"slices"
	"strings"
)

// commanded: a verb of command at the beginning. After a time it is one too, for
// another time.
func (c *clause) commanded() (Act, bool) {
	s := c.segments
	if c.first(time|place|measure) && !c.first(question) {
		s = skip(s, time|place|measure|determiner|about|number, (verb|general)&^about)
	}
	switch {
	case !s[0].is(verb|general) || s[0].is(about|state) && !c.governs(s):
		return "", false
	case s[0].is(final) && !c.r.verbLast && (c.strange(s) || indexOf(s, auxiliary|past) > 0):
		return Statement, true // "apagar la luz ahorra dinero"
	case c.ordered(s) && !doing(s):
		return Command, true
	}
	return Statement, true
}

// doing reports whether a verb is followed by who does it: "mache ich das Licht aus".
func doing(s []segment) bool {
	return len(s) > 1 && s[1].is(subject) && !s[1].is(you|object|determiner)
}

// governs reports whether a word that also names something is a verb here: "dim the
// lamp", but not "dim lights save power".
func (c *clause) governs(s []segment) bool {
	if len(s) == 1 || s[1].is(determiner|object) {
		return len(s) > 1
	}
	return s[1].class == 0 || s[1].is(about|place|state|you|quantity) && !holds(s[2:], auxiliary|past|verb|general|telling, about|state)
}

// needed: a thing of the house that must be something else: "the door should be
// locked".
func (c *clause) needed() (Act, bool) {
	i := indexOf(c.segments, must)
	if i < 1 || indexOf(c.segments[:i], about) < 0 || c.strange(c.segments) || !every(c.segments[:i], about|determiner|place|quantity|telling) {
		return "", false
	}
	rest := c.segments[i+1:]
	if len(rest) == 0 {
		return Wish, c.segments[i].is(wish)
	}
	return Wish, indexOf(rest, state|measure|quality|final) >= 0 && indexOf(rest, foreign) < 0
}

// left: "leave the lamp on" says that nothing shall change.
func (c *clause) left() (Act, bool) {
	return Negation, len(c.segments) > 1 && c.first(leaving) && c.segments[len(c.segments)-1].is(standing)
}

// complained: "it's too cold in the hall" wishes it less so.
func (c *clause) complained() (Act, bool) {
	i := indexOf(c.segments, excess)
	if i < 1 || !holds(c.segments[i+1:min(i+2, len(c.segments))], quality, thing) || c.strange(c.segments) {
		return "", false
	}
	if c.first(question|why) && !c.first(reason) || c.has(past|future|foreign) || holds(c.segments, verb, about|state|auxiliary) {
		return "", false
	}
	c.complains = c.has(reason) || c.has(auxiliary) && indexOf(c.segments[:i], about) >= 0
	return Wish, c.complains
}

// bothered: "it's pitch black in the cellar" says something unpleasant of a room or a
// thing.
func (c *clause) bothered() (Act, bool) {
	if !c.has(complaint) || c.has(past|future|foreign) || c.strange(c.segments) || holds(c.segments, negator, complaint|exception) {
		return "", false
	}
	asks := c.first(question|why) && (c.r.verbLast || !c.first(reason|complaint))
	if asks || holds(c.segments, subject, reason|complaint|determiner|object) || !c.located() {
		return "", false
	}
	c.complains = !holds(c.segments, verb, about|state|auxiliary|complaint)
	return Wish, c.complains
}

// located reports whether a clause says something about here or, with a verb of being,
// about a room. A clause about what a thing in a room does, such as its noise, is not a
// wish.
func (c *clause) located() bool {
	i, named := indexOf(c.segments, place), indexOf(c.segments, thing)
	switch {
	case c.here, c.first(reason) && c.first(place):
		return true
	case named >= 0 && i > named:
		return false
	case c.has(auxiliary):
		i = 0
	}
	return i >= 0 && holds(c.segments[i:], thing, complaint|place)
}

// said: "tell me …" orders nothing of the house.
func (c *clause) said() (Act, bool) {
	return Question, c.first(telling) && !c.first(about|determiner)
}

// questioned: a word of question at the beginning, or a verb before its subject
// where only questions have it so: "regnet es".
func (c *clause) questioned() (Act, bool) {
	head := &c.segments[0]
	inverted := c.r.verbLast && head.class == 0 && len(c.segments) > 1 && c.segments[1].is(subject) && c.r.refuses(head.text)
	return Question, head.is(question|why) || inverted
}

// inferred: an order that follows its reason without a pause: "it's dark turn the
// lamp on".
func (c *clause) inferred() (Act, bool) {
	if !c.first(reason) {
		return "", false
	}
	for i := 1; i+1 < len(c.segments); i++ {
		before, s := &c.segments[i-1], c.segments[i:]
		ends := before.class == 0 || before.is(about|state|time|complaint)
		if ends && holds(s[:1], verb, about|state|form|auxiliary) && s[1].is(determiner|state|object) && c.ordered(s) {
			return Command, true
		}
	}
	return "", false
}

// named: no verb, only a thing and what it shall be: "kitchen light on", "more light
// please".
func (c *clause) named() (Act, bool) {
	last := len(c.segments) - 1
	if c.first(exception) {
		return "", true // "not the lamp" only excludes a thing
	}
	for i := range c.segments {
		if !c.names(i) {
			return "", false
		}
	}
	switch changed := c.segments[last].is(state); {
	case !c.has(about) && (!c.has(object) || !changed || holds(c.segments, place, state)):
		return "", true
	case c.first(place) && !c.first(about) && !changed:
		return "", true
	case c.please, c.exclaims && last == 0, c.changes(), c.r.verbLast && last > 0 && holds(c.segments[last:], quality, thing):
		return Command, true
	}
	return "", true
}

// names reports whether a segment may stand where only things and their states are
// named.
func (c *clause) names(i int) bool {
	const said = about | object | determiner | place | state | number | measure | quantity | exception | join | time
	s := &c.segments[i]
	if s.class == 0 {
		owner := slices.ContainsFunc(c.r.owners, func(end string) bool { return strings.HasSuffix(s.text, end) })
		return owner && i+1 < len(c.segments) && c.segments[i+1].is(about)
	}
	return s.is(said) && !s.is(foreign) && (!s.is(auxiliary) || s.is(state)) && (!s.is(past) || c.please)
}

// changes reports whether the clause says what the named thing should become.
func (c *clause) changes() bool {
	for i := range c.segments {
		s, next := &c.segments[i], segment{}
		if i+1 < len(c.segments) {
			next = c.segments[i+1]
		}
		if i > 0 && (s.is(state) && !next.is(determiner) || s.is(measure|number)) || s.is(quantity) && next.is(quality) {
			return true
		}
	}
	return false
}

// ended: an order with its verb at the end: "das Licht ausmachen".
func (c *clause) ended() (Act, bool) {
	last := len(c.segments) - 1
	for last > 0 && c.segments[last].is(place) && !c.segments[last].is(final) {
		last--
	}
	if last < 1 || !c.segments[last].is(final) || !c.finally(c.segments) || c.strange(c.segments) {
		return "", false
	}
	return Command, !holds(c.segments[:last], auxiliary|past|future|subject|asking, about|determiner|object|state)
}

// guessed: an unknown word at the beginning is an order if it can be a verb, what follows
// is its object, and nothing else in the clause is a verb.
func (c *clause) guessed() (Act, bool) {
	head, rest := &c.segments[0], c.segments[1:]
	if head.class != 0 || head.ends != 0 || len(rest) == 0 || c.r.refuses(head.text) {
		return "", false
	}
	finite := holds(rest, auxiliary|past|future|report|subject|asking, about|determiner|object|state|place)
	switch next := rest[:1]; {
	case !next[0].is(determiner | object | quantity | thing | state), holds(next, verb|auxiliary|past|question, about|determiner|object):
		return "", false
	case finite, c.strange(rest) && !next[0].is(determiner|object):
		return "", false
	}
	return Command, c.direct(rest)
}

// refuses reports whether a word cannot be an order by its form.
func (r *Reader) refuses(word string) bool { return r.noOrder == nil || r.noOrder.MatchString(word) }

// told: any other clause tells something, of its time.
func (c *clause) told() (Act, bool) {
	switch {
	case c.has(future) && c.has(subject|determiner|about):
		return Future, true
	case c.has(past):
		return Past, true
	}
	return Statement, true
}
