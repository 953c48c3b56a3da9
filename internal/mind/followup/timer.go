package followup

import (
	"maps"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
)

// TimerAnswer is an answer to the question which of several timers is meant.
type TimerAnswer struct {
	Text     string
	All      bool     // it means each of them
	Place    int      // it names the place of one in the question, from 0 on; -1: it names none
	ByLength []string // sentences about the timer of the length that it says
	Match    func(text string) intent.Decision
}

// Completed completes a sentence about timers with the one that the answer names, or
// with all of them; ok is false if it is no answer.
func (t *TimerAnswer) Completed(p *reply.Phrases, would intent.Action, timers []reply.Timer) (d intent.Decision, ok bool) {
	would.Slots = maps.Clone(would.Slots)
	one, chosen := p.Choose(t.Text, timers)
	if !chosen {
		one, chosen = t.byLength(timers)
	}
	switch {
	case chosen:
		would.Slots["id"] = one.ID
	case t.Place >= 0 && t.Place < len(timers):
		would.Slots["id"] = timers[t.Place].ID
	case t.All && would.Intent == catalogue.CancelTimer:
		would.Intent = catalogue.CancelAllTimers
		if room := roomOf(timers); room != "" {
			would.Slots["area"] = room // the question was about those of the room
		}
	default:
		return d, false
	}
	return intent.Decision{Route: intent.Local, Reason: intent.ByAnswer, Actions: []intent.Action{would}}, true
}

// roomOf is the room in which all of some timers were set, "" if there is none.
func roomOf(timers []reply.Timer) string {
	elsewhere := func(t reply.Timer) bool { return t.Area != timers[0].Area }
	if len(timers) == 0 || slices.ContainsFunc(timers, elsewhere) {
		return ""
	}
	return timers[0].Area
}

// byLength finds the one timer of the length that the answer names: "the half hour one".
func (t *TimerAnswer) byLength(timers []reply.Timer) (one reply.Timer, ok bool) {
	length := 0
	for _, text := range t.ByLength {
		if d := t.Match(text); d.Route == intent.Local && len(d.Actions) == 1 && d.Actions[0].Intent == catalogue.CancelTimer && length == 0 {
			length = plan.LengthOf(d.Actions[0])
		}
	}
	for i := range timers {
		if length == 0 || timers[i].Length != int64(length) {
			continue
		}
		if ok {
			return reply.Timer{}, false
		}
		one, ok = timers[i], true
	}
	return one, ok
}

// Orders reports whether a decision is itself an order, or would be one once a question
// is answered, and so does not answer a question.
func Orders(d intent.Decision) bool {
	orders := func(a intent.Action) bool {
		return len(a.Devices)+len(a.Later) > 0 || a.Changes()
	}
	return d.Route == intent.Local && slices.ContainsFunc(d.Actions, orders) || d.Route == intent.Ask && d.Would != nil && orders(*d.Would)
}

// TimeAnswer is an answer to the question when, or for how long.
type TimeAnswer struct {
	Asked  string // the sentence that left its time open
	Text   string
	AtTime []string // alarms at the time that the answer says
	Match  func(text string) intent.Decision
}

// Completed completes the sentence with its time. would is what the sentence asks for,
// nil if it joins several commands. ok is false if the answer is itself an order, or
// contains no time.
func (t *TimeAnswer) Completed(would *intent.Action) (d intent.Decision, ok bool) {
	if Orders(t.Match(t.Text)) {
		return d, false
	}
	for _, text := range t.AtTime {
		alarm := t.Match(text)
		said := alarm.Would // only a day: it is asked again, with the day
		if alarm.Route == intent.Local && len(alarm.Actions) == 1 {
			said = &alarm.Actions[0]
		}
		if would == nil || said == nil || said.Intent != catalogue.SetAlarm || alarm.Route == intent.Reject {
			continue
		}
		if len(said.Slots) == 0 || len(said.Slots) == 1 && said.Slots["asks"] != nil {
			continue // "wake me, yes" says no time
		}
		act := *would
		act.Slots = maps.Clone(act.Slots)
		maps.Copy(act.Slots, said.Slots)
		if alarm.Route == intent.Ask {
			return intent.Decision{Route: intent.Ask, Reason: intent.When, Question: alarm.Question, Would: &act}, true
		}
		return intent.Decision{Route: intent.Local, Reason: intent.ByAnswer, Actions: []intent.Action{act}}, true
	}
	d = t.Match(t.Asked + " " + t.Text)
	return d, d.Route == intent.Local && (would == nil || keeps(&d.Actions[len(d.Actions)-1], would))
}

// keeps reports whether an act still says everything that would says, for which the time
// was asked. If its text has grown, the answer was more than a time.
func keeps(act, would *intent.Action) bool {
	if act.Intent != would.Intent {
		return false
	}
	for slot, value := range would.Slots {
		if text, ok := value.(string); ok && slot != "asks" && slot != "day" && slot != "day_part" && act.Slots[slot] != text {
			return false
		}
	}
	return true
}

// RemindAnswer is an answer to the question what to remind of.
type RemindAnswer struct {
	Asked  string // the sentence that left it open
	Text   string
	Remind []string // the sentence with the answer
	Match  func(text string) intent.Decision
}

// Completed completes the sentence with the text of the reminder; text is the whole
// sentence that was understood. It may still lack its time. ok is false if the answer
// is itself a sentence.
func (r *RemindAnswer) Completed() (d intent.Decision, text string, ok bool) {
	if alone := r.Match(r.Text); alone.Route == intent.Local || Orders(alone) {
		return d, "", false
	}
	if later := r.Asked + " " + r.Text; r.Asked != "" { // the answer may say only when
		if d = r.Match(later); d.Route == intent.Ask && d.Reason == intent.RemindOf && d.Would != nil && d.Would.Intent == catalogue.Remind {
			return d, later, true
		}
	}
	for _, text := range r.Remind {
		d = r.Match(text)
		switch {
		case d.Route == intent.Local && len(d.Actions) == 1 && d.Actions[0].Intent == catalogue.Remind:
			return d, text, true
		case d.Route == intent.Ask && d.Would != nil && d.Would.Intent == catalogue.Remind:
			return d, text, true
		}
	}
	return d, "", false
}
