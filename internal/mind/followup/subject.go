package followup

import (
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/mind/past"
)

// OfActs is the subject of acts that were understood, with what they did; nil if they
// were about nothing that can be referred to. Named finds those of some things that
// the answer to a question has named.
func OfActs(acts []intent.Action, deeds []past.Deed, named func(things []string) []string) *Subject {
	t := &Subject{}
	for _, act := range plainly(acts) {
		if Accounts(act) { // the next question is about states
			act = intent.Action{Intent: catalogue.GetState, Slots: map[string]any{"name": act.Slots["name"]}, Devices: act.Devices}
		}
		in := catalogue.Of(act.Intent)
		if len(act.Devices) > 0 && in.Plan != catalogue.Before || in.Plan == catalogue.Tool && in.Undo == catalogue.Final {
			t.Acts = append(t.Acts, act)
		}
	}
	if len(t.Acts) == 0 {
		return nil
	}
	for i := range acts {
		if acts[i].Intent == catalogue.Until {
			t.End = &acts[i]
		}
	}
	for _, d := range deeds {
		if lowered(d.Change) {
			t.Lowered = append(t.Lowered, d.Device)
		}
	}
	t.Things, t.Apart = t.standsFor(named)
	return t
}

// plainly are acts without their ends: what follows is about what was done.
func plainly(acts []intent.Action) []intent.Action {
	var out []intent.Action
	for _, act := range acts {
		if act.Intent == catalogue.Until {
			out = append(out, act.Later...)
		} else {
			out = append(out, act)
		}
	}
	return out
}

// lowered reports whether a change moved something down.
func lowered(c plan.Change) bool {
	before, known := c.BeforeLevel.(float64)
	now, ok := c.Value.(float64)
	return known && ok && now < before
}

// OfDeeds is the subject of acts that are known only by what they did; nil if they did
// nothing.
func OfDeeds(deeds []past.Deed) *Subject {
	t := &Subject{}
	for _, d := range deeds {
		if d.Act.Intent != "" && d.Device != "" {
			act := d.Act
			act.Devices = []string{d.Device}
			t.Acts, t.Things = append(t.Acts, act), append(t.Things, d.Device)
		}
	}
	if len(t.Acts) == 0 {
		return nil
	}
	t.Apart = len(t.Acts) > 1
	return t
}

// standsFor finds the things that "it" means after a sentence: those it was about,
// or after a question about several things those that the answer names. They are
// apart if they are no group of one kind.
func (t *Subject) standsFor(named func(things []string) []string) (things []string, apart bool) {
	for _, id := range t.devices() {
		if !slices.Contains(things, id) {
			things = append(things, id)
		}
	}
	if len(things) < 2 {
		return things, false
	}
	if !t.Asks() {
		slots := t.Acts[0].Slots
		return things, len(t.Acts) > 1 || slots["domain"] == nil && slots["area"] == nil && slots["kind"] == nil && slots["device_class"] == nil
	}
	if some := named(things); len(some) > 0 {
		things = some
	}
	return things, len(things) > 1
}
