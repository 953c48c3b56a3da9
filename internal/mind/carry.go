package mind

import (
	"cmp"
	"context"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/past"
)

// turn is a turn under way: its record, its clock, the way to the user's ear, and what it
// has done so far. One goroutine uses it.
type turn struct {
	rec     *record.Record
	watch   record.Stopwatch
	say     func(sentence string)
	expect  func(sentence string) // gets the reply that is expected; may be nil
	moment  *Moment               // between it and the user's ear; nil in a part of a turn
	waiting func()                // called once, when the turn begins to wait for something slow; may be nil

	said       []string    // of a model's reply, in the turn that waits for it
	missing    error       // why no language model could be asked, which was to answer
	aloud      string      // what is said in place of the reply, which others may read; "": the reply
	asks       bool        // its last sentence is a question of a model
	barred     bool        // the guard has let nothing of the order through
	did        past.Turn   // what is remembered of it
	ends       []string    // the ids of the ends that it has set
	reconnects int         // made so far
	made       []plan.Step // by a model's rounds
	rounds     *rounds     // of a model's calls; nil: no model was asked
}

// waits says that the turn waits for something slow, a server or a model.
func (t *turn) waits() {
	if waiting := t.waiting; waiting != nil {
		t.waiting = nil
		waiting()
	}
}

// fail puts into the record that nothing was done, and why. It returns false.
func (t *turn) fail(reply, why string) bool {
	t.rec.Outcome, t.rec.Reply, t.rec.Error = record.Failed, reply, why
	return false
}

// part begins a part of a turn, with a record of its own.
func (t *turn) part() *turn {
	rec := &record.Record{ID: t.rec.ID, Source: t.rec.Source, Area: t.rec.Area, Route: record.RouteLocal, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	return &turn{rec: rec, watch: t.watch, say: t.say, waiting: t.waiting, reconnects: t.reconnects, made: t.made, rounds: t.rounds}
}

// carry does what an order says. It is the one place where acts are guarded, places are
// taken, calls are made, and the record of the turn is filled.
func (m *Mind) carry(ctx context.Context, x Exchange, o Order, t *turn) {
	if o.Ask != nil {
		m.memory.ask(x.Request, *o.Ask, confirmTime)
	}
	if o.Settles.id != "" && !x.DryRun {
		m.memory.settle(o.Settles)
	}
	if o.Reopen && !x.DryRun {
		m.memory.reopen(x.Request)
	}
	if o.Meant.Route != "" {
		past.NoteIntents(t.rec, o.Meant.Actions)
		t.rec.SpeechAct, t.rec.Route = string(o.Meant.Act), routes[o.Meant.Route]
	}
	switch {
	case o.Think:
		t.missing = m.think(ctx, &x, &o, t)
	case o.Homeless:
		t.rec.Outcome, t.rec.Reply = record.Failed, m.noHouse(ctx, o.Meant)
		if o.Say != nil {
			t.rec.Error = o.Say.why
		}
	default:
		t.did = m.act(ctx, &x, &o, t)
	}
	t.rec.Reading = o.Reading
	if o.Teaches != "" {
		m.teacher.Keep(x.Request, o.Teaches, t.rec, o.Meant.Actions)
	}
	if o.Learn != nil {
		m.teacher.Note(x.Request, t.rec, *o.Learn)
	}
}

// routes are the routes of a record, by those of what was understood.
var routes = map[intent.Route]record.Route{
	intent.Local: record.RouteLocal, intent.Ask: record.RouteLocal, intent.Reject: record.RouteRefused, intent.Model: record.RouteRefused,
}

// act does what an order says, where that is not to ask a model, and returns what is
// remembered of it.
func (m *Mind) act(ctx context.Context, x *Exchange, o *Order, t *turn) past.Turn {
	if m.leftAlone(x, o) {
		t.rec.Outcome, t.rec.Reply = record.Done, m.phrases.Phrase(catalogue.Of(catalogue.No).Reply, nil)
		return past.Turn{}
	}
	if o.Claim != nil && !x.DryRun && !m.memory.claim(x.Request, o.Claim) {
		t.rec.Outcome, t.rec.Reply = record.Done, m.phrases.Phrase("nothing_to_undo", nil)
		return past.Turn{}
	}
	if o.Say != nil {
		t.rec.Outcome, t.rec.Reply, t.rec.Error = o.Say.end, o.Say.reply, o.Say.why
		t.rec.Route = cmp.Or(o.Say.route, t.rec.Route)
	}
	if o.onlySays() {
		return past.Turn{}
	}
	did := m.make(ctx, x, o, t)
	if o.Claim != nil && (t.rec.Outcome == record.Asked || o.tookNothing(&did)) {
		return o.Claim.Turn // the person may ask for it again
	}
	m.tellLeft(o, t, &did)
	if o.Leaves != nil {
		return o.Leaves(did)
	}
	return did
}

// onlySays reports whether an order has nothing that is to be done. A sentence that has
// grown always has: at least what it leaves is remembered anew.
func (o *Order) onlySays() bool {
	return len(o.Do) == 0 && o.Manner != Mending && (o.Say != nil || o.Learn != nil)
}

// tookNothing reports whether what was done put nothing back, of what could be put back.
func (o *Order) tookNothing(did *past.Turn) bool {
	return len(did.Deeds) == 0 && did.Sound == nil && (o.Claim == nil || len(o.Claim.Started) == 0)
}

// tellLeft says what could not be put back.
func (m *Mind) tellLeft(o *Order, t *turn, did *past.Turn) {
	if len(o.Denied) > 0 && (o.Manner == Due || o.Manner == Mending || !o.tookNothing(did)) {
		no := m.guard.Deny(o.Denied)
		t.rec.Partly(no.Said, no.Why)
	}
	if o.Rest {
		t.rec.Partly(m.phrases.Phrase("cannot_undo_rest", nil), "some of what was done is no device's state")
	}
}

// make makes the calls of an order, if the guard lets it, and returns what they did.
func (m *Mind) make(ctx context.Context, x *Exchange, o *Order, t *turn) past.Turn {
	var task record.Task
	if o.Manner == Resuming {
		var ok bool
		if task, ok = m.takeTask(x, o, t); !ok {
			return past.Turn{}
		}
	}
	if t.barred = !m.permit(x, o, t); t.barred {
		return past.Turn{}
	}
	if o.Last != nil {
		t.rec.Outcome, t.rec.Reply = record.Done, m.lastingOn(t, o.Do, o.Last)
		return past.Turn{}
	}
	before := m.endings(o.Do)
	m.expectReply(x, o, t)
	done, stopped := m.makeCalls(ctx, x, o, t, o.Do)
	did := past.Of(m.match.House(), x.Text, o.Do, done.Results, done.Problems)
	switch o.Manner {
	case Planned:
		m.tellRound(o, t, done, stopped)
		return did
	case Mending:
		return m.tellMended(x, o, t, done, stopped)
	case Resuming:
		done.Into(t.rec, t.watch)
		m.tellTask(task, o.Do, done, t)
		return past.ResumedTurn(m.match.House(), task, done.Results)
	case Explained:
		m.explain(x, o, t, done)
	case Due:
		done.Into(t.rec, t.watch)
		m.tellFailures(t.rec, o.Do, done)
	case Ordinary, Passed:
		done.Into(t.rec, t.watch)
		t.rec.Reply = m.reportPlan(x, t, o.Do, done, before)
		m.tellMore(x, o, t, done, stopped)
		m.tellUntold(o, t.rec)
	}
	if len(did.Started) > 0 && len(o.Then) > 0 {
		m.replace(ctx, x, o, t)
	}
	return did
}

// tellMore says what else the user has to know of an order: which timer the question of
// a tool is about, what became of a task that was stopped, what else is wrong.
func (m *Mind) tellMore(x *Exchange, o *Order, t *turn, done calling.Made, stopped *record.Task) {
	if all, asks := m.phrases.Asks(done.Results...); asks && len(o.Do) == 1 {
		t.rec.Outcome = record.Asked
		which := intent.Decision{Route: intent.Ask, Reason: intent.WhichTimer, Would: &o.Do[0].Action}
		m.memory.ask(x.Request, question{decision: which, timers: all, text: x.Text}, confirmTime)
	}
	m.noteListed(x, o, &done)
	m.tellStopped(t, done, stopped)
	if o.Meant.Reason == intent.PlannedByModel && !slices.ContainsFunc(done.Ends, record.Outcome.Happened) {
		m.rate.GiveBack(1)
	}
	if failed := m.failures(x, o, t.rec); failed != "" {
		t.rec.Reply += " " + failed
	}
}

// tellStopped says that a task was stopped, if it was: unless something is kept of it, the
// things whose fate is unknown are named.
func (m *Mind) tellStopped(t *turn, done calling.Made, stopped *record.Task) {
	if stopped == nil {
		return
	}
	if said, kept := m.stop(*stopped, done.Cause(), t.rec); kept {
		t.rec.Reply = said
	}
}

// replace takes away the timer, alarm or reminder in whose place another one was set. It
// is not told.
func (m *Mind) replace(ctx context.Context, x *Exchange, o *Order, t *turn) {
	gone, _ := m.makeCalls(ctx, x, o, t, o.Then)
	reply, outcome := t.rec.Reply, t.rec.Outcome
	gone.Into(t.rec, t.watch)
	t.rec.Reply, t.rec.Outcome = reply, outcome
}

// makeCalls makes the calls of an order, once earlier turns have finished with the
// devices, and rescues them from a lost server. It returns the task if it was
// stopped.
func (m *Mind) makeCalls(ctx context.Context, x *Exchange, o *Order, t *turn, steps []plan.Step) (done calling.Made, stopped *record.Task) {
	place := m.calls.Take(steps)
	defer place.Leave()
	if len(steps) > 0 {
		t.waits()
	}
	done = m.calls.All(ctx, place, steps)
	switch o.Manner {
	case Resuming, Explained, Passed: // made once: an open call stays open, a reading is none, and danger is not repeated
	case Ordinary, Due, Mending, Planned:
		stopped = m.save(ctx, x, t, place, steps, &done)
	}
	return done, stopped
}
