package mind

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/past"
)

// Belied corrects what is remembered of an act that was reported as done and turned out
// not to be: what "undo" takes back, and what the gateway says about it. Events of other
// kinds change nothing. It does not block.
func (m *Mind) Belied(e home.Event) {
	if e.Kind != home.Belied {
		return
	}
	m.ledger.Belied(e)
	said := ""
	if thing := m.match.House().Entity(e.Entity); thing != nil {
		said = m.phrases.Belied(thing, e.Property, e.Before, e.State, e.Unsure)
	}
	for who, text := range m.memory.correct(e, said) {
		if said != "" {
			m.model.Remember(who, text, said)
		}
	}
}

// correct corrects the turn that an act belongs to, or keeps the event for the turn that
// is still running. The correction, said, then counts as the last answer. It returns the
// texts of the turns, by asker.
func (m *memories) correct(e home.Event, said string) (corrected map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	corrected = map[string]string{}
	for who, p := range m.past {
		if time.Since(p.at) > record.FoundOut {
			continue
		}
		if turn, lied := p.Belied(e); lied {
			truly := *p
			truly.Turn = turn
			m.past[who], corrected[who] = &truly, turn.Text
			if last, told := m.said[who]; told && p.latest && said != "" {
				last.text = said
				m.said[who] = last
			}
		}
	}
	if len(corrected) == 0 {
		m.lies.Keep(e)
	}
	return corrected
}

// truly returns what a turn did, without what turned out not to be done while the
// turn was under way.
func (m *memories) truly(q record.Request, did past.Turn) past.Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lies.Take(func(e home.Event, at time.Time) bool {
		if q.At.After(at) {
			return false
		}
		turn, lied := did.Belied(e)
		did = turn
		return lied
	})
	return did
}
