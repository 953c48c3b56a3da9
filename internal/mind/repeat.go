package mind

import (
	"context"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// saidLast is the last answer to an asker.
type saidLast struct {
	text string
	at   time.Time
}

// repeated is the step for a user who has not heard the answer: it is said again, and
// nothing is done again. An open question stays open.
func (a *Answerer) repeated(_ context.Context, x *exchange) bool {
	d := a.decide(x)
	if d.Route != intent.Local || len(d.Actions) != 1 || d.Actions[0].Intent != catalogue.Repeat || x.Unfinished {
		return false
	}
	a.perform(x, d, func() past.Turn {
		text, asked := a.memory.again(x.Request)
		if text == "" {
			text = a.phrases.Phrase(catalogue.Of(catalogue.Repeat).Reply, nil)
		}
		x.rec.Reply, x.rec.Outcome = text, record.Done
		if asked {
			x.rec.Outcome = record.Asked
		}
		return past.Turn{}
	})
	return true
}

// tell keeps an answer, so that it can be said again.
func (m *memory) tell(q record.Request, text string) {
	if q.DryRun || text == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.said == nil {
		m.said = map[string]saidLast{}
	}
	makeRoom(m.said, func(s saidLast) time.Time { return s.at.Add(followup.TalkTime) })
	m.said[asker(q)] = saidLast{text, time.Now()}
}

// again returns the last answer to an asker, "" if there was none lately, and whether a
// question is open. The time to answer it starts again.
func (m *memory) again(q record.Request) (text string, asked bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, who := time.Now(), asker(q)
	p, waits := m.pending[who]
	if asked = waits && now.Before(p.until); asked && !q.DryRun {
		p.until = now.Add(confirmTime)
		m.pending[who] = p
	}
	if s := m.said[who]; now.Sub(s.at) <= followup.TalkTime {
		text = s.text
	}
	return text, asked
}
