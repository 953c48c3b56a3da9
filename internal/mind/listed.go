package mind

import (
	"context"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// listed are the timers, alarms and reminders that an answer has told of, for the sentence
// right after it.
type listed struct {
	timers []reply.Timer
	until  time.Time
}

// list keeps what an answer has told of.
func (m *memory) list(q record.Request, all []reply.Timer) {
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

// unlist returns the timers that the answer before has told of. Any next text drops them,
// except a dry run, which changes nothing.
func (m *memory) unlist(q record.Request) []reply.Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.listed[asker(q)]
	if !q.DryRun {
		delete(m.listed, asker(q))
	}
	if time.Now().After(l.until) {
		return nil
	}
	return l.timers
}

// noteListed keeps which timers a plan has told of, if it only asked for them.
func (a *Answerer) noteListed(x *exchange, steps []plan.Step, done *calling.Made) {
	if len(steps) == 1 && steps[0].Action.Intent == catalogue.TimerStatus {
		a.memory.list(x.Request, a.phrases.Listed(done.Results...))
	}
}

// cancelledListed is the step for "cancel it" right after an answer that tells which timers are
// set. It asks which one if that told of several.
func (a *Answerer) cancelledListed(ctx context.Context, x *exchange) bool {
	all, ok := a.choosing.Cancels(x.Text)
	if !ok || len(x.listed) == 0 || x.asked {
		return false
	}
	d := intent.Decision{Route: intent.Local, Reason: "sentence"}
	for _, t := range x.listed {
		d.Actions = append(d.Actions, intent.Action{Intent: catalogue.CancelTimer, Slots: map[string]any{"id": t.ID}})
	}
	if len(d.Actions) > 1 && !all {
		would := intent.Action{Intent: catalogue.CancelTimer, Slots: map[string]any{}}
		d = intent.Decision{Route: intent.Ask, Reason: followup.WhichTimer, Question: a.phrases.WhichTimer(x.listed), Would: &would}
		if !x.DryRun {
			a.memory.ask(x.Request, pending{decision: d, timers: x.listed, text: x.Text, until: time.Now().Add(confirmTime)})
		}
	}
	a.perform(x, d, func() past.Turn { return a.carryOut(ctx, x, d) })
	return true
}
