package grammar

import (
	"slices"

	"voicegateway/internal/language/speech"
)

// automaton accepts the sentences of a grammar word by word. States carry the
// words that may follow; empty moves are resolved when it is built.
type automaton struct {
	states []state
	moves  []move // of all states, one after the other
	words  map[string]int32
	parts  []part // only while building
}

// state is where a word leads to, or the first one. Its moves are also those of all states
// that it reaches by empty moves.
type state struct {
	from, to int32 // its moves
	accept   bool
}

// part is a state while the automaton is built.
type part struct {
	empty  []int32 // empty moves
	moves  []move
	accept bool
	word   bool // a word leads here
}

type move struct{ word, to int32 }

func compile(root *node) *automaton {
	a := &automaton{words: make(map[string]int32)}
	start, end := a.state(), a.state()
	for _, n := range root.items {
		a.link(a.add(n, start), end)
	}
	a.parts[end].accept = true
	a.close()
	return a
}

func (a *automaton) state() int32 {
	a.parts = append(a.parts, part{})
	return int32(len(a.parts) - 1)
}

func (a *automaton) link(from, to int32) {
	a.parts[from].empty = append(a.parts[from].empty, to)
}

// add appends a node after a state and returns the state behind it.
func (a *automaton) add(n *node, from int32) int32 {
	switch n.kind {
	case wordNode:
		id, ok := a.words[n.word]
		if !ok {
			id = int32(len(a.words))
			a.words[n.word] = id
		}
		to := a.state()
		a.parts[from].moves = append(a.parts[from].moves, move{id, to})
		a.parts[to].word = true
		return to
	case sequence:
		for _, item := range n.items {
			from = a.add(item, from)
		}
		return from
	case choice:
	}
	to := a.state()
	for _, item := range n.items {
		a.link(a.add(item, from), to)
	}
	return to
}

// movesOf returns the moves of a state.
func (a *automaton) movesOf(s int32) []move { return a.moves[a.states[s].from:a.states[s].to] }

// close resolves empty moves: every state that a word leads to gets the moves of all states
// it reaches by them. No other state is needed after that, and none is kept.
func (a *automaton) close() {
	seen := make([]int32, len(a.parts))
	numbers := make([]int32, len(a.parts)) // of those that are kept
	var stack []int32
	for i := range a.parts {
		if i > 0 && !a.parts[i].word {
			continue
		}
		numbers[i] = int32(len(a.states))
		out := state{from: int32(len(a.moves))}
		mark := int32(i) + 1
		stack = append(stack[:0], int32(i))
		seen[i] = mark
		for len(stack) > 0 {
			s := &a.parts[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			a.moves = append(a.moves, s.moves...)
			out.accept = out.accept || s.accept
			for _, to := range s.empty {
				if seen[to] != mark {
					seen[to] = mark
					stack = append(stack, to)
				}
			}
		}
		out.to = int32(len(a.moves))
		a.states = append(a.states, out)
	}
	for i := range a.moves {
		a.moves[i].to = numbers[a.moves[i].to]
	}
	a.states, a.moves, a.parts = slices.Clone(a.states), slices.Clone(a.moves), nil
}

// judge follows the words; alive is true when a sentence begins with them.
func (a *automaton) judge(words []string) (c speech.Completeness, alive bool) {
	var buffer [2][64]int32
	now, next := append(buffer[0][:0], 0), buffer[1][:0]
	for _, word := range words {
		id, ok := a.words[word]
		if !ok {
			return speech.Incomplete, false
		}
		next = next[:0]
		for _, s := range now {
			for _, m := range a.movesOf(s) {
				if m.word == id {
					next = append(next, m.to)
				}
			}
		}
		if len(next) == 0 {
			return speech.Incomplete, false
		}
		now, next = next, now
	}
	c = speech.Incomplete
	grows := false
	for _, s := range now {
		if a.states[s].accept {
			c = speech.Closed
		}
		grows = grows || len(a.movesOf(s)) > 0
	}
	if c == speech.Closed && grows {
		c = speech.Growable
	}
	return c, true
}
