package home

import (
	"math/bits"
	"slices"
	"strings"

	"voicegateway/internal/edits"
)

// Vocabulary is a list of words that a misspelt one may be. It does not change and may
// be used by many goroutines.
type Vocabulary struct {
	targets []target
	written map[string][]string // by how a word is compared: the ways in which it is written
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

// plainly is a word as it is compared: without accents, its umlauts spelt out.
func plainly(word string) string { return strings.Join(words(word), "") }

// Accented are the words that are written as this one but for their accents, itself
// included if it is one of them.
func (v *Vocabulary) Accented(word string) []string { return v.written[plainly(word)] }

// Misspelt returns the words that a misspelt one may be: letters swapped, lost or doubled,
// or one replaced in a longer word, as names are read forgivingly. Of these it returns the
// ones with the fewest changes, with every accent that they are written with. It returns
// nil if the word is too short, too long, or like no other.
func (v *Vocabulary) Misspelt(word string) (all []string) {
	key := plainly(word)
	if len(key) < shortestTarget || len(key) > edits.MaxLetters {
		return nil
	}
	w := newTarget(key)
	var pattern, bare, squeezed edits.Pattern
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
