package mind

import (
	"context"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// followed is the step for a short sentence that is about the sentence before:
// "turn it off", "a bit more", "and the bedroom". What it comes to is planned,
// permitted and answered like any other decision.
func followed(ctx context.Context, a *Answerer, x *exchange) bool {
	before := a.memory.subject(x.Request)
	meant, ok := after(a, x, before, x.Text, x.local)
	if !ok {
		return false
	}
	f := followUp{Answerer: a, x: x}
	if before != nil {
		f.did = before.did
		f.back, f.rest = past.Apart(before.did, meant.Back)
	}
	f.instead, x.less = meant.Instead, meant.Less
	if meant.Instead {
		f.started = before.started
	}
	if meant.Next != nil {
		x.subject = &subject{Subject: *meant.Next, did: f.rest}
	}
	d := meant.Decision
	if d.Route == intent.Ask && d.Would != nil && (len(d.Options) > 0 || d.Reason == intent.When) {
		a.remember(x.Request, d)
	}
	a.perform(x, d, func() past.Turn { return f.do(ctx, d) })
	return true
}

// after understands a text together with the sentence before it; ok is false if it is
// no such text.
func after(a *Answerer, x *exchange, before *subject, text string, alone intent.Decision) (meant followup.Meaning, ok bool) {
	words, able := a.match.(followup.Words)
	if !able || x.FollowUp { // a television says "more", too
		return meant, false
	}
	ready, _ := a.model.Ready()
	s := followup.Sentence{Text: text, Area: x.Area, Alone: alone, Model: ready, Asked: x.asked, House: a.match.House(), Words: words, Match: a.match.Match, Choose: a.choosing.Choose, Phrases: a.phrases}
	if before != nil {
		s.Subject = &before.Subject
	}
	return s.Understand()
}

// followUp is a short sentence that is being carried out.
type followUp struct {
	*Answerer
	x          *exchange
	back, rest []past.Deed // of the sentence before: what is taken back first, and what stays
	did        []past.Deed // all that it did
	instead    bool        // what is set takes the place of what it set
	started    []string    // the ids of the timers, alarms and reminders that it set
}

// do carries a decision out, after what it takes back.
func (f *followUp) do(ctx context.Context, d intent.Decision) past.Turn {
	if f.instead {
		return f.replaced(ctx, d)
	}
	if d.Actions[0].Intent == catalogue.Except {
		return f.putBack(ctx, d)
	}
	if d.Actions[0].Intent == catalogue.Until && d.Reason == intent.OfBefore && len(f.did) > 0 {
		return f.until(ctx, d)
	}
	if len(f.back) == 0 {
		return f.carryOut(ctx, f.x, d)
	}
	more, err := plan.Calls(d, f.match.House(), f.x.Area)
	if err != nil {
		f.x.rec.Outcome, f.x.rec.Reply, f.x.rec.Error = record.Failed, f.phrases.Apology(err), err.Error()
		return past.Turn{}
	}
	back, denied := past.TakenBack(f.match.House(), f.back)
	did := f.carry(ctx, f.x, d, append(back, more...))
	if len(denied) > 0 && len(did.Deeds) > 0 {
		no := f.guard.Denied(denied)
		f.x.rec.Partly(no.Said, no.Why)
	}
	var devices []string
	for _, b := range f.back {
		devices = append(devices, b.Device)
	}
	_, did.Deeds = past.Apart(did.Deeds, devices)
	return did.As(f.x.Text)
}

// putBack restores the things that were not meant.
func (f *followUp) putBack(ctx context.Context, d intent.Decision) past.Turn {
	steps, denied := past.TakenBack(f.match.House(), f.back)
	if len(steps) == 0 {
		steps = denied // carry refuses them and says why
	}
	if len(steps) == 0 {
		f.x.rec.Outcome, f.x.rec.Reply = record.Done, f.phrases.Phrase("nothing_changed", nil)
		return past.Turn{}
	}
	return f.carry(ctx, f.x, d, steps)
}

// replaced sets a timer, an alarm or a reminder anew and, once that is done, takes away the
// one that was set before.
func (f *followUp) replaced(ctx context.Context, d intent.Decision) past.Turn {
	did := f.carryOut(ctx, f.x, d)
	if len(did.Started) == 0 {
		return did
	}
	old := cancelled(f.match.House(), f.started)
	if len(old) == 0 {
		return did
	}
	gone, _ := f.makeCalls(ctx, f.x, old)
	reply, outcome := f.x.rec.Reply, f.x.rec.Outcome
	gone.Into(f.x.rec, f.x.watch)
	f.x.rec.Reply, f.x.rec.Outcome = reply, outcome
	return did
}
