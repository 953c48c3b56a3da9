package mind

import (
	"maps"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/past"
)

// undo restores what the last turn changed. A second undo does it again, a third
// one does nothing. An undo obeys the same safety rules, order and receipts as any
// act.
func (u *understanding) undo(o Order, m Memory, h *home.House) Order {
	before := m.Before
	if m.Tapped != nil && o.Meant.Actions[0].Intent == catalogue.Undo {
		before = m.Tapped
	}
	if before == nil || before.Undone > 1 || o.Meant.Actions[0].Slots["back"] == "on" && !before.SwitchedOff() {
		return o.say(u.phrases.Phrase("nothing_to_undo", nil), record.Done, "")
	}
	o.Claim = before
	steps, denied := planTakeBack(h, &before.Turn)
	switch {
	case len(steps) > 0:
		o.Do, o.Denied = steps, denied
	case len(denied) > 0:
		o.Do = denied // the guard refuses them and says why
	case before.Rest:
		return o.say(u.phrases.Phrase("cannot_undo", nil), record.Failed, "what was done is no device's state")
	default:
		return o.say(u.phrases.Phrase("nothing_changed", nil), record.Done, "")
	}
	o.Rest = before.Rest
	o.Leaves = func(did past.Turn) past.Turn {
		did.Text, did.Origin, did.Undone = before.Text, before.Origin, before.Undone+1
		return did
	}
	return o
}

// planTakeBack plans to take back what a turn did to devices and to the volume, and to cancel
// the timers that it has set.
func planTakeBack(h *home.House, t *past.Turn) (steps, denied []plan.Step) {
	steps, denied = past.PlanUndo(h, t.Deeds)
	steps = append(steps, past.PlanSound(t.Sound)...)
	return append(steps, planCancel(h, t.Started)...), denied
}

// planCancel plans to cancel the timers that a turn has set.
func planCancel(h *home.House, ids []string) []plan.Step {
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

// other takes back what was done to one device and does it to another one. It asks
// which one if several may be meant.
func (u *understanding) other(o Order, x Exchange, m Memory, h *home.House) Order {
	before := m.Before
	if before == nil {
		return o.say(u.phrases.Phrase("nothing_to_undo", nil), record.Done, "")
	}
	if before.Origin == nil {
		return o.say(u.phrases.Phrase("cannot_undo", nil), record.Failed, "the turn before was not about one device")
	}
	others := u.otherThings(o.Meant, before, h)
	if len(others) != 1 {
		return u.whichOther(o, x, before, others, h)
	}
	act := before.Origin.Act
	act.Slots = maps.Clone(act.Slots)
	act.Slots["name"], act.Devices = others[0].Name, []string{others[0].ID}
	more, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{act}}, h, x.Area)
	if err == nil && len(more) > 0 {
		err = more[len(more)-1].Err // before it stands at most what makes it show
	}
	if err != nil {
		return o.say(u.phrases.Apology(err), record.Failed, err.Error())
	}
	o.Claim = before
	if before.Undone != 1 {
		steps, denied := past.PlanUndo(h, before.Deeds)
		more = slices.Concat(steps, more, denied) // one denied step keeps all steps from being made
	}
	o.Do = more
	o.Leaves = func(did past.Turn) past.Turn {
		if len(did.Deeds) == 0 {
			return before.Turn
		}
		return onlyOn(did, others[0].ID, before)
	}
	return o
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

// otherThings returns the devices that "the other one" may mean.
func (u *understanding) otherThings(d intent.Decision, before *remembered, h *home.House) []*home.Entity {
	if ids := d.Actions[0].Devices; len(ids) > 0 {
		return h.Some(ids)
	}
	first := before.Origin.Device
	// Without the microphone's room, the same words may fit another device.
	if again := u.match.Match(before.Text, ""); again.Route == intent.Ask && slices.Contains(again.Options, first) {
		return h.Some(slices.DeleteFunc(slices.Clone(again.Options), func(id string) bool { return id == first }))
	}
	e := h.Entity(first)
	if e == nil {
		return nil
	}
	return h.Like(e, func(x *home.Entity) bool { return x.In(e.Area) })
}

// whichOther asks which other device is meant. If none matches, any device of the same
// kind may be chosen.
func (u *understanding) whichOther(o Order, x Exchange, before *remembered, several []*home.Entity, h *home.House) Order {
	ask := u.phrases.Which(several)
	if e := h.Entity(before.Origin.Device); e != nil && len(several) == 0 {
		several = h.Like(e, func(*home.Entity) bool { return true })
	}
	kept := question{decision: o.Meant, text: x.Text}
	for _, e := range several {
		kept.decision.Options = append(kept.decision.Options, e.ID)
	}
	if len(kept.decision.Options) == 0 {
		return o.say(u.phrases.Phrase("no_device_plain", nil), record.Failed, "there is no other device of its kind")
	}
	o.Ask = &kept
	return o.say(ask, record.Asked, "")
}
