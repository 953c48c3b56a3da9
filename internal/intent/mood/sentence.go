package mood

import "slices"

// Read decides what a text does in a house with these names, which may be nil.
func (r *Reader) Read(text string, names *Names) Act {
	segments := r.segments(r.splitWords(text), names)
	if len(segments) == 0 {
		return Statement
	}
	v := verdict{result: Statement}
	for len(segments) > 0 {
		n := 1
		for n < len(segments) && !isEnd(segments[n-1].ends) {
			n++
		}
		if !v.add(r.sentence(segments[:n])) {
			break
		}
		segments = segments[n:]
	}
	return v.act()
}

// Reasons reports whether a text begins as a reason for an order does: "it's dark".
func (r *Reader) Reasons(text string, names *Names) bool {
	segments := r.segments(r.splitWords(text), names)
	return len(segments) > 0 && segments[0].is(reason)
}

func isEnd(mark rune) bool { return mark != 0 && mark != ',' }

// found is what a clause does, and how it stands to the others.
type found struct {
	act       Act
	joined    bool // goes on after "and"
	asks      bool // the sentence ends in a question mark
	cancels   bool // only says no
	stranger  bool // a single unknown word, such as a person's name
	ascribed  bool // says only who spoke: "he promised"
	unnamed   bool // names nothing of the house
	verbless  bool // an order without a verb
	complains bool // a wish that only says what is too much
	reasoned  bool // begins as a reason for an order does
	telling   bool // a question in the form of an order
	asked     bool // a question in the form of one
	timed     bool // an order for another time, or only that time
}

// verdict joins the clauses of a text.
type verdict struct {
	result Act   // of what orders nothing
	order  Act   // the order, if there is one
	before found // the clause before
	told   bool  // a statement came before that is not a reason for an order
	timed  bool  // the text began with another time
	ended  bool  // nothing that follows can change the verdict
}

func (v *verdict) add(clauses []found) bool {
	for _, f := range clauses {
		if !v.ended {
			v.one(f)
		}
	}
	return !v.ended
}

// one adds a clause.
func (v *verdict) one(f found) {
	if f.act.MayAct() {
		v.addOrder(&f)
	} else {
		v.other(&f)
	}
	if f.act == "" {
		return
	}
	v.told = v.told || f.act == Statement && !f.reasoned
	v.timed = f.timed && v.order == ""
	v.before = f
}

// addOrder adds an order. An order that only continues the part before it does not count.
func (v *verdict) addOrder(f *found) {
	before := v.before.act
	switch {
	case f.stranger:
		v.endSentence(Statement)
	case v.before.asked:
		v.settle(Condition) // "regnet es, mach die Fenster zu"
	case f.verbless && v.told:
		f.act = Statement
	case f.joined && before != "" && !before.MayAct() && (!v.before.telling || f.unnamed):
		f.act = before
	case v.timed:
		f.act = Future
	case f.asks && (f.act == Command || f.complains):
		v.settle(Question)
	default:
		v.order = f.act
	}
}

// other adds what is no order.
func (v *verdict) other(f *found) {
	switch {
	case f.act == Report, f.act == Condition:
		v.endSentence(f.act)
	case f.stranger:
		v.endSentence(Statement)
	case f.ascribed && v.order != "":
		v.endSentence(Report)
	case f.timed && (v.order != "" || v.before.act == ""), f.act == Negation && f.cancels:
		v.settle(f.act)
	case f.act != "" && v.result == Statement:
		v.result = f.act
	}
}

func (v *verdict) settle(a Act) { v.result, v.order = a, "" }

func (v *verdict) endSentence(a Act) {
	v.settle(a)
	v.ended = true
}

func (v *verdict) act() Act {
	if v.order != "" {
		return v.order
	}
	return v.result
}

// sentence takes a sentence apart and reads its clauses.
func (r *Reader) sentence(s []segment) []found {
	last := s[len(s)-1].ends
	here := slices.ContainsFunc(s, func(one segment) bool { return one.is(polite) && one.is(place) })
	kept, please, tagged := trimmed(s)
	if len(kept) == 0 {
		return nil
	}
	if indexOf(kept, report) >= 0 && !kept[0].is(question|why) {
		return []found{{act: Report}}
	}
	elsewhere := indexOf(kept, foreign) >= 0
	var out []found
	for from := 0; from < len(kept); {
		to := from + 1
		for to < len(kept) && !breaks(kept, to) {
			to++
		}
		c := clause{r: r, segments: kept[from:to], please: please, here: here, exclaims: last == '!'}
		f := r.clause(&c)
		f.joined, f.asks = goesOn(kept, from), last == '?' && !tagged
		if f.act.MayAct() && elsewhere {
			f.act = Statement
		}
		out = append(out, f)
		if from = to; from < len(kept) && kept[from].is(join|pause) && !kept[from].is(verb|negator) {
			from++
		}
	}
	return out
}

// goesOn reports whether a clause follows an "and" without a pause.
func goesOn(s []segment, from int) bool {
	return from > 0 && s[from-1].is(join) && s[from-1].ends != ',' && (from < 2 || s[from-2].ends != ',')
}

// trimmed leaves fillers, polite words and tags at the end out.
func trimmed(s []segment) (kept []segment, please, tagged bool) {
	for len(s) > 1 && s[len(s)-1].is(tag) && !s[len(s)-1].is(about|state) {
		s, tagged = s[:len(s)-1], true
	}
	for i, one := range s {
		if one.is(filler) && !one.is(about|state) {
			kept = addMark(kept, one.ends)
			continue
		}
		if !one.is(polite) || one.is(about|verb|general|state|negator) || one.is(excess) && i+1 < len(s) {
			kept = append(kept, one)
			continue
		}
		please, kept = true, addMark(kept, one.ends)
	}
	return kept, please, tagged
}

// addMark puts the mark of a segment that is left out behind the last one.
func addMark(kept []segment, mark rune) []segment {
	if len(kept) > 0 && mark != 0 {
		kept[len(kept)-1].ends = mark
	}
	return kept
}

// breaks reports whether a new clause begins at a place.
func breaks(s []segment, at int) bool {
	switch next := s[min(at+1, len(s)-1)]; {
	case s[at-1].ends == ',':
		return !s[at-1].is(request|wish|offer) && !becoming(s, at)
	case at+1 == len(s):
		return false
	case s[at].is(pause):
		return !s[at].is(quantity) || !next.is(quality) || next.is(thing) // "so dark"
	case s[at].is(join):
		const begins = verb | general | request | subject | wish | negator | condition | question | telling | offer
		return next.is(begins) && !next.is(about|determiner|object|place|exception) || next.is(time)
	}
	return false
}

// becoming reports whether only a thing stands before a comma and only what it shall
// be after it: "the lamp, off".
func becoming(s []segment, at int) bool {
	for i := range s {
		switch one := &s[i]; {
		case i < at && !one.is(about|determiner|place|number), i >= at && !one.is(state|measure|quantity):
			return false
		}
	}
	return holds(s[:at], thing, place|state) && holds(s[at:], state|measure, thing)
}

// clause reads one clause, without what opens it.
func (r *Reader) clause(c *clause) found {
	all := c.segments
	c.segments = dropOpening(all)
	if len(c.segments) == 0 {
		if all[0].is(negator) {
			return found{act: Negation, cancels: true}
		}
		return found{}
	}
	f := found{act: c.act()}
	f.timed, f.complains, f.reasoned, f.unnamed = c.timed, c.complains, c.first(reason), !c.has(about)
	known := !c.strange(c.segments)
	switch f.act {
	case Negation:
		f.cancels = known && !c.has(about|verb|general|subject)
	case Command:
		f.verbless = known && !c.has(verb|general|final)
	case Question:
		f.telling = c.first(telling | request)
		f.asked = !f.telling && !c.first(reason)
	case Statement, Request, Wish, Condition, Report, Future, Past:
	}
	f.ascribed = c.ascribes()
	f.stranger = f.act == Statement && c.first(place) && !known || c.calls()
	return f
}

// ascribes reports whether the clause only says who spoke, with an unknown verb.
func (c *clause) ascribes() bool {
	return len(c.segments) == 2 && c.strange(c.segments) && c.has(subject) && !c.has(you|auxiliary|reason)
}

// calls reports whether the clause is only a word, which may be a person's name.
func (c *clause) calls() bool {
	only := &c.segments[0]
	return len(c.segments) == 1 && (only.is(foreign) || only.class == 0 && !c.r.describes(only.text))
}

// dropOpening leaves out what opens a clause and says nothing. A "no" is only an opening
// if there is a pause after it.
func dropOpening(s []segment) []segment {
	for len(s) > 0 && s[0].is(opener|join|pause) && !s[0].is(verb|general|telling) {
		if s[0].is(negator|determiner|question) && s[0].ends != ',' && len(s) > 1 {
			break
		}
		s = s[1:]
	}
	return s
}

// describes reports whether an unknown word can say how something is done.
func (r *Reader) describes(word string) bool {
	const shortest = 5
	return len(word) >= shortest && r.adverbial != nil && r.adverbial.MatchString(word)
}
