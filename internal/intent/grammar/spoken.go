package grammar

import (
	"slices"
	"strings"

	"voicegateway/internal/speech"
)

// Automaton returns the sentences with what may stand around them: polite words
// before and after, and a second sentence after a join ("and"). A recogniser that
// weighs every word, the join too, needs no other grammar for that.
func (g *Grammar) Automaton() speech.Automaton {
	s := &spokenForm{ids: make(map[string]int32)}
	const firsts, ends = 0, 1 // where a sentence may begin, and where it may be over
	s.add()
	s.add()
	first := s.sentences(g)
	s.out.States[firsts].Moves = slices.Clone(first)
	for _, polite := range g.before() {
		s.path(firsts, strings.Fields(polite), func(last int32) { s.out.States[last].Moves = append(s.out.States[last].Moves, first...) })
	}
	s.out.States[ends].Accept = true
	for _, polite := range g.after() {
		s.path(ends, strings.Fields(polite), func(last int32) { s.out.States[last].Accept = true })
	}
	for _, join := range g.Joins() {
		s.path(ends, strings.Fields(join), func(last int32) { s.out.States[last].Moves = append(s.out.States[last].Moves, first...) })
	}
	s.followEnds(ends)
	return s.out
}

// spokenForm is an automaton in the making.
type spokenForm struct {
	out  speech.Automaton
	ids  map[string]int32
	over []int32 // states in which a sentence may be over
}

func (s *spokenForm) add() int32 {
	s.out.States = append(s.out.States, speech.AutomatonState{})
	return int32(len(s.out.States) - 1)
}

func (s *spokenForm) word(text string) int32 {
	id, ok := s.ids[text]
	if !ok {
		id = int32(len(s.out.Words))
		s.ids[text] = id
		s.out.Words = append(s.out.Words, text)
	}
	return id
}

// sentences copies the automaton of the sentences and returns the moves of its
// first state.
func (s *spokenForm) sentences(g *Grammar) []speech.AutomatonMove {
	texts := make([]string, len(g.auto.words))
	for text, id := range g.auto.words {
		texts[id] = text
	}
	offset := int32(len(s.out.States))
	for range g.auto.states {
		s.add()
	}
	for i, from := range g.auto.states {
		at := offset + int32(i)
		for _, m := range from.moves {
			s.out.States[at].Moves = append(s.out.States[at].Moves, speech.AutomatonMove{Word: s.word(texts[m.word]), To: offset + m.to})
		}
		if from.accept {
			s.out.States[at].Accept = true
			s.over = append(s.over, at)
		}
	}
	return s.out.States[offset].Moves
}

// path adds words after a state and hands the state behind the last one to then.
func (s *spokenForm) path(from int32, words []string, then func(last int32)) {
	for _, w := range words {
		to := s.add()
		s.out.States[from].Moves = append(s.out.States[from].Moves, speech.AutomatonMove{Word: s.word(w), To: to})
		from = to
	}
	then(from)
}

// followEnds gives every state in which a sentence may be over the moves of the
// state ends.
func (s *spokenForm) followEnds(ends int32) {
	for _, at := range s.over {
		s.out.States[at].Moves = append(s.out.States[at].Moves, s.out.States[ends].Moves...)
	}
}
