package errand

import (
	"slices"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Asked reports whether a text orders something that no house can do, such as to add to a
// list or to send a message: it begins with the verb of such an order, or ends with it
// where verbs stand last. What follows another order ("find the note and delete it") counts,
// too.
func Asked(said string) bool {
	return slices.ContainsFunc(sentences.EveryWords(), func(w *sentences.Words) bool {
		asked, errands := ordered(w, said), foldWords(w.Claims.Errands)
		switch {
		case len(asked) == 0:
			return false
		case slices.Contains(errands, asked[0]), len(asked) > 1 && w.Acts.VerbLast && slices.Contains(errands, asked[len(asked)-1]):
			return true
		}
		return slices.Contains(foldWords(w.Claims.Lists), asked[0]) && follows(w, asked, errands)
	})
}

// ordered are the words of a text behind what makes it polite.
func ordered(w *sentences.Words, said string) []string {
	asked := foldWords(text.Words(said))
	for begun := true; begun; {
		begun = false
		for _, polite := range slices.Concat(w.Claims.Polite, w.Claims.Requests) {
			if words := foldWords(text.Words(polite)); len(asked) > len(words) && slices.Equal(asked[:len(words)], words) {
				asked, begun = asked[len(words):], true
			}
		}
	}
	return asked
}

// follows reports whether the verb of an errand stands right behind a word that joins two
// orders, and something behind it.
func follows(w *sentences.Words, asked, errands []string) bool {
	joins := foldWords(w.Claims.Joins)
	for i := 1; i+1 < len(asked); i++ {
		if slices.Contains(joins, asked[i-1]) && slices.Contains(errands, asked[i]) {
			return true
		}
	}
	return false
}

// Talks reports whether a text asks for words, such as a story or a poem. An order to delete
// one, or to write something down, asks for none.
func Talks(said string) bool {
	words, talks := foldWords(text.Words(said)), false
	for _, w := range sentences.EveryWords() {
		tells := foldWords(w.Claims.Tells)
		isTold := func(s string) bool { return slices.Contains(tells, s) }
		talks = talks || slices.ContainsFunc(words, isTold)
		asked, errands := ordered(w, said), foldWords(w.Claims.Errands)
		if len(asked) == 0 {
			continue
		}
		does := slices.Contains(errands, asked[0]) && (!slices.Contains(foldWords(w.Claims.Makes), asked[0]) || !slices.ContainsFunc(asked[1:], isTold))
		if does || slices.Contains(foldWords(w.Claims.Lists), asked[0]) && follows(w, asked, errands) {
			return false
		}
	}
	return talks
}

// foldWords are words as they are compared.
func foldWords(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = text.Simple(w)
	}
	return out
}
