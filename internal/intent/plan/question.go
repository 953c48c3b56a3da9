package plan

import (
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/tools"
)

// About says what a step of a question reads.
type About uint8

// What a step reads.
const (
	State   About = iota // the state of its thing
	Battery              // the battery of its thing
	Servers              // whether the MCP servers are connected
)

// sensorTool is the reading tool that takes the kind of sensor as an argument.
const sensorTool = "get_device_sensor_data"

// serverTool is the gateway's own tool that tells the state of the MCP servers.
const serverTool = "list_servers"

// question plans the reading of one thing: its state, and its battery where the
// question is about how the thing is.
func question(a intent.Action, e *home.Entity, h *home.House) []Step {
	if a.Slots["kind"] == "battery" {
		return []Step{battery(a, e)}
	}
	if own := batterySensor(e, h); own != nil && a.Slots["device_class"] == "battery" && !e.Can(home.Battery) {
		return []Step{read(a, own)}
	}
	switch state, _ := a.Slots["state"].(string); state {
	case "ok", "right":
		if e.DeviceClass() != "battery" && e.Can(home.Battery) && (state == "ok" || batterySensor(e, h) == nil) {
			return []Step{read(a, e), battery(a, e)}
		}
		if state == "right" && e.DeviceClass() == "battery" {
			return []Step{battery(a, e)}
		}
	}
	return []Step{read(a, e)}
}

// battery plans the reading of a thing's battery.
func battery(a intent.Action, e *home.Entity) Step {
	s := read(a, e)
	s.About = Battery
	if e.Read != nil && e.Read.Tool == sensorTool {
		s.Call, s.Err = call(e.Server, e.Read.Tool, map[string]any{"device_name": e.Read.ID, "sensor": string(home.Battery)})
	}
	return s
}

// batterySensor returns the separate sensor for the battery of a thing; nil if the house
// has none.
func batterySensor(e *home.Entity, h *home.House) *home.Entity {
	for i := range h.Entities {
		other := &h.Entities[i]
		if other.DeviceClass() == "battery" && other.Server == e.Server && strings.HasPrefix(strings.ToLower(other.Name), strings.ToLower(e.Name)+" ") {
			return other
		}
	}
	return nil
}

// servers plans the question which MCP servers are connected.
func servers(a intent.Action) Step {
	made, err := call("", serverTool, map[string]any{})
	return Step{Action: a, Call: made, Risk: tools.Read, Err: err, About: Servers}
}

// read plans a question about one entity.
func read(a intent.Action, e *home.Entity) Step {
	if e.Read == nil {
		return cannot(a, e, "cannot_check", "I have no way to check %s.", nameOf(e))
	}
	args := map[string]any{"device_name": e.Read.ID}
	class, _ := a.Slots["device_class"].(string)
	if e.Read.Tool == sensorTool {
		switch {
		case class != "" && (e.Can(home.Ability(class)) || a.Slots["name"] != nil && class == string(home.Temperature)):
			args["sensor"] = class // what one device measures belongs together: its server knows whether it does
		case len(e.Abilities) > 0:
			args["sensor"] = string(e.Abilities[0])
		}
	}
	made, err := call(e.Server, e.Read.Tool, args)
	return Step{Action: a, Entity: e, Call: made, Risk: tools.Read, Err: err}
}
