package mind

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// Ends keeps how things were before an act with an end (REQUIREMENTS U18) and has them
// put back at its end.
type Ends interface {
	// WeighEnd says why an act could not be given an end; "" if it could.
	WeighEnd(o timers.Wish) timers.Reason
	BeginEnd(o timers.Wish) timers.Result
	// Ending finds how a thing was when an act with an end began that still waits.
	Ending(thing string) (timers.Back, bool)
	// CancelEnds cancels the planned ends for things that have been changed since. The ends with
	// the ids in but stay.
	CancelEnds(things []string, but ...string)
}

// was is what is kept of a thing: what the act with an end changed.
type was struct {
	Name    string        `json:"name"` // in the receipts
	Changes []plan.Change `json:"changes"`
	Ahead   []plan.Change `json:"ahead,omitempty"` // done only for the changes, and put back after them
	At      time.Time     `json:"at"`              // when it was done
}

// all returns every change of a thing.
func (w was) all() []plan.Change { return slices.Concat(w.Changes, w.Ahead) }

// readKept reads what is kept of a thing.
func readKept(back timers.Back) (w was) {
	_ = json.Unmarshal(back.Was, &w) // it was written here; what cannot be read changes nothing
	return w
}

// endable reports whether the ends that a plan asks for can be kept; if not, the record
// says why, and nothing is done.
func (m *Mind) endable(x *Exchange, t *turn, steps []plan.Step) bool {
	all := plan.Flatten(steps)
	if !slices.ContainsFunc(all, func(s plan.Step) bool { return s.Until != nil }) {
		return true
	}
	if err := plan.Endless(all); err != nil {
		t.rec.Route = record.RouteRefused
		return t.fail(m.phrases.Apology(err), err.Error())
	}
	for _, s := range steps {
		if s.Until == nil || x.DryRun {
			continue
		}
		why := timers.NoBell
		if m.Ends != nil {
			why = m.Ends.WeighEnd(wishOf(s.Until))
		}
		if why != "" {
			return t.fail(m.phrases.NoEnd(string(why)), "the act could not be given an end: "+string(why))
		}
	}
	return true
}

// leftAlone reports whether an order only wants things to stay as they are, "leave it
// open", and nothing waits to put them back. A sentence that names nothing is about what
// was acted on last.
func (m *Mind) leftAlone(x *Exchange, o *Order) bool {
	d := &o.Meant
	if o.Manner != Ordinary || d.Route != intent.Local || len(d.Actions) != 1 || d.Actions[0].Intent != catalogue.CancelTimer || d.Actions[0].Slots["leave"] == nil {
		return false
	}
	things := d.Actions[0].Devices
	if last := m.memory.subject(x.Request); len(things) == 0 && last.recent() {
		things = last.Things
	}
	waits := func(thing string) bool { _, ok := m.Ends.Ending(thing); return ok }
	return len(things) > 0 && (m.Ends == nil || !slices.ContainsFunc(things, waits))
}

// wishOf is the end that is asked for.
func wishOf(u *plan.Until) (o timers.Wish) {
	_ = json.Unmarshal(u.Wish, &o) // the plan has written it
	return o
}

// groups divides the steps of a plan by their ends: each group has one end or none.
func groups(steps []plan.Step) [][2]int {
	var out [][2]int
	for i := range steps {
		if i == 0 || steps[i].Until != steps[i-1].Until {
			out = append(out, [2]int{i, i})
		}
		out[len(out)-1][1] = i + 1
	}
	return out
}

// reportPlan reports the results of a plan and, for each act with an end, how long it lasts.
// before finds the earlier state of a thing if the act replaces an act with an end.
func (m *Mind) reportPlan(x *Exchange, t *turn, steps []plan.Step, done calling.Made, before map[string]timers.Back) string {
	all := groups(steps)
	if !slices.ContainsFunc(all, func(g [2]int) bool { return steps[g[0]].Until != nil }) {
		return m.phrases.SayResults(steps, done.Results, done.Errs...)
	}
	var said []string
	for _, g := range all {
		some, results := steps[g[0]:g[1]], done.Results[g[0]:g[1]]
		text := m.phrases.SayResults(some, results, done.Errs[g[0]:g[1]]...)
		if u := some[0].Until; u != nil && !x.DryRun {
			did := past.Of(m.match.House(), x.Text, some, results, done.Problems[g[0]:g[1]])
			text = m.lasting(t, u, text, did.Deeds, before)
		}
		if text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, " ")
}

// lasting stores the states before the acts, so that they can be restored, and adds to
// the reply text until when the acts last.
func (m *Mind) lasting(t *turn, u *plan.Until, text string, deeds []past.Deed, before map[string]timers.Back) string {
	o := wishOf(u)
	acted, order := m.statesBefore(u, deeds, before)
	for _, e := range order {
		body, err := json.Marshal(acted[e.ID])
		if err == nil && len(acted[e.ID].Changes) > 0 {
			o.Back = append(o.Back, timers.Back{Thing: e.ID, Name: e.Name, Was: body})
		}
	}
	switch {
	case len(order) == 0:
		return text
	case len(o.Back) == 0:
		return m.phrases.Stays(text, len(order))
	}
	began := m.Ends.BeginEnd(o)
	for _, end := range began.Timers {
		t.ends = append(t.ends, end.ID)
	}
	data, err := json.Marshal(began)
	if err != nil {
		return text
	}
	return m.phrases.Lasting(text, tools.Result{Data: data})
}

// statesBefore returns what has to be put back of each thing that deeds acted on, by its id, and
// the things in the order of the deeds.
func (m *Mind) statesBefore(u *plan.Until, deeds []past.Deed, before map[string]timers.Back) (acted map[string]*was, order []*home.Entity) {
	h := m.match.House()
	acted = map[string]*was{}
	for _, d := range deeds {
		e := h.Entity(d.Device)
		if e == nil {
			continue
		}
		if acted[e.ID] == nil {
			acted[e.ID] = &was{Name: d.Name, At: time.Now()}
			order = append(order, e)
		}
		switch c, moved := moving(changeOf(d, u.Keep), before[e.ID]); {
		case moved && d.Ahead:
			acted[e.ID].Ahead = append(acted[e.ID].Ahead, c)
		case moved:
			acted[e.ID].Changes = append(acted[e.ID].Changes, c)
		}
	}
	for id, w := range acted {
		if len(w.Ahead) == 0 && len(w.Changes) > 0 {
			w.Ahead = readKept(before[id]).Ahead
		}
	}
	return acted, order
}

// lastingOn gives the end of a plan to what was done already to its things: "for ten
// minutes" after "turn on the light".
func (m *Mind) lastingOn(t *turn, steps []plan.Step, did []past.Deed) string {
	var things []string
	for _, s := range steps {
		if s.Until != nil && s.Entity != nil {
			things = append(things, s.Entity.ID)
		}
	}
	deeds, _ := past.Apart(did, things)
	told := m.lasting(t, steps[0].Until, "", deeds, m.endings(steps))
	m.Ends.CancelEnds(things, t.ends...)
	return told
}

// moving returns what has to be put back of a change. A change that moved nothing only
// extends an act whose end is already planned, and leads back to the state before that
// act.
func moving(c plan.Change, earlier timers.Back) (plan.Change, bool) {
	if c.Moved() {
		return c, true
	}
	w := readKept(earlier)
	for _, was := range w.all() {
		if past.SetTogether(was.Property, c.Property) {
			last := c.Receipt
			was.Last = &last
			return was, true
		}
	}
	return c, false
}

// changeOf returns what a deed changed. If the earlier state is not known, or the act only
// keeps a state, the opposite of the requested state counts as the earlier one.
func changeOf(d past.Deed, keep bool) plan.Change {
	c := d.Change
	if keep && !c.Moved() {
		c.Before, c.BeforeLevel = nil, nil
	}
	words := map[home.Ability][2]string{home.OnOff: {"on", "off"}, home.OpenClose: {"open", "closed"}}[home.Ability(c.Property)]
	if c.Before != nil || words == [2]string{} {
		return c
	}
	switch d.Act.Intent {
	case catalogue.TurnOn:
		c.Before = words[1]
	case catalogue.TurnOff:
		c.Before = words[0]
	}
	return c
}

// endings returns, for the things of a plan with an end, the ends that are already
// planned.
func (m *Mind) endings(steps []plan.Step) map[string]timers.Back {
	out := map[string]timers.Back{}
	for _, s := range steps {
		if s.Until == nil || s.Entity == nil || m.Ends == nil {
			continue
		}
		if back, ok := m.Ends.Ending(s.Entity.ID); ok {
			out[s.Entity.ID] = back
		}
	}
	return out
}

// note enters what a turn did, and ends the waiting for the things that it did it to.
func (m *Mind) note(x *Exchange, t *turn, rec *record.Record, meant intent.Decision) {
	m.ledger.Note(m.match.House(), x.Request, rec, meant)
	if m.Ends == nil || x.DryRun {
		return
	}
	var things []string
	for _, c := range rec.Calls {
		things = append(things, past.ThingsOf(m.match.House(), c)...)
	}
	if len(things) > 0 {
		m.Ends.CancelEnds(things, t.ends...)
	}
}

// Reported cancels the planned end for a thing that was changed by hand, or by another
// program.
func (m *Mind) Reported(e home.Event) {
	if m.Ends == nil || e.Kind != home.Reported || e.First || e.Entity == "" {
		return
	}
	back, ok := m.Ends.Ending(e.Entity)
	if !ok {
		return
	}
	w := readKept(back)
	if e.Time.After(w.At) && slices.ContainsFunc(w.all(), func(c plan.Change) bool { return c.Left(e.Property, e.State, e.Ours) }) {
		m.Ends.CancelEnds([]string{e.Entity})
	}
}

// PutBack restores things to their state before an act with an end began. A thing that
// was changed since is left alone, and is not mentioned.
func (m *Mind) PutBack(ctx context.Context, q record.Request, things []timers.Back) record.Record {
	q.At = time.Now()
	rec := record.Record{ID: record.NewID(), Time: q.At, Source: q.Source, Area: q.Area, Aloud: q.Aloud, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	t := &turn{rec: &rec, watch: record.Stopwatch{Zero: q.At}, say: func(string) {}}
	m.awaitThings(ctx, things)
	x := &Exchange{Request: q, Turn: rec.ID}
	o := Order{By: "the end of an act", Meant: plainDecision(catalogue.Undo), Manner: Due}
	o.Do, o.Denied = past.PlanUndo(m.match.House(), deedsOf(things))
	o.Do = slices.DeleteFunc(o.Do, func(s plan.Step) bool { return s.Risk == tools.Costly }) // such as a script, which runs only after a yes
	m.carry(ctx, *x, o, t)
	m.note(x, t, &rec, o.Meant)
	m.memory.keep(x.Request, &rec, t.did, false)
	rec.Timings.Total = t.watch.Now()
	return rec
}

// deedsOf are the acts with an end that are put back.
func deedsOf(things []timers.Back) (deeds []past.Deed) {
	for _, back := range things {
		w := readKept(back)
		for _, c := range w.Changes {
			deeds = append(deeds, past.Deed{Device: back.Thing, Name: w.Name, Change: c})
		}
		for _, c := range w.Ahead {
			deeds = append(deeds, past.Deed{Device: back.Thing, Name: w.Name, Change: c, Ahead: true})
		}
	}
	return deeds
}

// awaitThings waits for the house if some things are not known: after a start their server
// may not have published them yet.
func (m *Mind) awaitThings(ctx context.Context, things []timers.Back) {
	ctx, cancel := context.WithTimeout(ctx, calling.NeedBudget)
	defer cancel()
	missing := func() bool {
		h := m.match.House()
		return slices.ContainsFunc(things, func(b timers.Back) bool { return h.Entity(b.Thing) == nil })
	}
	for told := true; told && missing(); {
		before := m.match.House()
		m.awaitHouse(ctx, false)
		told = m.match.House() != before
	}
}

// tellFailures says which things could not be put back. A thing that was changed since is
// no failure.
func (m *Mind) tellFailures(rec *record.Record, steps []plan.Step, done calling.Made) {
	var left []plan.Step
	var results []tools.Result
	var errs []error
	for i := range steps {
		if err, ok := errors.AsType[*plan.Error](done.Errs[i]); ok && err.Key == plan.ChangedSince || done.Ends[i].Happened() {
			continue
		}
		left, results, errs = append(left, steps[i]), append(results, done.Results[i]), append(errs, done.Errs[i])
	}
	if len(left) == 0 {
		rec.Outcome, rec.Reply, rec.Error = record.Done, "", ""
		return
	}
	rec.Outcome, rec.Reply = record.Failed, m.phrases.SayResults(left, results, errs...)
}
