package sim

import (
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// setMessage takes a message of a /set topic: an API call, a broadcast or a value.
func (s *Sim) setMessage(topic string, payload []byte) {
	name := strings.TrimSuffix(topic, "/set")
	if api, ok := strings.CutPrefix(name, s.cfg.base()+"/api/"); ok {
		s.apiMessage(api, payload)
		return
	}
	id, ok := s.heard[name]
	if !ok {
		return // unknown topics are dropped without a trace
	}
	if id.Node != wire.Broadcast {
		s.setValue(id, payload)
		return
	}
	for _, node := range s.order {
		id.Node = node
		s.setValue(id, payload)
	}
}

// setValue writes by topic: there is never an answer and never an error.
func (s *Sim) setValue(id wire.ValueID, payload []byte) {
	n := s.nodes[id.Node]
	if n == nil || n.marked {
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
	s.write(command{node: n, value: v, to: to, transition: transition, done: func(outcome) {}})
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

// readSet tells numbers, JSON and text apart. What begins like a number must be
// one as a whole.
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

// wordOf reads the words the gateway knows for yes and no.
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
