package answer

import (
	"context"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/followup"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
)

// followed is the step for a short sentence that is about the sentence before:
// "turn it off", "a bit more", "and the bedroom". What it comes to is planned,
// permitted and answered like any other decision.
func followed(ctx context.Context, a *Answerer, x *exchange) bool {
	words, ok := a.match.(followup.Words)
	if !ok || x.FollowUp { // a television says "more", too
		return false
	}
	before := a.memory.subject(x.Request)
	ready, _ := a.model.Ready()
	s := followup.Sentence{
		Text: x.Text, Area: x.Area, Alone: x.local, Model: ready, House: a.match.House(), Words: words, Phrases: a.phrases,
	}
	f := followUp{Answerer: a, x: x}
	if before != nil {
		s.Subject = &before.Subject
	}
	meant, ok := s.Understand()
	if !ok {
		return false
	}
	if before != nil {
		f.back, f.rest = apart(before.did, meant.Back)
	}
	if meant.Next != nil {
		x.subject = &subject{Subject: *meant.Next, did: f.rest}
	}
	d := meant.Decision
	if d.Route == intent.Ask && d.Would != nil && len(d.Options) > 0 {
		a.remember(x.Request, d)
	}
	a.perform(x, d, func() past { return f.do(ctx, d) })
	return true
}

// followUp is a short sentence that is being carried out.
type followUp struct {
	*Answerer
	x          *exchange
	back, rest []deed // of the sentence before: what is taken back first, and what stays
}

// apart divides deeds into those on some devices and the others.
func apart(deeds []deed, devices []string) (on, others []deed) {
	for _, d := range deeds {
		if slices.Contains(devices, d.device) {
			on = append(on, d)
		} else {
			others = append(others, d)
		}
	}
	return on, others
}

// do carries a decision out, after what it takes back.
func (f *followUp) do(ctx context.Context, d intent.Decision) past {
	if d.Actions[0].Intent == catalogue.Except {
		return f.putBack(ctx, d)
	}
	if len(f.back) == 0 {
		return f.carryOut(ctx, f.x, d)
	}
	more, err := plan.Calls(d, f.match.House(), f.x.Area)
	if err != nil {
		f.x.rec.Outcome, f.x.rec.Reply, f.x.rec.Error = record.Failed, f.phrases.Apology(err), err.Error()
		return past{}
	}
	back, denied := (&past{deeds: f.back}).takenBack(f.match.House())
	did := f.carry(ctx, f.x, d, append(back, more...))
	if len(denied) > 0 && len(did.deeds) > 0 {
		partly(f.x.rec, f.phrases.Denied(denied), "dangerous acts are off (safety.dangerous: deny)")
	}
	var devices []string
	for _, b := range f.back {
		devices = append(devices, b.device)
	}
	_, did.deeds = apart(did.deeds, devices)
	return did.as(f.x.Text)
}

// putBack restores the things that an act was not meant for.
func (f *followUp) putBack(ctx context.Context, d intent.Decision) past {
	steps, denied := (&past{deeds: f.back}).takenBack(f.match.House())
	if len(steps) == 0 {
		steps = denied // carry refuses them and says why
	}
	if len(steps) == 0 {
		f.x.rec.Outcome, f.x.rec.Reply = record.Done, f.phrases.Phrase("nothing_changed", nil)
		return past{}
	}
	return f.carry(ctx, f.x, d, steps)
}
