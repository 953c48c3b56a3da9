package grounded

import (
	"slices"
	"strings"
)

// clause is a part of a sentence that can be true or false by itself.
type clause struct {
	text   []word
	asked  bool // it asks
	exempt bool // it holds only under a condition, or it says that its truth is not known
}

// clauses parts a sentence. A part that says nothing of a thing belongs to the next.
func (t *tongue) clauses(sentence string) []clause {
	asks := strings.HasSuffix(strings.TrimRight(sentence, "\"'”’) "), "?")
	var parts []clause
	var open clause
	flush := func() {
		if len(open.text) > 0 {
			parts = append(parts, open)
		}
		open = clause{}
	}
	for _, w := range t.cut(sentence) {
		switch {
		case w.stop, t.joins[w.folded] && len(open.text) > 0:
			flush()
		case t.unless[w.folded]:
			flush()
			open.exempt = true
		default:
			open.text = append(open.text, w)
		}
	}
	flush()
	parts = t.joined(parts)
	t.markQuestions(parts, asks)
	t.markUnknown(parts)
	return parts
}

// joined puts parts without anything to say in front of the part that follows, as in
// "the lamp and the fan are on", or behind the one before.
func (t *tongue) joined(parts []clause) []clause {
	var out []clause
	var before []word
	for i, c := range parts {
		c.text = append(before, c.text...)
		before = nil
		switch {
		case len(out) > 0 && t.adds(c.text) && t.takes(out[len(out)-1]):
			last := &out[len(out)-1]
			last.text = append(last.text, c.text...)
		case c.exempt || t.speaks(c.text):
			out = append(out, c)
		case i+1 < len(parts) && !parts[i+1].exempt && t.names(c.text):
			before = c.text
		case len(out) > 0 && t.goesOn(out[len(out)-1], c):
			last := &out[len(out)-1]
			last.text = append(append(last.text, word{stop: true}), c.text...)
		default:
			out = append(out, c)
		}
	}
	if len(before) > 0 {
		out = append(out, clause{text: before})
	}
	return out
}

// takes reports whether a clause is more than a yes or a polite word, so that a state
// may follow it.
func (t *tongue) takes(c clause) bool { return !t.bare(c.text) && t.polite.at(c.text) != len(c.text) }

// speaks reports whether a text may be a clause: it has a verb or a state, or it is a
// word that stands for a whole sentence.
func (t *tongue) speaks(text []word) bool {
	for _, w := range text {
		if t.been[w.folded] || t.acts[w.folded] || t.first[w.folded] || len(t.states[w.folded]) > 0 || t.own[w.folded] ||
			t.able[w.lower] || w.value != nil || t.ends(w, t.aloneEnds) {
			return true
		}
	}
	return t.done.at(text) == len(text) || t.bare(text) || t.polite.at(text) > 0 || t.let.at(text) > 0 || t.gerund(text)
}

// goesOn reports whether a part that claims nothing alone belongs to the part before it.
func (t *tongue) goesOn(before, c clause) bool {
	return !before.exempt && !t.names(c.text) && !t.whole(before.text)
}

// whole reports whether a text is complete, so that the text after its pause does not
// belong to it: "done, my friend", "all is locked, sleep tight".
func (t *tongue) whole(text []word) bool {
	last := text[len(text)-1].folded
	ends := len(t.states[last]) > 0 && !t.been[last]
	return t.saysDone(text) || ends && slices.ContainsFunc(text, func(w word) bool { return t.been[w.folded] })
}

// adds reports whether a text is one more state of what was spoken of before: "on and
// off".
func (t *tongue) adds(text []word) bool {
	for _, w := range text {
		if len(t.states[w.folded]) == 0 && !t.adverbs[w.folded] || t.been[w.folded] || t.own[w.folded] {
			return false
		}
	}
	return t.done.at(text) != len(text)
}

// names reports whether a text names something, so that it may be a subject.
func (t *tongue) names(text []word) bool {
	for i, w := range text {
		if t.kind(w.folded) != "" || i == 0 && t.definite[w.folded] {
			return true
		}
	}
	return false
}

// gerund reports whether a text begins with a verb that tells what is being done.
func (t *tongue) gerund(text []word) bool {
	if len(text) == 0 || len(t.ingEnds) == 0 || !t.ends(text[0], t.ingEnds) {
		return false
	}
	first := text[0].folded
	return !t.pronouns[first] && !t.thinking[first] && !t.adverbs[first] && t.kind(first) == "" && len(first) > 4
}

// ends reports whether a word has one of the endings. Endings of spoken forms count
// with their accents.
func (t *tongue) ends(w word, endings []string) bool {
	for _, e := range endings {
		if len(w.folded) > len(e)+1 && strings.HasSuffix(w.lower, e) || len(w.folded) > len(e)+2 && strings.HasSuffix(w.folded, fold(e)) && fold(e) == e {
			return true
		}
	}
	return false
}

// markQuestions marks the clauses of a question that ask. A clause before the one that
// asks is a statement.
func (t *tongue) markQuestions(parts []clause, asks bool) {
	if !asks || len(parts) == 0 {
		return
	}
	from := len(parts) - 1
	for i, c := range parts {
		text := c.text[t.polite.at(c.text):]
		if len(text) > 0 && t.asks[text[0].folded] && !t.bare(text) {
			from = min(from, i)
			break
		}
	}
	for i := from; i < len(parts); i++ {
		parts[i].asked = true
	}
}

// markUnknown exempts what the speaker says not to know or not to be able to do.
func (t *tongue) markUnknown(parts []clause) {
	for i := range parts {
		c := &parts[i]
		denied, first, able := false, false, false
		for _, w := range c.text {
			denied = denied || t.denials[w.folded]
			first = first || t.first[w.folded]
			able = able || t.able[w.lower] || t.thinking[w.folded]
		}
		c.exempt = c.exempt || denied && first && able && !t.reports(c.text)
	}
}

// reports says whether a text tells outright what a person or a device confirms.
func (t *tongue) reports(text []word) bool {
	for i, w := range text {
		if t.denials[w.folded] {
			return false
		}
		if t.says[w.folded] && i+1 < len(text) {
			return true
		}
	}
	return false
}

// bare reports whether a text is a yes or a no and nothing else.
func (t *tongue) bare(text []word) bool {
	if len(text) == 0 {
		return false
	}
	rest, said := text, false
	for len(rest) > 0 {
		n := max(t.yes.at(rest), t.no.at(rest))
		w := rest[0].folded
		switch {
		case n > 0:
			rest, said = rest[n:], true
			continue
		case len(t.states[w]) > 0:
			return false
		case t.been[w] || t.denials[w]:
			said = true
		case t.pronouns[w] || t.asks[w] && t.been[w] || t.am[w] || t.have[w]:
		default:
			return false
		}
		rest = rest[1:]
	}
	return said
}

// affirms reports whether a bare answer is a yes.
func (t *tongue) affirms(text []word) bool {
	for i, w := range text {
		if t.no.at(text[i:]) > 0 || t.denials[w.folded] {
			return false
		}
	}
	return true
}
