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

// refusesRoom reports whether a sentence names a room that the house does not have, or a
// room without such a thing, so that the act before the room was said was not meant.
func refusesRoom(d intent.Decision) bool {
	return d.Route == intent.Reject && !d.Together && (d.Reason == intent.UnknownArea || d.Reason == intent.NoDevice)
}

// deeds are what the turn has done so far.
func (g *grown) deeds() []past.Deed {
	if last := g.memory.recall(g.x.Request); last != nil && last.turn == g.x.rec.ID && last.Undone == 0 {
		return last.Deeds
	}
	return nil
}

// correct does what was meant: acts on other things are put back, missing acts are done,
// and the result is reported once.
func (g *grown) correct(ctx context.Context, all intent.Decision) {
	meant, err := plan.Calls(all, g.match.House(), g.x.Area)
	if err != nil {
		return
	}
	deeds := g.deeds()
	c := past.Mend(g.match.House(), deeds, g.made(), meant)
	if len(c.Rest) == 0 && len(c.Back) == 0 && len(c.Denied) == 0 {
		g.end(all, meant, deeds)
		return
	}
	x := g.another(all)
	if g.permitted(x, all, meant) {
		g.finish(ctx, x, meant, c)
		return
	}
	switch x.rec.Outcome {
	case record.Asked: // about the number of things; those already done are among them
		g.x.rec.Add(*x.rec, nil)
		g.x.say(x.rec.Reply)
	case record.Failed:
		g.finish(ctx, x, nil, past.Mend(g.match.House(), deeds, nil, nil))
	case record.Done, record.Accepted, record.Ignored, record.Interrupted: // a dry run has done nothing
	}
}

// end gives an end to what was done, if the addition is only that. Otherwise the addition
// says the same in other words.
func (g *grown) end(all intent.Decision, meant []plan.Step, deeds []past.Deed) {
	if len(meant) == 0 || meant[0].Until == nil {
		return
	}
	x := g.another(all)
	if g.permitted(x, all, meant) {
		x.rec.Outcome, x.rec.Reply = record.Done, g.lastingOn(x, meant, "", deeds)
	}
	past.NoteIntents(x.rec, all.Actions)
	g.x.rec.Add(*x.rec, past.Intents(all.Actions))
	g.rewrite()
	g.x.say(x.rec.Reply)
	g.model.Remember(asker(x.Request), g.whole, g.x.rec.Reply)
}

// refuse puts back what was done and says why the whole sentence cannot be done.
func (g *grown) refuse(ctx context.Context, all intent.Decision) {
	x := g.another(all)
	x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, g.phrases.Refusal(all), past.Reason(all)
	if !x.DryRun {
		g.finish(ctx, x, nil, past.Mend(g.match.House(), g.deeds(), nil, nil))
	}
}

// made are the steps that were made for the beginning of the sentence.
func (g *grown) made() []plan.Step {
	steps, err := plan.Calls(g.first, g.match.House(), g.x.Area)
	if err != nil {
		return nil
	}
	return steps
}

// another begins what is added to the turn, with a record of its own.
func (g *grown) another(d intent.Decision) *exchange {
	r := &record.Record{ID: g.x.rec.ID, Source: g.x.rec.Source, Area: g.x.rec.Area, Route: record.RouteLocal, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	return &exchange{Request: g.x.Request, rec: r, watch: g.x.watch, say: g.x.say, meant: d}
}

// finish makes the calls of a correction. It reports the refusal that the record may
// already hold, or else the results of the steps that were meant.
func (g *grown) finish(ctx context.Context, x *exchange, meant []plan.Step, c past.Mending) {
	steps := slices.Clone(c.Back)
	for _, i := range c.Rest {
		steps = append(steps, meant[i])
	}
	refused := x.rec.Verdict
	done, stopped := g.makeCalls(ctx, x, steps)
	done.Into(x.rec, x.watch)
	n := len(c.Back)
	results, errs := g.results(x, meant, c, done)
	made := done
	made.Results, made.Errs, made.Problems = results, errs, make([]string, len(meant))
	x.rec.Reply = g.told(x, meant, made, nil)
	if refused.Outcome == record.Failed {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = refused.Outcome, refused.Reply, refused.Error
	}
	if stopped != nil {
		if said, kept := g.stop(*stopped, done.Cause(), x.rec); kept {
			x.rec.Reply = said
		}
	}
	for i := range c.Back { // what could not be put back is not kept quiet
		if done.Problems[i] != "" {
			x.rec.Reply += " " + g.phrases.Told(c.Back[i:i+1], done.Results[i:i+1], done.Errs[i])
		}
	}
	if len(c.Denied) > 0 {
		no := g.guard.Denied(c.Denied)
		x.rec.Partly(no.Said, no.Why)
	}
	did := past.Of(g.match.House(), g.whole, steps[n:], done.Results[n:], done.Problems[n:])
	stay, _ := past.Apart(g.deeds(), devicesOf(x.meant))
	did.Deeds = slices.Concat(stay, did.Deeds)
	g.replace(x, did.As(g.whole), n)
}

// results are those of the steps that were meant: of the calls that were made now, and
// of those that were made before.
func (g *grown) results(x *exchange, meant []plan.Step, c past.Mending, done calling.Made) ([]tools.Result, []error) {
	results, errs := make([]tools.Result, len(meant)), make([]error, len(meant))
	for i := range meant {
		if j := slices.Index(c.Rest, i); j >= 0 {
			results[i], errs[i] = done.Results[len(c.Back)+j], done.Errs[len(c.Back)+j]
			continue
		}
		results[i] = g.before(&meant[i])
		if end := record.OutcomeOf(results[i], nil, true); end.Worse(x.rec.Outcome) {
			x.rec.Outcome = end
		}
	}
	return results, errs
}

// before is the result of a step that was made before.
func (g *grown) before(s *plan.Step) tools.Result {
	for _, made := range g.x.rec.Calls {
		if call := s.Planned(); made.Tool == call.Tool && made.Server == call.Server && bytes.Equal(made.Args, call.Args) {
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
func (g *grown) replace(x *exchange, did past.Turn, back int) {
	back = min(back, len(x.rec.Calls))
	put, made := *x.rec, *x.rec
	put.Calls, made.Calls = x.rec.Calls[:back], x.rec.Calls[back:]
	g.note(x, &put, plainDecision(catalogue.Undo))
	g.note(x, &made, x.meant)
	r := g.x.rec
	r.Reply, r.Outcome, r.Error, r.Intent, r.Intents = "", "", "", nil, nil
	x.rec.Reply = speech.Speakable(x.rec.Reply)
	r.Add(*x.rec, nil)
	past.NoteIntents(r, x.meant.Actions)
	r.Route = x.rec.Route
	g.rewrite()
	if g.turn.Unsay != nil {
		g.turn.Unsay()
	}
	g.x.say(r.Reply)
	g.memory.keep(x.Request, x.rec.ID, did, r.Reply)
	g.model.Remember(asker(x.Request), g.whole, r.Reply)
	g.x.meant = x.meant
	heed(g.Answerer, g.x)
}
