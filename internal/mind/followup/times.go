package followup

import (
	"maps"
	"math"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// Slots of a span of time and of a time of day.
var (
	spans  = []string{"hours", "minutes", "seconds"}
	clocks = []string{"hour", "minute", "half", "before", "at", "clock", "sun", "sun_side"}
	dates  = []string{"day", "date", "month"}
)

// isTimed reports whether an act sets a timer, an alarm or a reminder.
func isTimed(act intent.Action) bool {
	return slices.Contains([]string{catalogue.StartTimer, catalogue.SetAlarm, catalogue.Remind}, act.Intent)
}

// newTime gives what was set before another time: "make that 7", "make it half past eight".
// ok is false if nothing was set that has a time.
func (s *Sentence) newTime(said intent.Action) (d intent.Decision, ok bool) {
	act := s.last()
	switch {
	case isTimed(act):
		next, ok := retimed(act, said)
		if !ok {
			return s.ask(), true
		}
		s.meaning.Instead = true
		return local(next), true
	case s.Subject.End != nil && !s.Subject.Asks():
		next, ok := retimed(*s.Subject.End, said)
		if _, too := withValue(act, said); !ok || too { // of an act with a value the number may be that
			return s.ask(), true
		}
		next.Later = s.Subject.Acts
		return local(next), true
	}
	return d, false
}

// retimed is an act with the time that was said in place of its own; ok is false if it is
// no time of that kind.
func retimed(act, said intent.Action) (intent.Action, bool) {
	onClock, ends := says(act, clocks), act.Intent == catalogue.Until
	act.Slots = maps.Clone(act.Slots)
	n, number := numberOf(said.Slots[slotValue])
	if hour, ok := numberOf(said.Slots["hour"]); ok && len(said.Slots) == 1 { // "make that 7" may be minutes as well
		n, number = hour, true
	}
	switch {
	case number:
		return numberedTime(act, n, onClock)
	case says(said, spans) && (!onClock || ends), says(said, clocks) && (onClock || ends):
		for _, slot := range slices.Concat(spans, clocks) {
			delete(act.Slots, slot)
		}
		if said.Slots["day_part"] != nil {
			delete(act.Slots, "day_part")
		}
		if says(said, dates) {
			for _, slot := range dates {
				delete(act.Slots, slot)
			}
		}
		maps.Copy(act.Slots, said.Slots)
		return act, true
	}
	return act, false
}

// says reports whether an act has one of some slots.
func says(a intent.Action, slots []string) bool {
	return slices.ContainsFunc(slots, func(slot string) bool { return a.Slots[slot] != nil })
}

// numberedTime is an act with another hour, or with another number of its one unit of time.
func numberedTime(act intent.Action, n float64, onClock bool) (intent.Action, bool) {
	if n != math.Trunc(n) || n < 1 || onClock && n >= 24 {
		return act, false
	}
	if onClock {
		for _, slot := range clocks {
			delete(act.Slots, slot)
		}
		act.Slots["hour"] = int(n)
		return act, true
	}
	units := slices.DeleteFunc(slices.Clone(spans), func(slot string) bool { return act.Slots[slot] == nil })
	if len(units) != 1 {
		return act, false
	}
	act.Slots[units[0]] = int(n)
	return act, true
}
