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
	"voicegateway/internal/tools"
)

// Reading says what a call has read of a thing, as the answer to a user's question would;
// "" if the call read no thing in the house.
func Reading(h *home.House, p *reply.Phrases, c dialogue.Call) string {
	var args struct {
		Device string `json:"device_name"`
		Sensor string `json:"sensor"`
	}
	if json.Unmarshal(c.Args, &args) != nil || c.Err != nil || c.Result.Failed {
		return ""
	}
	e := readAs(h, c.Spec.Server, cmp.Or(c.Spec.Remote, c.Tool), args.Device)
	if e == nil {
		return ""
	}
	asked := intent.Action{Intent: catalogue.GetState, Devices: []string{e.ID}, Slots: map[string]any{}}
	if args.Sensor != "" {
		asked.Slots["device_class"] = args.Sensor
	}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{asked}}, h, "")
	if err != nil || len(steps) != 1 {
		return ""
	}
	return p.Told(steps, []tools.Result{c.Result})
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
