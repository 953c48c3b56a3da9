package mind

import (
	"sync"
	"time"
)

// silence is how long a person who waits for a language model hears nothing before
// "one moment" is said.
const silence = 4 * time.Second

// letter is how long a voice takes to speak one letter.
const letter = time.Second / 12

// Speaking is how long a voice takes to speak a text.
func Speaking(text string) time.Duration { return time.Duration(len(text)) * letter }

// Moment stands between a turn and what it says, and says "one moment" once when
// nothing else was said for a while. That sentence is no part of the reply. It is
// safe for concurrent use.
type Moment struct {
	mu    sync.Mutex
	say   func(sentence string)
	timer *time.Timer
	over  bool // it was said, or the turn has ended
}

// New starts the wait. The caller calls End before the turn ends.
func newMoment(say func(sentence string), text string) *Moment {
	m := &Moment{say: say}
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

// Pass says a sentence, and restarts the wait at the time when it will have been spoken.
func (m *Moment) Pass(sentence string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.over {
		m.timer.Reset(silence + Speaking(sentence))
	}
	m.say(sentence)
}

// End stops the wait.
func (m *Moment) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	m.timer.Stop()
}
