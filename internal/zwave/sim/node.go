package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// The states of a node as the gateway names them.
const (
	unknownStatus = "Unknown"
	alive         = "Alive"
	awake         = "Awake"
	asleep        = "Asleep"
	dead          = "Dead" // the only one that is not available
)

// node is one simulated device with the gateway's view of it.
type node struct {
	motion
	spec   NodeSpec
	kind   kind
	values []*value
	view   view
	radio  radio
	last   float64 // level before it was switched off
	fault  faults
}

// view is what the gateway thinks of a node.
type view struct {
	ready      bool
	foundDead  bool
	stage      string // stage of the interview; empty is "Complete"
	unanswered bool   // status is "Unknown" until the node answers
	events     []any  // the last hundred events, as getNodes lists them
}

// radio is the state of a node's traffic.
type radio struct {
	awake       bool // a sleeping node is awake at the moment
	lastTraffic time.Time
	trailing    *timer   // the lastActive message that follows
	sleepTimer  *timer   // runs until it falls asleep again
	waiting     []func() // what a sleeping node gets when it wakes up
	readBacks   map[wire.ValueID]*timer
}

// value is one value: what the device is, and what the gateway believes.
type value struct {
	id        wire.ValueID
	meta      meta
	writeable bool
	readable  bool
	stateless bool
	pressed   bool // a stateless value has had an event
	fact      any  // the device's own truth
	believed  any  // as the gateway has it; nil is unknown
	updated   int64
	reported  bool // updated is the time of a report, not of a claim
	rank      int  // place among the values that the gateway does not know
}

// meta is what getNodes says about a value.
type meta struct {
	Type    string
	Label   string
	Name    string // propertyName, where it is not the property
	KeyName string
	Unit    string
	Min     *float64
	Max     *float64
	States  []state
	More    map[string]any // ccSpecific, description and the like
}

// state is one of the states a value can have, with its text.
type state struct {
	Text  string `json:"text"`
	Value any    `json:"value"`
}

// targets returns the property that sets a state property; empty if no other
// property sets it.
func targets(property string) string {
	switch property {
	case "currentValue", "currentMode", "currentColor", "currentState":
		return "target" + strings.TrimPrefix(property, "current")
	default:
		return ""
	}
}

// sources is the inverse of targets: it returns the state property that a
// property sets.
func sources(property string) string {
	source := "current" + strings.TrimPrefix(property, "target")
	if targets(source) != property {
		return ""
	}
	return source
}

// current reports whether the value is a state that has a target.
func (v *value) current() bool { return targets(v.id.Property) != "" }

// known reports whether the gateway knows the value. A duration without a number
// is the gateway's way to spell an unknown one.
func (v *value) known() bool {
	if d, ok := v.believed.(map[string]any); ok && v.meta.Type == "duration" {
		_, counted := d["value"]
		return counted
	}
	return v.believed != nil
}

func newNode(spec NodeSpec, age time.Duration) (*node, error) {
	kind, ok := recorded().Kinds[spec.Kind]
	if !ok {
		return nil, fmt.Errorf("the simulated node %q has the kind %q; known are %s", spec.Name, spec.Kind, kindNames())
	}
	n := &node{spec: spec, kind: kind, motion: motion{moves: map[wire.ValueID]*move{}}, last: 99}
	n.radio.readBacks = map[wire.ValueID]*timer{}
	n.view.ready = true
	n.addKind()
	for _, extra := range spec.Extra {
		if id, ok := wire.ParseValueID(spec.ID, extra.ID); ok {
			n.addValue(id, extra)
		}
	}
	slices.SortStableFunc(n.values, func(a, b *value) int {
		return cmp.Or(cmp.Compare(a.id.Endpoint, b.id.Endpoint), cmp.Compare(a.id.Class, b.id.Class))
	})
	updated := time.Now().Add(-age).UnixMilli()
	for _, v := range n.values {
		v.updated, v.reported = updated, v.fromDevice()
	}
	for key, to := range spec.Values {
		v := n.byText(key)
		if v == nil {
			return nil, fmt.Errorf("the simulated node %q (%s) has no value %q", spec.Name, spec.Kind, key)
		}
		n.preset(v, jsonValue(to))
	}
	if bolt := n.byText("98-0-boltStatus"); bolt != nil && spec.Values["98-0-boltStatus"] == nil {
		n.preset(bolt, boltOf(n.byText("98-0-currentMode").fact))
	}
	return n, nil
}

// preset sets the state at the start. It sets the target of a state too, unless
// the house file says otherwise.
func (n *node) preset(v *value, to any) {
	v.fact, v.believed = to, to
	v.reported = v.fromDevice()
	target := n.target(v)
	if target == nil || v.id.Class == wire.ColorSwitch {
		return
	}
	if _, own := n.spec.Values[target.id.String()]; !own {
		target.fact, target.believed = to, to
	}
}

// fromDevice reports whether the gateway knows a value from the device. Values that only
// the gateway has set get a new time at each publish: buttons, wake-up intervals, and the
// targets of switches until the device is pressed by hand.
func (v *value) fromDevice() bool {
	switch {
	case v.believed == nil || !v.readable:
		return false
	case v.id.Class == wire.BinarySwitch:
		return v.current()
	default:
		return v.id.Property != "wakeUpInterval"
	}
}

// jsonValue turns a value from YAML or a caller into one as JSON has it: numbers
// become float64, and values that JSON cannot carry become nil.
func jsonValue(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return v
	case bool, string, nil:
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = jsonValue(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = jsonValue(v[k])
		}
		return out
	default:
		return fmt.Sprint(v)
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
	return slices.ContainsFunc(n.values, func(v *value) bool { return v.id.Class == class })
}

// siblings returns other properties with the value's class, endpoint and key; nil
// stands for those that do not exist.
func (n *node) siblings(v *value, properties ...string) []*value {
	out := make([]*value, len(properties))
	for i, p := range properties {
		out[i] = n.find(v.id.With(p, v.id.Key))
	}
	return out
}

// target returns the value that sets v, nil if there is none.
func (n *node) target(v *value) *value {
	if name := targets(v.id.Property); name != "" {
		return n.find(v.id.With(name, v.id.Key))
	}
	return nil
}

// source returns the value that shows the outcome of a target; the value itself
// if it is both.
func (n *node) source(v *value) *value {
	if name := sources(v.id.Property); name != "" {
		if c := n.find(v.id.With(name, v.id.Key)); c != nil {
			return c
		}
	}
	return v
}

// obeys reports whether the device carries out a write to a value.
func (n *node) obeys(v *value) bool {
	return !n.spec.Deaf && !n.spec.Liar && !slices.Contains(n.spec.Ignores, v.id.String())
}

// listValues returns the values in the order in which the gateway publishes them at a
// start: by endpoint and class, and in each class known values first.
func (n *node) listValues() []*value {
	out := slices.Clone(n.values)
	slices.SortStableFunc(out, func(a, b *value) int {
		same := cmp.Or(cmp.Compare(a.id.Endpoint, b.id.Endpoint), cmp.Compare(a.id.Class, b.id.Class))
		if same != 0 {
			return same
		}
		switch ak, bk := a.known(), b.known(); {
		case ak && !bk:
			return -1
		case bk && !ak:
			return 1
		case !ak:
			return cmp.Compare(a.rank, b.rank)
		default:
			return 0
		}
	})
	return out
}

func (n *node) status() string {
	switch {
	case n.view.foundDead:
		return dead
	case n.view.unanswered:
		return unknownStatus
	case n.spec.Sleeping && n.radio.awake:
		return awake
	case n.spec.Sleeping:
		return asleep
	default:
		return alive
	}
}

// lost reports whether the node was dead when the driver came up and has not been
// heard since, or whether its interview hangs. The gateway knows its name and nothing of
// its values. That a write is refused without a try is not recorded.
func (n *node) lost() bool { return (n.view.foundDead || n.spec.Hangs) && !n.view.ready }

// full reports whether the reports of switches and colours carry the target and
// the duration. Those of the recorded devices do not.
func (n *node) full() bool { return n.kind.Full || n.spec.Full }

func (n *node) stage() string { return cmp.Or(n.view.stage, "Complete") }
