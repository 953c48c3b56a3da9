package choosing

import (
	"slices"
	"strings"

	"voicegateway/internal/language/sentences"
)

// halves are the words after which an unfinished sentence would have continued.
type halves struct {
	And      []string `yaml:"and"`      // they join another command
	Articles []string `yaml:"articles"` // the
	Joins    []string `yaml:"joins"`    // they lead to a number or a place: to, in
	Values   []string `yaml:"values"`   // numbers and colours that may be missing
	States   []string `yaml:"states"`   // states that may be missing
}

// Values are examples of what a sentence may lack that ends before its number or its
// colour.
func (w *Words) Values() []string { return w.halves.Values }

// States are examples of what a sentence may lack that ends before what is to be done.
func (w *Words) States() []string { return w.halves.States }

// WithoutJoin returns a text without the words at its end that join another command, or
// "" if there are no such words.
func (w *Words) WithoutJoin(text string) string {
	words := strings.Fields(plainWords(text))
	for _, join := range w.halves.And {
		end := strings.Fields(join)
		if n := len(words) - len(end); n > 0 && slices.Equal(words[n:], end) {
			rest := strings.Join(words[:n], " ")
			if shorter := w.WithoutJoin(rest); shorter != "" {
				return shorter
			}
			return rest
		}
	}
	return ""
}

// LastPart is the command at the end of a text, behind the last word that joins one to
// another.
func (w *Words) LastPart(text string) string {
	words := strings.Fields(plainWords(text))
	for i, word := range slices.Backward(words) {
		if slices.Contains(w.halves.And, word) {
			return strings.Join(words[i+1:], " ")
		}
	}
	return strings.Join(words, " ")
}

// Telling counts the words of a beginning that say something, after the courtesies and
// articles at its start: none in "can you", one in "please turn the".
func (w *Words) Telling(beginning string) int {
	words := sentences.WordsOf(w.language)
	empty := slices.Concat(words.Claims.Requests, words.Claims.Polite, w.halves.Articles, sentences.List(words.Acts.Polite))
	rest := strings.Fields(plainWords(beginning))
	for n := -1; n != 0 && len(rest) > 0; rest = rest[n:] {
		n = 0
		for _, phrase := range empty {
			if said := strings.Fields(phrase); len(said) <= len(rest) && slices.Equal(said, rest[:len(said)]) {
				n = max(n, len(said))
			}
		}
	}
	n := 0
	for _, word := range rest {
		if !slices.Contains(w.halves.Articles, word) {
			n++
		}
	}
	return n
}

// Leads reports whether a beginning ends in a word that leads to a number or a place,
// with or without the article of the place.
func (w *Words) Leads(beginning string) bool {
	return endsIn(beginning, w.halves.Joins) || endsIn(w.withoutArticle(beginning), w.halves.Joins)
}

func (w *Words) withoutArticle(beginning string) string {
	words := strings.Fields(plainWords(beginning))
	if n := len(words) - 1; n > 0 && slices.Contains(w.halves.Articles, words[n]) {
		words = words[:n]
	}
	return strings.Join(words, " ")
}

// Hangs reports whether a text ends in a word that needs another one after it, so that it
// is not a complete sentence although it may look like one: "enciende la" is not
// "enciéndela".
func (w *Words) Hangs(text string) bool {
	return endsIn(text, w.halves.Joins) || endsIn(text, w.halves.Articles)
}

func endsIn(text string, ends []string) bool {
	words := strings.Fields(plainWords(text))
	return len(words) > 0 && slices.Contains(ends, words[len(words)-1])
}

// Points reports whether a text has a word that stands for a thing: it, that.
func (w *Words) Points(text string) bool {
	return slices.ContainsFunc(strings.Fields(plainWords(text)), func(word string) bool { return slices.Contains(w.choices.It, word) })
}

// JoinAnswer lists the sentences that a beginning and a later text may make, the likeliest
// first. Words that both have are kept once: "set it to" and "to 21".
func (w *Words) JoinAnswer(beginning, more string) []string {
	b, m := strings.Fields(plainWords(beginning)), strings.Fields(plainWords(more))
	if len(m) == 0 {
		return nil
	}
	var out []string
	add := func(parts ...[]string) {
		if text := strings.Join(slices.Concat(parts...), " "); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	bare := m
	for len(bare) > 1 && slices.Contains(w.halves.Articles, bare[0]) {
		bare = bare[1:]
	}
	for _, said := range [][]string{m, bare} {
		if n := overlap(b, said); n > 0 {
			add(b, said[n:])
		}
	}
	add(b, m)
	small := slices.Concat(w.halves.Articles, w.halves.Joins)
	begun := b
	if last := len(b) - 1; last > 0 && slices.Contains(small, b[last]) {
		begun = b[:last]
		add(begun, m)
		add(begun, bare)
	}
	add(b, bare)
	for _, join := range w.halves.Joins {
		add(b, strings.Fields(join), m)
		add(begun, strings.Fields(join), m)
	}
	return out
}

// Begun reports whether the end of a beginning is the beginning of a name.
func (w *Words) Begun(beginning, name string) bool {
	return overlap(strings.Fields(plainWords(beginning)), strings.Fields(plainWords(name))) > 0
}

// overlap is how many words at the end of one text begin another.
func overlap(first, second []string) int {
	for n := min(len(first), len(second)); n > 0; n-- {
		if slices.Equal(first[len(first)-n:], second[:n]) {
			return n
		}
	}
	return 0
}

// Differing returns the words in which two texts differ, between the words with which
// both begin and end.
func Differing(one, other string) (before, a, b, behind []string) {
	a, b = strings.Fields(plainWords(one)), strings.Fields(plainWords(other))
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	before, a, b = a[:n], a[n:], b[n:]
	n = 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return before, a[:len(a)-n], b[:len(b)-n], a[len(a)-n:]
}

// Between puts an answer in place of the words in which two texts differ. If the answer
// repeats words of the texts, they are kept once.
func Between(before []string, answer string, behind []string) string {
	words := strings.Fields(plainWords(answer))
	words = words[overlap(before, words):]
	return strings.Join(slices.Concat(before, words, behind[overlap(words, behind):]), " ")
}

// Says reports whether an answer chooses one of two texts: it has only words of that text
// and words without meaning, and the same is not true of the other text.
func (w *Words) Says(answer, one, other string) bool {
	_, a, b, _ := Differing(one, other)
	differing := slices.Concat(a, b)
	fits := func(text string) bool {
		words := strings.Fields(plainWords(text))
		tells := false
		for word := range strings.FieldsSeq(plainWords(answer)) {
			switch {
			case slices.Contains(words, word):
				tells = true
			case slices.Contains(differing, word):
				return false
			case !slices.Contains(w.choices.Filler, word) && !slices.Contains(w.choices.It, word):
				return false
			}
		}
		return tells
	}
	return len(answer) <= longestAmendment && fits(one) && !fits(other)
}

// Ordinal is the place that an answer names among n things: "the second one".
func (w *Words) Ordinal(answer string, n int) (place int, ok bool) {
	return w.choices.place(strings.Join(w.choices.telling(answer), " "), n)
}

// place is the place among n things that a word of order names.
func (c *choices) place(said string, n int) (place int, ok bool) {
	for i, order := range [][]string{c.First, c.Second, c.Third} {
		if slices.Contains(order, said) && i < n {
			return i, true
		}
	}
	return n - 1, n > 0 && slices.Contains(c.Last, said)
}
