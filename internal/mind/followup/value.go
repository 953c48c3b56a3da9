package followup

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// Slots of sentences without a verb that say another value for what was set before ("no,
// green", "no, 30 percent"), the number of another thing ("and number two"), or on and off
// ("and off again").
const (
	slotColor  = "color"
	slotValue  = "value"
	slotNumber = "nth"
	slotSwitch = "switch"
)

// percentages are the abilities that a number sets in percent.
var percentages = []home.Ability{home.Brightness, home.Position, home.Speed}

// byValue understands a sentence that contains only a value: a number, on or off; ok is
// false if it says something else.
func (s *Sentence) byValue(said intent.Action) (d intent.Decision, ok bool) {
	if n, ok := said.Slots[slotNumber].(int); ok {
		return s.repeatForNumber(n), true
	}
	if state, ok := said.Slots[slotSwitch].(string); ok {
		return s.switchThings(state), true
	}
	if d, ok = s.otherValue(said); ok || said.Slots[slotValue] == nil {
		return d, ok
	}
	if d, ok = s.newTime(said); ok {
		return d, true
	}
	if isVolume(s.last()) {
		return local(intent.Action{Intent: catalogue.SetVolume, Slots: map[string]any{"volume_level": said.Slots[slotValue]}}), true
	}
	return s.ask(), true
}

// lasting gives an act that was said with its end the end: "and to 50 percent for an hour".
func (s *Sentence) lasting(d intent.Decision, said intent.Action) intent.Decision {
	ends := without(said.Slots, slotValue, slotColor)
	lacks := func(act intent.Action) bool { return len(act.Devices) == 0 }
	if d.Route != intent.Local || said.Intent != catalogue.Rather || !says(intent.Action{Slots: ends}, slices.Concat(spans, clocks)) || slices.ContainsFunc(d.Actions, lacks) {
		return d
	}
	d.Actions, d.Reason = []intent.Action{{Intent: catalogue.Until, Slots: ends, Later: d.Actions}}, intent.Anew
	return d
}

// without are slots with some left out.
func without(slots map[string]any, out ...string) map[string]any {
	rest := maps.Clone(slots)
	for _, slot := range out {
		delete(rest, slot)
	}
	return rest
}

// otherValue repeats the earlier act with another value; ok is false if the sentence has
// no value, or the earlier act had none of that kind.
func (s *Sentence) otherValue(said intent.Action) (d intent.Decision, ok bool) {
	var all []intent.Action
	for _, act := range s.Subject.Acts {
		act = s.dimmable(act, said)
		if next, ok := withValue(act, said); ok {
			all = append(all, next)
		}
	}
	if len(all) == 0 {
		return d, false
	}
	return local(all...), true
}

// dimmable makes an act that only switched things on one that can take a number or a
// colour, where the things can: "turn on the lamp", "no, 30 percent".
func (s *Sentence) dimmable(act, said intent.Action) intent.Action {
	all := things(s.House, act.Devices)
	abilities := percentages
	if said.Slots[slotColor] != nil {
		abilities = []home.Ability{home.Colour}
	}
	if act.Intent != catalogue.TurnOn || said.Slots[slotValue] == nil && said.Slots[slotColor] == nil || len(all) == 0 {
		return act
	}
	for _, ability := range abilities {
		if name, _, ok := catalogue.Setter(ability); ok && !slices.ContainsFunc(all, func(e *home.Entity) bool { return !e.Can(ability) }) {
			act.Intent = name
			return act
		}
	}
	return act
}

// withValue is an act with the value that was said in place of its own.
func withValue(act, said intent.Action) (intent.Action, bool) {
	in := catalogue.Of(act.Intent)
	if in.Plan == catalogue.Adjust && said.Slots[slotValue] != nil {
		name, _, ok := catalogue.Setter(in.Sets[0].Ability)
		if !ok {
			return act, false
		}
		act.Intent, in = name, catalogue.Of(name)
	}
	for _, set := range in.Sets {
		value := said.Slots[slotColor]
		if set.Ability == home.Setpoint || slices.Contains(percentages, set.Ability) {
			value = said.Slots[slotValue]
		} else if set.Ability != home.Colour {
			continue
		}
		if value == nil {
			continue
		}
		act.Slots = maps.Clone(act.Slots)
		for _, other := range in.Sets {
			delete(act.Slots, other.Slot)
		}
		for _, step := range []string{"direction", "delta", "times"} {
			delete(act.Slots, step)
		}
		act.Slots[set.Slot] = value
		return act, true
	}
	return act, false
}

// repeatForNumber does what was done before to the thing of the same name with another number:
// "bedside lamp one", "and number two".
func (s *Sentence) repeatForNumber(n int) intent.Decision {
	for _, e := range things(s.House, s.Subject.Things) {
		stem := strings.TrimRightFunc(e.Name, unicode.IsDigit)
		if stem == e.Name {
			continue
		}
		for i := range s.House.Entities {
			other := &s.House.Entities[i]
			if other.Name == stem+strconv.Itoa(n) && other.Domain == e.Domain && strings.EqualFold(other.Area, e.Area) {
				return s.elsewhere(intent.Action{Intent: catalogue.Also, Slots: map[string]any{}, Devices: []string{other.ID}})
			}
		}
	}
	return s.ask()
}

// switchThings switches the things of the sentence before on or off.
func (s *Sentence) switchThings(state string) intent.Decision {
	turn := catalogue.TurnOff
	if state == "on" {
		turn = catalogue.TurnOn
	}
	return s.onto(intent.Action{Intent: turn, Slots: map[string]any{}}, s.Subject.Things)
}
