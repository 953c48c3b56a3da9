// Package names decides which thing of a house the heard words mean. It tries the exact
// name after normalising, then a part of the name that fits only one thing, then a score
// of letters and sound. Between two things that are close it asks and never guesses.
// Names that are alike only in their common word ("dish light", "night light") do not
// count as alike.
//
// Everything about the house is computed when it loads (New), so that a look-up is short
// and bounded whatever was heard. How a language sounds, its articles, kinds of things,
// rooms and devices are in its file of words.
package names

import (
	"math"
	"strings"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Entry is one thing with everything it is called.
type Entry struct {
	Name    string
	Aliases []string
	// Places are the names of the area it stands in: "the office lamp" is the
	// lamp that stands in the office, whatever its name is.
	Places []string
}

// Verdict says what Resolve found.
type Verdict uint8

// The verdicts.
const (
	None   Verdict = iota // nothing is similar enough
	Unsure                // similar, but not beyond doubt: ask whether it was meant
	Many                  // several fit equally
	Fuzzy                 // one, by similarity: not enough for a dangerous act
	Exact                 // one, by its own words
)

// MaxCandidates is how many things one question may name.
const MaxCandidates = 3

// Limits of what is looked at: a heard text with more words or bytes is not a
// name.
const (
	maxHeard = 12
	maxBytes = 256
)

// Result is what Resolve found: indices of entries, best first, at most
// MaxCandidates unless the verdict is Many.
type Result struct {
	Verdict Verdict
	Items   []int
	Whole   bool // the words are all of a name, not a part of one
	Rivals  bool // by likeness: other entries are alike enough to ask about
}

// Index holds entries ready for comparison. It is never changed after New and
// may be used by many goroutines.
type Index struct {
	lang    *numbers.Language
	words   *vocabulary
	sounds  *sounds
	entries int
	forms   []form
	vocab   []token   // every word of every name once
	weight  []float64 // by word: how well it tells things apart; the rarer the better
	kind    []int     // by word: the kind of thing it names, 0 for none
	word    map[string]int
	within  [][]int32 // by word: the forms that hold it
	places  [][]int32 // by entry: words of its places
}

// form is one name of an entry.
type form struct {
	entry  int
	words  []int32 // in vocab
	joined token
}

// token is a text prepared for comparison.
type token struct {
	text, sound string
	letters     uint64 // the set of its letters
}

// New prepares entries named in English.
func New(entries []Entry) *Index { return NewFor(sentences.OfTools, entries) }

// NewFor prepares entries named in a language, given by its code. Names without
// a single word are left out.
func NewFor(lang string, entries []Entry) *Index {
	x := &Index{words: vocabularyOf(lang), sounds: soundsOf(lang), word: make(map[string]int), entries: len(entries)}
	x.lang, _ = numbers.For(lang)
	var count, last []int // by word: entries that use it, and the last one seen
	for i, e := range entries {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			p := x.phrase(name)
			for _, words := range [][]string{p.words, p.plain} {
				if len(words) == 0 {
					continue
				}
				f := form{entry: i, joined: x.token(p.joined)}
				for _, w := range words {
					id := x.id(w)
					for len(count) <= id {
						count, last = append(count, 0), append(last, -1)
					}
					if last[id] != i {
						last[id] = i
						count[id]++
					}
					f.words = append(f.words, int32(id))
				}
				x.forms = append(x.forms, f)
			}
		}
		x.places = append(x.places, nil)
		for _, place := range e.Places {
			for _, form := range append([]string{place}, CompoundForms(lang, place)...) {
				for _, w := range x.phrase(form).words {
					x.places[i] = append(x.places[i], int32(x.id(w)))
				}
			}
		}
	}
	x.within = make([][]int32, len(x.vocab))
	for i := range x.forms {
		for _, id := range x.forms[i].words {
			x.within[id] = append(x.within[id], int32(i))
		}
	}
	for id := range x.vocab {
		n := 0
		if id < len(count) {
			n = count[id]
		}
		x.weight = append(x.weight, 1/(1+0.6*math.Log(float64(max(n, 1)))))
	}
	return x
}

// id is the number of a word, given out at its first use.
func (x *Index) id(w string) int {
	id, ok := x.word[w]
	if !ok {
		id = len(x.vocab)
		x.word[w] = id
		x.vocab = append(x.vocab, x.token(w))
		x.kind = append(x.kind, x.words.kinds[w])
	}
	return id
}

func (x *Index) token(w string) token {
	t := token{text: w, sound: x.sounds.key(w)}
	t.letters = text.Letters(t.text)
	return t
}

// phrase is a name or a heard text in the form for comparing: numbers in words, no
// accents.
type phrase struct {
	words  []string
	plain  []string // words before they are mended, if that changed them
	joined string   // all in one word, because recognisers cut words in two
}

func (x *Index) phrase(heard string) phrase {
	heard = x.writeNumbers(heard)
	if said := x.lang.InWords(heard); said != "" {
		heard = said
	}
	cut := x.words.cut(heard)
	for i, w := range cut {
		cut[i] = text.StripAccents(w)
	}
	p := phrase{words: x.words.mend(cut)}
	for i, w := range p.words {
		if one := x.words.singular(cut[i]); w != one {
			p.plain = append(append(append(p.plain, p.words[:i]...), one), p.words[i+1:]...)
			break
		}
	}
	if n := len(cut); n > 0 {
		p.joined = strings.Join(cut[:n-1], "") + x.words.singular(cut[n-1])
	}
	return p
}

// Resolve finds the entry that was meant. Only entries for which allow returns
// true are considered (nil: all).
func (x *Index) Resolve(heard string, allow func(entry int) bool) Result {
	return x.ResolveNear(heard, allow, nil)
}

// ResolveNear is Resolve for a microphone whose area decides between entries that
// fit equally well: near reports whether an entry stands there (nil: none does).
func (x *Index) ResolveNear(heard string, allow, near func(entry int) bool) Result {
	if len(heard) > maxBytes {
		return Result{}
	}
	p := x.phrase(heard)
	if len(p.words) == 0 || len(p.words) > maxHeard {
		return Result{}
	}
	if items, verdict, whole := x.literal(p.words, allow); len(items) > 0 {
		return decide(closest(items, near), verdict, whole)
	}
	return x.score(p, allow, near)
}

// ResolveLiteral is Resolve without the comparison by letters and sound, which is most of
// the work. It serves callers that act only on a name in its own words.
func (x *Index) ResolveLiteral(heard string, allow func(entry int) bool) Result {
	if len(heard) > maxBytes {
		return Result{}
	}
	items, verdict, whole := x.literal(x.phrase(heard).words, allow)
	if len(items) == 0 {
		return Result{}
	}
	return decide(items, verdict, whole)
}

// Plain is a heard text in lower case without articles, "" for none.
func (x *Index) Plain(heard string) string { return strings.Join(x.words.cut(heard), " ") }

// WithoutArticle is a text without the articles and owners it begins with.
func (x *Index) WithoutArticle(text string) string {
	for {
		first, rest, more := strings.Cut(text, " ")
		if !more || !x.words.dropped[first] {
			return text
		}
		text = rest
	}
}

// Household reports whether a word is a room, a thing or a kind of thing that many
// houses have.
func (x *Index) Household(word string) bool {
	w := x.words.singular(text.StripAccents(word))
	return x.words.household[w] || x.words.kinds[w] != 0
}

// Strays reports whether a heard word that tells things apart belongs to another entry's
// name and not to this one's. It is false for a name that was cut in two, because its
// pieces are not words that could be judged.
func (x *Index) Strays(heard string, entry int) bool {
	p := x.phrase(heard)
	for i := range x.forms {
		if f := &x.forms[i]; f.entry == entry && f.joined.text == p.joined {
			return false
		}
	}
	for _, w := range p.words {
		id, ok := x.word[w]
		if !ok || x.weight[id] < tells {
			continue
		}
		own := false
		for _, f := range x.within[id] {
			own = own || x.forms[f].entry == entry
		}
		if !own && len(x.within[id]) > 0 {
			return true
		}
	}
	return false
}

func decide(items []int, one Verdict, whole bool) Result {
	if len(items) == 1 {
		return Result{Verdict: one, Items: items, Whole: whole}
	}
	return Result{Verdict: Many, Items: items, Whole: whole}
}

// closest keeps the items that are near, or all items if none is near.
func closest(items []int, near func(int) bool) []int {
	if near == nil || len(items) < 2 {
		return items
	}
	var out []int
	for _, i := range items {
		if near(i) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return items
	}
	return out
}
