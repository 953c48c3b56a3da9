package plan

import (
	"encoding/json"
	"fmt"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

// Until is the end of an act that is done now and put back later. The steps of one act
// share it.
type Until struct {
	// Wish asks for the end as the tool that starts timers takes it: its time, the room
	// that asks, and the sentence.
	Wish json.RawMessage
	Keep bool // the things may be so already, and are no longer at the end: "keep the fan on for ten minutes"
}

// until plans what a sentence with an end does now.
func until(a intent.Action, h *home.House, area string) ([]Step, error) {
	args := map[string]any{}
	fillStart(a, args)
	args["kind"] = "end"
	delete(args, "name")
	if area != "" {
		args["area"] = area
	}
	wish, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("planning an end: %w", err)
	}
	end := &Until{Wish: wish, Keep: a.Slots["keep"] != nil}
	var steps []Step
	for _, inner := range a.Later {
		more, err := devices(inner, h)
		if err != nil {
			return nil, err
		}
		for i := range more {
			more[i].Until = end
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// planDeferred plans a command for later, which may have an end of its own.
func planDeferred(a intent.Action, h *home.House, area string) ([]Step, error) {
	if a.Intent == catalogue.Until {
		return until(a, h, area)
	}
	return devices(a, h)
}

// Endless says why acts may not have the requested end; nil if they may. An act that
// leaves no state cannot be put back, nor does a script that was stopped run again by
// itself, and a dangerous restoration is never made without a user. Steps without an end are not looked at.
func Endless(steps []Step) error {
	for i := range steps {
		s := &steps[i]
		if s.Until == nil || s.Err != nil || s.Entity == nil {
			continue
		}
		if catalogue.Of(s.Action.Intent).Undo != catalogue.Restored || s.Entity.Costly && s.Risk != tools.Costly || passes(s.Entity) {
			return &Error{Intent: catalogue.Until, Text: "I can't put that back by myself.", Key: "end_final", Entity: s.Entity}
		}
		if s.Risk != tools.Dangerous && intent.Dangerous(contrary(s), s.Entity) {
			return &Error{Intent: catalogue.Until, Text: "Putting that back would be dangerous, and I don't do that by myself.", Key: "end_dangerous", Entity: s.Entity}
		}
	}
	return nil
}

// passes reports whether a thing is only ever started, and is in no state afterwards.
func passes(e *home.Entity) bool { return e.Domain == "scene" || e.Domain == "button" }

// contrary is an act that puts back, whatever was before, at least as much as the step may
// have changed.
func contrary(s *Step) intent.Action {
	name := catalogue.TurnOn
	if in := catalogue.Of(s.Action.Intent); in.Starts != nil && in.Starts(s.Action.Slots) {
		name = catalogue.TurnOff
	}
	if e := s.Entity; e.Domain != "lock" && e.Domain != "alarm_control_panel" {
		name = catalogue.TurnOn // a position of a gate that was further open opens it
	}
	return intent.Action{Intent: name, Slots: map[string]any{}}
}
