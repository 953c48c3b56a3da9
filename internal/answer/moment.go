package answer

import (
	"sync"
	"time"
)

// silence is how long a person who waits for a language model hears nothing before
// "one moment" is said.
const silence = 4 * time.Second

// moment stands between a turn and what it says, and says "one moment" once when
// nothing else was said for a while. That sentence is no part of the reply. It is
// safe for concurrent use.
type moment struct {
	mu    sync.Mutex
	say   func(sentence string)
	timer *time.Timer
	over  bool // it was said, or the turn has ended
}

// newMoment starts the wait. The caller calls end before the turn ends.
func newMoment(say func(sentence string), text string) *moment {
	m := &moment{say: say}
	m.timer = time.AfterFunc(silence, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if !m.over {
			m.over = true
			m.say(text)
		}
	})
	return m
}

// pass says a sentence, and begins the wait anew for when it was spoken.
func (m *moment) pass(sentence string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.over {
		m.timer.Reset(silence + time.Duration(len(sentence))*letter)
	}
	m.say(sentence)
}

// end stops the wait.
func (m *moment) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	m.timer.Stop()
}
