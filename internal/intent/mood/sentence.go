package mood

// Read decides what a text does in a house with these names, which may be nil.
func (r *Reader) Read(text string, names *Names) Act {
	segments := r.segments(r.words(text), names)
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

func isEnd(mark rune) bool { return mark != 0 && mark != ',' }

// found is what a clause does, and how it stands to the others.
type found struct {
	act       Act
	joined    bool // goes on after "and"
	cancels   bool // only says no
	stranger  bool // a single unknown word, such as somebody's name
	asks      bool // the sentence ends in a question mark
	telling   bool // a question in the form of an order
	unnamed   bool // names nothing of the house
	complains bool // a wish that only says what is too much
	verbless  bool // an order without a verb
	reasoned  bool // begins as a reason for an order does
	asked     bool // a question in the form of one
	timed     bool // an order for another time, or only that time
	ascribed  bool // says only who spoke: "he promised"
}

// verdict joins the clauses of a text.
type verdict struct {
	result  Act // of what orders nothing
	order   Act // the order, if there is one
	before  Act // of the clause before
	telling bool
	asked   bool
	timed   bool
	tells   bool // something was told that is no reason for an order
	decided bool
}

func (v *verdict) add(clauses []found) bool {
	for _, f := range clauses {
		v.one(f)
	}
	return !v.decided
}

func (v *verdict) one(f found) {
	if v.decided {
		return
	}
	goesOn := f.joined && !v.before.MayAct() && v.before != "" && (!v.telling || f.unnamed)
	switch {
	case f.act == Report, f.act == Condition:
		v.result, v.order, v.decided = f.act, "", true
	case f.stranger:
		v.result, v.order, v.decided = Statement, "", true
	case f.ascribed && v.order != "":
		v.result, v.order, v.decided = Report, "", true
	case f.timed && (v.order != "" && !goesOn || v.before == ""):
		v.settle(f.act)
	case f.act.MayAct() && v.asked:
		v.settle(Condition) // "regnet es, mach die Fenster zu"
	case f.verbless && v.tells:
		f.act = Statement
	case f.act.MayAct() && goesOn:
		f.act = v.before
	case f.act.MayAct() && v.timed:
		f.act = Future
	case f.asks && (f.act == Command || f.complains):
		v.settle(Question)
	case f.act.MayAct():
		v.order = f.act
	case f.act == Negation && f.cancels:
		v.result, v.order = Negation, ""
	case f.act != "" && v.result == Statement:
		v.result = f.act
	}
	if f.act != "" {
		v.before, v.telling, v.asked, v.timed = f.act, f.telling, f.asked, f.timed && v.order == ""
		v.tells = v.tells || f.act == Statement && !f.reasoned
	}
}

func (v *verdict) settle(a Act) { v.result, v.order = a, "" }

func (v *verdict) act() Act {
	if v.order != "" {
		return v.order
	}
	return v.result
}

// sentence takes a sentence apart and reads its clauses.
func (r *Reader) sentence(s []segment) []found {
	asks, exclaims := s[len(s)-1].ends == '?', s[len(s)-1].ends == '!'
	kept, please, tagged := trimmed(s)
	if len(kept) == 0 {
		return nil
	}
	elsewhere := indexOf(kept, foreign) >= 0
	if i := indexOf(kept, report); i >= 0 && !kept[0].is(question|why) {
		return []found{{act: Report}}
	}
	var out []found
	for from := 0; from < len(kept); {
		to, joined := from+1, false
		for to < len(kept) && !breaks(kept, to) {
			to++
		}
		next := to
		c := clause{r: r, segments: kept[from:to], please: please, exclaims: exclaims}
		if from > 0 && kept[from-1].is(join) && kept[from-1].ends != ',' && (from < 2 || kept[from-2].ends != ',') {
			joined = true
		}
		for next < len(kept) && kept[next].is(join|pause) && !kept[next].is(verb|negator) && next == to {
			next++
		}
		out = append(out, r.clause(&c, joined, asks && !tagged, elsewhere))
		from = next
	}
	return out
}

// trimmed leaves polite words and tags at the end out.
func trimmed(s []segment) (kept []segment, please, tagged bool) {
	for len(s) > 1 && s[len(s)-1].is(tag) && !s[len(s)-1].is(about|state) {
		s, tagged = s[:len(s)-1], true
	}
	for i, one := range s {
		if one.is(polite) && !one.is(about|verb|general|state|negator) && !(one.is(excess) && i+1 < len(s)) {
			please = true
			if len(kept) > 0 && one.ends != 0 {
				kept[len(kept)-1].ends = one.ends
			}
			continue
		}
		kept = append(kept, one)
	}
	return kept, please, tagged
}

// breaks reports whether a new clause begins at a place.
func breaks(s []segment, at int) bool {
	if s[at-1].ends == ',' {
		return !s[at-1].is(request | wish | offer)
	}
	if s[at].is(pause) {
		return at+1 < len(s)
	}
	if !s[at].is(join) || at+1 == len(s) {
		return false
	}
	const begins = verb | general | request | subject | wish | negator | condition | question | telling | offer
	next := s[at+1]
	return next.is(begins) && !next.is(about|determiner|object|place|exception) || next.is(time)
}

// clause reads one clause, without what opens it.
func (r *Reader) clause(c *clause, joined, asks, elsewhere bool) found {
	all := c.segments
	for len(c.segments) > 0 && c.segments[0].is(opener|join|pause) && !c.segments[0].is(verb|general|telling) {
		s := &c.segments[0]
		if s.is(negator|determiner|question) && s.ends != ',' && len(c.segments) > 1 {
			break
		}
		c.segments = c.segments[1:]
	}
	f := found{joined: joined, asks: asks}
	if len(c.segments) == 0 {
		f.cancels = len(all) > 0 && all[0].is(negator)
		return f
	}
	if f.act = c.act(); f.act.MayAct() && elsewhere {
		f.act = Statement
	}
	f.cancels = f.act == Negation && !c.has(about|verb|general|subject) && !c.strange(c.segments)
	f.verbless, f.reasoned = f.act == Command && !c.has(verb|general|final) && !c.strange(c.segments), c.first(reason)
	f.asked = f.act == Question && !c.first(telling|request|reason)
	f.stranger = f.act == Statement && c.first(place) && c.strange(c.segments) || len(c.segments) == 1 && (c.first(foreign) || c.segments[0].class == 0 && !r.describes(c.segments[0].text))
	f.timed, f.complains = c.timed, c.complains
	f.ascribed = len(c.segments) == 2 && c.has(subject) && c.strange(c.segments) && !c.has(you|auxiliary|reason)
	f.unnamed = !c.has(about)
	f.telling = f.act == Question && c.first(telling|request)
	return f
}

// describes reports whether an unknown word can say how something is done.
func (r *Reader) describes(word string) bool {
	const shortest = 5
	return len(word) >= shortest && r.refuses(word)
}
