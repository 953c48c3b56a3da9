package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// Recorded times of the API's answers.
const (
	floorTime    = 43 * time.Millisecond
	getNodesTime = 20 * time.Millisecond
	pollTime     = 88 * time.Millisecond
	pingTime     = 70 * time.Millisecond
	deadPingTime = 1055 * time.Millisecond
)

// reply ends an API call; problem is the gateway's own text, empty on success.
type reply func(result any, problem string)

// calls is the part of the gateway's API that is simulated: the calls that our own
// program may send, and those in the recordings. Calls that always have the same answer
// are in devices.yaml.
var calls = map[string]func(*Sim, []any, reply){
	"getInfo":         apiGetInfo,
	"getNodes":        apiGetNodes,
	"writeValue":      apiWriteValue,
	"pollValue":       apiPollValue,
	"refreshValues":   apiRefreshValues,
	"refreshCCValues": apiRefreshValues,
	"refreshInfo":     apiRefreshInfo,
	"pingNode":        apiPing,
	"setNodeName":     apiSetName,
	"setNodeLocation": apiSetLocation,

	"refreshNeighbors": apiRefreshNeighbors,
	"sendCommand":      apiSendCommand,
	"writeMulticast":   apiWriteMulticast,
	"writeBroadcast":   apiWriteBroadcast,
	"_createScene":     apiCreateScene,
	"_addSceneValue":   ofScene(addSceneValue),
	"_getScenes":       apiGetScenes,
	"_activateScene":   ofScene(activateScene),
	"_removeScene":     ofScene(removeScene),
}

// apiMessage takes a request as the gateway does: a payload without an args
// array, even malformed JSON, runs the call without arguments.
func (s *Sim) apiMessage(name string, payload []byte) {
	var origin any
	if err := json.Unmarshal(payload, &origin); err != nil {
		origin = string(payload)
	} else if origin == nil {
		return // "null" is never answered
	}
	args := []any{}
	if object, ok := origin.(map[string]any); ok {
		if given, has := object["args"]; has {
			if args, ok = given.([]any); !ok {
				s.mqtt.answer(name, map[string]any{"success": false, "message": "Args must be an array", "origin": origin})
				return
			}
		}
	}
	done := func(result any, problem string) {
		if s.unansweredCalls.spend() {
			return
		}
		out := map[string]any{"success": true, "message": "Success zwave api call", "args": args, "origin": origin}
		if problem != "" {
			out["success"], out["message"] = false, problem
		} else if result != nil {
			out["result"] = result
		}
		s.mqtt.answer(name, out)
	}
	call, ok := calls[name]
	if same, constant := recorded().Calls[name]; constant {
		call, ok = same.answer, true
	}
	switch {
	case !ok:
		s.clock.after(floorTime, func() { done(nil, "Unknown API") })
	case !s.ready:
		s.clock.after(floorTime, func() { done(nil, "Z-Wave client not connected") })
	default:
		call(s, args, done)
	}
}

// answer serves a call that always has the same answer.
func (c constant) answer(s *Sim, args []any, done reply) {
	if c.Stranger != "" && s.net.nodeArg(args) == nil {
		s.clock.after(floorTime, func() { done(nil, c.Stranger) })
		return
	}
	s.clock.after(cmp.Or(c.After, floorTime), func() { done(c.Result, c.Problem) })
}

func apiGetInfo(s *Sim, _ []any, done reply) {
	s.clock.after(floorTime, func() {
		done(map[string]any{
			"homeid": s.cfg.House.HomeID, "name": s.cfg.homeName(), "controllerId": 1,
			"status": "scan done", "cntStatus": "Controller is Ready", "inclusionState": 0,
			"uptime": time.Since(s.since).Seconds(), "appVersion": appVersion + ".simulated",
			"zwaveVersion": "15.29.0", "serverVersion": "3.10.2",
		}, "")
	})
}

func apiGetNodes(s *Sim, _ []any, done reply) {
	s.clock.after(getNodesTime, func() {
		nodes := []any{s.net.describeBroadcast(), describeController(s.controller)}
		for _, id := range s.net.order {
			nodes = append(nodes, s.net.nodes[id].describe())
		}
		done(nodes, "")
	})
}

// valueArg reads the value id from a call's arguments.
func valueArg(args []any) (id wire.ValueID, ok bool) {
	if len(args) == 0 {
		return id, false
	}
	raw, err := json.Marshal(args[0])
	return id, err == nil && json.Unmarshal(raw, &id) == nil
}

func apiWriteValue(s *Sim, args []any, done reply) {
	finish := func(o outcome) {
		result := map[string]any{"status": o.status}
		if o.message != "" {
			result["message"] = o.message
		}
		if o.status == statusWorking {
			result["remainingDuration"] = map[string]any{"value": o.remaining.Seconds(), "unit": "seconds"}
		}
		done(result, "")
	}
	if len(args) == 0 {
		s.clock.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'commandClass')") })
		return
	}
	id, ok := valueArg(args)
	n := s.net.nodes[id.Node]
	if !ok || n == nil || !n.has(id.Class) || n.lost() {
		s.clock.after(floorTime, func() { finish(outcome{status: statusFailed}) })
		return
	}
	v := n.find(id)
	var to any
	if len(args) > 1 {
		to = args[1]
	}
	if problem := n.problem(id, v, to); problem != nil {
		s.clock.after(floorTime, func() { finish(*problem) })
		return
	}
	transition := time.Duration(-1)
	if len(args) > 2 {
		transition = transitionOf(args[2])
	}
	s.air.write(command{node: n, value: v, to: to, transition: transition, done: finish})
}

// problem returns why a writeValue is refused before anything is sent; nil if it
// is not refused.
func (n *node) problem(id wire.ValueID, v *value, to any) *outcome {
	endpoints := map[int]bool{0: true}
	for _, v := range n.values {
		endpoints[v.id.Endpoint] = true
	}
	if !endpoints[id.Endpoint] {
		return &outcome{status: noEndpoint, message: fmt.Sprintf("Endpoint %d does not exist on Node %d", id.Endpoint, id.Node)}
	}
	class := className(id.Class)
	if v == nil || !v.writeable {
		return &outcome{status: statusInvalid, message: fmt.Sprintf("%s: %q is not a supported property (ZW0322)", class, id.Property)}
	}
	got := "object"
	switch to.(type) {
	case bool:
		got = "boolean"
	case float64:
		got = "number"
	case string:
		got = "string"
	}
	if (v.meta.Type == "boolean" || v.meta.Type == "number") && got != v.meta.Type {
		return &outcome{status: statusInvalid, message: fmt.Sprintf("%s: %q must be of type %q, received %q (ZW0322)", class, id.Property, v.meta.Type, got)}
	}
	return nil
}

// transitionOf returns the duration that write options ask for; negative if there
// is none.
func transitionOf(options any) time.Duration {
	o, _ := options.(map[string]any)
	text, _ := o["transitionDuration"].(string)
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d < 0 {
		return -1
	}
	return d
}
