package mind

import (
	"context"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// refused fills the record of what the guard does not let through.
func refused(rec *record.Record, no *guard.Refusal) {
	rec.Route, rec.Outcome, rec.Reply, rec.Error = record.RouteRefused, record.Failed, no.Said, no.Why
}

// guarded asks for the words of a challenge before a dangerous act, or refuses the act; a
// refusal cannot be extended.
func guarded(a *Answerer, x *exchange, d intent.Decision, steps []plan.Step, nothing string) {
	o := guard.Wanted{Request: x.Request, Turn: x.rec.ID, Alone: x.ordered, Decision: d, Steps: steps}
	asked, no := a.guard.Ask(o, a.match.House())
	switch {
	case no != nil:
		refused(x.rec, no)
		x.rec.Reply += nothing
	case x.DryRun:
		past.Rehearse(x.rec, steps)
	default:
		x.rec.Outcome, x.rec.Challenge, x.rec.Reply, x.aloud = record.Asked, true, asked.Reply, asked.Aloud
	}
}

// challenged is the step for speech that answers a challenge. The speech counts as
// nothing else, and its text is not passed on.
func challenged(ctx context.Context, a *Answerer, x *exchange) bool {
	if x.Challenge == "" {
		return false
	}
	act, no := a.guard.Answer(x.Request)
	x.Text, x.Others, x.Area = act.Text, nil, act.Area
	x.rec.Risk = string(tools.Dangerous)
	x.rec.Transcript = &record.Transcript{Text: record.ChallengeAnswer}
	if no != nil {
		refused(x.rec, no)
		x.say(no.Said)
		return true
	}
	a.perform(x, act.Decision, func() past.Turn {
		steps, no := a.guard.Plan(act, a.match.House())
		if no != nil {
			refused(x.rec, no)
			return past.Turn{}
		}
		return carryAllowed(ctx, a, x, steps)
	})
	return true
}

// carryAllowed makes the call of a dangerous act whose challenge was passed, once: it is
// neither repeated after a lost connection nor kept for later.
func carryAllowed(ctx context.Context, a *Answerer, x *exchange, steps []plan.Step) past.Turn {
	if !a.endable(x, steps) {
		return past.Turn{}
	}
	before := a.endings(steps)
	place := a.calls.Take(steps)
	defer place.Leave()
	x.waits()
	done := a.calls.All(ctx, place, steps)
	done.Into(x.rec, x.watch)
	x.rec.Reply = a.told(x, steps, done, before)
	return past.Of(a.match.House(), x.Text, steps, done.Results, done.Problems)
}
