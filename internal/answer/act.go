package answer

import (
	"cmp"
	"context"
	"slices"
	"time"

	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/dialogue/safety"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// callBudget is the most time one tool call of a spoken turn may take, all in all
// (M6).
const callBudget = 5 * time.Second

// carryOut does what a decision asks for: it takes back, moves to another device,
// or acts. What a foreign sentence asks for is written down and left alone.
func (a *Answerer) carryOut(ctx context.Context, x *exchange, d intent.Decision) past.Turn {
	if d.Foreign {
		rehearse(x.rec, nil)
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
		}
	}
	return a.act(ctx, x, d)
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
	done, stopped := a.makeCalls(ctx, x, steps)
	done.into(x)
	x.rec.Reply = a.phrases.Told(steps, done.results, done.errs...)
	if stopped != nil {
		if said, kept := a.stop(*stopped, done.cause(), x.rec); kept {
			x.rec.Reply = said // else the things whose fate is unknown are named
		}
	}
	if d.Reason == plannedByModel && !slices.ContainsFunc(done.ends, record.Outcome.Happened) {
		a.rate.GiveBack(1)
	}
	return past.Of(a.match.House(), x.Text, steps, done.results, done.problems).After(x.begun)
}

// makeCalls makes the calls of a plan, once earlier turns have finished with the
// devices, and rescues them from a lost server. It returns the task if it was
// stopped.
func (a *Answerer) makeCalls(ctx context.Context, x *exchange, steps []plan.Step) (done calls, stopped *record.Task) {
	place := a.calls.queue.Take(deviceActs(steps))
	defer place.Leave()
	x.waits()
	done = a.calls.all(ctx, place, steps)
	return done, a.save(ctx, x, place, steps, &done)
}

// permitted reports whether a plan may be carried out at once; if not, the record
// says why and what the person hears.
func (a *Answerer) permitted(x *exchange, d intent.Decision, steps []plan.Step) bool {
	fail := func(reply, why string) { x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, reply, why }
	nothing := "" // is said to be done: only where somebody may think that a part was
	if len(d.Actions) > 1 {
		nothing = " " + a.phrases.Phrase("nothing_done", nil)
	}
	x.rec.Risk = string(safety.Highest(steps))
	acts := x.rec.Risk != string(tools.Read)
	if acts && !x.DryRun && !d.Confirmed && !a.rate.Admit(x.Source, time.Now()) {
		x.rec.Route = record.RouteRefused
		fail(a.phrases.Phrase("too_many_commands", nil), tooManyCommands)
		return false
	}
	if x.rec.Risk == string(tools.Dangerous) {
		x.rec.Route = record.RouteRefused
		fail(a.phrases.Denied(steps)+nothing, "dangerous acts are off (safety.dangerous: deny)")
		return false
	}
	// Several commands in one sentence are carried out together or not at all (U2).
	if i := slices.IndexFunc(steps, impossible); i >= 0 && len(d.Actions) > 1 {
		fail(a.phrases.Apology(steps[i].Err)+nothing, steps[i].Err.Error())
		return false
	}
	if x.DryRun {
		rehearse(x.rec, steps)
		return false
	}
	if !d.Confirmed && a.limits.MustAsk(slices.Concat(x.done, steps)) {
		a.askAboutMany(x, d, steps, past.Turn{})
		return false
	}
	if d.Reason == plannedByModel && a.rate.Reserve(time.Now(), 1) == 0 {
		fail(a.phrases.Phrase("too_many_acts", map[string]any{"count": safety.ActsAMinute}), tooManyActs)
		return false
	}
	return true
}

// rehearse puts the calls of a plan into a record without making them.
func rehearse(rec *record.Record, steps []plan.Step) {
	rec.Outcome = record.Ignored
	for _, s := range steps {
		if c := s.Planned(); c.Tool != "" {
			rec.Calls = append(rec.Calls, record.CallMade{Tool: c.Tool, Server: c.Server, Args: c.Args})
		}
	}
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
	count := len(safety.Acting(slices.Concat(x.done, steps)))
	x.rec.Outcome, x.rec.Reply = record.Asked, a.phrases.Phrase("many_devices", map[string]any{"count": count})
}

func impossible(s plan.Step) bool { return s.Err != nil }

// calls holds the results of a turn's steps, by the index of the step.
type calls struct {
	results   []tools.Result
	made      []record.CallMade
	ends      []record.Outcome
	problems  []string // why a step has failed; "" for any other step
	errs      []error  // why a call got no answer; nil for an answered call
	confirmed []time.Time
	asks      bool // nothing but readings, of which one that fails is part of the answer
}

func newCalls(n int) calls {
	return calls{
		results: make([]tools.Result, n), made: make([]record.CallMade, n), problems: make([]string, n),
		errs: make([]error, n), confirmed: make([]time.Time, n), ends: make([]record.Outcome, n),
	}
}

// note keeps the result of one call. Only what a device has confirmed is done (Z4);
// a command that is under way or waits for a sleeping device is accepted, and one
// whose place a newer command took is interrupted.
func (c calls) note(i int, call tools.Call, res tools.Result, err error, took time.Duration, acts bool) {
	c.results[i], c.made[i] = res, record.NewCall(call, res, took)
	c.problems[i], c.errs[i], c.confirmed[i], c.ends[i] = "", err, time.Time{}, record.OutcomeOf(res, err, acts)
	if res.Receipt.Done() {
		c.confirmed[i] = time.Now()
	}
	switch {
	case c.ends[i] != record.Failed:
	case err != nil:
		c.problems[i] = err.Error()
	default:
		c.problems[i] = cmp.Or(res.Text, "the device has not confirmed it")
	}
}

// cause returns the error of the first call that got no answer because of its
// server.
func (c calls) cause() error {
	for _, err := range c.errs {
		if lost(err) {
			return err
		}
	}
	return nil
}

// into puts the calls into the record of the turn, without the steps that needed no
// tool.
func (c calls) into(x *exchange) {
	x.rec.Outcome = record.Done
	for i, m := range c.made {
		if m.Tool != "" {
			x.rec.Calls = append(x.rec.Calls, m)
		}
		if c.ends[i].Worse(x.rec.Outcome) && !c.answered() {
			x.rec.Outcome, x.rec.Error = c.ends[i], c.problems[i]
		}
	}
	x.rec.Timings.FirstPublish = x.watch.At(earliest(c.results))
	x.rec.Timings.Confirmed = x.watch.At(latest(c.confirmed))
}

// answered reports whether a question about several things got an answer, though
// some of them could not be read.
func (c calls) answered() bool { return c.asks && slices.Contains(c.problems, "") }

func earliest(results []tools.Result) time.Time {
	var first time.Time
	for _, r := range results {
		if !r.PublishedAt.IsZero() && (first.IsZero() || r.PublishedAt.Before(first)) {
			first = r.PublishedAt
		}
	}
	return first
}

func latest(times []time.Time) time.Time {
	var last time.Time
	for _, t := range times {
		if t.After(last) {
			last = t
		}
	}
	return last
}
