package followup

import (
	"maps"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// Slots that say how long, and when.
var (
	lengths = []string{"hours", "minutes", "seconds"}
	clocks  = []string{"hour", "minute", "half", "before", "clock", "at", "sun", "sun_side"}
	dates   = []string{"day", "day_part", "date", "month"}
)

// another understands another value or time for what was set before, where that is no
// thing of the house: the volume, a timer, an alarm, a reminder. "Make that 7" is no
// volume where an alarm was set.
func (s *Sentence) another() (d intent.Decision, ok bool) {
	if s.Subject == nil || len(s.Subject.Things) > 0 || !s.Subject.Fresh(true) || s.Alone.Act.Forbids() {
		return d, false
	}
	said := s.Words.After(s.Text, s.Area)
	if said.Route != intent.Local || !slices.Contains([]string{catalogue.Rather, catalogue.Until, catalogue.More}, said.Actions[0].Intent) {
		return d, false
	}
	if said.Actions[0].Intent == catalogue.More {
		d = s.more(said.Actions[0])
		return d, d.Route == intent.Local && said.Actions[0].Slots[slotHeight] != nil
	}
	return s.otherValue(said.Actions[0])
}

// retimed sets a timer, an alarm or a reminder anew with another time, in place of the one
// that was set before; ok is false if none was set, or no time was said.
func (s *Sentence) retimed(said intent.Action) (d intent.Decision, ok bool) {
	acts := slices.DeleteFunc(slices.Clone(s.Subject.Acts), func(a intent.Action) bool { return a.Intent == catalogue.CancelTimer })
	if len(acts) != 1 {
		return d, false
	}
	act := acts[0]
	kind := map[string]string{catalogue.StartTimer: "timer", catalogue.SetAlarm: "alarm", catalogue.Remind: "reminder"}[act.Intent]
	if kind == "" || len(act.Later) > 0 {
		return d, false
	}
	next := act
	if next.Slots, ok = timesOf(act.Slots, said.Slots); !ok {
		return d, false
	}
	old := intent.Action{Intent: catalogue.CancelTimer, Slots: map[string]any{"timer": kind}}
	for _, slot := range append(slices.Concat(clocks, dates), "name") {
		if v, ok := act.Slots[slot]; ok {
			old.Slots[slot] = v
		}
	}
	for _, slot := range lengths {
		if v, ok := act.Slots[slot]; ok && act.Intent == catalogue.StartTimer {
			old.Slots["start_"+slot] = v
		}
	}
	return local(old, next), true
}

// timesOf are the slots of what was set, with the time that was said: another length,
// another time of the day, or a number for the one that it had.
func timesOf(set, said map[string]any) (map[string]any, bool) {
	out := maps.Clone(set)
	without := func(all []string) {
		for _, slot := range all {
			delete(out, slot)
		}
	}
	has := func(slots map[string]any, all []string) bool {
		return slices.ContainsFunc(all, func(slot string) bool { return slots[slot] != nil })
	}
	value, numbered := said[slotValue]
	switch {
	case has(said, lengths) && !has(set, clocks):
		without(lengths)
	case has(said, clocks):
		without(lengths)
		without(clocks)
	case numbered && has(set, clocks):
		hour, whole := value.(int)
		if !whole || hour < 0 || hour > 24 {
			return nil, false
		}
		without(clocks)
		out["hour"] = hour
		return out, true
	case numbered && has(set, lengths):
		unit := lengths[slices.IndexFunc(lengths, func(slot string) bool { return set[slot] != nil })]
		without(lengths)
		out[unit] = value
		return out, true
	default:
		return nil, false
	}
	for _, slot := range slices.Concat(lengths, clocks, dates) {
		if v, ok := said[slot]; ok {
			out[slot] = v
		}
	}
	return out, true
}

// lasting gives acts that were said with their end the end: "and to 50 percent for an
// hour".
func (s *Sentence) lasting(d intent.Decision, said intent.Action) intent.Decision {
	ends := maps.Clone(said.Slots)
	delete(ends, slotValue)
	delete(ends, slotColor)
	if d.Route != intent.Local || len(ends) == 0 || said.Intent != catalogue.Rather || slices.ContainsFunc(d.Actions, func(a intent.Action) bool { return len(a.Devices) == 0 }) {
		return d
	}
	return local(intent.Action{Intent: catalogue.Until, Slots: ends, Later: d.Actions})
}

// counted understands a sentence with a pronoun, with as many things as the pronoun says;
// enough is false if there are not so many that it may be about.
func (s *Sentence) counted() (d intent.Decision, several, enough bool) {
	many := s.Words.Counted(s.Text)
	d, several = s.Words.About(s.Text, s.Area, s.meantBy(many))
	return d, several, many == 0 || d.Route == intent.Local && len(d.Actions[0].Devices) == many
}

// uncounted asks what a pronoun means that says how many, where there are not so many.
func (s *Sentence) uncounted() (d intent.Decision, ok bool) {
	var all []string
	for i := range s.House.Entities {
		all = append(all, s.House.Entities[i].ID)
	}
	if d, _ = s.Words.About(s.Text, s.Area, all); d.Route != intent.Local || s.Alone.Route == intent.Local {
		return d, false // it has no pronoun
	}
	return s.ask(), true
}

// slotHeight is the slot of a sentence that moves things up or down: "a bit lower".
const slotHeight = "height"

// moved moves covers further that were moved before: "a bit lower" is about the blind
// then, not about the light of the room.
func (s *Sentence) moved() (d intent.Decision, ok bool) {
	if s.Subject == nil || !s.Subject.Fresh(true) || s.Subject.Asks() || s.Alone.Act.Forbids() || len(s.Subject.Things) == 0 {
		return d, false
	}
	for _, e := range things(s.House, s.Subject.Things) {
		if e.Domain != "cover" {
			return d, false
		}
	}
	said := s.Words.After(s.Text, s.Area)
	if said.Route != intent.Local {
		return d, false
	}
	way, ok := said.Actions[0].Slots[slotHeight].(string)
	if !ok {
		return d, false
	}
	act := s.Subject.Acts[len(s.Subject.Acts)-1]
	if said.Actions[0].Slots[slotAll] != nil {
		turn := map[string]string{"up": catalogue.TurnOn, "down": catalogue.TurnOff}[way]
		return s.onto(intent.Action{Intent: turn, Slots: map[string]any{"domain": "cover"}}, s.Subject.Things), true
	}
	if !slices.Contains([]string{catalogue.TurnOn, catalogue.TurnOff, catalogue.SetPosition}, act.Intent) {
		return d, false
	}
	at, known := numberOf(act.Slots["position"])
	if !known && act.Intent == catalogue.TurnOn {
		at = 100
	}
	by := float64(furtherBy)
	if way == "down" {
		by = -by
	}
	act.Intent = catalogue.SetPosition
	act.Slots = maps.Clone(act.Slots)
	act.Slots["position"] = min(max(at+by, 0), 100)
	return local(act), true
}

// slotAll is the slot of a sentence that moves things as far as they go.
const slotAll = "fully"
