package answer

import (
	"slices"
	"time"

	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/home"
	"voicegateway/internal/record"
)

// lieTime is for how long an act may turn out to be none, which may be before its turn
// has ended.
const lieTime = time.Minute

// mostLies bounds those that belong to no turn that is known.
const mostLies = 64

// lie is an act that was told as done and turned out not to be, and when that was found
// out.
type lie struct {
	event home.Event
	at    time.Time
}

// Belied corrects what is remembered of an act that was told as done and turned out
// not to be: what "undo" takes back, and what is told of it. Events of other kinds
// change nothing. It does not block.
func (a *Answerer) Belied(e home.Event) {
	if e.Kind != home.Belied {
		return
	}
	a.ledger.Belied(e)
	a.memory.belied(e)
}

// belied corrects the turn that an act belongs to, or keeps the lie for the turn
// that is under way.
func (m *memory) belied(e home.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := false
	for who, p := range m.past {
		if time.Since(p.at) > lieTime {
			continue
		}
		if turn, lied := p.Belied(e); lied {
			corrected := *p
			corrected.Turn, found = turn, true
			m.past[who] = &corrected
		}
	}
	if !found {
		m.lies = append(m.lies, lie{e, time.Now()})
		m.lies = slices.Clone(m.lies[max(0, len(m.lies)-mostLies):])
	}
}

// truly returns what a turn did, without what turned out not to be done while the
// turn was under way.
func (m *memory) truly(q record.Request, did past.Turn) past.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lies = slices.DeleteFunc(m.lies, func(l lie) bool { return time.Since(l.at) > lieTime })
	m.lies = slices.DeleteFunc(m.lies, func(l lie) bool {
		if q.At.After(l.at) {
			return false
		}
		turn, lied := did.Belied(l.event)
		did = turn
		return lied
	})
	return did
}
