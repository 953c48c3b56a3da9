package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Reading is what a value topic's payload says.
type Reading struct {
	Value any       // nil when the value is unknown
	Known bool      // false: the gateway does not know the value
	Time  time.Time // of the device's last report; zero where the payload has none
	ID    ValueID   // only in the payload type "entire value object"
	HasID bool
}

// ParseReading reads the payload of a value topic. It recognises the three payload types
// by their shape, because the user chooses one in zwave-js-ui.
func ParseReading(payload []byte) (Reading, error) {
	if len(payload) == 0 {
		return Reading{}, nil // "just value" publishes an unknown value as an empty payload
	}
	var v any
	if err := json.Unmarshal(payload, &v); err != nil {
		return Reading{}, fmt.Errorf("reading a value payload: %w", err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return Reading{Value: v, Known: v != nil}, nil
	}
	if r, ok := entireObject(object); ok {
		return r, nil
	}
	if at, ok := object["time"].(float64); ok && onlyTimeValue(object) {
		value, known := object["value"]
		return Reading{Value: value, Known: known && value != nil, Time: Millis(at)}, nil
	}
	return Reading{Value: v, Known: true}, nil
}

func entireObject(o map[string]any) (Reading, bool) {
	node, ok1 := o["nodeId"].(float64)
	class, ok2 := o["commandClass"].(float64)
	property := Text(o["property"])
	if !ok1 || !ok2 || property == "" {
		return Reading{}, false
	}
	endpoint, _ := o["endpoint"].(float64)
	r := Reading{HasID: true, ID: ValueID{
		Node: int(node), Class: int(class), Endpoint: int(endpoint), Property: property, Key: Text(o["propertyKey"]),
	}}
	r.Value, r.Known = o["value"]
	r.Known = r.Known && r.Value != nil
	if at, ok := o["lastUpdate"].(float64); ok {
		r.Time = Millis(at)
	}
	return r, true
}

func onlyTimeValue(o map[string]any) bool {
	for k := range o {
		switch k {
		case "time", "value", "nodeName", "nodeLocation":
		default:
			return false
		}
	}
	return true
}

// NodeStatus is what a node's status topic says.
type NodeStatus struct {
	Available bool
	Status    string // Unknown, Alive, Awake, Asleep, Dead; empty in the type "just value"
	Node      int    // 0 in the type "just value"
}

// ParseNodeStatus reads the payload of a node's status topic; ok is false when it
// is no status.
func ParseNodeStatus(payload []byte) (NodeStatus, bool) {
	var bare bool
	if json.Unmarshal(payload, &bare) == nil {
		return NodeStatus{Available: bare}, string(payload) != "null"
	}
	var in struct {
		Value  *bool  `json:"value"`
		Status string `json:"status"`
		Node   int    `json:"nodeId"`
	}
	if json.Unmarshal(payload, &in) != nil || in.Value == nil {
		return NodeStatus{}, false
	}
	return NodeStatus{Available: *in.Value, Status: in.Status, Node: in.Node}, true
}

// MessageTime is when the gateway sent a message, by its own clock; zero if the payload
// does not say.
func MessageTime(payload []byte) time.Time {
	var in struct {
		Time float64 `json:"time"`
	}
	if json.Unmarshal(payload, &in) != nil {
		return time.Time{}
	}
	return Millis(in.Time)
}

// Millis converts the gateway's times, milliseconds since 1970; nonsense gives
// the zero time.
func Millis(ms float64) time.Time {
	if math.IsNaN(ms) || ms <= 0 || ms > 1e15 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms))
}

// Seconds reads a duration value, {"value":3,"unit":"seconds"}; ok is false for
// an unknown one.
func Seconds(v any) (d time.Duration, ok bool) {
	o, isObject := v.(map[string]any)
	n, isNumber := o["value"].(float64)
	if !isObject || !isNumber || n < 0 || n > 86400 {
		return 0, false
	}
	if o["unit"] == "minutes" {
		return time.Duration(n * float64(time.Minute)), true
	}
	return time.Duration(n * float64(time.Second)), true
}
