// Package rival finds what else may have been said: the sentences of a grammar that
// sound like one of its sentences and differ from it in a word or two, such as "on"
// and "off", "fifteen" and "fifty", "lock" and "unlock". A recogniser exists to
// choose the best sentence, and does not say that another is nearly as good; it can
// be asked about the few that are found here. They come from the grammar and from
// how its words are pronounced, not from a list, so that every house and language
// has its own.
package rival

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/language/speech"
)

const (
	// exchanged is how many words in a row may differ.
	exchanged = 2
	// farthest is how different the sound of a rival may be (Distance). "On" and
	// "off" are 1.3 apart, "lock" and "unlock" 2.
	farthest = 3.0
	// mostTried bounds the pairs of words tried at one place of a sentence.
	mostTried = 20000
)

// Sentences is a grammar, ready to be searched. It does not change.
type Sentences struct {
	auto   speech.Automaton
	ids    map[string]int32
	moves  [][]edge              // by word
	sounds map[string][][]string // phones of each pronunciation, by word
}

type edge struct{ from, to int32 }

// New makes Sentences of a grammar. sounds has the pronunciations of its words, each
// as "T ER N".
func New(auto speech.Automaton, sounds map[string][]string) *Sentences {
	s := &Sentences{
		auto: auto, ids: make(map[string]int32, len(auto.Words)), moves: make([][]edge, len(auto.Words)),
		sounds: make(map[string][][]string, len(auto.Words)),
	}
	for id, word := range auto.Words {
		s.ids[word] = int32(id)
		for _, p := range sounds[word] {
			s.sounds[word] = append(s.sounds[word], strings.Fields(p))
		}
	}
	for from, state := range auto.States {
		for _, m := range state.Moves {
			s.moves[m.Word] = append(s.moves[m.Word], edge{int32(from), m.To})
		}
	}
	return s
}

// Whole reports whether a text is a sentence of the grammar.
func (s *Sentences) Whole(text string) bool {
	words, ok := s.wordIDs(text)
	if !ok || len(s.auto.States) == 0 {
		return false
	}
	ahead := s.ahead(words)
	for state := range ahead[len(words)] {
		if s.auto.States[state].Accept {
			return true
		}
	}
	return false
}

func (s *Sentences) wordIDs(text string) (ids []int32, known bool) {
	for word := range strings.FieldsSeq(text) {
		id, ok := s.ids[word]
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	return ids, len(ids) > 0
}

type states map[int32]bool

// ahead has for every number of words the states they lead to.
func (s *Sentences) ahead(words []int32) []states {
	all := []states{{0: true}}
	for _, word := range words {
		next := states{}
		for from := range all[len(all)-1] {
			for _, m := range s.auto.States[from].Moves {
				if m.Word == word {
					next[m.To] = true
				}
			}
		}
		all = append(all, next)
	}
	return all
}

// behind returns, for every number n of words, the states from which the words after the
// first n lead to the end of a sentence.
func (s *Sentences) behind(words []int32) []states {
	all := make([]states, len(words)+1)
	last := states{}
	for i, state := range s.auto.States {
		if state.Accept {
			last[int32(i)] = true
		}
	}
	all[len(words)] = last
	for n := len(words) - 1; n >= 0; n-- {
		all[n] = states{}
		for _, e := range s.moves[words[n]] {
			if all[n+1][e.to] {
				all[n][e.from] = true
			}
		}
	}
	return all
}

// Of returns at most most sentences that sound like text, the nearest first. It returns
// none if text is not a sentence.
func (s *Sentences) Of(text string, most int) []string {
	words, ok := s.wordIDs(text)
	if !ok || !s.Whole(text) {
		return nil
	}
	f := s.finder(text, words)
	for from := range len(words) + 1 {
		for to := from; to <= min(len(words), from+exchanged); to++ {
			f.exchange(from, to)
		}
	}
	near := slices.SortedFunc(maps.Keys(f.found), func(a, b string) int {
		return cmp.Or(cmp.Compare(f.found[a], f.found[b]), cmp.Compare(a, b))
	})
	var rivals []string
	seen := map[string]bool{f.meaningfulText(): true}
	for _, n := range near {
		if len(rivals) == most {
			break
		}
		ids, _ := s.wordIDs(n)
		if meant := s.finder(n, ids).meaningfulText(); !seen[meant] {
			seen[meant] = true
			rivals = append(rivals, n)
		}
	}
	return rivals
}

// finder collects the rivals of one text with their distances.
type finder struct {
	*Sentences
	text          []string
	ahead, behind []states
	found         map[string]float64
}

func (s *Sentences) finder(text string, words []int32) *finder {
	return &finder{Sentences: s, text: strings.Fields(text), ahead: s.ahead(words), behind: s.behind(words), found: map[string]float64{}}
}

// meaningfulText returns the text without words that make no difference, such as "the" and
// "please".
func (f *finder) meaningfulText() string {
	var words []string
	for n, word := range f.text {
		if !f.idle(n) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// exchange tries other words, or none, in place of those between two places.
func (f *finder) exchange(from, to int) {
	start, end := slices.Sorted(maps.Keys(f.ahead[from])), f.behind[to]
	tried := 0
	for _, state := range start {
		if from < to && end[state] {
			f.add(from, to)
		}
		for _, first := range f.auto.States[state].Moves {
			if end[first.To] {
				f.add(from, to, f.auto.Words[first.Word])
			}
			for _, second := range f.auto.States[first.To].Moves {
				if tried++; tried > mostTried {
					return
				}
				if end[second.To] {
					f.add(from, to, f.auto.Words[first.Word], f.auto.Words[second.Word])
				}
			}
		}
	}
}

// idle reports whether a word may be left out.
func (f *finder) idle(n int) bool {
	for state := range f.ahead[n] {
		for _, m := range f.auto.States[state].Moves {
			if f.auto.Words[m.Word] == f.text[n] && f.behind[n+1][m.To] && f.skippable(state, m.To) {
				return true
			}
		}
	}
	return false
}

// skippable reports whether a word between two states is optional: everything that may
// follow it may follow without it, too.
func (s *Sentences) skippable(from, to int32) bool {
	here, there := s.auto.States[from], s.auto.States[to]
	if there.Accept && !here.Accept {
		return false
	}
	for _, m := range there.Moves {
		if !slices.ContainsFunc(here.Moves, func(h speech.AutomatonMove) bool { return h == m }) {
			return false
		}
	}
	return true
}

func (f *finder) add(from, to int, other ...string) {
	text := strings.Join(slices.Concat(f.text[:from], other, f.text[to:]), " ")
	if _, known := f.found[text]; known {
		return
	}
	if d := Distance(f.say(f.text[from:to]), f.say(other)); d <= farthest {
		f.found[text] = d
	}
}

// say returns the phones of words in each of their pronunciations.
func (s *Sentences) say(words []string) [][]string {
	all := [][]string{nil}
	for _, word := range words {
		var longer [][]string
		for _, before := range all {
			for _, p := range s.sounds[word] {
				longer = append(longer, slices.Concat(before, p))
			}
		}
		all = longer
	}
	return all
}
