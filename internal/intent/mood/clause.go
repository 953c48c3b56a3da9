package mood

import "slices"

// clause is a part of a sentence with at most one verb.
type clause struct {
	r         *Reader
	segments  []segment // without polite words
	please    bool      // something polite was said
	here      bool      // it was said to be about here
	complains bool      // only says what is too much
	timed     bool      // an order for another time, or only that time
	exclaims  bool
}

// rules are tried in order; the first that knows the act decides.
func rules() []func(*clause) (Act, bool) {
	return []func(*clause) (Act, bool){
		(*clause).bothered,
		(*clause).forbidden,
		(*clause).left,
		(*clause).requested,
		(*clause).offered,
		(*clause).suggested,
		(*clause).wished,
		(*clause).planned,
		(*clause).denied,
		(*clause).needed,
		(*clause).complained,
		(*clause).commanded,
		(*clause).said,
		(*clause).questioned,
		(*clause).inferred,
		(*clause).named,
		(*clause).ended,
		(*clause).guessed,
		(*clause).told,
	}
}

var allRules = rules()

// act returns what the clause does. A clause that has no verb does nothing, "".
func (c *clause) act() Act {
	if len(c.segments) == 0 {
		return ""
	}
	if c.first(condition) && (len(c.segments) == 1 || !c.segments[1].is(question)) {
		return Condition
	}
	for _, rule := range allRules {
		if act, ok := rule(c); ok {
			return c.limit(act)
		}
	}
	return Statement
}

// limit is what an act becomes in a clause that names a case, another time or a
// guess: "you would surely turn it off".
func (c *clause) limit(act Act) Act {
	switch {
	case !act.MayAct():
	case c.has(condition):
		return Condition
	case act == Request && c.has(supposing):
		return Statement
	case c.has(time):
		c.timed = true
		return Future
	}
	return act
}

func (c *clause) has(k class) bool { return indexOf(c.segments, k) >= 0 }

func (c *clause) first(k class) bool { return c.segments[0].is(k) }

// indexOf is the place of the first segment of a class, or -1.
func indexOf(s []segment, k class) int {
	return slices.IndexFunc(s, func(one segment) bool { return one.is(k) })
}

// holds reports whether a segment is of one class and not of another.
func holds(s []segment, k, but class) bool {
	return slices.ContainsFunc(s, func(one segment) bool { return one.is(k) && !one.is(but) })
}

// every reports whether all segments are of a class.
func every(s []segment, k class) bool {
	return !slices.ContainsFunc(s, func(one segment) bool { return !one.is(k) })
}

// skip leaves out what segments begin with of a class, but the last one.
func skip(s []segment, k, but class) []segment {
	for len(s) > 1 && s[0].is(k) && !s[0].is(but) {
		s = s[1:]
	}
	return s
}

// forbidden: "stop turning …", "leave it alone".
func (c *clause) forbidden() (Act, bool) { return Negation, c.first(forbidding) }

// requested: "can you …". The words before it only name the thing, or give a reason.
func (c *clause) requested() (Act, bool) {
	i := indexOf(c.segments, request)
	if i < 0 {
		return "", false
	}
	before, rest := c.segments[:i], skip(c.segments[i+1:], you, determiner)
	if indexOf(before, negator|question|report|condition) >= 0 || !c.first(reason) && !every(before, about|determiner|place|quantity|state|number) {
		return "", false
	}
	switch {
	case len(rest) == 0:
		return Question, true
	case forbids(rest):
		return Negation, true
	case c.tells(rest):
		return Question, true
	case c.orderly(rest):
		return Request, true
	}
	return Question, !c.segments[i].is(offer)
}

// tells reports whether the clause only asks to hear something.
func (c *clause) tells(rest []segment) bool {
	return rest[0].is(telling) && !rest[0].is(verb|general) || c.r.verbLast && rest[len(rest)-1].is(telling)
}

// orderly reports whether what follows a request or a wish is something to be done
// in the house.
func (c *clause) orderly(rest []segment) bool {
	head := &rest[0]
	switch {
	case head.is(verb | form | general | asking):
		return c.ordered(rest)
	case c.r.verbLast || head.is(about|determiner|quantity|object|you):
		return c.finally(rest)
	case head.class == 0 && !c.r.refuses(head.text):
		return c.direct(rest[1:]) && indexOf(rest, about) > 0
	}
	return false
}

// finally reports whether the words end in what is to be done with a thing they
// name: "das Licht ausmachen".
func (c *clause) finally(rest []segment) bool {
	if indexOf(rest, about) < 0 && indexOf(rest, object) < 0 || indexOf(rest, foreign) >= 0 {
		return false
	}
	return indexOf(rest, final|form|verb|asking) >= 0 || indexOf(rest, state) >= 0 && !c.strange(rest)
}

// ordered reports whether the verb at the beginning gives the house an order. The thing
// that is switched on or off may be unknown.
func (c *clause) ordered(s []segment) bool {
	head, rest := s[0], s[1:]
	switch {
	case len(rest) == 0 || indexOf(rest, foreign) >= 0:
		return false
	case c.direct(rest):
		return true
	case rest[0].is(you) && len(rest) > 1:
		rest = rest[1:]
	}
	last := len(rest) - 1
	switched := head.is(switching) || head.is(verb) && rest[last].is(state)
	return switched && rest[0].is(determiner) && last > 0 && rest[1].class == 0 && !c.r.refuses(rest[1].text)
}

// direct reports whether the object of a verb is of the house: it is named before
// any place, or it is a pronoun and what it shall be follows.
func (c *clause) direct(rest []segment) bool {
	rest = afterPlace(rest)
	if len(rest) == 0 || rest[0].class == 0 && c.r.refuses(rest[0].text) && (len(rest) == 1 || !rest[1].is(about)) {
		return false
	}
	for i := range rest {
		switch s := &rest[i]; {
		case s.is(foreign):
			return false
		case s.is(about):
			return true
		case s.is(join):
			return false
		case pronoun(rest[i:]):
			return c.becomes(rest[i:])
		case s.is(place) && !s.is(state|determiner|you):
			return false
		}
	}
	return false
}

// pronoun reports whether the first word stands for a thing, and not before one.
func pronoun(s []segment) bool {
	const after = state | quantity | quality | place | object
	return s[0].is(object) && (!s[0].is(determiner) || len(s) > 1 && s[1].is(after))
}

// afterPlace skips a place between a verb and its object: "mach im Flur das Licht
// aus".
func afterPlace(rest []segment) []segment {
	if len(rest) == 0 || !rest[0].is(place) || rest[0].is(state|determiner|about) {
		return rest
	}
	for i := 1; i+1 < len(rest); i++ {
		ends := rest[i-1].is(about) || i == 1 && rest[0].is(noVerb) // a noun, or an adverb
		if ends && rest[i].is(determiner|object) && rest[i+1].is(about) {
			return rest[i:]
		}
	}
	return rest
}

// becomes reports whether a pronoun is followed, or led by its verb, by what it
// shall be.
func (c *clause) becomes(rest []segment) bool {
	if !slices.ContainsFunc(rest, func(s segment) bool { return !s.is(object | you) }) {
		return c.handled(rest)
	}
	return indexOf(rest[1:], about|state|quantity|measure) >= 0 || len(rest) == 2 && rest[1].is(number)
}

// handled reports whether the verb before a pronoun is one of doing something with
// a thing: "close them", "turn off everything".
func (c *clause) handled(rest []segment) bool {
	i := len(c.segments) - len(rest) - 1
	return i >= 0 && c.segments[i].is(verb|switching|state|you|form|final)
}

// forbids reports whether a negator stands in the words. One that only takes
// something out of an order does not count.
func forbids(s []segment) bool { return holds(s, negator, exception) }

// offered: "can I have …", "how about some light".
func (c *clause) offered() (Act, bool) {
	if !c.first(offer) {
		return "", false
	}
	rest := c.segments[1:]
	switch {
	case forbids(rest):
		return Negation, true
	case len(rest) == 0 || indexOf(rest, foreign) >= 0 || c.r.verbLast && rest[len(rest)-1].is(final):
		return Question, true
	case rest[0].is(verb|form|general) && c.ordered(rest), indexOf(rest, quality|state) >= 0, indexOf(rest, quantity) >= 0 && indexOf(rest, about) >= 0:
		return Request, true
	}
	return Question, true
}

// suggested: an order in the form of a question: "machst du …?", and a question why it is
// not done: "pourquoi tu n'allumes pas …".
func (c *clause) suggested() (Act, bool) {
	asksWhy := c.first(why)
	s := skip(c.segments, why, 0)
	if asksWhy {
		s = skip(s, you|negator, asking)
	} else {
		s = skip(s, you, asking)
	}
	alone := len(s) == len(c.segments) && s[0].is(verb|general) // it is a command
	if len(s) == 1 || alone || !s[0].is(asking) || c.r.verbLast && indexOf(s, you) != 1 {
		return "", false
	}
	switch denied := forbids(c.segments); {
	case denied && !asksWhy:
		return Negation, true
	case asksWhy && !denied:
		return Question, true
	case c.ordered(s) || c.r.verbLast && c.finally(s):
		return Request, true
	}
	return Question, true
}

// wished: "I want …". To want a thing is no wish about the house, to want it on is.
func (c *clause) wished() (Act, bool) {
	if !c.first(wish) {
		return "", false
	}
	switch rest := c.segments[1:]; {
	case forbids(rest):
		return Negation, true
	case len(rest) == 0 || indexOf(rest, foreign|report) >= 0:
		return Statement, true
	case c.wanted(rest):
		return Wish, true
	}
	return Statement, true
}

// wanted reports whether the speaker wants something done in the house, or a thing in
// some state.
func (c *clause) wanted(rest []segment) bool {
	switch head := &rest[0]; {
	case c.r.verbLast && rest[len(rest)-1].is(final) && c.finally(rest):
		return true
	case head.is(verb|general|form|telling) && !head.is(quality):
		return head.is(verb|general|form) && c.ordered(rest)
	case head.is(quantity) && indexOf(rest, about) >= 0:
		return true
	}
	return indexOf(rest, state|quality|measure) >= 0 && !c.strange(rest)
}

// strange reports whether words hold one that no phrase has.
func (c *clause) strange(s []segment) bool {
	return slices.ContainsFunc(s, func(one segment) bool { return one.class == 0 })
}

// planned: "remind me to …", and a clause that only names a time.
func (c *clause) planned() (Act, bool) {
	if c.first(later) {
		return Future, true
	}
	c.timed = c.has(time) && every(c.segments, time|place|determiner|opener)
	return Future, c.timed
}

// denied: a negator anywhere.
func (c *clause) denied() (Act, bool) {
	return Negation, forbids(c.segments) && !c.first(question)
}
