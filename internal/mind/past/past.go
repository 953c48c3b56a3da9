// Package past holds what turns did to the devices of the house: to take it back, to do
// it elsewhere, and to account for it when a user asks why. It reads receipts and plans,
// and makes no call. Who did what in the house, and when, is answered in account.go.
package past

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// Deed is what was done to one device.
type Deed struct {
	Device string        // its id; "" if the house does not know it
	Name   string        // its name in the receipt
	Act    intent.Action // Intent is "" if the act cannot be planned for another device
	Change plan.Change
	Ahead  bool // it was done only for the act after it
}

// Turn is what a turn did. The zero Turn did nothing.
type Turn struct {
	Text   string // what was said
	Deeds  []Deed
	Origin *Deed // the act that "the other one" can repeat on another device; nil: none
	Rest   bool  // something was done that is not the state of a device
	Sound  *Sound
	// Started are the ids of the timers, alarms, reminders and commands for later that were
	// set, which are cancelled where the turn is taken back.
	Started []string
	Undone  int // 1: undone, 2: undone and done again
}

// Sound is how loud the gateway was before its volume was changed; nil: it was not changed.
type Sound struct {
	Level int  `json:"level"` // percent
	Muted bool `json:"muted"`
}

// soundBefore is how loud the gateway was before a call; nil if the call changes something
// else, or nothing.
func soundBefore(c tools.Call, r tools.Result) *Sound {
	var loud struct {
		Sound

		Before *Sound `json:"before"`
	}
	if c.Tool != volumeTool || r.Failed || json.Unmarshal(r.Data, &loud) != nil || loud.Before == nil || *loud.Before == loud.Sound {
		return nil
	}
	return loud.Before
}

// volumeTool is the tool that changes how loud the gateway is.
const volumeTool = "set_volume"

// PlanSound plans to make the gateway as loud as it was.
func PlanSound(before *Sound) []plan.Step {
	if before == nil {
		return nil
	}
	acts := []intent.Action{{Intent: catalogue.SetVolume, Slots: map[string]any{"volume_level": before.Level}}}
	if before.Muted {
		acts = append(acts, intent.Action{Intent: catalogue.MediaPlayerMute, Slots: map[string]any{}})
	}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: acts}, &home.House{}, "")
	if err != nil {
		return nil
	}
	return steps
}

// Idle reports whether a turn did nothing.
func (t *Turn) Idle() bool {
	return len(t.Deeds) == 0 && len(t.Started) == 0 && !t.Rest && t.Sound == nil
}

// Of returns what the steps of a plan changed. results and problems have one element for
// each step; the problem of a step that succeeded is "".
func Of(h *home.House, text string, steps []plan.Step, results []tools.Result, problems []string) Turn {
	var t Turn
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Risk == tools.Read || s.Call.Tool == "":
		case s.Timer() && problems[i] == "" && timerStarted(results[i]) != "":
			t.Started = append(t.Started, timerStarted(results[i]))
		case soundBefore(s.Call, results[i]) != nil:
			t.Sound = cmp.Or(t.Sound, soundBefore(s.Call, results[i]))
		case s.Entity == nil || s.Action.Intent == catalogue.StopMoving:
			t.Rest = t.Rest || problems[i] == ""
		default:
			deeds := deedsOf(h, s.Call, results[i], s.Entity, s.Action)
			for j := range deeds {
				deeds[j].Ahead = s.Ahead
			}
			t.Deeds = append(t.Deeds, deeds...)
		}
	}
	return t.As(text)
}

// timerStarted is the id of the one timer that a call has started, "" where it started none.
func timerStarted(r tools.Result) string {
	var set struct {
		Outcome string `json:"outcome"`
		Timers  []struct {
			ID string `json:"id"`
		} `json:"timers"`
	}
	if json.Unmarshal(r.Data, &set) != nil || set.Outcome != "started" || len(set.Timers) != 1 {
		return ""
	}
	return set.Timers[0].ID
}

// Add adds what a call did that was made without a plan.
func (t *Turn) Add(h *home.House, c tools.Call, r tools.Result, e *home.Entity) {
	act, _ := plan.Repeat(c)
	if before := soundBefore(c, r); before != nil {
		t.Sound = cmp.Or(t.Sound, before)
		return
	}
	deeds := deedsOf(h, c, r, e, act)
	t.Deeds = append(t.Deeds, deeds...)
	t.Rest = t.Rest || act.Intent == catalogue.StopMoving || len(deeds) == 0 && !r.Failed && DeviceOf(c.Args) == ""
}

// As sets the text of a turn, and its origin if exactly one known act on one known
// device was done.
func (t Turn) As(text string) Turn {
	t.Text, t.Origin = text, nil
	own := slices.DeleteFunc(slices.Clone(t.Deeds), func(d Deed) bool { return d.Ahead })
	if len(own) == 1 && own[0].Act.Intent != "" && own[0].Device != "" {
		t.Origin = &own[0]
	}
	return t
}

// With joins what two parts of one sentence did into one turn, so that an undo
// takes both back. The first part counts only if it is the turn with that text.
func (t Turn) With(first *Turn, text, whole string) Turn {
	t.Text = whole
	if first != nil && first.Text == text && first.Undone == 0 {
		t.Deeds, t.Rest, t.Origin = slices.Concat(first.Deeds, t.Deeds), t.Rest || first.Rest, nil
		t.Started, t.Sound = slices.Concat(first.Started, t.Started), cmp.Or(first.Sound, t.Sound)
	}
	return t
}

// After joins what was done with what the same sentence had done before it asked.
func (t Turn) After(begun Turn) Turn {
	if begun.Idle() || t.Idle() {
		return t
	}
	t.Deeds, t.Rest, t.Started = slices.Concat(begun.Deeds, t.Deeds), t.Rest || begun.Rest, slices.Concat(begun.Started, t.Started)
	t.Sound = cmp.Or(begun.Sound, t.Sound)
	return t.As(begun.Text)
}

// Apart divides deeds into those on some devices and the others.
func Apart(deeds []Deed, devices []string) (on, others []Deed) {
	for _, d := range deeds {
		if slices.Contains(devices, d.Device) {
			on = append(on, d)
		} else {
			others = append(others, d)
		}
	}
	return on, others
}

// deedsOf reads from a call's receipt what it did to devices. The entity is nil if
// only the receipt says which devices they were.
func deedsOf(h *home.House, c tools.Call, r tools.Result, e *home.Entity, act intent.Action) []Deed {
	got := r.Receipt
	if got == nil || act.Intent == catalogue.StopMoving {
		return nil
	}
	if e == nil && len(got.Devices) > 0 {
		var all []Deed
		for _, one := range got.Devices {
			if one.Sent() {
				all = append(all, deedOn(FindByName(h, c.Server, one.Device), &one, act))
			}
		}
		return all
	}
	if !got.Sent() {
		return nil
	}
	if e == nil {
		e = FindByName(h, c.Server, got.Device)
	}
	return []Deed{deedOn(e, got, act)}
}

func deedOn(e *home.Entity, r *tools.Receipt, act intent.Action) Deed {
	d := Deed{Name: r.Device, Act: act, Change: plan.Change{Receipt: *r}}
	if e != nil {
		d.Device = e.ID
	}
	if act.Intent == catalogue.ListAddItem || act.Intent == catalogue.ListRemoveItem {
		d.Change.Item, _ = act.Slots["item"].(string)
	}
	return d
}

// ThingsOf lists the ids of the devices that a call acted on, or may have.
func ThingsOf(h *home.House, c record.CallMade) (ids []string) {
	for _, r := range members(c.Receipt) {
		if e := FindByName(h, c.Server, r.Device); e != nil && r.Sent() {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// SetTogether reports whether two properties of a device are set by the same acts: a
// lamp's level, and whether it is on.
func SetTogether(a, b string) bool { return setBy(a) == setBy(b) }

// FindByName finds the device of a server by its name or control id; nil if there is
// none or several have that name.
func FindByName(h *home.House, server, name string) *home.Entity {
	var found *home.Entity
	for i := range h.Entities {
		e := &h.Entities[i]
		if e.Control == nil || e.Server != server || !strings.EqualFold(e.Name, name) && e.Control.ID != name {
			continue
		}
		if found != nil {
			return nil
		}
		found = e
	}
	return found
}

// SwitchedOff reports whether a turn switched things off and did nothing else, so that
// "everything back on" takes it back. Closing and unlocking are the same intent, and no
// switching off.
func (t *Turn) SwitchedOff() bool {
	other := func(d Deed) bool {
		return d.Act.Intent != catalogue.TurnOff || slices.Contains([]string{"open_close", "position", "lock"}, d.Change.Property)
	}
	return len(t.Deeds) > 0 && t.Undone == 0 && !slices.ContainsFunc(t.Deeds, other)
}
