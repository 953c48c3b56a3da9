package home

import (
	"math/bits"
	"slices"
	"strings"

	"voicegateway/internal/language/text"
)

// Vocabulary is a list of correct words for misspelt ones. It does not change and may be
// used by many goroutines.
type Vocabulary struct {
	targets []target
	written map[string][]string // the spellings of a word, by its form for comparing
}

// NewVocabulary makes a vocabulary of words in lower case.
func NewVocabulary(all []string) *Vocabulary {
	v := &Vocabulary{written: make(map[string][]string)}
	for _, w := range all {
		key := plainly(w)
		if len(v.written[key]) == 0 && len(key) >= shortestTarget {
			v.targets = append(v.targets, newTarget(key))
		}
		if !slices.Contains(v.written[key], w) {
			v.written[key] = append(v.written[key], w)
		}
	}
	return v
}

// plainly returns a word's form for comparing: without accents, and with umlauts spelt
// out.
func plainly(word string) string { return strings.Join(splitName(word), "") }

// ByAccent returns the words that differ from this one in their accents only, including
// the word itself if it is on the list.
func (v *Vocabulary) ByAccent(word string) []string { return v.written[plainly(word)] }

// Misspelt returns the words that a misspelt one may stand for: with letters swapped, lost
// or doubled, or one replaced in a longer word. It returns those with the fewest changes,
// in every accented spelling, and nil if the word is too short, too long, or similar to
// none.
func (v *Vocabulary) Misspelt(word string) (all []string) {
	key := plainly(word)
	if len(key) < shortestTarget || len(key) > text.MaxLetters {
		return nil
	}
	w := newTarget(key)
	var pattern, bare, squeezed text.Pattern
	pattern.Set(w.text)
	bare.Set(w.bare)
	squeezed.Set(w.squeezed)
	least := 3
	for i := range v.targets {
		t := &v.targets[i]
		longer := len(w.squeezed) - len(t.squeezed)
		alike := w.squeezed == t.squeezed
		if longer < -2 || longer > 2 || !alike && (bits.OnesCount64(w.letters&^t.letters) > 2 || bits.OnesCount64(t.letters&^w.letters) > 2) {
			continue
		}
		d, ok := 1, true
		if !alike {
			d, ok = t.distance(&w, &pattern, &bare, &squeezed)
		}
		switch {
		case !ok || d > least:
		case d < least:
			all, least = append(all[:0], v.written[t.text]...), d
		default:
			all = append(all, v.written[t.text]...)
		}
	}
	return all
}
