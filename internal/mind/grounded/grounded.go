// Package grounded decides which sentences of a language model may be spoken: a
// sentence about the house, or about an act, needs a receipt or a reading of the same
// turn that says so (REQUIREMENTS U10). It knows no list of sentences. It knows the
// house, its words for things, states and numbers, and the verbs of doing, all from
// the language files; a new way of claiming something is a word there. It is pure.
package grounded

import (
	"strings"

	"voicegateway/internal/home"
)

// Verdict is what is known about a sentence.
type Verdict int

// The verdicts, from harmless to worst.
const (
	Free     Verdict = iota // claims nothing about the house
	Told                    // a receipt says it, and the gateway speaks the receipt
	Proven                  // a reading says it
	Hollow                  // promises to look, or agrees to do something
	Doubtful                // tells how something is, and nothing of the turn says so
	Invented                // tells of an act, and no receipt says so
)

// House is what is known of a house and its language. It does not change and may be
// shared.
type House struct {
	*Labels

	tongues []*tongue // that of the house first
	place   *place
	renamed []string // the names that differ from their labels
}

// Know reads the names of a house. The language is the one it speaks.
func Know(h *home.House, language string) *House {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	k := &House{Labels: LabelsOf(h)}
	for _, t := range tongues() {
		if t.code == base {
			k.tongues = append([]*tongue{t}, k.tongues...)
		} else {
			k.tongues = append(k.tongues, t)
		}
	}
	k.place = newPlace(h, k.tongues, k.Labels)
	k.renamed = k.changed()
	return k
}

// Ground is what one turn knows. One goroutine uses it.
type Ground struct {
	*House
	items   []item
	asked   string
	command bool
	looked  bool // something was read
	house   bool // the question is about the house
}

// Turn begins a turn without any evidence: what was asked in it, and whether that may be
// a command.
func (k *House) Turn(asked string, command bool) *Ground {
	g := &Ground{House: k, asked: asked, command: command}
	for _, t := range k.fluent(asked) {
		g.house = g.house || len(g.refs(t, t.cut(asked))) > 0
	}
	return g
}

// Spoken reports whether a sentence may be spoken.
func (g *Ground) Spoken(sentence string) bool { return g.Judge(sentence) <= Proven }

// Judge tells what is known about a sentence, in whatever of our languages it is.
func (g *Ground) Judge(sentence string) Verdict {
	worst := Free
	for _, t := range g.fluent(sentence) {
		worst = max(worst, g.sentence(t, sentence))
	}
	return worst
}

// fluent are the languages a text may be in.
func (k *House) fluent(text string) []*tongue {
	var best []*tongue
	most := 0
	for _, t := range k.tongues {
		switch n := t.fluency(text); {
		case n > most:
			best, most = []*tongue{t}, n
		case n == most && n > 0:
			best = append(best, t)
		}
	}
	if len(best) == 0 {
		return k.tongues[:1]
	}
	return best
}

// sentence judges a sentence of one language by its worst clause.
func (g *Ground) sentence(t *tongue, sentence string) Verdict {
	worst := Free
	if t.saysDone(unparted(t.cut(sentence))) {
		worst = g.act(&claim{t: t})
	}
	var before *claim
	for _, c := range t.clauses(sentence) {
		if c.asked || c.exempt {
			continue
		}
		var v Verdict
		v, before = g.clause(t, c, before)
		worst = max(worst, v)
	}
	return worst
}
