package reply

import (
	"fmt"
	"maps"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Of is a phrase about some things; more than three are said as a number. more fills its
// other places.
func (p *Phrases) Of(key string, things []*home.Entity, more map[string]any) string {
	args := map[string]any{}
	maps.Copy(args, more)
	if len(things) > 0 {
		maps.Copy(args, p.grammar.these(stepsOn(things)))
	}
	return p.Phrase(key, args)
}

// Either asks which of two is meant: words, or things if there are any.
func (p *Phrases) Either(a, b string) string {
	return p.Phrase("either", map[string]any{"a": a, "A": capital(a), "b": b})
}

// CallThings is what some things are called inside a sentence.
func (p *Phrases) CallThings(things []*home.Entity) string {
	if len(things) == 0 {
		return ""
	}
	return fmt.Sprint(p.grammar.these(stepsOn(things))["name"])
}

// Aim is what a step makes of its thing, in a word or two: "off", "50 percent"; "" if
// no such words are known.
func (p *Phrases) Aim(s *plan.Step) string {
	e := deedOf(s, tools.Result{}, nil)
	value := (acts{p}).wantedValue(e.want)
	switch e.want.Action {
	case "level", "position":
		return value + " " + p.readings.units["%"]
	case "setpoint":
		return value + " " + p.readings.degreesOf(s)
	case "colour", "mode":
		return value
	}
	states := map[string]string{"on": "on", "off": "off", "open": "open", "close": "closed", "lock": "locked", "unlock": "unlocked"}
	return p.readings.states["other"][states[e.want.Action]]
}

// stepsOn are steps that name things and do nothing.
func stepsOn(things []*home.Entity) []plan.Step {
	steps := make([]plan.Step, len(things))
	for i, e := range things {
		steps[i].Entity = e
	}
	return steps
}
