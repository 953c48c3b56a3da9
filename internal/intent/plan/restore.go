package plan

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

// Change is what a turn did to one property of a device.
type Change struct {
	tools.Receipt // of the first call
	// Last is the receipt of the last call, if several calls are taken back as one;
	// nil if there was only one call.
	Last *tools.Receipt
	Item string // what was added to a list or taken off it; "": anything else was done
}

// Moved reports whether the device may have been in another state before. A lamp
// that was dimmed and is on after the act may have become brighter, though it was
// "on" before, too, and so has a blind that was half open: the level of the receipt
// may be from the middle of the way.
func (c *Change) Moved() bool {
	if c.Last != nil || !c.Done() || c.Before == nil || !sameSetting(c.Property, c.Before, c.Value) {
		return true
	}
	before, was := number(c.BeforeLevel)
	if _, is := number(c.ValueLevel); was && is && !alike(c.BeforeLevel, c.ValueLevel) {
		return true
	}
	state := slices.Contains([]home.Ability{home.OnOff, home.OpenClose}, home.Ability(c.Property))
	return state && was && before > 0 && before < full-rounding
}

const full = 100 // percent

// ChangedSince is the key of the Error of a step that would put back a state that was
// changed by another person or program since.
const ChangedSince = "changed_since"

// Left reports whether a report of the device shows that it was changed since: by hand
// or, if it is not a level that may still be moving, by another program. ours says that
// the report follows from a write of the device's server.
func (c *Change) Left(property string, state any, ours bool) bool {
	made := &c.Receipt
	if c.Last != nil {
		made = c.Last
	}
	switch ability := home.Ability(property); {
	case property == made.Property && (!ours || slices.Contains([]home.Ability{home.OnOff, home.Lock}, ability)):
		return made.Value != nil && state != nil && !sameSetting(property, state, made.Value)
	case ability == home.OnOff && slices.Contains([]home.Ability{home.Brightness, home.Colour, home.Speed}, home.Ability(made.Property)):
		level, isLevel := number(made.Value)
		return strings.EqualFold(wordOf(state), "off") && (!isLevel || level > 0)
	}
	return false
}

// Restore plans to bring a device back to its state before a change. It is an act like
// any other and may be dangerous. If the device is in another state than the change left
// it in, it was changed since by another person or program; then the step leaves it alone
// and has an Error.
func Restore(e *home.Entity, c Change) Step {
	a, ok := former(e, c)
	if !ok {
		a.Intent = catalogue.Undo
		return cannot(a, e, "unknown_before", "I don't know how %s was before.", nameOf(e))
	}
	a.Devices = []string{e.ID}
	s := device(a, e)
	s.Again = true
	made := &c.Receipt
	if c.Last != nil {
		made = c.Last
	}
	if s.Err != nil || s.Risk == tools.Dangerous || !made.Done() || e.Read == nil {
		return s // the state while something moves or sleeps tells nothing
	}
	control := s.Call
	look, err := call(e.Server, e.Read.Tool, map[string]any{"device_name": e.Read.ID})
	s.Call, s.Err, s.final = look, err, &control
	s.next = func(r tools.Result) (tools.Call, error) {
		now := present(made.Property, r)
		asLeft := sameSetting(made.Property, now, made.Value) && goneOn(made, r)
		asBefore := sameSetting(c.Property, present(c.Property, r), c.Before) && atLevel(c.BeforeLevel, r)
		if now == nil || asLeft || asBefore {
			return control, nil
		}
		text := "Somebody has changed " + nameOf(e) + " since."
		return tools.Call{}, &Error{Intent: a.Intent, Text: text, Key: ChangedSince, Entity: e}
	}
	return s
}

// former returns the act that makes a device what it was before; ok is false if
// that is not known.
func former(e *home.Entity, c Change) (intent.Action, bool) {
	if c.Before == nil {
		return intent.Action{}, false
	}
	level, isLevel := number(c.Before)
	word := strings.ToLower(wordOf(c.Before))
	ability := home.Ability(c.Property)
	switch {
	case slices.Contains([]home.Ability{home.OnOff, home.OpenClose, home.Lock}, ability):
		return turnBack(e, word, c)
	case ability == home.List:
		return turnList(c)
	case formerActs[ability] != nil:
		name, known := formerActs[ability][word]
		return intent.Action{Intent: name, Slots: map[string]any{}}, known
	case slices.Contains(levels, ability) && isLevel && level == 0 && e.Domain != "cover":
		return plainly(catalogue.TurnOff)
	}
	return setTo(ability, c.Before)
}

// turnList is former for a list: how much stands on it tells whether the item was added. One
// that was done is not undone, because no act of a house does that.
func turnList(c Change) (intent.Action, bool) {
	before, was := number(c.Before)
	now, is := number(c.Value)
	name := catalogue.ListRemoveItem
	if now < before {
		name = catalogue.ListAddItem
	}
	return intent.Action{Intent: name, Slots: map[string]any{"item": c.Item}}, c.Item != "" && was && is
}

// turnBack is former for devices that are on or off, open or closed, locked or
// not. If the level from before is known, it is used, because it tells more than
// the word.
func turnBack(e *home.Entity, word string, c Change) (intent.Action, bool) {
	switch word {
	case "off", "closed", "unlocked":
		return plainly(catalogue.TurnOff)
	case "on", "open", "locked":
	default:
		return intent.Action{}, false // opening, stopped, jammed
	}
	level, ok := number(c.BeforeLevel)
	onlyLevel := wordOf(c.Value) == word // the act changed nothing but the level
	if ok && level > 0 && (level < full || onlyLevel) {
		for _, l := range levels {
			if e.Can(l) {
				return setTo(l, c.BeforeLevel)
			}
		}
	}
	return plainly(catalogue.TurnOn)
}

// formerActs are the acts that bring what plays or drives around back to a state.
var formerActs = map[home.Ability]map[string]string{
	home.Play: {
		"playing": catalogue.MediaUnpause, "paused": catalogue.MediaPause, "idle": catalogue.PlayerStop,
		"off": catalogue.TurnOff, "standby": catalogue.TurnOff,
	},
	home.Mute: {"on": catalogue.PlayerMute, "off": catalogue.PlayerUnmute},
	home.Start: {
		"cleaning": catalogue.VacuumStart, "mowing": catalogue.VacuumStart, "paused": catalogue.VacuumStop, "idle": catalogue.VacuumStop,
		"docked": catalogue.VacuumReturnToBase, "returning": catalogue.VacuumReturnToBase,
	},
}

// levels are the abilities with a percentage.
var levels = []home.Ability{home.Brightness, home.Speed, home.Position}

// setTo returns the act that gives an ability a value; ok is false if no intent
// does.
func setTo(a home.Ability, value any) (intent.Action, bool) {
	word := counted[a]
	if word != "" {
		a = home.Setpoint
	}
	name, set, ok := catalogue.Setter(a)
	slots := map[string]any{set.Slot: value}
	if word != "" {
		slots[slotCounts] = word
	}
	return intent.Action{Intent: name, Slots: slots}, ok
}

func plainly(name string) (intent.Action, bool) {
	return intent.Action{Intent: name, Slots: map[string]any{}}, true
}

// wordOf returns a state as a word; switches that say true and false are on and
// off.
func wordOf(v any) string {
	switch w := v.(type) {
	case string:
		return w
	case bool:
		if w {
			return "on"
		}
		return "off"
	}
	return ""
}

// present returns what a device's state says of a property at present; nil if it
// says nothing.
func present(property string, r tools.Result) any {
	var state struct {
		State  any            `json:"state"`
		Values map[string]any `json:"values"`
	}
	if json.Unmarshal(r.Data, &state) != nil {
		return nil
	}
	switch home.Ability(property) {
	case home.OnOff, home.OpenClose, home.Lock, home.Play, home.Start:
		return state.State
	default:
		return state.Values[property]
	}
}

// levelNow returns the level in a device's state; ok is false if it has none.
func levelNow(r tools.Result) (level float64, ok bool) {
	var state struct {
		Values map[home.Ability]any `json:"values"`
	}
	if json.Unmarshal(r.Data, &state) != nil {
		return 0, false
	}
	for _, l := range levels {
		if level, ok = number(state.Values[l]); ok {
			return level, true
		}
	}
	return 0, false
}

// atLevel reports whether a device's state has a level; true as well if either of
// them is not known.
func atLevel(level any, r tools.Result) bool {
	now, known := levelNow(r)
	_, told := number(level)
	return !known || !told || alike(now, level)
}

// goneOn reports whether a device is at the level of a receipt, or has moved on from
// there in the same direction: the receipt may be from the middle of the movement.
func goneOn(made *tools.Receipt, r tools.Result) bool {
	now, known := levelNow(r)
	before, was := number(made.BeforeLevel)
	left, told := number(made.ValueLevel)
	return atLevel(made.ValueLevel, r) || known && was && told && (now-left)*(left-before) > 0
}

// How far apart two readings of one setting may be: dimmers count to 99, and
// thermostats think in halves of a degree.
const (
	rounding        = 1.5  // percent
	roundingDegrees = 0.25 // degrees
)

// sameSetting reports whether two readings of a property say the same.
func sameSetting(property string, a, b any) bool {
	n, isNumber := number(a)
	m, also := number(b)
	if isNumber && also && home.Ability(property) == home.List {
		return n == m
	}
	if isNumber && also && (home.Ability(property) == home.Setpoint || counted[home.Ability(property)] != "") {
		return math.Abs(n-m) <= roundingDegrees
	}
	return alike(a, b)
}

// alike reports whether two readings say the same.
func alike(a, b any) bool {
	if n, ok := number(a); ok {
		m, ok := number(b)
		// Off and slightly on are never the same.
		return ok && (n == m || n != 0 && m != 0 && math.Abs(n-m) <= rounding)
	}
	x, y := wordOf(a), wordOf(b)
	return x != "" && strings.EqualFold(x, y)
}

// Repeat turns a control call of a model into the act that a sentence would have
// planned, so that it can be planned for another device.
func Repeat(c tools.Call) (intent.Action, bool) {
	var told asked
	if json.Unmarshal(c.Args, &told) != nil {
		return intent.Action{}, false
	}
	switch told.Action { // unlocking is left out: it is never done by the way
	case "on", "open", "lock":
		return plainly(catalogue.TurnOn)
	case "off", "close":
		return plainly(catalogue.TurnOff)
	}
	name, set, ok := catalogue.Doing(told.Action, nil)
	if !ok {
		return intent.Action{}, false
	}
	a := intent.Action{Intent: name, Slots: map[string]any{}}
	if set.Slot != "" {
		a.Slots[set.Slot] = told.Value
	}
	return a, true
}

// asked is what a control call asks for.
type asked struct {
	Action string `json:"action"`
	Value  any    `json:"value"`
}
