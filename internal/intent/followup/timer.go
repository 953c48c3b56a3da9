package followup

import (
	"maps"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
)

// WhichTimer is the reason of the question which of several timers is meant. HowLong
// and When are those of a sentence that left its time open.
const (
	WhichTimer = "which_timer"
	HowLong    = "how_long"
	When       = "when"
)

// WithTimer completes a sentence about timers with the one that the answer names, or
// with all of them; ok is false if it is no answer.
func WithTimer(p *reply.Phrases, answer string, would intent.Action, timers []reply.Timer, all bool) (d intent.Decision, ok bool) {
	would.Slots = maps.Clone(would.Slots)
	t, chosen := p.Choose(answer, timers)
	switch {
	case chosen:
		would.Slots["id"] = t.ID
	case all && would.Intent == catalogue.CancelTimer:
		would.Intent = catalogue.CancelAllTimers
	default:
		return d, false
	}
	return intent.Decision{Route: intent.Local, Reason: "answer", Actions: []intent.Action{would}}, true
}

// WithTime completes a sentence that left its time open with the answer; ok is false if
// that is a command of its own, or says no time.
func WithTime(match func(text string) intent.Decision, asked, answer string, would intent.Action) (d intent.Decision, ok bool) {
	if alone := match(answer); alone.Route == intent.Local && slices.ContainsFunc(alone.Actions, func(a intent.Action) bool {
		return len(a.Devices)+len(a.Later) > 0
	}) {
		return d, false
	}
	d = match(asked + " " + answer)
	return d, d.Route == intent.Local && d.Actions[len(d.Actions)-1].Intent == would.Intent
}
