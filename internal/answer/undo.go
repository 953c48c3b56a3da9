package answer

import (
	"context"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// undo restores what the last turn changed. A second undo does it again, a third
// one does nothing. An undo obeys the same safety rules, order and receipts as any
// act.
func (a *Answerer) undo(ctx context.Context, x *exchange, d intent.Decision) past {
	x.rec.Outcome = record.Done
	if x.before == nil || x.before.undone > 1 || !x.DryRun && !a.memory.claim(x.Request, x.before) {
		x.rec.Reply = a.phrases.Phrase("nothing_to_undo", nil)
		return past{}
	}
	steps, denied := x.before.takenBack(a.match.House())
	switch {
	case len(steps) > 0:
	case len(denied) > 0:
		steps, denied = denied, nil // carry refuses them and says why
	case x.before.rest:
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Phrase("cannot_undo", nil), "what was done is no device's state"
		return past{}
	default:
		x.rec.Reply = a.phrases.Phrase("nothing_changed", nil)
		return past{}
	}
	did := a.carry(ctx, x, d, steps)
	if x.rec.Outcome == record.Asked || len(did.deeds) == 0 {
		return *x.before // the person may ask for the undo again
	}
	did.text, did.origin, did.undone = x.before.text, x.before.origin, x.before.undone+1
	if len(denied) > 0 {
		partly(x.rec, a.phrases.Denied(denied), "dangerous acts are off (safety.dangerous: deny)")
	}
	if x.before.rest {
		partly(x.rec, a.phrases.Phrase("cannot_undo_rest", nil), "some of what was done is no device's state")
	}
	return did
}

// partly adds to the reply which part of an undo was not possible.
func partly(rec *record.Record, said, why string) {
	rec.Reply += " " + said
	if worse[rec.Outcome] < worse[record.Failed] {
		rec.Outcome, rec.Error = record.Failed, why
	}
}

// takenBack plans to restore every device that was changed. Steps that would be
// dangerous are returned in denied.
func (p *past) takenBack(h *home.House) (steps, denied []plan.Step) {
	for _, d := range merged(p.deeds) {
		if !d.change.Moved() {
			continue
		}
		e := h.Entity(d.device)
		if e == nil {
			e = &home.Entity{Name: d.name} // the device is gone or could not be identified
			d.change.Before = nil
		}
		s := plan.Restore(e, d.change)
		if s.Risk == tools.Dangerous {
			denied = append(denied, s)
		} else {
			steps = append(steps, s)
		}
	}
	return steps, denied
}

// merged joins several changes of the same property of a device into one: from the
// value before the first change to the value after the last.
func merged(deeds []deed) []deed {
	var out []deed
	at := map[string]int{}
	for _, d := range deeds {
		key := d.device + "\n" + setBy(d.change.Property)
		i, ok := at[key]
		if !ok || d.device == "" {
			at[key] = len(out)
			out = append(out, d)
			continue
		}
		last := d.change.Receipt
		out[i].change.Last = &last
	}
	return out
}

// setBy groups the properties of a device that are set together: a lamp's level and
// whether it is on share one key; mode, setpoint and colour have their own.
func setBy(property string) string {
	switch home.Ability(property) {
	case home.Mode, home.Setpoint, home.Colour:
		return property
	default:
		return ""
	}
}

// other takes back what was done to one device and does it to another one. It asks
// which one if several may be meant.
func (a *Answerer) other(ctx context.Context, x *exchange, d intent.Decision) past {
	x.rec.Outcome = record.Done
	if x.before == nil {
		x.rec.Reply = a.phrases.Phrase("nothing_to_undo", nil)
		return past{}
	}
	if x.before.origin == nil {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Phrase("cannot_undo", nil), "the turn before was not about one device"
		return past{}
	}
	others := chosen(a.match, d, x.before)
	if len(others) != 1 {
		a.whichOther(x, d, others)
		return past{}
	}
	act := x.before.origin.act
	act.Slots = maps.Clone(act.Slots)
	act.Slots["name"], act.Devices = others[0].Name, []string{others[0].ID}
	more, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{act}}, a.match.House(), x.Area)
	if err == nil && len(more) == 1 {
		err = more[0].Err
	}
	if err != nil {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Apology(err), err.Error()
		return past{}
	}
	if !x.DryRun && !a.memory.claim(x.Request, x.before) {
		x.rec.Reply = a.phrases.Phrase("nothing_to_undo", nil)
		return past{}
	}
	var steps []plan.Step
	if x.before.undone != 1 {
		var denied []plan.Step
		steps, denied = x.before.takenBack(a.match.House())
		more = append(more, denied...) // one denied step keeps all steps from being made
	}
	did := a.carry(ctx, x, d, append(steps, more...))
	if len(did.deeds) == 0 {
		return *x.before
	}
	return onlyOn(did, others[0].ID, x.before)
}

// onlyOn keeps of what "the other one" did only the act on the other device,
// because that is what a person would take back next.
func onlyOn(did past, device string, before *past) past {
	did.deeds = slices.DeleteFunc(did.deeds, func(d deed) bool { return d.device != device })
	did = did.as(before.text)
	if len(did.deeds) == 0 { // the other device did not act, but the first one is restored
		did = *before
		did.undone = 1
	}
	return did
}

// chosen returns the devices that "the other one" may mean.
func chosen(match Matcher, d intent.Decision, before *past) []*home.Entity {
	if ids := d.Actions[0].Devices; len(ids) > 0 {
		return entitiesOf(match.House(), ids)
	}
	first := before.origin.device
	// Without the microphone's room, the same words may fit another device.
	if again := match.Match(before.text, ""); again.Route == intent.Ask && slices.Contains(again.Options, first) {
		return entitiesOf(match.House(), slices.DeleteFunc(slices.Clone(again.Options), func(id string) bool { return id == first }))
	}
	e := match.House().Entity(first)
	if e == nil {
		return nil
	}
	return like(match.House(), e, func(x *home.Entity) bool { return x.In(e.Area) })
}

// like returns the other controllable devices of the same kind for which fits is
// true.
func like(h *home.House, e *home.Entity, fits func(*home.Entity) bool) []*home.Entity {
	var out []*home.Entity
	for i := range h.Entities {
		x := &h.Entities[i]
		if x.ID != e.ID && x.Control != nil && x.Domain == e.Domain && strings.EqualFold(x.DeviceClass(), e.DeviceClass()) && fits(x) {
			out = append(out, x)
		}
	}
	return out
}

func entitiesOf(h *home.House, ids []string) []*home.Entity {
	var out []*home.Entity
	for _, id := range ids {
		if e := h.Entity(id); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// whichOther asks which other device is meant. If none fits, any device of the same
// kind may be chosen.
func (a *Answerer) whichOther(x *exchange, d intent.Decision, several []*home.Entity) {
	x.rec.Outcome, x.rec.Reply = record.Asked, a.phrases.Which(several)
	if e := a.match.House().Entity(x.before.origin.device); e != nil && len(several) == 0 {
		several = like(a.match.House(), e, func(*home.Entity) bool { return true })
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

// doneBy returns what the steps of a turn changed.
func doneBy(h *home.House, text string, steps []plan.Step, done calls) past {
	var p past
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Risk == tools.Read || s.Call.Tool == "":
		case s.Entity == nil || s.Action.Intent == stopMoving:
			p.rest = p.rest || done.problems[i] == ""
		default:
			p.deeds = append(p.deeds, deedsOf(h, s.Call, done.results[i], s.Entity, s.Action)...)
		}
	}
	return p.as(text)
}

// add adds what a call did that was made without a plan.
func (p *past) add(h *home.House, c tools.Call, r tools.Result, e *home.Entity) {
	act, _ := plan.Repeat(c)
	deeds := deedsOf(h, c, r, e, act)
	p.deeds = append(p.deeds, deeds...)
	p.rest = p.rest || act.Intent == stopMoving || len(deeds) == 0 && !r.Failed && !aboutDevice(c.Args)
}

// stopMoving is the only act on a device that cannot be taken back: it leaves no
// earlier state to return to.
const stopMoving = catalogue.StopMoving

// as sets the text of a past, and its origin if exactly one known act on one known
// device was done.
func (p past) as(text string) past {
	p.text, p.origin = text, nil
	if len(p.deeds) == 1 && p.deeds[0].act.Intent != "" && p.deeds[0].device != "" {
		origin := p.deeds[0]
		p.origin = &origin
	}
	return p
}
