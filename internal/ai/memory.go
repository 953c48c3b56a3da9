package ai

import (
	"sync"
	"time"
)

// The bounds of the conversation (REQUIREMENTS U6). Turns are short; more of
// them would only slow a small model down.
const (
	remembered  = 5 * time.Minute
	maxTurns    = 6
	maxTurnText = 800 // characters of one side of a turn
)

// memory is the conversation so far, with its taint (S2). It is safe for
// concurrent use.
type memory struct {
	mu      sync.Mutex
	turns   []exchange
	tainted time.Time // when the last turn held text from outside; zero if it did not
}

// exchange is one turn as both sides said it.
type exchange struct {
	at              time.Time
	user, assistant string
}

func (m *memory) add(now time.Time, user, assistant string) {
	if user == "" || assistant == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(now)
	m.turns = append(m.turns, exchange{now, clip(user, maxTurnText), clip(assistant, maxTurnText)})
	m.turns = m.turns[max(0, len(m.turns)-maxTurns):]
}

// recall returns the conversation as messages.
func (m *memory) recall(now time.Time) []Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(now)
	messages := make([]Message, 0, 2*len(m.turns))
	for _, t := range m.turns {
		messages = append(messages, Message{Role: User, Text: t.user}, Message{Role: Answer, Text: t.assistant})
	}
	return messages
}

// forget drops turns that are too old. If the clock was set back, it drops all of
// them.
func (m *memory) forget(now time.Time) {
	keep := 0
	for keep < len(m.turns) {
		if age := now.Sub(m.turns[keep].at); age >= 0 && age < remembered {
			break
		}
		keep++
	}
	m.turns = append(m.turns[:0], m.turns[keep:]...)
}

// taint notes whether this turn held text from outside.
func (m *memory) taint(now time.Time, yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tainted = time.Time{}
	if yes {
		m.tainted = now
	}
}

// isTainted reports whether the turn before held text from outside and is still
// remembered.
func (m *memory) isTainted(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.tainted.IsZero() && now.Sub(m.tainted) < remembered
}
