package ai

import (
	"slices"
	"sync"
	"time"
)

// The bounds of the conversations (REQUIREMENTS U6). Turns are short; more of them would
// only slow a small model down. A client may call its room anything, so the number of
// conversations has no other bound.
const (
	remembered  = 5 * time.Minute
	maxTurns    = 6
	maxTurnText = 800 // characters of one side of a turn
	maxTalks    = 64
	maxPassages = 8    // of one turn, the last ones
	maxPassage  = 1000 // characters of one of them
)

// memory holds the conversations so far by name, so that what was said in one room is not
// repeated in another. It is safe for concurrent use.
type memory struct {
	mu    sync.Mutex
	talks map[string][]exchange
}

// exchange is one turn as both sides said it.
type exchange struct {
	at              time.Time
	user, assistant string
	from            origin
	passed          []passage
}

// passage is a text that a turn has exchanged with a server.
type passage struct {
	server string // "" for our own tools, such as the search
	sent   bool   // the arguments of a call; else what came of it
	text   string
}

// origin says whose text an exchange may be based on.
type origin int

const (
	fromUs       origin = iota
	besideOthers        // what foreign tools say of themselves stood beside it
	fromOthers          // it held text of others, or followed from it (S2)
)

func (m *memory) add(talk string, e exchange) {
	if e.user == "" || e.assistant == "" {
		return
	}
	e.user, e.assistant = clip(e.user, maxTurnText), clip(e.assistant, maxTurnText)
	e.passed = slices.Clone(e.passed[max(0, len(e.passed)-maxPassages):])
	for i := range e.passed {
		e.passed[i].text = clip(e.passed[i].text, maxPassage)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(e.at)
	if m.talks == nil {
		m.talks = map[string][]exchange{}
	}
	if _, known := m.talks[talk]; !known && len(m.talks) >= maxTalks {
		delete(m.talks, m.oldest())
	}
	turns := append(m.talks[talk], e)
	m.talks[talk] = turns[max(0, len(turns)-maxTurns):]
}

// oldest returns the name of the conversation that has been quiet for longest.
func (m *memory) oldest() string {
	var name string
	var since time.Time
	for talk, turns := range m.talks {
		if at := turns[len(turns)-1].at; since.IsZero() || at.Before(since) {
			name, since = talk, at
		}
	}
	return name
}

// recall returns the turns of a conversation. A turn that may act gets only those that are
// based on the words of people here and of this house.
func (m *memory) recall(now time.Time, talk string, mayAct bool) []exchange {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(now)
	return slices.DeleteFunc(slices.Clone(m.talks[talk]), func(e exchange) bool { return e.from != fromUs && mayAct })
}

// forget drops turns that are too old, and all of a conversation if the clock was set
// back.
func (m *memory) forget(now time.Time) {
	for talk, turns := range m.talks {
		keep := 0
		for keep < len(turns) {
			if age := now.Sub(turns[keep].at); age >= 0 && age < remembered {
				break
			}
			keep++
		}
		if keep == len(turns) {
			delete(m.talks, talk)
		} else {
			m.talks[talk] = turns[keep:]
		}
	}
}
