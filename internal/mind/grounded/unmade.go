package grounded

import (
	"slices"
	"strings"
)

// unmade reports whether a clause tells the result of an order that no tool has carried
// out: "she is on the line", "already taken care of", "now there is more light". After an
// order to tell something, the clause is a story and not a report.
func (g *Ground) unmade(k *claim) bool {
	if !g.ordered() || k.denied || g.telling() || slices.ContainsFunc(g.items, func(it item) bool { return it.done }) {
		return false
	}
	return g.command && k.t.cheers(k) || k.t.subjectElsewhere(k) || k.t.subjectless(k) || k.t.changed.in(k.text) && k.verb >= 0 && !k.clock() && !k.defines()
}

// ordered reports whether something was asked for, of the house or of the world.
func (g *Ground) ordered() bool {
	return g.command || slices.ContainsFunc(g.fluent(g.asked), func(t *tongue) bool {
		asked := t.cut(g.asked)
		return t.requests.at(asked) > 0 || t.errand(asked)
	})
}

// Errand reports whether a text orders something that no house can do, such as to add to
// a list or to send a message, in whatever of our languages it is.
func Errand(text string) bool {
	return slices.ContainsFunc((&House{tongues: tongues()}).fluent(text), func(t *tongue) bool { return t.errand(t.cut(text)) })
}

// errand reports whether a text begins with the verb of such an order, perhaps as a
// request.
func (t *tongue) errand(asked []word) bool {
	for {
		n := max(t.polite.at(asked), t.requests.at(asked))
		if n == 0 {
			break
		}
		asked = asked[n:]
	}
	return len(asked) > 0 && t.errands[asked[0].folded] || len(asked) > 1 && t.code == "de" && t.errands[asked[len(asked)-1].folded]
}

// telling reports whether the order is to tell, sing or explain something.
func (g *Ground) telling() bool {
	return slices.ContainsFunc(g.fluent(g.asked), func(t *tongue) bool {
		return slices.ContainsFunc(t.cut(g.asked), func(w word) bool { return t.tells[w.folded] })
	})
}

// cheers reports whether a clause only welcomes what was asked for, as if it were there:
// "enjoy the soft light", or a few words without a verb: "cosy mode engaged". An order
// to tell more, such as "say which lamp", has a verb.
func (t *tongue) cheers(k *claim) bool {
	const few = 5 // words
	ours := slices.ContainsFunc(k.refs, func(r ref) bool { return !r.vague || r.kept() })
	switch first := k.text[0]; {
	case t.enjoys[first.folded]:
		return ours
	case len(k.text) > few || k.verb >= 0:
		return false
	}
	return (ours || k.endsDone()) && !slices.ContainsFunc(k.text, func(w word) bool {
		verb, _, _ := strings.Cut(w.folded, "-") // dis-moi
		return t.tells[verb] || t.orders[w.folded] || t.own[w.folded] || t.first[w.folded] || t.able[w.lower] || t.asks[w.folded] || t.says[w.folded]
	})
}

// endsDone reports whether the last of several words tells what was done.
func (k *claim) endsDone() bool {
	last := len(k.text) - 1
	return last > 0 && (k.t.acts[k.text[last].folded] || k.t.code == "en" && k.t.ends(k.text[last], k.t.pastEnds))
}

// subjectElsewhere reports whether a clause says how a person or a thing is without
// naming it: "they are on their way".
func (t *tongue) subjectElsewhere(k *claim) bool {
	text := k.text
	for len(text) > 0 && t.adverbs[text[0].folded] && !t.others[text[0].folded] && !t.present[text[0].folded] {
		text = text[1:]
	}
	omitted := len(t.aloneEnds) > 0 && len(text) > 1 && t.present[text[0].folded]
	if omitted {
		text = append([]word{{}}, text...)
	}
	const subjectVerb = 2
	if len(text) <= subjectVerb || !omitted && !t.others[text[0].folded] || !t.present[text[1].folded] {
		return false
	}
	after := text[subjectVerb].folded
	naming := t.indefinite[after] && !t.compares(text[subjectVerb+1:])
	return !naming && !k.clock() && len(k.numbers) == 0
}

// subjectless reports whether a clause is nothing but a word of something done, with
// small words: "already done".
func (t *tongue) subjectless(k *claim) bool {
	done := false
	for _, w := range k.text {
		switch {
		case t.acts[w.folded], t.serves[w.folded], t.past[w.folded] && t.code != "de":
			done = true
		case !t.small(w.folded) || t.first[w.folded] || w.value != nil:
			return false
		}
	}
	return done && (k.verb < 0 || k.verb == 0 || k.verb == len(k.text)-1)
}

// compares reports whether a state stands at the beginning of what follows an article,
// perhaps behind one word: "a lot warmer".
func (t *tongue) compares(text []word) bool {
	const near = 2
	return slices.ContainsFunc(text[:min(len(text), near)], func(w word) bool { return len(t.states[w.folded]) > 0 })
}
