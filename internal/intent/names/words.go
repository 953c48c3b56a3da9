package names

import (
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// vocabulary says what the words of a language do in names. Its words are in the form for
// comparing: plain letters and the singular.
type vocabulary struct {
	sentences.Names
	dropped map[string]bool // words that carry nothing
	kinds   map[string]int  // words for the same kind of thing have one number
	// household are rooms and things that many houses have. A recogniser knows these words
	// well: a user who says "garden light" in a house with a garage light was not misheard.
	// Short words are left out, because they are misheard.
	household map[string]bool
	ordinals  map[string]int  // what each word for an ordinal counts
	numbering map[string]bool // words before a number
}

// beginning is the longest household word that a compound begins with, or "".
func (v *vocabulary) beginning(w string) string {
	const shortest = 4 // letters; "hof" begins too much
	for n := len(w) - 1; v.Compounds && n >= shortest; n-- {
		if v.household[w[:n]] {
			return w[:n]
		}
	}
	return ""
}

// beforeKind returns the number of letters before the word for a kind of thing in a name,
// also inside a compound; below 0 if the name has no such word.
func (v *vocabulary) beforeKind(w string) int {
	if v.kinds[w] != 0 {
		return 0
	}
	for n := 1; v.Compounds && n < len(w); n++ {
		if v.kinds[w[n:]] != 0 {
			return n
		}
	}
	return -1
}

// vocabularyOf returns the words of a language code, an empty vocabulary for a
// language we do not have.
func vocabularyOf(lang string) *vocabulary {
	v := &vocabulary{Names: sentences.WordsOf(lang).Names, kinds: make(map[string]int), household: make(map[string]bool)}
	v.dropped, v.ordinals, v.numbering = v.Dropped.Set(), ordinalsOf(v.Names), make(map[string]bool)
	for _, w := range v.Numbering {
		v.numbering[bareWord(w)] = true
	}
	// Words are compared in the form that mend gives them.
	plain := func(w string) string { return v.singular(text.StripAccents(w)) }
	for _, w := range v.Household {
		v.household[plain(w)] = true
	}
	for i, group := range v.Kinds {
		for _, text := range group {
			v.kinds[plain(text)] = i + 1
		}
	}
	return v
}
