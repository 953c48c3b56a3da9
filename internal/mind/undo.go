package mind

import (
	"context"
	"maps"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/mind/teaching"
)

// undo restores what the last turn changed. A second undo does it again, a third
// one does nothing. An undo obeys the same safety rules, order and receipts as any
// act.
func (a *Answerer) undo(ctx context.Context, x *exchange, d intent.Decision) past.Turn {
	x.rec.Outcome = record.Done
	if x.before == nil || x.before.Undone > 1 || d.Actions[0].Slots["back"] == "on" && !x.before.SwitchedOff() || !x.DryRun && !a.memory.claim(x.Request, x.before) {
		x.rec.Reply = a.phrases.Phrase("nothing_to_undo", nil)
		return past.Turn{}
	}
	steps, denied := takenBack(a.match.House(), &x.before.Turn)
	switch {
	case len(steps) > 0:
	case len(denied) > 0:
		steps, denied = denied, nil // carry refuses them and says why
	case x.before.Rest:
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Phrase("cannot_undo", nil), "what was done is no device's state"
		return past.Turn{}
	default:
		x.rec.Reply = a.phrases.Phrase("nothing_changed", nil)
		return past.Turn{}
	}
	did := a.carry(ctx, x, d, steps)
	if x.rec.Outcome == record.Asked || tookNothing(&did, &x.before.Turn) {
		return x.before.Turn // the person may ask for the undo again
	}
	did.Text, did.Origin, did.Undone = x.before.Text, x.before.Origin, x.before.Undone+1
	if len(denied) > 0 {
		no := a.guard.Denied(denied)
		x.rec.Partly(no.Said, no.Why)
	}
	if x.before.Rest {
		x.rec.Partly(a.phrases.Phrase("cannot_undo_rest", nil), "some of what was done is no device's state")
	}
	return did
}

// tookNothing reports whether an undo did nothing of what it could do.
func tookNothing(did, before *past.Turn) bool { return len(did.Deeds) == 0 && len(before.Started) == 0 }

// takenBack plans to take back what a turn did to devices, and to cancel the timers that
// it has set.
func takenBack(h *home.House, t *past.Turn) (steps, denied []plan.Step) {
	steps, denied = past.TakenBack(h, t.Deeds)
	return append(steps, cancelled(h, t.Started)...), denied
}

// cancelled plans to cancel the timers that a turn has set.
func cancelled(h *home.House, ids []string) []plan.Step {
	var actions []intent.Action
	for _, id := range ids {
		actions = append(actions, intent.Action{Intent: catalogue.CancelTimer, Slots: map[string]any{"id": id}})
	}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: actions}, h, "")
	if err != nil {
		return nil
	}
	return steps
}

// taught learns from what is said of the turn before. One that was wrong is taken back.
func taught(ctx context.Context, a *Answerer, x *exchange, d intent.Decision) (did past.Turn) {
	if d.Actions[0].Intent == catalogue.Wrong && (x.before != nil && x.before.latest || !teaching.Able(a.match)) {
		did = a.undo(ctx, x, d)
	}
	teaching.Note(a.match, a.phrases, x.Request, x.rec, d.Actions[0])
	return did
}

// other takes back what was done to one device and does it to another one. It asks
// which one if several may be meant.
func (a *Answerer) other(ctx context.Context, x *exchange, d intent.Decision) past.Turn {
	x.rec.Outcome = record.Done
	if x.before == nil {
		x.rec.Reply = a.phrases.Phrase("nothing_to_undo", nil)
		return past.Turn{}
	}
	if x.before.Origin == nil {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Phrase("cannot_undo", nil), "the turn before was not about one device"
		return past.Turn{}
	}
	others := chosen(a.match, d, x.before)
	if len(others) != 1 {
		a.whichOther(x, d, others)
		return past.Turn{}
	}
	act := x.before.Origin.Act
	act.Slots = maps.Clone(act.Slots)
	act.Slots["name"], act.Devices = others[0].Name, []string{others[0].ID}
	more, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{act}}, a.match.House(), x.Area)
	if err == nil && len(more) > 0 {
		err = more[len(more)-1].Err // before it stands at most what makes it show
	}
	if err != nil {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Apology(err), err.Error()
		return past.Turn{}
	}
	if !x.DryRun && !a.memory.claim(x.Request, x.before) {
		x.rec.Reply = a.phrases.Phrase("nothing_to_undo", nil)
		return past.Turn{}
	}
	var steps []plan.Step
	if x.before.Undone != 1 {
		var denied []plan.Step
		steps, denied = past.TakenBack(a.match.House(), x.before.Deeds)
		more = append(more, denied...) // one denied step keeps all steps from being made
	}
	did := a.carry(ctx, x, d, append(steps, more...))
	if len(did.Deeds) == 0 {
		return x.before.Turn
	}
	return onlyOn(did, others[0].ID, x.before)
}

// onlyOn keeps, of what "the other one" did, only the act on the other device, because a
// user would take that back next.
func onlyOn(did past.Turn, device string, before *remembered) past.Turn {
	did.Deeds = slices.DeleteFunc(did.Deeds, func(d past.Deed) bool { return d.Device != device })
	did = did.As(before.Text)
	if len(did.Deeds) == 0 { // the other device did not act, but the first one is restored
		did = before.Turn
		did.Undone = 1
	}
	return did
}

// chosen returns the devices that "the other one" may mean.
func chosen(match Matcher, d intent.Decision, before *remembered) []*home.Entity {
	if ids := d.Actions[0].Devices; len(ids) > 0 {
		return match.House().Some(ids)
	}
	first := before.Origin.Device
	// Without the microphone's room, the same words may fit another device.
	if again := match.Match(before.Text, ""); again.Route == intent.Ask && slices.Contains(again.Options, first) {
		return match.House().Some(slices.DeleteFunc(slices.Clone(again.Options), func(id string) bool { return id == first }))
	}
	e := match.House().Entity(first)
	if e == nil {
		return nil
	}
	return match.House().Like(e, func(x *home.Entity) bool { return x.In(e.Area) })
}

// whichOther asks which other device is meant. If none matches, any device of the same
// kind may be chosen.
func (a *Answerer) whichOther(x *exchange, d intent.Decision, several []*home.Entity) {
	x.rec.Outcome, x.rec.Reply = record.Asked, a.phrases.Which(several)
	if e := a.match.House().Entity(x.before.Origin.Device); e != nil && len(several) == 0 {
		several = a.match.House().Like(e, func(*home.Entity) bool { return true })
	}
	for _, e := range several {
		d.Options = append(d.Options, e.ID)
	}
	if len(d.Options) == 0 {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Phrase("no_device_plain", nil), "there is no other device of its kind"
		return
	}
	a.remember(x.Request, d)
}
