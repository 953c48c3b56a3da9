package sim

import (
	"fmt"
	"time"

	"voicegateway/internal/zwave/wire"
)

// dead is the status of a node that does not answer; the only unavailable one.
const dead = "Dead"

// node is one simulated device with the gateway's view of it.
type node struct {
	spec    NodeSpec
	class   [2]int // generic and specific device class
	values  []*value
	marked  bool // the gateway has found out that it is dead
	awake   bool // a sleeper that is up
	active  time.Time
	waiting []func() // what a sleeper gets when it wakes up
	verify  *timer   // the read-back after a write
	moves   map[wire.ValueID]*move
	last    float64 // level before it went off
}

// value is one value: what the device is, and what the gateway believes.
type value struct {
	id        wire.ValueID
	meta      meta
	writeable bool
	readable  bool
	fact      any // the device's own truth
	now       any // as the gateway has it; nil is unknown
	updated   int64
}

// meta is what getNodes tells about a value.
type meta struct {
	Type    string
	Label   string
	KeyName string
	Unit    string
	Min     *float64
	Max     *float64
	States  []state
}

type state struct {
	Text  string `json:"text"`
	Value any    `json:"value"`
}

// current says whether the value is a state that a target belongs to.
func (v *value) current() bool {
	switch v.id.Property {
	case "currentValue", "currentMode", "currentColor", "currentState":
		return true
	default:
		return false
	}
}

func newNode(spec NodeSpec) (*node, error) {
	build, ok := kinds[spec.Kind]
	if !ok {
		return nil, fmt.Errorf("the simulated node %q has the kind %q; known are %s", spec.Name, spec.Kind, kindNames())
	}
	n := &node{spec: spec, moves: map[wire.ValueID]*move{}, last: 99}
	build(n)
	if spec.Battery > 0 {
		n.battery(float64(spec.Battery))
	}
	for key, to := range spec.Values {
		v := n.byText(key)
		if v == nil {
			return nil, fmt.Errorf("the simulated node %q (%s) has no value %q", spec.Name, spec.Kind, key)
		}
		v.fact, v.now = plain(to), plain(to)
		if target := n.target(v); target != nil {
			target.fact, target.now = v.fact, v.fact
		}
	}
	return n, nil
}

// plain makes JSON numbers of what YAML reads as integers.
func plain(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	default:
		return v
	}
}

func (n *node) byText(key string) *value {
	for _, v := range n.values {
		if v.id.String() == key {
			return v
		}
	}
	return nil
}

func (n *node) find(id wire.ValueID) *value {
	for _, v := range n.values {
		if v.id == id {
			return v
		}
	}
	return nil
}

func (n *node) has(class int) bool {
	for _, v := range n.values {
		if v.id.Class == class {
			return true
		}
	}
	return false
}

// target is the value that sets v, nil if there is none.
func (n *node) target(v *value) *value {
	names := map[string]string{
		"currentValue": "targetValue", "currentMode": "targetMode", "currentState": "targetState", "currentColor": "targetColor",
	}
	if name, ok := names[v.id.Property]; ok {
		return n.find(v.id.With(name, v.id.Key))
	}
	return nil
}

// source is the value that shows what became of a target; the value itself if it
// is both.
func (n *node) source(v *value) *value {
	names := map[string]string{
		"targetValue": "currentValue", "targetMode": "currentMode", "targetState": "currentState", "targetColor": "currentColor",
	}
	if name, ok := names[v.id.Property]; ok {
		if c := n.find(v.id.With(name, v.id.Key)); c != nil {
			return c
		}
	}
	return v
}

func (n *node) status() string {
	switch {
	case n.marked:
		return dead
	case n.spec.Sleeping && n.awake:
		return "Awake"
	case n.spec.Sleeping:
		return "Asleep"
	default:
		return "Alive"
	}
}
