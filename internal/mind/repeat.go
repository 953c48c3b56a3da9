package mind

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
)

// saidLast is the last answer to an asker.
type saidLast struct {
	text string
	at   time.Time
}

// asksAgain reports whether a text asks for the last answer once more. It answers no
// question, so an open one stays open.
func (x *Exchange) asksAgain() bool {
	d := &x.Alone
	return d.Route == intent.Local && len(d.Actions) == 1 && d.Actions[0].Intent == catalogue.Repeat && !x.Unfinished
}

// repeated is the step for a user who has not heard the answer: it is said again, and
// nothing is done again.
func (u *understanding) repeated(x Exchange, m Memory, _ *home.House) (Order, bool) {
	if !x.asksAgain() {
		return Order{}, false
	}
	text, end := m.Said, record.Done
	if text == "" {
		text = u.phrases.Phrase(catalogue.Of(catalogue.Repeat).Reply, nil)
	}
	if m.Asked {
		end = record.Asked
	}
	return Order{Meant: x.Alone, Reopen: true}.say(text, end, ""), true
}

// tell keeps an answer, so that it can be said again.
func (m *memories) tell(q record.Request, text string) {
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

// reopen lets the time to answer an open question start again.
func (m *memories) reopen(q record.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, open := m.questions[asker(q)]
	if !open || !time.Now().Before(p.until) {
		return
	}
	if p.server != nil && !p.server.clock.Reset(p.wait) {
		p.server.clock.Stop() // it was dropped just now
		return
	}
	p.until = time.Now().Add(p.wait)
	m.questions[asker(q)] = p
}
