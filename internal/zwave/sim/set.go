package sim

import (
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// setMessage takes a message of a /set topic: an API call, a broadcast, a
// multicast or a value.
func (s *Sim) setMessage(topic string, payload []byte) {
	if !s.connected {
		return
	}
	name := strings.TrimSuffix(topic, "/set")
	if call, ok := strings.CutPrefix(name, s.cfg.base()+"/"); ok {
		s.callMessage(name, call, payload)
		return
	}
	id, ok := s.mqtt.published[name]
	switch {
	case !ok || !s.ready: // unknown topics are dropped without a trace
	case id.Node == wire.Broadcast:
		s.setEveryNode(id, payload)
	default:
		s.setValue(id, payload)
	}
}

// callMessage takes a message to the gateway itself.
func (s *Sim) callMessage(topic, call string, payload []byte) {
	if api, ok := strings.CutPrefix(call, "api/"); ok {
		s.apiMessage(api, payload)
		return
	}
	suffix, bySuffix := strings.CutPrefix(call, "broadcast/")
	switch {
	case bySuffix:
		s.mqtt.retain(topic, payload) // the echo comes before anything is done
		for _, known := range s.mqtt.publishedOrder {
			if strings.HasSuffix(known, "/"+suffix) && s.ready {
				s.setValue(s.mqtt.published[known], payload)
			}
		}
	case call == "broadcast" || call == "multicast":
		s.mqtt.retain(topic, payload)
		s.multicast(payload, call == "multicast")
	}
}

// multicast sends one frame to many devices. They act, and the gateway does not
// learn their new state.
func (s *Sim) multicast(payload []byte, chosen bool) {
	var in struct {
		wire.ValueID
		Nodes []int
		Value any
	}
	if json.Unmarshal(payload, &in.ValueID) != nil {
		return
	}
	rest := struct {
		Nodes *[]int `json:"nodes"`
		Value *any   `json:"value"`
	}{&in.Nodes, &in.Value}
	if json.Unmarshal(payload, &rest) != nil || !s.ready {
		return
	}
	if !chosen {
		in.Nodes = s.net.order
	}
	s.air.onAir(airTime, func() { s.actTogether(in.Nodes, in.ValueID, in.Value) })
}

// actTogether changes devices by one frame, of which the gateway learns nothing.
func (s *Sim) actTogether(nodes []int, id wire.ValueID, to any) {
	if !s.air.stickOut {
		s.net.actUnseen(nodes, id, to)
	}
}

// fits reports whether a value has the type that the metadata says.
func fits(to any, m meta) bool {
	switch m.Type {
	case "boolean":
		_, ok := to.(bool)
		return ok
	case "number":
		_, ok := to.(float64)
		return ok
	default:
		return to != nil
	}
}

// setEveryNode writes to a topic of the pseudo-node that stands for the whole
// house.
func (s *Sim) setEveryNode(id wire.ValueID, payload []byte) {
	for _, number := range s.net.order {
		mine := id
		mine.Node = number
		if id.Class == basic {
			mine = s.net.nodes[number].basicTarget(id.Endpoint)
		}
		s.setValue(mine, payload)
	}
}

// basicTarget returns the value that a Basic command sets on an endpoint.
func (n *node) basicTarget(endpoint int) wire.ValueID {
	id := wire.ValueID{Node: n.spec.ID, Class: wire.BinarySwitch, Endpoint: endpoint, Property: "targetValue"}
	if n.find(id) == nil {
		id.Class = wire.MultilevelSwitch
	}
	return id
}

// setValue writes by topic: there is never an answer and never an error.
func (s *Sim) setValue(id wire.ValueID, payload []byte) {
	n := s.net.nodes[id.Node]
	if n == nil || n.view.foundDead {
		return
	}
	v := n.find(id)
	if v != nil && !v.writeable {
		v = n.target(v)
	}
	if v == nil || !v.writeable {
		return
	}
	to, ok := parseSet(payload, v.meta)
	if !ok {
		return
	}
	var options struct{ Options any }
	transition := time.Duration(-1)
	if json.Unmarshal(payload, &options) == nil {
		transition = transitionOf(options.Options)
	}
	s.air.write(command{node: n, value: v, to: to, transition: transition, done: func(outcome) {}})
}

// parseSet reads the payload of a write by topic the way the gateway does; false
// means that it is refused (in the gateway's log only).
func parseSet(payload []byte, m meta) (any, bool) {
	v, ok := readSet(payload)
	if !ok {
		return nil, false
	}
	if o, isObject := v.(map[string]any); isObject {
		if inner, has := o["value"]; has {
			v = inner
		}
	}
	if text, isText := v.(string); isText {
		if word, known := wordOf(text); known && m.Type != "string" {
			v = word
		}
	}
	switch m.Type {
	case "boolean":
		if n, isNumber := v.(float64); isNumber {
			v = n > 0
		}
		_, ok = v.(bool)
	case "number":
		if b, isBool := v.(bool); isBool {
			v = map[bool]float64{true: 255, false: 0}[b]
		}
		_, ok = v.(float64)
	case "string":
		_, ok = v.(string)
	}
	return v, ok && v != nil
}

// readSet tells numbers, JSON and text apart. A payload that begins like a number
// must be a number as a whole.
func readSet(payload []byte) (any, bool) {
	text := strings.TrimSpace(string(payload))
	if text == "" {
		return nil, false
	}
	var v any
	err := json.Unmarshal([]byte(text), &v)
	if strings.ContainsRune("0123456789+-.", rune(text[0])) {
		_, isNumber := v.(float64)
		return v, err == nil && isNumber
	}
	if err != nil {
		return text, !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[")
	}
	return v, v != nil
}

// wordOf reads the gateway's words for true and false.
func wordOf(text string) (value, known bool) {
	switch strings.ToLower(text) {
	case "true", "on", "lock":
		return true, true
	case "false", "off", "unlock":
		return false, true
	default:
		return false, false
	}
}
