package answer

import (
	"maps"
	"slices"
	"time"

	"voicegateway/internal/dialogue/safety"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// carriedLater reports whether the commands that timers are to carry may be set: a
// dangerous one is never done later, and what cannot be done now is not promised. If
// not, the record says why and what the person hears.
func (a *Answerer) carriedLater(x *exchange, steps []plan.Step) bool {
	for i := range steps {
		carried := steps[i].Later
		switch bad := slices.IndexFunc(carried, impossible); {
		case len(carried) == 0:
		case safety.Highest(carried) == tools.Dangerous:
			x.rec.Route, x.rec.Outcome = record.RouteRefused, record.Failed
			x.rec.Reply, x.rec.Error = a.phrases.Phrase("not_later", nil), "dangerous acts are never carried out later"
			return false
		case bad >= 0:
			x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Apology(carried[bad].Err), carried[bad].Err.Error()
			return false
		}
	}
	return true
}

// whichTimer is the reason of the question which of several timers is meant.
const whichTimer = "which_timer"

// askWhichTimer keeps the question that a tool for timers has asked in its result, so
// that the name of one is an answer.
func (a *Answerer) askWhichTimer(x *exchange, steps []plan.Step, results []tools.Result) {
	if len(steps) != 1 || !steps[0].Timer() {
		return
	}
	all, asks := a.phrases.Asks(results[0])
	if !asks {
		return
	}
	x.rec.Outcome = record.Asked
	if !x.DryRun {
		act := steps[0].Action
		d := intent.Decision{Route: intent.Ask, Reason: whichTimer, Would: &act}
		a.memory.ask(x.Request, pending{decision: d, timers: all, text: x.Text, until: time.Now().Add(confirmTime)})
	}
}

// ofTimers completes a sentence about timers with the one that the answer names, or
// with all of them.
func (a *Answerer) ofTimers(q record.Request, p pending) (intent.Decision, bool) {
	act := *p.decision.Would
	act.Slots = maps.Clone(act.Slots)
	t, chosen := a.phrases.Choose(q.Text, p.timers)
	switch {
	case a.choosing.None(q.Text):
		return plainDecision(catalogue.No), true
	case chosen:
		act.Slots["id"] = t.ID
	case act.Intent == catalogue.CancelTimer && a.choosing.All(q.Text):
		act.Intent = catalogue.CancelAllTimers
	default:
		return p.decision, false
	}
	return intent.Decision{Route: intent.Local, Reason: "answer", Actions: []intent.Action{act}}, true
}

// atTime completes a sentence that left its time open with the answer. What is a
// command of its own is no answer.
func (a *Answerer) atTime(q record.Request, p pending) (intent.Decision, bool) {
	if alone := a.match.Match(q.Text, q.Area); alone.Route == intent.Local && slices.ContainsFunc(alone.Actions, func(act intent.Action) bool {
		return len(act.Devices)+len(act.Later) > 0
	}) {
		return p.decision, false
	}
	d := a.match.Match(p.text+" "+q.Text, q.Area)
	return d, d.Route == intent.Local && d.Actions[len(d.Actions)-1].Intent == p.decision.Would.Intent
}
