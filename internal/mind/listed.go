package mind

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/followup"
)

// listed are the timers, alarms and reminders that an answer has told of, for the sentence
// right after it.
type listed struct {
	timers []reply.Timer
	until  time.Time
}

// list keeps what an answer has told of.
func (m *memories) list(q record.Request, all []reply.Timer) {
	if len(all) == 0 || q.DryRun {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.listed == nil {
		m.listed = map[string]listed{}
	}
	makeRoom(m.listed, func(l listed) time.Time { return l.until })
	m.listed[asker(q)] = listed{timers: all, until: time.Now().Add(followup.ActTime)}
}

// unlist returns the timers that the last answer has told of. Any next text drops them,
// except a dry run, which changes nothing. The caller holds mu.
func (m *memories) unlist(who string, dry bool) []reply.Timer {
	l := m.listed[who]
	if !dry {
		delete(m.listed, who)
	}
	if time.Now().After(l.until) {
		return nil
	}
	return l.timers
}

// noteListed keeps which timers an order has told of, if it only asked for them.
func (m *Mind) noteListed(x *Exchange, o *Order, done *calling.Made) {
	if len(o.Do) == 1 && o.Do[0].Action.Intent == catalogue.TimerStatus {
		m.memory.list(x.Request, m.phrases.TimersOf(done.Results...))
	}
}

// cancelledListed is the step for "cancel it" right after an answer that tells which timers
// are set. It asks which one if that told of several.
func (u *understanding) cancelledListed(x Exchange, m Memory, h *home.House) (Order, bool) {
	all, ok := u.choosing.Cancels(x.Text)
	if !ok || len(m.Listed) == 0 || m.Asked {
		return Order{}, false
	}
	d := intent.Decision{Route: intent.Local, Reason: intent.BySentence}
	for _, t := range m.Listed {
		d.Actions = append(d.Actions, intent.Action{Intent: catalogue.CancelTimer, Slots: map[string]any{"id": t.ID}})
	}
	var ask *question
	if len(d.Actions) > 1 && !all {
		would := intent.Action{Intent: catalogue.CancelTimer, Slots: map[string]any{}}
		d = intent.Decision{Route: intent.Ask, Reason: intent.WhichTimer, Question: u.phrases.WhichTimer(m.Listed), Would: &would}
		ask = &question{decision: d, timers: m.Listed, text: x.Text}
	}
	o := u.order(x, m, h, d)
	o.Ask = ask
	return o, true
}
