package reply

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/text"
	"voicegateway/internal/tools"
)

// timerData is what the tools for timers answer.
type timerData struct {
	Outcome string    `json:"outcome"` // started, cancelled, paused, resumed, changed, snoozed, stopped, listed, none, several, refused
	Reason  string    `json:"reason"`  // of none and refused
	Timers  []Timer   `json:"timers"`
	Now     time.Time `json:"now"`
}

// SayDone says the result of a sentence about timers, from the answer of its tool; ok is
// false if the tool did not answer in its form.
func (p *timerWords) SayDone(s *plan.Step, r tools.Result) (text string, ok bool) {
	var data timerData
	if json.Unmarshal(r.Data, &data) != nil || data.Outcome == "" {
		return "", false
	}
	switch data.Outcome {
	case "started":
		text := p.each(data.Timers, func(t *Timer) string { return p.sayStarted(s, t, data.Now) })
		if data.Reason != "" { // it is set, but …
			text += " " + p.phrase("timer_"+data.Reason, nil)
		}
		return strings.TrimSpace(text), true
	case "listed":
		return p.sayTimers(s, &data), true
	case "resumed", "changed":
		return p.each(data.Timers, func(t *Timer) string { return p.state(t, data.Now) }), true
	case "cancelled", "paused":
		return p.sayEnded("timer_"+data.Outcome, data.Timers), true
	case "snoozed":
		return p.each(data.Timers[:min(1, len(data.Timers))], func(t *Timer) string {
			return p.phrase("timer_snoozed", map[string]any{"length": p.after(round(t.Left))})
		}), true
	case "stopped":
		return "", true // silence is what was asked for
	case "several":
		return p.several(data.Timers), true
	}
	return p.sayRefusal(s, &data), true
}

// each joins what is said of some.
func (p *timerWords) each(all []Timer, say func(*Timer) string) string {
	var said []string
	for i := range all {
		if text := say(&all[i]); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, " ")
}

// sayStarted says what was set: its length and name, or its time and what will happen.
func (p *timerWords) sayStarted(s *plan.Step, t *Timer, now time.Time) string {
	args := p.about(t)
	args["when"] = p.when(t, now)
	if t.Kind == "command" && s != nil {
		if text := p.willBe(s, args); text != "" {
			return text
		}
	}
	key := t.Kind + "_set"
	if t.Kind == "timer" || t.Kind == "alarm" {
		key += nameKey(t)
	}
	return capital(p.phrase(key, args))
}

// willBe says what a command will do to its things, if the language has a word for that
// act.
func (p *timerWords) willBe(s *plan.Step, args map[string]any) string {
	const most = 4
	action := ""
	var names []home.Called
	for i := range s.Later {
		wish, ok := plan.ReadWish(s.Later[i].PlannedCall().Args)
		if !ok || s.Later[i].Entity == nil || s.Later[i].Until != nil || i > 0 && wish.Action != action {
			return ""
		}
		action = wish.Action
		names = append(names, p.names.Call(s.Later[i].Entity))
	}
	if p.table["later_"+action] == "" || len(names) > most {
		return ""
	}
	name := home.Join(names, p.words["and"])
	args["name"], args["name_object"], args["Name"], args["goes"] = name, name.In(home.Object), capital(name.String()), p.words["goes"]
	if name.Many {
		args["goes"] = p.words["go"]
	}
	return capital(p.phrase("later_"+action, args))
}

// state says how a timer stands: how much time is left, or when it is due.
func (p *timerWords) state(t *Timer, now time.Time) string {
	args := p.about(t)
	switch {
	case t.State == "ringing":
		return p.Rings(*t)
	case t.Kind == "end":
		return p.waits(t, now)
	case t.Kind != "timer":
		return p.sayStarted(nil, t, now)
	}
	args["length"] = p.sayLeft(t.Left)
	if t.State == "paused" {
		return capital(p.phrase("timer_stands", args))
	}
	return capital(p.phrase("timer_left", args))
}

// sayTimers says how those stand that were asked for.
func (p *timerWords) sayTimers(s *plan.Step, data *timerData) string {
	const most = 4
	if len(data.Timers) == 0 {
		return p.sayRefusal(s, data)
	}
	text := p.each(data.Timers[:min(most, len(data.Timers))], func(t *Timer) string { return p.state(t, data.Now) })
	if more := len(data.Timers) - most; more > 0 {
		text += " " + p.phrase("timers_more", map[string]any{"count": more})
	}
	return text
}

// sayEnded names one that was cancelled or paused, and counts several.
func (p *timerWords) sayEnded(key string, all []Timer) string {
	if len(all) > 1 {
		kind := all[0].Kind
		if slices.ContainsFunc(all, func(t Timer) bool { return t.Kind != kind }) {
			kind = "any"
		}
		return p.phrase(key+"_many", map[string]any{"count": len(all), "things": cmp.Or(p.words["many_"+kind], p.words["many_any"])})
	}
	return p.each(all, func(t *Timer) string {
		if t.Kind == "end" && key == "timer_cancelled" {
			return p.stays(t)
		}
		return p.phrase(key, p.about(t))
	})
}

// several asks which one is meant.
func (p *timerWords) several(all []Timer) string {
	const most = 4
	var names []string
	for i := range all[:min(most, len(all))] {
		if name := p.short(&all[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 || len(all) > most {
		return p.phrase("which_other", nil)
	}
	return p.phrase("timer_which", map[string]any{"names": p.join(names, "or")})
}

// TimersOf returns the timers that a plan with one result has told of.
func (p *timerWords) TimersOf(results ...tools.Result) []Timer {
	var data timerData
	if len(results) != 1 || json.Unmarshal(results[0].Data, &data) != nil || data.Outcome != "listed" {
		return nil
	}
	return data.Timers
}

// WhichTimer asks which one of several is meant.
func (p *timerWords) WhichTimer(all []Timer) string { return p.several(all) }

// Asks returns the timers that a plan with one result asks about, because it is not clear
// which of them is meant.
func (p *timerWords) Asks(results ...tools.Result) (all []Timer, asks bool) {
	var data timerData
	if len(results) != 1 || json.Unmarshal(results[0].Data, &data) != nil || data.Outcome != "several" {
		return nil, false
	}
	return data.Timers, len(data.Timers) > 1
}

// Choose finds the one timer that an answer names, by its name, its length or its
// time.
func (p *timerWords) Choose(answer string, all []Timer) (chosen Timer, ok bool) {
	lang, _ := numbers.For(p.language)
	texts := []string{answer, cmp.Or(lang.InWords(answer), answer)}
	for i := range all {
		t := &all[i]
		names := func(word string) bool {
			return word != "" && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(plainWords(text), plainWords(word)) })
		}
		if names(t.Name) || names(t.Text) || names(p.length(t.Length)) || t.Length == 0 && names(p.clock(t.Due)) {
			if ok {
				return Timer{}, false
			}
			chosen, ok = *t, true
		}
	}
	return chosen, ok
}

// plainWords are the words of a text in small letters with spaces around each.
func plainWords(said string) string {
	return " " + strings.Join(text.Words(said), " ") + " "
}

// sayRefusal says why nothing was set or changed.
func (p *timerWords) sayRefusal(s *plan.Step, data *timerData) string {
	slots := s.Action.Slots
	if slots["leave"] != nil { // nothing would have changed it
		return p.phrase("nevermind", nil)
	}
	name, _ := slots["name"].(string)
	kind, _ := slots["timer"].(string)
	args := map[string]any{"name": p.noun(name)}
	keys := []string{"timer_" + data.Reason}
	if data.Outcome != "refused" {
		keys = append(keys, "none_"+kind, "none_any")
		switch {
		case name != "":
			keys = slices.Insert(keys, 0, "none_named")
		case slices.ContainsFunc([]string{"day", "date", "every", "day_part", "hour", "at", "clock"}, func(slot string) bool { return slots[slot] != nil }):
			keys = slices.Insert(keys, 0, "none_"+kind+"_then", "none_then")
		}
	}
	for _, key := range keys {
		if text := p.phrase(key, args); text != "" {
			return text
		}
	}
	return p.phrase("timer_refused", nil)
}
