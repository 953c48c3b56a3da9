package answer

import (
	"context"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// How much is remembered of what was done in the whole house, for the question why.
// The words of the turns are not: what was said in one room is not told in another.
const (
	mostEntries = 300
	ledgerTime  = 5 * time.Hour
)

// ledger remembers what was done to the devices of the house, the newest last. It is
// safe for concurrent use.
type ledger struct {
	mu   sync.Mutex
	kept []entry
}

// entry is what one turn did to one device, and where the turn came from.
type entry struct {
	turn     string
	device   string // its id
	property string
	value    any
	at       time.Time
	source   record.Source
	area     string
	model    bool // a language model chose it
	undo     bool // it was taken back
}

// note enters what a turn did.
func (l *ledger) note(h *home.House, q record.Request, rec *record.Record, meant intent.Decision) {
	var more []entry
	undo := meant.Route == intent.Local && len(meant.Actions) > 0 && meant.Actions[0].Intent == catalogue.Undo
	for _, c := range rec.Calls {
		for _, r := range members(c.Receipt) {
			e := named(h, c.Server, r.Device)
			if e == nil || !r.Sent() {
				continue
			}
			more = append(more, entry{
				turn: rec.ID, device: e.ID, property: r.Property, value: r.Value, at: time.Now(),
				source: q.Source, area: q.Area, model: rec.Route == record.RouteModel, undo: undo,
			})
		}
	}
	if len(more) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, more...)
	l.kept = slices.Clone(l.kept[max(0, len(l.kept)-mostEntries):])
}

// members are the receipts of the devices of a call.
func members(r *record.Receipt) []tools.Receipt {
	switch {
	case r == nil:
		return nil
	case len(r.Devices) > 0:
		return r.Devices
	}
	return []tools.Receipt{tools.Receipt(*r)}
}

// last returns the newest entry that fits and is not too old.
func (l *ledger) last(fits func(e *entry) bool) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.kept) {
		if time.Since(e.at) > ledgerTime {
			break
		}
		if fits(&e) {
			return e, true
		}
	}
	return entry{}, false
}

// ofTurn returns the entries of one turn.
func (l *ledger) ofTurn(id string) []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.kept), func(e entry) bool { return e.turn != id })
}

// explanation is the answer to one question about what was done.
type explanation struct {
	*Answerer
	x *exchange
}

// retold are the words for what was done.
func (ex explanation) retold() reply.Retold { return reply.Retold{Phrases: ex.phrases} }

// explained answers a question about what was done before, from the ledger and from
// what the devices report.
func explained(ctx context.Context, a *Answerer, x *exchange, d intent.Decision) past {
	x.rec.Outcome = record.Done
	ex := explanation{a, x}
	act := d.Actions[0]
	switch {
	case x.DryRun:
		x.rec.Outcome = record.Ignored
	case act.Intent == catalogue.WhatDone:
		x.rec.Reply = ex.account(func(e *entry) bool { return asker(record.Request{Source: e.source, Area: e.area}) == asker(x.Request) }, true)
	case act.Intent == catalogue.WhoDid:
		x.rec.Reply = ex.account(func(*entry) bool { return true }, false)
	default:
		x.rec.Reply = ex.why(ctx, act)
	}
	return past{}
}

// account tells what the last turn did that fits: when, or who asked for it.
func (ex explanation) account(fits func(e *entry) bool, timed bool) string {
	h := ex.match.House()
	known := func(e *entry) bool { return h.Entity(e.device) != nil }
	last, ok := ex.ledger.last(func(e *entry) bool { return fits(e) && known(e) })
	if !ok {
		return ex.phrases.Phrase("nothing_lately", nil)
	}
	var deeds []reply.Deed
	for _, e := range ex.ledger.ofTurn(last.turn) {
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

// deed is an entry as it is told to the one who asks.
func (ex explanation) deed(e *entry) *reply.Deed {
	return &reply.Deed{
		Entity: ex.match.House().Entity(e.device), Property: e.property, Value: e.value, At: e.at,
		Asker: reply.Asker{
			Mine: asker(record.Request{Source: e.source, Area: e.area}) == asker(ex.x.Request), Area: e.area,
			Written: e.source == record.FromHTTP || e.source == record.FromCLI, MQTT: e.source == record.FromMQTT, Undo: e.undo, Model: e.model,
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
	done := ex.calls.all(ctx, ex.calls.queue.Take(nil), steps)
	done.into(ex.x)
	ex.x.rec.Outcome, ex.x.rec.Error = record.Done, ""
	var things []*home.Entity
	var told, others []string
	for i := range steps {
		if steps[i].Entity == nil {
			continue
		}
		seen := ex.retold().Sight(&steps[i], done.results[i], state)
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
func (ex explanation) one(act intent.Action, s *plan.Step, seen reply.Sighting, state string) string {
	into := func(e *entry) bool {
		return e.device == s.Entity.ID && ex.retold().Into(ex.deed(e), state)
	}
	last, did := ex.ledger.last(func(e *entry) bool { return e.device == s.Entity.ID })
	switch {
	case act.Slots["ask"] == "done":
		if last, did = ex.ledger.last(into); did {
			return ex.retold().Asked(ex.deed(&last))
		}
		if seen.Known && !seen.Is {
			return ex.phrases.Phrase("not_by_me", nil)
		}
	case did && into(&last) && (seen.Is || !seen.Known):
		return ex.retold().Asked(ex.deed(&last))
	case act.Intent == catalogue.Since:
		return ex.retold().Since(s.Entity, seen)
	}
	return ex.retold().Unexplained(seen)
}
