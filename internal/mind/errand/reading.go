package errand

import (
	"cmp"
	"encoding/json"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mind/dialogue"
)

// Reading says what calls have read of things, as the answer to a user's question would;
// "" if they read no thing in the house.
func Reading(h *home.House, p *reply.Phrases, calls []dialogue.Call) string {
	var read Outcomes
	seen := map[string]bool{}
	for _, c := range calls {
		if key := c.Tool + string(c.Args); !seen[key] {
			seen[key] = true
			for _, s := range question(h, c) {
				read.Add(s, c.Result, nil)
			}
		}
	}
	return read.Say(p)
}

// question is the step that reads what a call has read.
func question(h *home.House, c dialogue.Call) []plan.Step {
	var args struct {
		Device string `json:"device_name"`
		Sensor string `json:"sensor"`
	}
	if json.Unmarshal(c.Args, &args) != nil || c.Err != nil || c.Result.Failed {
		return nil
	}
	e := readAs(h, c.Spec.Server, cmp.Or(c.Spec.Remote, c.Tool), args.Device)
	if e == nil {
		return nil
	}
	asked := intent.Action{Intent: catalogue.GetState, Devices: []string{e.ID}, Slots: map[string]any{}}
	if args.Sensor != "" {
		asked.Slots["device_class"] = args.Sensor
	}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{asked}}, h, "")
	if err != nil || len(steps) != 1 {
		return nil
	}
	return steps
}

// readAs finds the one thing that a server's reading tool knows by a name.
func readAs(h *home.House, server, tool, name string) *home.Entity {
	var found *home.Entity
	for i := range h.Entities {
		e := &h.Entities[i]
		if e.Server != server || e.Read == nil || e.Read.Tool != tool || e.Read.ID != name && !strings.EqualFold(e.Name, name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = e
	}
	return found
}
