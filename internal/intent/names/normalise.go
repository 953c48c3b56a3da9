package names

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"voicegateway/internal/language/sentences"
)

// maxWords bounds a name; longer texts are no names.
const maxWords = 32

// Normalise cuts an English name into comparable words: lower case, without
// articles, possessive endings, plural endings and punctuation.
func Normalise(name string) []string { return english().normalise(name) }

var english = sync.OnceValue(func() *vocabulary { return vocabularyOf(sentences.OfTools) })

// cut divides a name into lower-case words without punctuation, articles and
// possessive endings. If nothing else would be left, these words are kept.
func (v *vocabulary) cut(name string) []string {
	all := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
	})
	if len(all) > maxWords {
		return nil
	}
	var words []string
	for i, w := range all {
		w = v.bare(w)
		last := i == len(all)-1 && len(words) > 0 // as in "Light A", and "Prise un" for "Prise 1"
		if w != "" && (last || !v.dropped[w]) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return all
	}
	return words
}

// bare returns a word without its apostrophe and the letters the apostrophe
// belongs to.
func (v *vocabulary) bare(w string) string {
	w = strings.TrimSuffix(strings.ReplaceAll(w, "’", "'"), "'s")
	if head, tail, ok := strings.Cut(w, "'"); ok && v.dropped[head] && tail != "" { // l'entrée
		w = tail
	}
	return strings.ReplaceAll(w, "'", "")
}

func (v *vocabulary) normalise(name string) []string { return v.mend(v.cut(name)) }

// mend brings cut words into the singular, and replaces what a recogniser writes
// for a word by the family's way of writing it.
func (v *vocabulary) mend(cut []string) []string {
	words := make([]string, len(cut))
	for i, w := range cut {
		if words[i] = v.singular(w); v.HeardAs[words[i]] != "" {
			words[i] = v.HeardAs[words[i]]
		}
	}
	return words
}

// singular strips a plural ending from words over three letters.
func (v *vocabulary) singular(w string) string {
	if len(w) > 3 && strings.IndexByte(v.Plural, w[len(w)-1]) >= 0 && w[len(w)-2] != w[len(w)-1] {
		return w[:len(w)-1]
	}
	return w
}

// singular strips a plural s from words over three letters.
func singular(w string) string { return english().singular(w) }

// SpokenForms lists the ways people say a name: as written, without an article in
// front, with and without possessive signs, in singular and plural.
func SpokenForms(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(name, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	})
	if len(words) > maxWords {
		return nil
	}
	if len(words) > 1 && english().dropped[words[0]] {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil
	}
	out := []string{strings.Join(words, " ")}
	out = append(out, lastWord(words)...)
	for _, text := range out {
		if plain := strings.ReplaceAll(text, "'", ""); plain != text {
			out = append(out, plain)
		}
		if mum := swapWord(text); mum != text {
			out = append(out, mum)
		}
	}
	return out
}

// lastWord returns the name with its last word in the other number: plural for
// singular and the reverse.
func lastWord(words []string) []string {
	last := words[len(words)-1]
	head := strings.Join(words[:len(words)-1], " ")
	if head != "" {
		head += " "
	}
	one := singular(last)
	switch {
	case one != last:
		return []string{head + one}
	case len(last) > 2 && slices.Contains(english().Several, last):
		return []string{head + last + "s"}
	}
	return nil
}

// swapWord returns the name with those words replaced that people say differently
// from how they write them.
func swapWord(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if also, ok := english().Also[w]; ok {
			words[i] = also
		}
	}
	return strings.Join(words, " ")
}
