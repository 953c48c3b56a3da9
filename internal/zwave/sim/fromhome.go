package sim

import (
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/home"
)

// FromHome builds simulated nodes for a house in the project's common terms. It
// also returns the names of entities that a Z-Wave house cannot have: scenes,
// vacuum cleaners, media players, alarm panels. Z-Wave has no aliases and floors,
// so they are lost.
func FromHome(h home.House) (House, []string) {
	out := House{HomeID: DefaultHouse().HomeID}
	var left []string
	for _, e := range h.Entities {
		spec, ok := specOf(e)
		if !ok || len(out.Nodes) > maxNode-2 {
			left = append(left, e.Name)
			continue
		}
		spec.ID = len(out.Nodes) + 2
		spec.Name, spec.Location = e.Name, e.Area
		out.Nodes = append(out.Nodes, spec)
	}
	return out, left
}

// specOf chooses a kind of device and its state.
func specOf(e home.Entity) (NodeSpec, bool) {
	on := e.State == "on"
	class, _ := e.Attributes["device_class"].(string)
	switch e.Domain {
	case "light":
		return lightSpec(e, on), true
	case "switch":
		return NodeSpec{Kind: "switch", Product: "Smart Plug", Values: map[string]any{"37-0-currentValue": on}}, true
	case "fan":
		return NodeSpec{Kind: "fan", Values: map[string]any{"38-0-currentValue": level(on, 99)}}, true
	case "valve":
		return NodeSpec{Kind: "valve", Values: map[string]any{"37-0-currentValue": e.State == "open"}}, true
	case "lock":
		return NodeSpec{Kind: "lock", Values: map[string]any{"98-0-currentMode": level(e.State == "locked", 255)}}, true
	case "cover":
		return coverSpec(e, class), true
	case "climate":
		return climateSpec(e), true
	case "sensor":
		return sensorSpec(e, class)
	case "binary_sensor":
		return binarySpec(on, class)
	default:
		return NodeSpec{}, false
	}
}

func level(on bool, full float64) float64 {
	if on {
		return full
	}
	return 0
}

func lightSpec(e home.Entity, on bool) NodeSpec {
	dimmable, _ := e.Attributes["dimmable"].(bool)
	colour, _ := e.Attributes["color"].(bool)
	switch {
	case colour:
		return NodeSpec{Kind: "colour", Product: "Light Bulb", Values: map[string]any{"38-0-currentValue": level(on, 99)}}
	case dimmable:
		return NodeSpec{Kind: "dimmer", Product: "Light Dimmer", Values: map[string]any{"38-0-currentValue": level(on, 99)}}
	default:
		return NodeSpec{Kind: "switch", Product: "Light Switch", Values: map[string]any{"37-0-currentValue": on}}
	}
}

// coverTravel is how long a cover takes from one end to the other: short, so that
// a spoken command can wait for the end.
const coverTravel = 2 * time.Second

func coverSpec(e home.Entity, class string) NodeSpec {
	open := e.State == "open"
	if class == "garage" {
		return NodeSpec{Kind: "barrier", Ramp: coverTravel, Values: map[string]any{"102-0-currentState": level(open, 255)}}
	}
	position := level(open, 99)
	if p, ok := number(e.Attributes["position"]); ok {
		position = min(p, 99)
	}
	if class == "blind" || strings.Contains(strings.ToLower(e.Name), "blind") {
		return NodeSpec{Kind: "blind", Ramp: coverTravel, Values: map[string]any{"106-0-currentValue-13": position}}
	}
	return NodeSpec{Kind: "cover", Ramp: coverTravel, Values: map[string]any{"38-0-currentValue": position}}
}

func climateSpec(e home.Entity) NodeSpec {
	modes := map[string]float64{"off": 0, "heat": 1, "cool": 2, "auto": 3, "heat_cool": 3}
	values := map[string]any{"64-0-mode": modes[fmt.Sprint(e.State)]}
	if t, ok := number(e.Attributes["current_temperature"]); ok {
		values["49-0-Air temperature"] = t
	}
	if t, ok := number(e.Attributes["temperature"]); ok {
		values["67-0-setpoint-1"] = t
	}
	return NodeSpec{Kind: "thermostat", Values: values}
}

func sensorSpec(e home.Entity, class string) (NodeSpec, bool) {
	var kind, key string
	switch class {
	case "temperature":
		kind, key = "temperature", "49-0-Air temperature"
	case "humidity":
		kind, key = "humidity", "49-0-Humidity"
	case "illuminance":
		kind, key = "illuminance", "49-0-Illuminance"
	case "battery":
		kind, key = "battery_sensor", "128-0-level"
	default:
		return NodeSpec{}, false
	}
	spec := NodeSpec{Kind: kind, Values: map[string]any{}}
	if n, ok := number(e.State); ok {
		spec.Values[key] = n
	}
	return spec, true
}

func binarySpec(on bool, class string) (NodeSpec, bool) {
	switch class {
	case "window", "door", "opening", "garage_door":
		return NodeSpec{Kind: "contact", Values: map[string]any{"113-0-Access Control-Door state": 23 - level(on, 1)}}, true
	case "motion", "occupancy", "presence":
		return NodeSpec{Kind: "motion", Values: map[string]any{"113-0-Home Security-Motion sensor status": level(on, 8)}}, true
	case "moisture":
		return NodeSpec{Kind: "water", Values: map[string]any{"113-0-Water Alarm-Sensor status": level(on, 2)}}, true
	case "smoke":
		return NodeSpec{Kind: "smoke", Values: map[string]any{"113-0-Smoke Alarm-Sensor status": level(on, 2)}}, true
	default:
		return NodeSpec{}, false
	}
}

func number(v any) (float64, bool) {
	n, ok := jsonValue(v).(float64)
	return n, ok
}
