package grammar

import (
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/speech"
)

// Automaton returns the sentences with what may stand around them: polite words before
// and after, and one more sentence after a join ("and"). A recogniser that weighs every
// word, including the join, needs no other grammar for that. A combination that the
// matcher would not understand is left out: a question may only come last, and a sentence
// that continues the one before stands alone.
func (g *Grammar) Automaton() speech.Automaton { return g.automaton(false) }

// Wide is the Automaton with the wide sentences, for a recogniser that hears no worse
// for more words: what is said less often, and answers without a verb.
func (g *Grammar) Wide() speech.Automaton { return g.automaton(true) }

func (g *Grammar) automaton(wide bool) speech.Automaton {
	s := &spokenForm{ids: make(map[string]int32)}
	begin := s.add()
	joinable, ends, lastEnds := s.add(), s.add(), s.add() // where a sentence may be over
	orders := s.sentences(g.of(order, wide), joinable)
	if wide {
		timed := s.add() // where a time may follow
		orders = slices.Concat(s.sentences(g.orders(false), joinable), s.sentences(g.orders(true), timed))
		s.addTimes(timed, joinable, g.knownPhrases(g.pack.Later))
	}
	questions, others := s.sentences(g.of(question, wide), ends), s.sentences(g.of(after, wide), ends)
	first := slices.Concat(orders, questions, others)
	s.out.States[begin].Moves = slices.Concat(first, s.sentences(g.of(answer, wide), ends))
	for _, polite := range g.before() {
		s.path(begin, strings.Fields(polite), func(last int32) { s.out.States[last].Moves = append(s.out.States[last].Moves, first...) })
	}
	s.over(joinable, g.after())
	s.over(ends, g.after())
	s.out.Later = int32(len(s.out.States))
	second := slices.Concat(s.sentences(g.of(order, wide), lastEnds), s.sentences(g.of(question, wide), lastEnds))
	s.over(lastEnds, g.after())
	for _, join := range g.Joins() {
		s.path(joinable, strings.Fields(join), func(last int32) { s.out.States[last].Moves = append(s.out.States[last].Moves, second...) })
	}
	for _, o := range s.ends {
		s.out.States[o.at].Moves = append(s.out.States[o.at].Moves, s.out.States[o.end].Moves...)
	}
	s.figures(g.pack.Language)
	return s.out
}

// of is the automaton of the sentences of a kind.
func (g *Grammar) of(kind sentenceKind, wide bool) *automaton {
	return compile(g.choice(func(s *sentence) bool { return s.kind == kind && (wide || !s.wide) }))
}

// orders is the automaton of the orders, wide ones as well, behind which a time may stand,
// or of the others.
func (g *Grammar) orders(timed bool) *automaton {
	return compile(g.choice(func(s *sentence) bool { return s.kind == order && s.timed == timed }))
}

// addTimes lets a sentence be over in a state, or be gone on with by a time; what may follow
// the state plain may follow both.
func (s *spokenForm) addTimes(at, plain int32, times []string) {
	s.ends = append(s.ends, sentenceEnd{at, plain})
	s.out.States[at].Accept = true
	for _, words := range times {
		s.path(at, strings.Fields(words), func(last int32) {
			s.out.States[last].Accept = true
		})
	}
}

// spokenForm is an automaton in the making.
type spokenForm struct {
	out  speech.Automaton
	ids  map[string]int32
	ends []sentenceEnd
}

// sentenceEnd is a state in which a sentence may end, and the state whose moves follow
// it.
type sentenceEnd struct{ at, end int32 }

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

// sentences copies an automaton of sentences, which end in a state, and returns the
// moves of its first one.
func (s *spokenForm) sentences(a *automaton, end int32) []speech.AutomatonMove {
	texts := make([]string, len(a.words))
	for text, id := range a.words {
		texts[id] = text
	}
	offset := int32(len(s.out.States))
	for range a.states {
		s.add()
	}
	for i, from := range a.states {
		at := offset + int32(i)
		for _, m := range a.movesOf(int32(i)) {
			s.out.States[at].Moves = append(s.out.States[at].Moves, speech.AutomatonMove{Word: s.word(texts[m.word]), To: offset + m.to})
		}
		if from.accept {
			s.out.States[at].Accept = true
			s.ends = append(s.ends, sentenceEnd{at, end})
		}
	}
	return s.out.States[offset].Moves
}

// over lets a sentence be over in a state, with polite words after it.
func (s *spokenForm) over(at int32, polite []string) {
	s.out.States[at].Accept = true
	for _, words := range polite {
		s.path(at, strings.Fields(words), func(last int32) { s.out.States[last].Accept = true })
	}
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

// largestFigure is the largest number that is also accepted in figures.
const largestFigure = 200

// figure is a number's words, as ids.
type figure struct {
	text  string
	words []int32
}

// figures lets every number that can be said in words be written in figures.
func (s *spokenForm) figures(language string) {
	s.out.Figures = make(map[string]string)
	byFirst := make(map[int32][]figure)
	for _, f := range s.numbers(language) {
		byFirst[f.words[0]] = append(byFirst[f.words[0]], f)
	}
	for at := range s.out.States {
		var more []speech.AutomatonMove
		for _, m := range s.out.States[at].Moves {
			for _, f := range byFirst[m.Word] {
				for _, to := range s.reach([]int32{m.To}, f.words[1:]) {
					more = append(more, speech.AutomatonMove{Word: s.word(f.text), To: to})
				}
			}
		}
		s.out.States[at].Moves = append(s.out.States[at].Moves, more...)
	}
}

// numbers are the numbers whose words are all in the grammar.
func (s *spokenForm) numbers(language string) []figure {
	lang, ok := numbers.For(language)
	if !ok {
		return nil
	}
	var all []figure
next:
	for n := range largestFigure + 1 {
		said := lang.Say(n)
		f := figure{text: strconv.Itoa(n)}
		for word := range strings.FieldsSeq(said) {
			id, known := s.ids[word]
			if !known {
				continue next
			}
			f.words = append(f.words, id)
		}
		if len(f.words) > 0 {
			all = append(all, f)
			s.out.Figures[f.text] = said
		}
	}
	return all
}

// reach returns the states after words.
func (s *spokenForm) reach(from, words []int32) []int32 {
	for _, w := range words {
		var next []int32
		for _, at := range from {
			for _, m := range s.out.States[at].Moves {
				if m.Word == w && !slices.Contains(next, m.To) {
					next = append(next, m.To)
				}
			}
		}
		from = next
	}
	return from
}
