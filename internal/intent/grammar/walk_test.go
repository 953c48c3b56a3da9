package grammar_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"voicegateway/internal/language/speech"
)

// walker follows an automaton.
type walker struct {
	speech.Automaton
	ids map[string]int32
}

// said is a sentence with its figures in words, as a recogniser hands it on.
func (w *walker) said(words []string) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = cmp.Or(w.Figures[word], word)
	}
	return strings.Join(out, " ")
}

func walk(a speech.Automaton) *walker {
	w := &walker{Automaton: a, ids: make(map[string]int32)}
	for i, text := range a.Words {
		w.ids[text] = int32(i)
	}
	return w
}

// accepts reports whether a text is a sentence of the automaton.
func (w *walker) accepts(text string) bool {
	now := map[int32]bool{0: true}
	for word := range strings.FieldsSeq(text) {
		now = w.step(now, word)
	}
	return w.ends(now)
}

// step returns the states after one more word.
func (w *walker) step(from map[int32]bool, word string) map[int32]bool {
	to := make(map[int32]bool)
	id, ok := w.ids[word]
	if !ok {
		return to
	}
	for at := range from {
		for _, m := range w.States[at].Moves {
			if m.Word == id {
				to[m.To] = true
			}
		}
	}
	return to
}

// ends reports whether a sentence may end in one of the states.
func (w *walker) ends(at map[int32]bool) bool {
	for s := range at {
		if w.States[s].Accept {
			return true
		}
	}
	return false
}

// sentence is one random sentence of the automaton.
func (w *walker) sentence(r *rand.Rand) string {
	var words []string
	for at := int32(0); ; {
		s := w.States[at]
		if s.Accept && (len(s.Moves) == 0 || r.IntN(2) == 0) {
			return w.said(words)
		}
		m := s.Moves[r.IntN(len(s.Moves))]
		words = append(words, w.Words[m.Word])
		at = m.To
	}
}

// short are all sentences of the automaton with at most so many words, each once.
func (w *walker) short(most int) []string {
	out := make(map[string]bool)
	var follow func(at map[int32]bool, said []string)
	follow = func(at map[int32]bool, said []string) {
		if len(said) > 0 && w.ends(at) {
			out[w.said(said)] = true
		}
		if len(said) == most {
			return
		}
		next := make(map[int32]bool)
		for s := range at {
			for _, m := range w.States[s].Moves {
				next[m.Word] = true
			}
		}
		for word := range next {
			text := w.Words[word]
			follow(w.step(at, text), append(slices.Clone(said), text))
		}
	}
	follow(map[int32]bool{0: true}, nil)
	return slices.Sorted(maps.Keys(out))
}
