//go:build oracle

package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// server is the name of the simulated house's server.
const server = "zwave"

// object is JSON of any kind.
type object = map[string]any

// world is a simulated house. Its devices answer as REQUIREMENTS Z1 and Z4 say, each in a
// twentieth of a second, and it keeps what was called and what happened.
type world struct {
	mu      sync.Mutex
	state   map[string]object // by device, then by property
	kind    map[string]string // the domain of each device
	outcome map[string]string // of the next calls, by device: "accepted/on_its_way"; else confirmed
	told    map[string]time.Time
	events  []object
}

// deviceTime is how long a device needs to answer.
const deviceTime = 50 * time.Millisecond

// readHouse reads a house, and gives each thing what the tests' houses may leave out: what
// it can do and how it is reached. The result is as a server would tell it.
func readHouse(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var h object
	if err := json.Unmarshal(data, &h); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	can := map[string][]string{
		"light": {"on_off", "brightness", "colour"}, "switch": {"on_off"}, "fan": {"on_off"}, "cover": {"open_close", "position", "stop"},
		"climate": {"setpoint", "mode"}, "lock": {"lock"}, "valve": {"open_close"}, "siren": {"on_off"}, "media_player": {"on_off"},
	}
	for _, e := range h["entities"].([]any) {
		e := e.(object)
		domain, _ := e["domain"].(string)
		delete(e, "state")
		if e["abilities"] == nil && can[domain] != nil {
			e["abilities"] = can[domain]
			e["control"] = object{"tool": "control_zwave_device", "id": e["id"]}
		}
		if e["read"] == nil {
			e["read"] = object{"tool": "get_device_state", "id": e["id"]}
		}
	}
	told, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// build makes the devices of a house, in their first state.
func build(t *testing.T, told []byte) *world {
	t.Helper()
	var h struct {
		Entities []struct {
			Domain     string
			Attributes object
			Abilities  []string
			Read       struct{ ID string }
		}
	}
	if err := json.Unmarshal(told, &h); err != nil {
		t.Fatal(err)
	}
	w := &world{state: map[string]object{}, kind: map[string]string{}, outcome: map[string]string{}, told: map[string]time.Time{}}
	for i, e := range h.Entities {
		s := object{}
		for _, a := range e.Abilities {
			switch a {
			case "on_off":
				s["on_off"] = "off"
			case "brightness":
				s["brightness"] = 0.0
			case "colour":
				s["colour"] = "#ffa757"
			case "position", "open_close":
				s["position"] = 50.0
			case "setpoint":
				s["setpoint"] = 19.5
			case "mode":
				s["mode"] = "heat"
			case "lock":
				s["lock"] = "unlocked"
			case "temperature":
				s["temperature"] = 18 + float64(i%7)/2
			case "humidity":
				s["humidity"] = 45.0
			case "battery":
				s["battery"] = 80.0
			case "power":
				s["power"] = 40.0
			case "contact":
				s["contact"] = []string{"closed", "open"}[i%2]
			default:
				s[a] = "off"
			}
		}
		w.state[e.Read.ID], w.kind[e.Read.ID] = s, e.Domain
	}
	return w
}

// note keeps something that happened.
func (w *world) note(kind string, what any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, object{kind: what})
}

// takeEvents takes what happened since the last call. What happens side by side has no
// order of its own, so it is sorted.
func (w *world) takeEvents(t *testing.T) []json.RawMessage {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []json.RawMessage
	for _, e := range w.events {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	w.events = nil
	slices.SortFunc(all, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	return all
}

// read returns a property as the device tells it: a lamp that is dimmed to nothing is off.
func (w *world) read(device, property string) any {
	s := w.state[device]
	level, dims := s["brightness"].(float64)
	at, moves := s["position"].(float64)
	switch {
	case property == "on_off" && dims && level > 0:
		return "on"
	case property == "on_off" && dims:
		return "off"
	case property == "open_close" && moves && at > 0:
		return "open"
	case property == "open_close" && moves:
		return "closed"
	}
	return s[property]
}

// main is the property by which a device's state is told in one word.
func (w *world) main(device string) string {
	s := w.state[device]
	for _, p := range []struct{ has, told string }{{"position", "open_close"}, {"lock", "lock"}, {"mode", "mode"}, {"on_off", "on_off"}} {
		if s[p.has] != nil {
			return p.told
		}
	}
	for _, property := range slices.Sorted(maps.Keys(s)) {
		if property != "battery" {
			return property
		}
	}
	return "battery"
}

// set does an action to a device and returns the property that a receipt names.
func (w *world) set(device, action string, value any) (property string) {
	s := w.state[device]
	w.told[device] = time.Now()
	switch action {
	case "on", "off":
		property, s["on_off"] = "on_off", action
		if s["brightness"] != nil {
			s["brightness"] = map[string]float64{"on": 100, "off": 0}[action]
		}
	case "toggle":
		return w.set(device, map[any]string{"on": "off", "off": "on"}[w.read(device, "on_off")], nil)
	case "level":
		property, s["brightness"] = "brightness", value
	case "open", "close":
		property, s["position"] = "open_close", map[string]float64{"open": 100, "close": 0}[action]
	case "lock":
		property, s["lock"] = "lock", "locked"
	case "unlock":
		property, s["lock"] = "lock", "unlocked"
	case "stop":
		property = "open_close"
	default: // position, setpoint, mode, colour
		property, s[action] = action, value
	}
	return property
}

// call is a call of one of the server's tools.
func (w *world) call(tool string, args json.RawMessage) (text string, data json.RawMessage, failed bool, err error) {
	<-time.After(deviceTime)
	w.mu.Lock()
	defer w.mu.Unlock()
	var a struct {
		Device string `json:"device_name"`
		Action string
		Value  any
		Sensor string
	}
	if err := json.Unmarshal(args, &a); err != nil {
		return "", nil, false, err
	}
	if w.state[a.Device] == nil {
		return "There is no such device.", nil, true, nil
	}
	outcome, why, _ := strings.Cut(w.outcome[a.Device], "/")
	if outcome == "" {
		outcome = "confirmed"
	}
	reachable := outcome != "no_answer"
	var answer object
	switch tool {
	case "get_device_sensor_data":
		unit := map[string]string{"temperature": "°C", "humidity": "%", "battery": "%", "power": "W"}[a.Sensor]
		answer = object{"device": a.Device, "sensor": a.Sensor, "value": w.read(a.Device, a.Sensor), "unit": unit, "reachable": reachable}
	case "get_device_state":
		values := maps.Clone(w.state[a.Device])
		answer = object{"device": a.Device, "state": w.read(a.Device, w.main(a.Device)), "values": values, "reachable": reachable}
		if at, ok := w.told[a.Device]; ok {
			answer["age_seconds"] = int64(time.Since(at) / time.Second)
		}
	default:
		answer, failed = w.act(a.Device, a.Action, a.Value, outcome, why)
		text = fmt.Sprintf("%s: %s.", a.Device, outcome)
		answer["message"] = text
	}
	data, err = json.Marshal(answer)
	return text, data, failed, err
}

// act acts on a device and returns the receipt.
func (w *world) act(device, action string, value any, outcome, why string) (receipt object, failed bool) {
	was := maps.Clone(w.state[device])
	property := w.set(device, action, value)
	now := w.state[device]
	w.state[device] = was
	receipt = object{"device": device, "property": property, "outcome": outcome, "before": w.read(device, property), "ms": 50}
	if why != "" {
		receipt["reason"] = why
	}
	levels := []string{"brightness", "position"}
	for _, level := range levels {
		if was[level] != nil {
			receipt["before_level"] = was[level]
		}
	}
	if failed = outcome == "refused" || outcome == "no_answer"; !failed {
		w.state[device] = now
	}
	receipt["value"] = w.read(device, property)
	for _, level := range levels {
		if at := w.state[device][level]; at != nil && property != level {
			receipt["value_level"] = at
		}
	}
	return receipt, failed
}
