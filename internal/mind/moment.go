package mind

import (
	"sync"
	"sync/atomic"
	"time"
)

// silence is how long a person who waits for an answer hears nothing before "one moment" or
// "still working" is said.
const silence = 4 * time.Second

// workingAgain is how long after "still working" it is said again, while a server goes on
// reporting progress.
const workingAgain = 10 * time.Second

// letter is how long a voice takes to speak one letter.
const letter = time.Second / 12

// Speaking is how long a voice takes to speak a text.
func Speaking(text string) time.Duration { return time.Duration(len(text)) * letter }

// Moment stands between a turn and what it says. When nothing else was said for a while, it
// says once that a language model takes a moment, and that a server still works while that
// reports progress. These sentences are no part of the reply. It is safe for concurrent use.
type Moment struct {
	working  string      // what is said after progress
	progress atomic.Bool // there was some since it was told

	mu    sync.Mutex
	say   func(sentence string) // nil: nobody listens
	text  string                // what is said once, while a model thinks; "" for nothing
	timer *time.Timer
	over  bool // the turn has ended
}

// newMoment starts the wait. The caller calls End before the turn ends.
func newMoment(say func(sentence string), working string) *Moment {
	m := &Moment{say: say, working: working}
	m.mu.Lock() // speakUp finds the timer
	defer m.mu.Unlock()
	m.timer = time.AfterFunc(silence, m.speakUp)
	return m
}

// Think says that a model is asked: from now on a silence is ended by the text, once.
func (m *Moment) Think(text string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.text = text; text != "" && !m.over {
		m.timer.Reset(silence)
	}
}

// Progress notes that a server still works. It does not block.
func (m *Moment) Progress() { m.progress.Store(true) }

// Turn makes the sentences go elsewhere; nil: nobody listens for now.
func (m *Moment) Turn(say func(sentence string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.say = say; !m.over {
		m.timer.Reset(silence)
	}
}

// speakUp ends a silence.
func (m *Moment) speakUp() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return
	}
	next := silence
	switch said := m.say; {
	case said == nil:
	case m.progress.Swap(false):
		m.text, next = "", workingAgain
		said(m.working)
	case m.text != "":
		text := m.text
		m.text = ""
		said(text)
	}
	m.timer.Reset(next)
}

// Pass says a sentence, and restarts the wait at the time when it will have been spoken.
func (m *Moment) Pass(sentence string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.over {
		m.timer.Reset(silence + Speaking(sentence))
	}
	if m.say != nil {
		m.say(sentence)
	}
}

// End stops the wait.
func (m *Moment) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	m.timer.Stop()
}
