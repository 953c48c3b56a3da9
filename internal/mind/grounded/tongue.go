package grounded

import (
	"maps"
	"strings"
	"sync"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// words is a set of folded words.
type words map[string]bool

// phrases are texts of several words, each as its folded words.
type phrases [][]string

// tongue is one of our languages, with the words with which its sentences claim
// something, ready for looking up.
type tongue struct {
	code    string
	short   sentences.Pairs
	numbers *numbers.Language

	common, first, have, will, am, been, past, thinking, looking, looked, own, acts, serves, orders, finite, happens, informed, others, present, tells, enjoys, errands, says, able, denials,
	asks, joins, unless, pronouns, definite, indefinite, adverbs, every, none, particles, grounds, measures, hours words
	let, done, polite, yes, no, usually, changed, requests phrases
	pastEnds, ingEnds, ownEnds, aloneEnds                  []string
	kinds                                                  map[string]string   // what a thing is, by its word
	states                                                 map[string][]string // the states a word may mean
	known                                                  words               // all that tells the language
	little                                                 words               // words that carry no meaning alone
	compounds                                              bool                // words are glued
}

// tongues are all our languages, read when first asked for.
var tongues = sync.OnceValue(func() []*tongue {
	var all []*tongue
	for _, w := range sentences.EveryWords() {
		all = append(all, newTongue(w))
	}
	return all
})

func newTongue(w *sentences.Words) *tongue {
	c := &w.Claims
	t := &tongue{
		code: w.Language, short: c.Short,
		common: setOf(c.Common), first: setOf(c.First), have: setOf(c.Have), will: setOf(c.Will), am: setOf(c.Am), been: setOf(c.Been),
		past: setOf(c.Past), thinking: setOf(c.Thinking), looking: setOf(c.Looking), looked: setOf(c.Looked), own: setOf(c.Own),
		acts: setOf(c.Acts), serves: setOf(c.Serves), happens: setOf(c.Happens), informed: setOf(c.Informed), others: setOf(c.Others), present: setOf(c.Present), tells: setOf(c.Tells), enjoys: setOf(c.Enjoys), errands: setOf(c.Errands), requests: phrasesOf(c.Requests), orders: setOf(c.Orders), finite: setOf(c.Finite), says: setOf(c.Says), able: c.Able.Set(), denials: setOf(c.Denials), asks: setOf(c.Asks),
		joins: setOf(c.Joins), unless: setOf(c.Unless), pronouns: setOf(c.Pronouns), definite: setOf(c.Definite),
		indefinite: setOf(c.Indefinite), adverbs: setOf(c.Adverbs), every: setOf(c.Every), none: setOf(c.None),
		particles: setOf(c.Particles), grounds: setOf(c.Grounds), measures: setOf(c.Measures), hours: setOf(c.Hours),
		let: phrasesOf(c.Let), done: phrasesOf(c.Done), polite: phrasesOf(c.Polite), yes: phrasesOf(c.Yes), no: phrasesOf(c.No),
		usually: phrasesOf(c.Usually), changed: phrasesOf(c.Changed),
		pastEnds: foldAll(c.PastEnds), ingEnds: foldAll(c.IngEnds), ownEnds: foldAll(c.OwnEnds), aloneEnds: c.AloneEnds,
		kinds: map[string]string{}, states: map[string][]string{}, known: words{},
	}
	t.numbers, _ = numbers.For(w.Language)
	for kind, list := range c.Kinds {
		t.name(list, kindOf+kind)
	}
	for kept, list := range c.Kept {
		t.name(list, keptOf+kept)
	}
	for room, list := range c.Rooms {
		t.name(list, roomOf+room)
	}
	for state, list := range c.States {
		for word := range setOf(list) {
			t.states[word] = append(t.states[word], state)
			t.known[word] = true
		}
	}
	for _, set := range []words{t.been, t.acts, t.thinking, t.pronouns, t.definite, t.denials} {
		for word := range set {
			t.known[word] = true
		}
	}
	for _, said := range t.done {
		t.known[said[0]] = true
	}
	t.little, t.compounds = words{}, w.Names.Compounds
	for _, set := range []words{
		t.common, t.first, t.have, t.will, t.am, t.been, t.looking, t.acts, t.says, t.denials, t.pronouns, t.definite,
		t.indefinite, t.adverbs, t.every, t.none, t.particles, t.measures, t.hours,
	} {
		maps.Copy(t.little, set)
	}
	return t
}

// small reports whether a word carries no meaning alone.
func (t *tongue) small(w string) bool { return t.little[w] }

// Marks before the name of a kind, which set it apart from a word of the house.
const (
	kindOf = "kind:"
	keptOf = "kept:"
	roomOf = "room:"
)

func (t *tongue) name(list sentences.List, kind string) {
	for word := range setOf(list) {
		t.kinds[word] = kind
		t.known[word] = true
	}
}

// kind returns the kind of thing that a word names, or "". In a language that joins words
// together, the last part of the word counts.
func (t *tongue) kind(word string) string {
	if kind := t.kinds[word]; kind != "" || !t.compounds {
		return kind
	}
	const short = 4 // shorter words end many others
	for from := 1; from+short <= len(word); from++ {
		if kind := t.kinds[word[from:]]; kind != "" {
			return kind
		}
	}
	return ""
}

// fluency tells how much of a sentence is of this language.
func (t *tongue) fluency(sentence string) int {
	n := 0
	for _, w := range t.cut(sentence) {
		if t.common[w.folded] {
			n += 2
		}
		if t.known[w.folded] {
			n++
		}
	}
	return n
}

func setOf(list sentences.List) words {
	out := words{}
	for _, w := range list {
		out[fold(w)] = true
	}
	return out
}

func phrasesOf(list sentences.List) phrases {
	var out phrases
	for _, text := range list {
		out = append(out, strings.Fields(fold(text)))
	}
	return out
}

func foldAll(list sentences.List) []string {
	var out []string
	for _, w := range list {
		out = append(out, fold(w))
	}
	return out
}

// at returns how many words of the longest phrase stand at the beginning of a text.
func (p phrases) at(text []word) int {
	longest := 0
	for _, one := range p {
		if len(one) > longest && begins(text, one) {
			longest = len(one)
		}
	}
	return longest
}

// in reports whether one of the phrases stands anywhere in a text.
func (p phrases) in(text []word) bool {
	for i := range text {
		if p.at(text[i:]) > 0 {
			return true
		}
	}
	return false
}

func begins(text []word, phrase []string) bool {
	if len(phrase) == 0 || len(text) < len(phrase) {
		return false
	}
	for i, w := range phrase {
		if text[i].folded != w {
			return false
		}
	}
	return true
}

// oneSpelling writes letters and signs that have two spellings in one of them.
var oneSpelling = strings.NewReplacer("’", "'", "ß", "ss")

// fold lowers a word and takes its accents away.
func fold(word string) string { return text.WithoutMarks(oneSpelling.Replace(strings.ToLower(word))) }
