package reply

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"voicegateway/internal/intent/numbers"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// timerData is what the tools for timers answer.
type timerData struct {
	Outcome string    `json:"outcome"` // started, cancelled, paused, resumed, changed, snoozed, stopped, listed, none, several, refused
	Reason  string    `json:"reason"`  // of none and refused
	Timers  []Timer   `json:"timers"`
	Now     time.Time `json:"now"`
}

// told says what came of a sentence about timers, by what its tool answers; ok is false
// where the tool did not answer in its form.
func (w timers) told(s *plan.Step, r tools.Result) (text string, ok bool) {
	var data timerData
	if json.Unmarshal(r.Data, &data) != nil || data.Outcome == "" {
		return "", false
	}
	switch data.Outcome {
	case "started":
		text := w.each(data.Timers, func(t *Timer) string { return w.started(s, t, data.Now) })
		if data.Reason != "" { // it is set, but …
			text += " " + w.Phrase("timer_"+data.Reason, nil)
		}
		return strings.TrimSpace(text), true
	case "listed":
		return w.listed(s, &data), true
	case "resumed", "changed":
		return w.each(data.Timers, func(t *Timer) string { return w.state(t, data.Now) }), true
	case "cancelled", "paused":
		return w.ended("timer_"+data.Outcome, data.Timers), true
	case "snoozed":
		return w.each(data.Timers[:min(1, len(data.Timers))], func(t *Timer) string {
			return w.Phrase("timer_snoozed", map[string]any{"length": w.left(t.Left)})
		}), true
	case "stopped":
		return "", true // silence is what was asked for
	case "several":
		return w.several(data.Timers), true
	}
	return w.refused(s, &data), true
}

// each joins what is said of some.
func (w timers) each(all []Timer, say func(*Timer) string) string {
	var said []string
	for i := range all {
		if text := say(&all[i]); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, " ")
}

// started says what was set: its length and name, or its time and what will happen.
func (w timers) started(s *plan.Step, t *Timer, now time.Time) string {
	args := w.about(t)
	args["when"] = w.when(t, now)
	if t.Kind == "command" && s != nil {
		if text := w.willBe(s, args); text != "" {
			return text
		}
	}
	key := t.Kind + "_set"
	if t.Kind == "timer" || t.Kind == "alarm" {
		key += named(t)
	}
	return capital(w.Phrase(key, args))
}

// willBe says what a command will do to its things, if that is one of the acts that
// have a word of their own.
func (w timers) willBe(s *plan.Step, args map[string]any) string {
	action := ""
	for i := range s.Later {
		e := deedOf(&s.Later[i], tools.Result{}, nil)
		if s.Later[i].Entity == nil || i > 0 && e.want.Action != action {
			return ""
		}
		action = e.want.Action
	}
	if w.phrases["later_"+action] == "" {
		return ""
	}
	all := make([]int, len(s.Later))
	for i := range all {
		all[i] = i
	}
	about := w.grammar.named(s.Later, all)
	args["name"], args["Name"] = about["name"], about["Name"]
	args["goes"] = w.grammar.words["goes"]
	if len(all) > 1 || w.grammar.names.Several(fmt.Sprint(about["name"])) {
		args["goes"] = w.grammar.words["go"]
	}
	return capital(w.Phrase("later_"+action, args))
}

// state says how one stands: what is left of it, or when it is.
func (w timers) state(t *Timer, now time.Time) string {
	args := w.about(t)
	switch {
	case t.State == "ringing":
		return w.Rings(*t)
	case t.Kind != "timer":
		return w.started(nil, t, now)
	}
	args["length"] = w.left(t.Left)
	if t.State == "paused" {
		return capital(w.Phrase("timer_stands", args))
	}
	return capital(w.Phrase("timer_left", args))
}

// listed says how those stand that were asked for.
func (w timers) listed(s *plan.Step, data *timerData) string {
	const most = 4
	if len(data.Timers) == 0 {
		return w.refused(s, data)
	}
	text := w.each(data.Timers[:min(most, len(data.Timers))], func(t *Timer) string { return w.state(t, data.Now) })
	if more := len(data.Timers) - most; more > 0 {
		text += " " + w.Phrase("timers_more", map[string]any{"count": more})
	}
	return text
}

// ended names one that was cancelled or paused, and counts several.
func (w timers) ended(key string, all []Timer) string {
	if len(all) > 1 {
		return w.Phrase(key+"_many", map[string]any{"count": len(all)})
	}
	return w.each(all, func(t *Timer) string { return w.Phrase(key, w.about(t)) })
}

// several asks which one is meant.
func (w timers) several(all []Timer) string {
	const most = 4
	var names []string
	for i := range all[:min(most, len(all))] {
		if name := w.short(&all[i]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 || len(all) > most {
		return w.Phrase("which_other", nil)
	}
	return w.Phrase("timer_which", map[string]any{"names": w.grammar.joined(names, "or")})
}

// Asks returns the timers that the result of a tool asks about: it is not clear which
// of them is meant.
func (p *Phrases) Asks(r tools.Result) (all []Timer, asks bool) {
	var data timerData
	if json.Unmarshal(r.Data, &data) != nil || data.Outcome != "several" {
		return nil, false
	}
	return data.Timers, len(data.Timers) > 1
}

// Choose finds the one timer that an answer names, by its name, its length or its
// time.
func (p *Phrases) Choose(answer string, all []Timer) (chosen Timer, ok bool) {
	lang, _ := numbers.For(p.language)
	texts := []string{answer, cmp.Or(lang.InWords(answer), answer)}
	for i := range all {
		t := &all[i]
		names := func(word string) bool {
			return word != "" && slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(plainWords(text), plainWords(word)) })
		}
		w := timers{p}
		if names(t.Name) || names(t.Text) || names(w.length(t.Length)) || t.Length == 0 && names(w.clock(t.Due)) {
			if ok {
				return Timer{}, false
			}
			chosen, ok = *t, true
		}
	}
	return chosen, ok
}

// plainWords are the words of a text in small letters with spaces around each.
func plainWords(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
}

// refused says why nothing was set or changed.
func (w timers) refused(s *plan.Step, data *timerData) string {
	slots := s.Action.Slots
	name, kind := said(slots["name"]), said(slots["timer"])
	args := map[string]any{"name": w.noun(name)}
	keys := []string{"timer_" + data.Reason}
	if data.Outcome != "refused" {
		keys = append(keys, "none_"+kind, "none_any")
		if name != "" {
			keys = slices.Insert(keys, 0, "none_named")
		}
	}
	for _, key := range keys {
		if text := w.Phrase(key, args); text != "" {
			return text
		}
	}
	return cmp.Or(w.Phrase("timer_refused", nil), w.Phrase("failed", nil))
}
