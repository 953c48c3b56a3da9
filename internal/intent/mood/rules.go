package mood

import (
	"slices"
	"strings"
)

// commanded: a verb of command at the beginning. After a time it is one too, for
// another time.
func (c *clause) commanded() (Act, bool) {
	s := c.segments
	if s[0].is(time|place|measure) && !s[0].is(question) {
		for len(s) > 1 && s[0].is(time|place|measure|determiner|about|number) && (!s[0].is(verb|general) || s[0].is(about)) {
			s = s[1:]
		}
	}
	for len(s) > 1 && s[0].is(you) && !s[0].is(determiner|thing) && s[1].is(verb) && len(c.r.enclitics) > 0 {
		s = s[1:]
	}
	switch {
	case !s[0].is(verb | general):
		return "", false
	case s[0].is(about) && (len(s) == 1 || !s[1].is(determiner|object|thing) || !s[1].is(determiner|object) && c.has(auxiliary|past)):
		return "", false
	case s[0].is(final) && !c.r.verbLast && (c.strange(s) || indexOf(s, auxiliary|past) > 0):
		return Statement, true // "apagar la luz ahorra dinero"
	case c.ordered(s):
		return Command, true
	}
	return Statement, true
}

// needed: a thing of the house that must be something else: "the door should be
// locked".
func (c *clause) needed() (Act, bool) {
	i := indexOf(c.segments, must)
	if i < 1 || indexOf(c.segments[:i], about) < 0 || c.strange(c.segments) {
		return "", false
	}
	for k := range i {
		if !c.segments[k].is(about | determiner | place | quantity | telling) {
			return "", false
		}
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
	if i < 1 || i+1 == len(c.segments) || !c.segments[i+1].is(quality) || c.segments[i+1].is(thing) || c.strange(c.segments) {
		return "", false
	}
	if c.first(question|why) && !c.first(reason) || c.has(past|future|foreign|verb&^quality) {
		return "", false
	}
	c.complains = c.has(reason) || c.has(auxiliary) && indexOf(c.segments[:i], about) >= 0
	return Wish, c.complains
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
	const earliest = 2
	for i := earliest; i < len(c.segments); i++ {
		s := c.segments[i:]
		if s[0].is(verb) && !s[0].is(about|state|form|auxiliary) && len(s) > 1 && s[1].is(determiner|state|object) &&
			(c.segments[i-1].class == 0 || c.segments[i-1].is(about|state|time)) && c.ordered(s) {
			return Command, true
		}
	}
	return "", false
}

// named: no verb, only a thing and what it shall be: "kitchen light on", "more light
// please".
func (c *clause) named() (Act, bool) {
	const said = about | object | determiner | place | state | number | measure | quantity | exception | join | time
	last, meant := len(c.segments)-1, false
	for i := range c.segments {
		s := &c.segments[i]
		if s.class == 0 && i < last && c.segments[i+1].is(about) && (strings.HasSuffix(s.text, "'s") || strings.HasSuffix(s.text, "'")) {
			continue
		}
		if !s.is(said) || s.is(foreign) || s.is(auxiliary) && !s.is(state) || s.is(past) && !c.please {
			return "", false
		}
		switch {
		case i > 0 && s.is(state):
			meant = meant || i == last || !c.segments[i+1].is(determiner)
		case i > 0 && s.is(measure|number):
			meant = true
		case s.is(quantity):
			meant = meant || i < last && c.segments[i+1].is(quality)
		}
	}
	switch {
	case !c.has(about) && (!c.has(object) || !c.segments[last].is(state) || c.has(place&^state)):
		return "", true
	case c.first(place) && !c.first(about) && !c.segments[last].is(state):
		return "", true
	case meant, c.please, c.exclaims && last == 0:
		return Command, true
	}
	return "", true
}

// ended: an order whose verb stands at its end: "das Licht ausmachen".
func (c *clause) ended() (Act, bool) {
	last := len(c.segments) - 1
	for last > 0 && c.segments[last].is(place) && !c.segments[last].is(final) {
		last--
	}
	if last < 1 || !c.segments[last].is(final) || !c.finally(c.segments) || c.strange(c.segments) {
		return "", false
	}
	for i := range c.segments[:last] {
		if s := &c.segments[i]; s.is(auxiliary|past|future|subject|asking) && !s.is(about|determiner|object|state) {
			return "", false
		}
	}
	return Command, true
}

// guessed: a word nobody knows at the beginning is an order if it can be a verb,
// what follows is its object, and nothing else in the clause is a verb.
func (c *clause) guessed() (Act, bool) {
	head, rest := &c.segments[0], c.segments[1:]
	if head.class != 0 || head.ends != 0 || len(rest) == 0 || c.r.refuses(head.text) {
		return "", false
	}
	if !rest[0].is(determiner|object|quantity|thing|state) || rest[0].is(verb|auxiliary|past|question) && !rest[0].is(about|determiner|object) {
		return "", false
	}
	finite := slices.ContainsFunc(rest, func(s segment) bool {
		return s.is(auxiliary|past|future|report|subject|asking) && !s.is(about|determiner|object|state|place)
	})
	if finite || c.strange(rest) && !rest[0].is(determiner|object) {
		return "", false
	}
	return Command, c.direct(rest)
}

// refuses reports whether a word cannot be an order by its form.
func (r *Reader) refuses(word string) bool { return r.noOrder == nil || r.noOrder.MatchString(word) }

// told: what is left tells something, of its time.
func (c *clause) told() (Act, bool) {
	switch {
	case c.has(future) && c.has(subject|determiner|about):
		return Future, true
	case c.has(past):
		return Past, true
	}
	return Statement, true
}
