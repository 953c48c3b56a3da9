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
		return s.numbered(n), true
	}
	if state, ok := said.Slots[slotSwitch].(string); ok {
		return s.switched(state), true
	}
	if said.Slots[slotSibling] != nil {
		return s.sibling(), true
	}
	return s.otherValue(said)
}

// otherValue repeats the earlier act with another value; ok is false if the sentence has
// no value, or the earlier act had none of that kind.
func (s *Sentence) otherValue(said intent.Action) (d intent.Decision, ok bool) {
	var all []intent.Action
	if d, ok := s.retimed(said); ok {
		return d, true
	}
	for _, act := range s.Subject.Acts {
		act = s.dimmable(act, said)
		if next, ok := withValue(act, said); ok {
			all = append(all, next)
		}
	}
	if len(all) > 0 {
		return local(all...), true
	}
	if said.Intent == catalogue.Rather && slices.ContainsFunc(lengths, func(slot string) bool { return said.Slots[slot] != nil }) {
		said.Intent = catalogue.Until
		return s.until(said), true
	}
	return d, false
}

// dimmable makes an act that only switched things on one that can take a number, where the
// things can: "turn on the lamp", "no, 30 percent".
func (s *Sentence) dimmable(act, said intent.Action) intent.Action {
	all := things(s.House, act.Devices)
	if act.Intent != catalogue.TurnOn || said.Slots[slotValue] == nil || len(all) == 0 {
		return act
	}
	for _, ability := range percentages {
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
	if level := said.Slots[slotValue]; level != nil && (act.Intent == catalogue.SetVolume || act.Intent == catalogue.SetVolumeRelative) {
		return intent.Action{Intent: catalogue.SetVolume, Slots: map[string]any{"volume_level": level}}, true
	}
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

// numbered does what was done before to the thing of the same name with another number:
// "bedside lamp one", "and number two".
func (s *Sentence) numbered(n int) intent.Decision {
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

// slotSibling is the slot of a sentence about the other one of two things.
const slotSibling = "sibling"

// sibling does what was done before to the other one of two things of a room whose names
// differ in one word only: "desk lamp two" after "desk lamp one".
func (s *Sentence) sibling() intent.Decision {
	var others []string
	for _, e := range things(s.House, s.Subject.Things) {
		for i := range s.House.Entities {
			o := &s.House.Entities[i]
			if o.ID != e.ID && o.Domain == e.Domain && strings.EqualFold(o.Area, e.Area) && differInOne(o.Name, e.Name) && !slices.Contains(others, o.ID) {
				others = append(others, o.ID)
			}
		}
	}
	others = slices.DeleteFunc(others, func(id string) bool { return slices.Contains(s.Subject.Things, id) })
	if len(others) != 1 {
		return s.ask()
	}
	return s.elsewhere(intent.Action{Intent: catalogue.Also, Slots: map[string]any{}, Devices: others})
}

// differInOne reports whether two names have the same words but one.
func differInOne(a, b string) bool {
	one, other := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(b))
	if len(one) != len(other) || len(one) < 2 {
		return false
	}
	differ := 0
	for i := range one {
		if one[i] != other[i] {
			differ++
		}
	}
	return differ == 1
}

// switched switches the things of the sentence before on or off.
func (s *Sentence) switched(state string) intent.Decision {
	turn := catalogue.TurnOff
	if state == "on" {
		turn = catalogue.TurnOn
	}
	return s.onto(intent.Action{Intent: turn, Slots: map[string]any{}}, s.Subject.Things)
}
