package plan_test

import (
	"errors"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// TestAllowed: only a dangerous act that is known before it is made, on a thing whose
// server allows it, and by the call that the house names for it.
func TestAllowed(t *testing.T) {
	t.Parallel()
	door := home.Entity{
		ID: "lock.1", Name: "Front Door", Domain: "lock", Server: "zwave", Abilities: []home.Ability{home.Lock},
		Control: &home.Control{Tool: "control", ID: "front"}, Dangerous: &home.Control{Tool: "dangerously", ID: "front!"},
	}
	shut := door
	shut.Dangerous = nil
	for name, tt := range map[string]struct {
		entity home.Entity
		intent string
		spoil  func(s *plan.Step)
		call   string
	}{
		"unlocking":          {door, "HassTurnOff", nil, `zwave dangerously {"action":"unlock","device_name":"front!"}`},
		"locking":            {door, "HassTurnOn", nil, ""},
		"not allowed":        {shut, "HassTurnOff", nil, ""},
		"that cannot be":     {door, "HassTurnOff", func(s *plan.Step) { s.Err = errors.New("no") }, ""},
		"without arguments":  {door, "HassTurnOff", func(s *plan.Step) { s.Call.Args = nil }, ""},
		"on nothing":         {door, "HassTurnOff", func(s *plan.Step) { s.Entity = nil }, ""},
		"of unknown risk":    {door, "HassTurnOff", func(s *plan.Step) { s.Risk = "" }, ""},
		"only a costly call": {door, "HassTurnOff", func(s *plan.Step) { s.Risk = tools.Costly }, ""},
	} {
		h := &home.House{Entities: []home.Entity{tt.entity}}
		steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: tt.intent, Devices: []string{"lock.1"}}}}, h, "")
		if err != nil || len(steps) != 1 {
			t.Fatalf("%s: %v, %v", name, steps, err)
		}
		if tt.spoil != nil {
			tt.spoil(&steps[0])
		}
		before := string(steps[0].Call.Args)
		got, ok := steps[0].Allowed()
		call := ""
		if ok {
			call = got.Call.Server + " " + got.Call.Tool + " " + string(got.Call.Args)
		}
		if call != tt.call || ok && !got.Once || string(steps[0].Call.Args) != before {
			t.Errorf("%s: %q, expected %q; once: %v", name, call, tt.call, got.Once)
		}
	}
}
