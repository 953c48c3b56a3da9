package answer

import (
	"context"
	"slices"
	"strings"

	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
)

// explanation is the answer to one question about what was done.
type explanation struct {
	*Answerer
	x *exchange
}

// retold are the words for what was done.
func (ex explanation) retold() reply.Retold { return reply.Retold{Phrases: ex.phrases} }

// explained answers a question about what was done before, from the ledger and from
// what the devices report.
func explained(ctx context.Context, a *Answerer, x *exchange, d intent.Decision) past.Turn {
	x.rec.Outcome = record.Done
	ex := explanation{a, x}
	act := d.Actions[0]
	switch {
	case x.DryRun:
		x.rec.Outcome = record.Ignored
	case act.Intent == catalogue.WhatDone:
		x.rec.Reply = ex.account(func(e *past.Entry) bool {
			return asker(record.Request{Source: e.Source, Area: e.Area}) == asker(x.Request)
		}, true)
	case act.Intent == catalogue.WhoDid:
		x.rec.Reply = ex.whoDid()
	default:
		x.rec.Reply = ex.why(ctx, act)
	}
	return past.Turn{}
}

// account tells what the last turn did that fits: when, or who asked for it.
func (ex explanation) account(fits func(e *past.Entry) bool, timed bool) string {
	h := ex.match.House()
	known := func(e *past.Entry) bool { return h.Entity(e.Device) != nil }
	last, ok := ex.ledger.Last(func(e *past.Entry) bool { return fits(e) && known(e) })
	if !ok {
		return ex.phrases.Phrase("nothing_lately", nil)
	}
	var deeds []reply.Deed
	for _, e := range ex.ledger.OfTurn(last.Turn) {
		if known(&e) {
			deeds = append(deeds, *ex.deed(&e))
		}
	}
	said := ex.retold().Done(deeds, timed)
	if !timed {
		said += " " + ex.retold().Asked(ex.deed(&last))
	}
	return said
}

// acting are the properties of things that somebody changes on purpose.
var acting = []string{string(home.OnOff), string(home.OpenClose), string(home.Lock), string(home.Mode), string(home.Contact)}

// whoDid tells who did what was done last: in this room where something has just been
// done by hand, else anywhere.
func (ex explanation) whoDid() string {
	h := ex.match.House()
	last, did := ex.ledger.Last(func(e *past.Entry) bool { return h.Entity(e.Device) != nil })
	hand, moved := ex.reports.Newest(func(c *past.Change) bool {
		return !c.Ours && slices.Contains(acting, c.Property) && h.Entity(c.Device) != nil &&
			(ex.x.Area == "" || strings.EqualFold(c.Area, ex.x.Area))
	})
	if !moved || did && last.At.After(hand.At) {
		return ex.account(func(*past.Entry) bool { return true }, false)
	}
	deed := reply.Deed{Entity: h.Entity(hand.Device), Property: hand.Property, Value: hand.State, At: hand.At}
	return ex.retold().Done([]reply.Deed{deed}, false) + " " + ex.retold().ByHand(&deed)
}

// deed is an entry as it is told to the one who asks.
func (ex explanation) deed(e *past.Entry) *reply.Deed {
	return &reply.Deed{
		Entity: ex.match.House().Entity(e.Device), Property: e.Property, Value: e.Value, At: e.At,
		Asker: reply.Asker{
			Mine: asker(record.Request{Source: e.Source, Area: e.Area}) == asker(ex.x.Request), Area: e.Area,
			Written: e.Source == record.FromHTTP || e.Source == record.FromCLI, MQTT: e.Source == record.FromMQTT, Undo: e.Undo, Model: e.Model,
			Timer: e.Source == record.FromTimer, Button: e.Source == record.FromButton,
		},
	}
}

// why tells of each thing that is asked about who did it, or that nobody asked and
// what the thing itself reported.
func (ex explanation) why(ctx context.Context, act intent.Action) string {
	state, _ := act.Slots["state"].(string)
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{
		{Intent: catalogue.GetState, Slots: map[string]any{}, Devices: act.Devices},
	}}, ex.match.House(), ex.x.Area)
	if err != nil {
		return ex.phrases.Apology(err)
	}
	ex.x.waits()
	done := ex.calls.All(ctx, ex.calls.Take(nil), steps)
	done.Into(ex.x.rec, ex.x.watch)
	ex.x.rec.Outcome, ex.x.rec.Error = record.Done, ""
	var things []*home.Entity
	var told, others []string
	for i := range steps {
		if steps[i].Entity == nil {
			continue
		}
		seen := ex.retold().Sight(&steps[i], done.Results[i], state)
		text := ex.one(act, &steps[i], seen, state)
		if len(steps) > 1 && seen.Known && !seen.Is {
			others = append(others, text) // not the one that is meant
			continue
		}
		things, told = append(things, steps[i].Entity), append(told, text)
	}
	switch {
	case len(told) > 0:
		return ex.retold().Each(things, told)
	case len(others) > 0:
		return others[0]
	}
	return ex.phrases.Phrase("nothing_lately", nil)
}

// one tells of one thing. What the gateway did last counts only if the thing is
// still so; a question what was done is about the act, whatever the thing is since.
// What a hand has done after it counts more than either.
func (ex explanation) one(act intent.Action, s *plan.Step, seen reply.Sighting, state string) string {
	into := func(e *past.Entry) bool {
		return e.Device == s.Entity.ID && ex.retold().Into(ex.deed(e), state)
	}
	last, did := ex.ledger.Last(func(e *past.Entry) bool { return e.Device == s.Entity.ID })
	if act.Slots["ask"] == "done" {
		last, did = ex.ledger.Last(into)
	}
	report, reported := ex.reported(s.Entity, state)
	switch by := ex.retold(); {
	case act.Slots["ask"] == "done":
		switch {
		case reported && !report.Ours && (!did || report.At.After(last.At)):
			return by.ByHand(ex.change(s.Entity, report))
		case did:
			return by.Asked(ex.deed(&last))
		case reported:
			return by.ByProgram(ex.change(s.Entity, report))
		case seen.Known && !seen.Is:
			return ex.phrases.Phrase("not_by_me", nil)
		}
	case reported && !report.Ours && seen.Is && (!did || report.At.After(last.At)):
		return by.ByHand(ex.change(s.Entity, report))
	case did && into(&last) && (seen.Is || !seen.Known):
		return by.Asked(ex.deed(&last))
	case act.Intent == catalogue.Since:
		return by.Since(s.Entity, seen)
	case reported && report.Ours && seen.Is:
		return by.ByProgram(ex.change(s.Entity, report))
	}
	return ex.retold().Unexplained(seen)
}

// reported returns the last change by which a thing came into a state by its own
// report; where it has left it since, that is the answer to nothing.
func (ex explanation) reported(e *home.Entity, state string) (past.Change, bool) {
	return ex.reports.Last(e.ID, func(c *past.Change) bool {
		return slices.Contains(acting, c.Property) && ex.retold().Into(ex.change(e, *c), state)
	})
}

// change is what a thing reported, as it is told.
func (ex explanation) change(e *home.Entity, c past.Change) *reply.Deed {
	return &reply.Deed{Entity: e, Property: c.Property, Value: c.State, At: c.At}
}
