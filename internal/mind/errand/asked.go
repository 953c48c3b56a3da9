package errand

import (
	"slices"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Asked reports whether a text orders something that no house can do, such as to add to a
// list or to send a message: it begins with the verb of such an order, or ends with it
// where verbs stand last.
func Asked(said string) bool {
	return slices.ContainsFunc(sentences.EveryWords(), func(w *sentences.Words) bool {
		asked := folded(text.Words(said))
		for begun := true; begun; {
			begun = false
			for _, polite := range slices.Concat(w.Claims.Polite, w.Claims.Requests) {
				if words := folded(text.Words(polite)); len(asked) > len(words) && slices.Equal(asked[:len(words)], words) {
					asked, begun = asked[len(words):], true
				}
			}
		}
		verbs := folded(w.Claims.Errands)
		return len(asked) > 0 && slices.Contains(verbs, asked[0]) || len(asked) > 1 && w.Acts.VerbLast && slices.Contains(verbs, asked[len(asked)-1])
	})
}

// Talks reports whether a text asks for words, such as a story or a poem.
func Talks(said string) bool {
	return slices.ContainsFunc(sentences.EveryWords(), func(w *sentences.Words) bool {
		tells := folded(w.Claims.Tells)
		return slices.ContainsFunc(folded(text.Words(said)), func(s string) bool { return slices.Contains(tells, s) })
	})
}

// folded are words as they are compared.
func folded(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = text.Simple(w)
	}
	return out
}
