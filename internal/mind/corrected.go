package mind

import (
	"bytes"
	"context"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// mended is what a sentence means that has grown, and how much of it is to be done.
type mended struct {
	meant []plan.Step       // all that it means; nil: it is refused, and only put back
	back  int               // so many first steps of the order put back what was not meant
	rest  []int             // the meant steps that the others are
	made  []record.CallMade // what was called for its beginning
}

// refusesRoom reports whether a sentence names a room that the house does not have, or a
// room without such a thing, so that the act before the room was said was not meant.
func refusesRoom(d intent.Decision) bool {
	return d.Route == intent.Reject && !d.Together && (d.Reason == intent.UnknownArea || d.Reason == intent.NoDevice)
}

// deeds are what the turn has done so far.
func (g *grown) deeds() []past.Deed {
	if last := g.mind.memory.recall(g.x.Request); last != nil && last.turn == g.turn.rec.ID && last.Undone == 0 {
		return last.Deeds
	}
	return nil
}

// stepsMade are the steps that were made for the beginning of the sentence.
func (g *grown) stepsMade() []plan.Step {
	steps, err := plan.Calls(g.x.Alone, g.house, g.x.Area)
	if err != nil {
		return nil
	}
	return steps
}

// mending is the order that makes of what was done what was meant. Without what was meant,
// all of it is put back.
func (g *grown) mending(all intent.Decision, deeds []past.Deed, meant []plan.Step) Order {
	var made []plan.Step
	if meant != nil {
		made = g.stepsMade()
	}
	c := past.Mend(g.house, deeds, made, meant)
	o := Order{By: "a sentence that has changed", Meant: all, Manner: Mending, Do: slices.Clone(c.Back), Denied: c.Denied}
	for _, i := range c.Rest {
		o.Do = append(o.Do, meant[i])
	}
	o.Mend = &mended{meant: meant, back: len(c.Back), rest: c.Rest, made: g.turn.rec.Calls}
	o.Leaves = func(did past.Turn) past.Turn {
		stay, _ := past.Apart(deeds, devicesOf(all))
		did.Deeds = slices.Concat(stay, did.Deeds)
		return did.As(g.whole)
	}
	return o
}

// correct does what was meant: acts on other things are put back, missing acts are done,
// and the result is reported once.
func (g *grown) correct(ctx context.Context, all intent.Decision) {
	meant, err := plan.Calls(all, g.house, g.x.Area)
	if err != nil {
		return
	}
	deeds := g.deeds()
	o := g.mending(all, deeds, meant)
	if len(o.Do) == 0 && len(o.Denied) == 0 {
		g.addEnd(ctx, all, meant, deeds)
		return
	}
	part := g.turn.part()
	g.mind.carry(ctx, *g.x, o, part)
	switch {
	case !part.barred:
		g.replace(&o, part)
	case part.rec.Outcome == record.Asked: // about the number of things; those already done are among them
		g.turn.rec.Add(*part.rec, nil)
		g.turn.say(part.rec.Reply)
	case part.rec.Outcome == record.Failed:
		g.putBack(ctx, g.mending(all, deeds, nil).say(part.rec.Reply, record.Failed, part.rec.Error), part.rec.Route)
	}
}

// addEnd gives an end to what was done, if the addition is only that. Otherwise the addition
// says the same in other words.
func (g *grown) addEnd(ctx context.Context, all intent.Decision, meant []plan.Step, deeds []past.Deed) {
	if len(meant) == 0 || meant[0].Until == nil {
		return
	}
	o := Order{By: "an end that was added to a sentence", Meant: all, Do: meant, Last: deeds}
	part := g.turn.part()
	g.mind.carry(ctx, *g.x, o, part)
	g.turn.rec.Add(*part.rec, past.Intents(all.Actions))
	g.keep(part, part.rec.Reply)
}

// refuse puts back what was done and says why the whole sentence cannot be done.
func (g *grown) refuse(ctx context.Context, all intent.Decision) {
	if g.x.DryRun {
		return
	}
	g.putBack(ctx, g.mending(all, g.deeds(), nil).say(g.mind.phrases.Refusal(all), record.Failed, past.Reason(all)), record.RouteLocal)
}

// putBack carries out an order that puts back what was done. The record keeps the route of
// the beginning, which was carried out, unless the guard has refused the whole sentence.
func (g *grown) putBack(ctx context.Context, o Order, route record.Route) {
	o.Say.route = route
	part := g.turn.part()
	g.mind.carry(ctx, *g.x, o, part)
	g.replace(&o, part)
}

// tellMended says what came of a sentence that has grown: the refusal, or else the results
// of all that was meant, whether it was made now or before.
func (m *Mind) tellMended(x *Exchange, o *Order, t *turn, done calling.Made, stopped *record.Task) past.Turn {
	done.Into(t.rec, t.watch)
	n := o.Mend.back
	all := done
	all.Results, all.Errs, all.Problems = o.Mend.results(done, t.rec), o.Mend.errs(done), make([]string, len(o.Mend.meant))
	t.rec.Reply = m.reportPlan(x, t, o.Mend.meant, all, nil)
	if o.Say != nil {
		t.rec.Outcome, t.rec.Reply, t.rec.Error = o.Say.end, o.Say.reply, o.Say.why
	}
	m.tellStopped(t, done, stopped)
	for i := range n { // what could not be put back is not kept quiet
		if done.Problems[i] != "" {
			t.rec.Reply += " " + m.phrases.SayResults(o.Do[i:i+1], done.Results[i:i+1], done.Errs[i])
		}
	}
	return past.Of(m.match.House(), x.Text, o.Do[n:], done.Results[n:], done.Problems[n:])
}

// results are those of the steps that were meant: of the calls that were made now, and
// of those that were made before, whose end the record takes over if it is worse.
func (c *mended) results(done calling.Made, rec *record.Record) []tools.Result {
	results := make([]tools.Result, len(c.meant))
	for i := range c.meant {
		if j := slices.Index(c.rest, i); j >= 0 {
			results[i] = done.Results[c.back+j]
			continue
		}
		results[i] = c.before(&c.meant[i])
		if end := record.OutcomeOf(results[i], nil, true); end.Worse(rec.Outcome) {
			rec.Outcome = end
		}
	}
	return results
}

// errs are why the calls of the meant steps got no answer.
func (c *mended) errs(done calling.Made) []error {
	errs := make([]error, len(c.meant))
	for j, i := range c.rest {
		errs[i] = done.Errs[c.back+j]
	}
	return errs
}

// before is the result of a step that was made before.
func (c *mended) before(s *plan.Step) tools.Result {
	for _, made := range c.made {
		if call := s.PlannedCall(); made.Tool == call.Tool && made.Server == call.Server && bytes.Equal(made.Args, call.Args) {
			return tools.Result{Receipt: (*tools.Receipt)(made.Receipt), Failed: !made.OK}
		}
	}
	return tools.Result{Failed: true}
}

// devicesOf are the things that a decision is about.
func devicesOf(d intent.Decision) []string {
	var out []string
	for _, act := range d.Actions {
		out = append(out, act.Devices...)
	}
	return out
}

// replace puts what a correction did in the place of what was done before it, in the
// record, in the memory and in what is said. The first calls of the record put back.
func (g *grown) replace(o *Order, part *turn) {
	back := min(o.Mend.back, len(part.rec.Calls))
	put, made := *part.rec, *part.rec
	put.Calls, made.Calls = part.rec.Calls[:back], part.rec.Calls[back:]
	g.mind.note(g.x, part, &put, plainDecision(catalogue.Undo))
	g.mind.note(g.x, part, &made, o.Meant)
	r := g.turn.rec
	r.Reply, r.Outcome, r.Error, r.Intent, r.Intents = "", "", "", nil, nil
	part.rec.Reply = speech.Speakable(part.rec.Reply)
	r.Add(*part.rec, nil)
	past.NoteIntents(r, o.Meant.Actions)
	r.Route = part.rec.Route
	if g.unsay != nil {
		g.unsay()
	}
	g.keep(part, r.Reply)
	g.mind.heed(g.x, o, r)
}
