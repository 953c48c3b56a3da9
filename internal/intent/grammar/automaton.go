package grammar

import "voicegateway/internal/language/speech"

// automaton accepts the sentences of a grammar word by word. States carry the
// words that may follow; empty moves are resolved when it is built.
type automaton struct {
	states []state
	words  map[string]int32
}

type state struct {
	empty  []int32 // empty moves, only while building
	moves  []move  // after building: the moves of the state and of all states it reaches by empty moves
	accept bool
}

type move struct{ word, to int32 }

func compile(root *node) *automaton {
	a := &automaton{words: make(map[string]int32)}
	start, end := a.state(), a.state()
	for _, n := range root.items {
		a.link(a.add(n, start), end)
	}
	a.states[end].accept = true
	a.close()
	return a
}

func (a *automaton) state() int32 {
	a.states = append(a.states, state{})
	return int32(len(a.states) - 1)
}

func (a *automaton) link(from, to int32) {
	a.states[from].empty = append(a.states[from].empty, to)
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
		a.states[from].moves = append(a.states[from].moves, move{id, to})
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

// close resolves empty moves: every state gets the moves of all states it reaches
// by them.
func (a *automaton) close() {
	seen := make([]int32, len(a.states))
	out := make([]state, len(a.states))
	var stack []int32
	for i := range a.states {
		mark := int32(i) + 1
		stack = append(stack[:0], int32(i))
		seen[i] = mark
		for len(stack) > 0 {
			s := &a.states[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			out[i].moves = append(out[i].moves, s.moves...)
			out[i].accept = out[i].accept || s.accept
			for _, to := range s.empty {
				if seen[to] != mark {
					seen[to] = mark
					stack = append(stack, to)
				}
			}
		}
	}
	a.states = out
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
			for _, m := range a.states[s].moves {
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
		grows = grows || len(a.states[s].moves) > 0
	}
	if c == speech.Closed && grows {
		c = speech.Growable
	}
	return c, true
}
