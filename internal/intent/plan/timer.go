package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

// The gateway's own tools for timers, alarms, reminders and commands for later.
const (
	startTimer  = "start_timer"
	changeTimer = "change_timer"
	listTimers  = "list_timers"
)

// changes are the intents that change what is set, by what the tool calls it. While
// something rings, the tool takes "cancel the timer" and "five more minutes" as said of
// that.
var changes = map[string]string{
	catalogue.CancelTimer: "cancel", catalogue.CancelAllTimers: "cancel_all", catalogue.PauseTimer: "pause", catalogue.UnpauseTimer: "resume",
	catalogue.IncreaseTimer: "add", catalogue.DecreaseTimer: "subtract", catalogue.Snooze: "snooze",
}

// timer plans a sentence about a timer; ok is false for any other intent. A command for
// later is also planned as if it were for now, so that a command that cannot be done, or
// not without a question, is refused when it is given.
func timer(a intent.Action, h *home.House, area string, confirmed bool) (steps []Step, ok bool, err error) {
	args, tool := map[string]any{}, changeTimer
	var carried []Step
	switch action := changes[a.Intent]; {
	case a.Intent == catalogue.StartTimer || a.Intent == catalogue.SetAlarm || a.Intent == catalogue.Remind:
		tool = startTimer
		fillStart(a, args)
		for _, inner := range a.Later {
			more, err := planDeferred(inner, h, area)
			if err != nil {
				return nil, true, err
			}
			carried = append(carried, more...)
		}
		if confirmed {
			args["confirmed"] = true
		}
	case a.Intent == catalogue.Until:
		steps, err = until(a, h, area)
		return steps, true, err
	case a.Intent == catalogue.TimerStatus:
		tool = listTimers
		fill(args, "which", which(a))
	case action != "":
		args["action"] = action
		if stop, said := a.Slots["action"]; said {
			args["action"] = stop
		}
		fill(args, "which", which(a))
		if n := seconds(a, "hours", "minutes", "seconds"); n > 0 {
			args["seconds"] = n
		}
	default:
		return nil, false, nil
	}
	if area != "" {
		args["area"] = area
	}
	made, err := call("", tool, args)
	return []Step{{Action: a, Call: made, Risk: catalogue.Of(a.Intent).Risk, Later: carried}}, true, err
}

// endLater plans the sentence that ends an act of our own tools, at the time that was said:
// "mute for an hour".
func endLater(a intent.Action, then, area string) (Step, error) {
	later := intent.Action{Intent: catalogue.StartTimer, Slots: maps.Clone(a.Slots)}
	later.Slots["conversation_command"] = then
	args := map[string]any{}
	fillStart(later, args)
	if area != "" {
		args["area"] = area
	}
	made, err := call("", startTimer, args)
	return Step{Action: later, Call: made, Risk: catalogue.Of(catalogue.StartTimer).Risk}, err
}

// fill sets an argument that is not empty.
func fill(args map[string]any, name string, value map[string]any) {
	if len(value) > 0 {
		args[name] = value
	}
}

// fillStart writes what is to be set: its kind, its time, and what it is for.
func fillStart(a intent.Action, args map[string]any) {
	kind := "timer"
	switch command, isCommand := a.Slots["conversation_command"]; {
	case isCommand:
		kind, args["command"] = "command", command
	case a.Intent == catalogue.SetAlarm:
		kind = "alarm"
	case a.Intent == catalogue.Remind:
		kind = "reminder"
	}
	args["kind"] = kind
	if name, ok := a.Slots["name"]; ok {
		args["name"] = name
	}
	if text, ok := a.Slots["text"]; ok {
		args["text"] = text
	}
	if at := bySun(a); at != "" {
		args["at"] = at
		for _, slot := range []string{"day", "every"} {
			if said, ok := a.Slots[slot]; ok {
				args[slot] = said
			}
		}
		if m := momentOf(a); m.day != "" {
			args["day"] = m.day
		}
		return
	}
	// "0 minutes" is a length, too: the timers say what is wrong with it.
	said := func(slot string) bool { return a.Slots[slot] != nil }
	if n := seconds(a, "hours", "minutes", "seconds"); n > 0 || slices.ContainsFunc([]string{"hours", "minutes", "seconds"}, said) {
		args["seconds"] = n
		return
	}
	maps.Copy(args, momentOf(a).args(kind))
}

// bySun is a time of day by the sun as the tool takes it, "sunset" or "sunset-30"; "" if
// none was said. A span of time that was said is before it or after it.
func bySun(a intent.Action) string {
	at, _ := a.Slots[slotSun].(string)
	minutes := seconds(a, "hours", "minutes", "seconds") / 60
	if at == "" || minutes == 0 {
		return at
	}
	if a.Slots["sun_side"] == "before" {
		minutes = -minutes
	}
	return fmt.Sprintf("%s%+d", at, minutes)
}

// slotSun is the slot of a time of day by the sun.
const slotSun = "sun"

// which returns the arguments that say which timer is meant: by name, kind, length, time
// or room.
func which(a intent.Action) map[string]any {
	out := map[string]any{}
	for slot, name := range map[string]string{"id": "id", "name": "name", "timer": "kind", "area": "area"} {
		if v, ok := a.Slots[slot]; ok {
			out[name] = v
		}
	}
	if n := LengthOf(a); n > 0 {
		out["seconds"] = n
	}
	if n, ok := number(a.Slots["nth"]); ok {
		out["nth"] = int(n)
	}
	m := momentOf(a)
	if m.said {
		out["at"] = m.args("alarm")["at"]
	}
	if day := cmp.Or(m.every, m.day); day != "" {
		out["day"] = day
	}
	if part, ok := partsOfDay[m.part]; ok && !m.said {
		out["part"] = part
	}
	if m.day == "" && slices.Contains(today, m.part) {
		out["day"] = "today"
	}
	if a.Slots["next"] != nil {
		out["next"] = true
	}
	return out
}

// partsOfDay are the parts of the day as the tool calls them, by how they are said.
var partsOfDay = map[string]string{
	"morning": "morning", "this morning": "morning", "afternoon": "afternoon", "this afternoon": "afternoon", "evening": "evening", "this evening": "evening",
	"night": "night", "tonight": "night",
}

// LengthOf is the length of the timer that is meant, in seconds; 0 if none was said.
func LengthOf(a intent.Action) int {
	return seconds(a, "start_hours", "start_minutes", "start_seconds")
}

// seconds adds up a span of time.
func seconds(a intent.Action, slots ...string) int {
	sum, unit := 0.0, 3600.0
	for _, slot := range slots {
		n, _ := number(a.Slots[slot])
		sum += n * unit
		unit /= 60
	}
	return int(math.Round(sum))
}

// moment is a time of the day as it was said.
type moment struct {
	said    bool
	minutes int    // after midnight, of the number that was said
	exact   bool   // the number can only be that time: "18:30", "noon"
	part    string // of the day: morning, pm, tonight …; "" if none was said
	day     string
	every   string
}

const (
	halfDay = 12 * 60
	fullDay = 2 * halfDay
)

// momentOf reads a time: its hour, with minutes after it or before it.
func momentOf(a intent.Action) moment {
	var m moment
	text := func(slot string) string { s, _ := a.Slots[slot].(string); return s }
	m.part, m.day, m.every = text("day_part"), text("day"), text("every")
	if date, ok := number(a.Slots["date"]); ok {
		m.day = fmt.Sprintf("---%02d", int(date))
		if month, ok := number(a.Slots["month"]); ok {
			m.day = fmt.Sprintf("--%02d-%02d", int(month), int(date))
		}
	}
	minute, _ := number(a.Slots["minute"])
	half, _ := number(a.Slots["half"])
	before, _ := number(a.Slots["before"])
	hour, said := number(a.Slots["hour"])
	m.said = said
	if at := text("at"); at != "" {
		m.said, m.exact = true, true
		if _, err := fmt.Sscanf(at, "%f:", &hour); err != nil {
			return moment{}
		}
	}
	if clock, ok := number(a.Slots["clock"]); ok { // "836 pm"
		m.said = int(clock)%100 < 60
		hour, minute = float64(int(clock)/100), float64(int(clock)%100)
	}
	m.exact = hour == 0 || hour > 12 || m.exact && (m.part == "" || hour == 12)
	m.minutes = (int(hour*60+minute+half-before) + fullDay) % fullDay
	return m
}

// args returns the time of a timer of a kind, as the tool takes it. A part of the day
// makes it exact; without one it may be before or after noon. An alarm from four to
// eleven is in the morning, because people are not woken at seven in the evening,
// unless it is for today, when the morning may be over. Another timer with a day or a
// repetition is in the morning from six to eleven, else in the afternoon. All others
// are at the next of both times.
func (m moment) args(kind string) map[string]any {
	at, day, twelve := m.onTheClock(kind)
	out := map[string]any{"at": fmt.Sprintf("%02d:%02d", at/60, at%60)}
	if twelve {
		out["twelve"] = true
	}
	if day != "" {
		out["day"] = day
	}
	if m.every != "" {
		out["every"] = m.every
	}
	return out
}

// onTheClock returns the minutes since midnight, the day, and whether the next of
// before and after noon is meant.
func (m moment) onTheClock(kind string) (at int, day string, twelve bool) {
	short := m.minutes % halfDay
	switch hour := short / 60; {
	case m.exact:
		return m.minutes, m.day, false
	case m.part != "":
		at = inPart(m.part, short)
		if slices.Contains(today, m.part) && (m.part != "tonight" || at >= halfDay) {
			return at, "today", false
		}
		return at, m.day, false
	case kind == "alarm" && hour >= 4 && m.day != "today":
		return short, m.day, false
	case (m.day == "" || m.day == "today") && m.every == "":
		return m.minutes, m.day, true
	case hour < 6:
		return short + halfDay, m.day, false
	}
	return short, m.day, false
}

// today are the parts of this day.
var today = []string{"this morning", "this afternoon", "this evening", "tonight"}

// inPart is the time of a part of the day, of the minutes on the dial of a clock.
// Twelve in the evening is midnight, and so is twelve at night.
func inPart(part string, short int) int {
	const dusk = 6 * 60
	switch early := short < 60; {
	case part == "morning", part == "this morning", early && (part == "evening" || part == "this evening"):
		return short
	case (part == "night" || part == "tonight") && short < dusk:
		return short
	}
	return short + halfDay
}

// Timer reports whether the step calls one of the tools for timers.
func (s *Step) Timer() bool {
	return s.Call.Server == "" && slices.Contains([]string{startTimer, changeTimer, listTimers}, s.Call.Tool)
}

// Flatten are the steps of a plan, with the commands that timers carry in the place of
// the timers.
func Flatten(steps []Step) []Step {
	var out []Step
	for i := range steps {
		if len(steps[i].Later) > 0 {
			out = append(out, steps[i].Later...)
		} else {
			out = append(out, steps[i])
		}
	}
	return out
}

// CheckDeferrable says why commands for later may not be set; nil if they may. A dangerous one
// is never carried out later, and a command that cannot be done now is not promised.
func CheckDeferrable(steps []Step) error {
	for i := range steps {
		for j := range steps[i].Later {
			switch carried := &steps[i].Later[j]; {
			case carried.Risk == tools.Dangerous:
				return &Error{Intent: steps[i].Action.Intent, Text: "I don't do that later. Ask me when it is time.", Key: "not_later"}
			case carried.Err != nil:
				return carried.Err
			}
		}
		if err := Endless(steps[i].Later); err != nil {
			return err
		}
	}
	return nil
}
