// Package wire holds the words of zwave-js-ui's MQTT contract: value IDs, topic
// schemes with their sanitising, and payload shapes. It exists so that the client
// (package zwave) and the simulator (package zwave/sim) read and write the very
// same language, and it is pure: bytes in, values out. A new command class is a
// line in classes; a new topic scheme is a Kind and a branch in Scheme.Value.
package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Broadcast is the node id of the pseudo-node that stands for the whole house.
const Broadcast = 255

// ValueID is zwave-js's address of one value of one node. Key is empty when the
// value has no property key. It is comparable, so it serves as a map key.
type ValueID struct {
	Node     int
	Class    int
	Endpoint int
	Property string
	Key      string
}

// String is the gateway's own spelling without the node, the key of the values
// in a getNodes answer: "37-0-targetValue", "67-0-setpoint-1".
func (v ValueID) String() string {
	s := strconv.Itoa(v.Class) + "-" + strconv.Itoa(v.Endpoint) + "-" + v.Property
	if v.Key != "" {
		s += "-" + v.Key
	}
	return s
}

// With returns the value ID of another property (and key) beside this one.
func (v ValueID) With(property, key string) ValueID {
	v.Property, v.Key = property, key
	return v
}

// MarshalJSON gives the object form that API calls take. The gateway wants
// numbers where zwave-js has numbers; text such as the scene "001" stays text.
func (v ValueID) MarshalJSON() ([]byte, error) {
	out := map[string]any{
		"nodeId": v.Node, "commandClass": v.Class, "endpoint": v.Endpoint,
		"property": numberIfPlain(v.Property),
	}
	if v.Key != "" {
		out["propertyKey"] = numberIfPlain(v.Key)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the object form; a missing endpoint is the root device.
func (v *ValueID) UnmarshalJSON(data []byte) error {
	var in struct {
		Node     int `json:"nodeId"`
		Class    int `json:"commandClass"`
		Endpoint int `json:"endpoint"`
		Property any `json:"property"`
		Key      any `json:"propertyKey"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("reading a value id: %w", err)
	}
	*v = ValueID{Node: in.Node, Class: in.Class, Endpoint: in.Endpoint, Property: Text(in.Property), Key: Text(in.Key)}
	return nil
}

// Text spells a property or property key, which JSON carries as text or number;
// nil gives the empty string.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// ParseValueID reads the spelling of String for a node; ok is false when the text
// is no value ID. Only the caller can tell a property key from a property that
// contains a dash, so the property is taken to end at the first dash after the
// endpoint's.
func ParseValueID(node int, s string) (ValueID, bool) {
	parts := strings.SplitN(s, "-", 4)
	if len(parts) < 3 || parts[2] == "" {
		return ValueID{}, false
	}
	class, err1 := strconv.Atoi(parts[0])
	endpoint, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return ValueID{}, false
	}
	id := ValueID{Node: node, Class: class, Endpoint: endpoint, Property: parts[2]}
	if len(parts) == 4 {
		id.Key = parts[3]
	}
	return id, true
}

func numberIfPlain(s string) any {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s {
		return s
	}
	return n
}
