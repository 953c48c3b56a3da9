package mind

import (
	"context"
	"slices"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/mind/safety"
	"voicegateway/internal/tools"
)

// carryOut does what a decision asks for: it takes back, moves to another device, or
// acts. An intent of a foreign pack is recorded and not carried out.
func (a *Answerer) carryOut(ctx context.Context, x *exchange, d intent.Decision) past.Turn {
	if d.Foreign {
		past.Rehearse(x.rec, nil)
		return past.Turn{}
	}
	if len(d.Actions) == 1 {
		switch d.Actions[0].Intent {
		case catalogue.Undo:
			return a.undo(ctx, x, d)
		case catalogue.Other:
			return a.other(ctx, x, d)
		case catalogue.Why, catalogue.Since, catalogue.WhatDone, catalogue.WhoDid:
			return explained(ctx, a, x, d)
		case catalogue.Wrong, catalogue.Remember:
			return taught(ctx, a, x, d)
		}
	}
	did := a.act(ctx, x, d)
	if len(d.Actions) == 1 {
		whatIsWrong(a, x, &d.Actions[0])
	}
	return did
}

// act plans the calls of a decision and makes them.
func (a *Answerer) act(ctx context.Context, x *exchange, d intent.Decision) past.Turn {
	steps, err := plan.Calls(d, a.match.House(), x.Area)
	if err != nil {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Apology(err), err.Error()
		return past.Turn{}
	}
	return a.carry(ctx, x, d, steps)
}

// carry makes the calls of a plan and tells what came of them.
func (a *Answerer) carry(ctx context.Context, x *exchange, d intent.Decision, steps []plan.Step) past.Turn {
	if !a.permitted(x, d, steps) {
		return past.Turn{}
	}
	before := a.endings(steps)
	done, stopped := a.makeCalls(ctx, x, steps)
	done.Into(x.rec, x.watch)
	x.rec.Reply = a.told(x, steps, done, before)
	if all, asks := a.phrases.Asks(done.Results...); asks && len(steps) == 1 {
		x.rec.Outcome = record.Asked
		which := intent.Decision{Route: intent.Ask, Reason: intent.WhichTimer, Would: &steps[0].Action}
		a.memory.ask(x.Request, pending{decision: which, timers: all, text: x.Text, until: time.Now().Add(confirmTime)})
	}
	if stopped != nil {
		if said, kept := a.stop(*stopped, done.Cause(), x.rec); kept {
			x.rec.Reply = said // else the things whose fate is unknown are named
		}
	}
	if d.Reason == intent.PlannedByModel && !slices.ContainsFunc(done.Ends, record.Outcome.Happened) {
		a.rate.GiveBack(1)
	}
	return past.Of(a.match.House(), x.Text, steps, done.Results, done.Problems).After(x.begun)
}

// makeCalls makes the calls of a plan, once earlier turns have finished with the
// devices, and rescues them from a lost server. It returns the task if it was
// stopped.
func (a *Answerer) makeCalls(ctx context.Context, x *exchange, steps []plan.Step) (done calling.Made, stopped *record.Task) {
	place := a.calls.Take(steps)
	defer place.Leave()
	x.waits()
	done = a.calls.All(ctx, place, steps)
	return done, a.save(ctx, x, place, steps, &done)
}

// permitted reports whether a plan may be carried out at once; if not, the record
// says why and what the person hears.
func (a *Answerer) permitted(x *exchange, d intent.Decision, steps []plan.Step) bool {
	fail := func(reply, why string) { x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, reply, why }
	nothing := "" // said only if a user may think that a part was done
	if len(d.Actions) > 1 {
		nothing = " " + a.phrases.Phrase("nothing_done", nil)
	}
	all := plan.Carried(steps)
	x.rec.Risk = string(safety.Highest(all))
	acts := x.rec.Risk != string(tools.Read)
	if acts && !x.DryRun && !d.Confirmed && !a.rate.Admit(x.Source, time.Now()) {
		x.rec.Route = record.RouteRefused
		fail(a.phrases.Phrase("too_many_commands", nil), tooManyCommands)
		return false
	}
	if err := plan.Unpromised(steps); err != nil {
		x.rec.Route = record.RouteRefused
		fail(a.phrases.Apology(err), err.Error())
		return false
	}
	if x.rec.Risk == string(tools.Dangerous) {
		guarded(a, x, d, steps, nothing)
		return false
	}
	if !a.endable(x, steps) {
		return false
	}
	return feasible(a, x, d, steps, all, nothing)
}

// feasible reports whether a plan that is allowed can be carried out at once, or only
// after a question; all are its steps with those for later.
func feasible(a *Answerer, x *exchange, d intent.Decision, steps, all []plan.Step, nothing string) bool {
	fail := func(reply, why string) { x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, reply, why }
	// Several commands in one sentence are carried out together or not at all (U2).
	if i := slices.IndexFunc(steps, impossible); i >= 0 && len(d.Actions) > 1 {
		fail(a.phrases.Apology(steps[i].Err)+nothing, steps[i].Err.Error())
		return false
	}
	many := !d.Confirmed && !x.Confirmed && a.limits.MustAsk(slices.Concat(x.done, all))
	// A command for later is judged by a dry run, and asked about like a command for now.
	if x.DryRun && (x.Source != record.FromTimer || !many) {
		past.Rehearse(x.rec, steps)
		return false
	}
	if many {
		a.askAboutMany(x, d, steps, past.Turn{})
		return false
	}
	if d.Reason == intent.PlannedByModel && a.rate.Reserve(time.Now(), 1) == 0 {
		fail(a.phrases.Phrase("too_many_acts", map[string]any{"count": safety.ActsAMinute}), tooManyActs)
		return false
	}
	return true
}

// The reasons in a record for what is over a limit.
const (
	tooManyCommands = "over 60 commands within a minute from this source"
	tooManyActs     = "over 10 acts of a model within a minute"
)

// askAboutMany asks whether to act on so many devices, and keeps what the sentence
// has done before, so that an undo after a yes takes back all of it.
func (a *Answerer) askAboutMany(x *exchange, d intent.Decision, steps []plan.Step, begun past.Turn) {
	if !x.DryRun {
		a.memory.ask(x.Request, pending{decision: d, text: x.Text, begun: begun, until: time.Now().Add(confirmTime)})
	}
	count := len(safety.Acting(slices.Concat(x.done, plan.Carried(steps))))
	x.rec.Outcome, x.rec.Reply = record.Asked, a.phrases.Phrase("many_devices", map[string]any{"count": count})
}

func impossible(s plan.Step) bool { return s.Err != nil }
