package discovery

import "voicegateway/internal/language/sentences"

// wordsOf returns the names of the device and of its entities in a language, in that of
// the tools where it has none.
func wordsOf(language string) map[string]string {
	if shown := sentences.WordsOf(language).Shown; len(shown) > 0 {
		return shown
	}
	return sentences.WordsOf(sentences.OfTools).Shown
}
