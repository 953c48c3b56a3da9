package sim

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// Truth is what a device physically is at this moment, whatever the gateway believes and
// the device reports. Facts for which the device has no part are left out, and so are
// unknown ones: whether a lock of unknown mode is locked.
type Truth struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Location string `json:"location"`
	Kind     string `json:"kind"`
	Dead     bool   `json:"dead"`   // it does not answer
	Asleep   bool   `json:"asleep"` // a sleeper that is not awake just now
	Moving   bool   `json:"moving"` // a motor, a bolt, or a lamp on its ramp

	On       *bool           `json:"on,omitempty"`
	Outlets  map[string]bool `json:"outlets,omitempty"`  // which of several are on, by endpoint
	Level    *float64        `json:"level,omitempty"`    // brightness or speed in percent
	Colour   map[string]any  `json:"colour,omitempty"`   // by component, 0 to 255
	Position *float64        `json:"position,omitempty"` // of a cover, a garage door or a gate, in percent; 100 is open
	Tilt     *float64        `json:"tilt,omitempty"`     // of slats, in percent
	Open     *bool           `json:"open,omitempty"`     // a contact is open, or a cover is not wholly closed
	State    string          `json:"state,omitempty"`    // of a garage door or a gate, such as "Closing"
	Locked   *bool           `json:"locked,omitempty"`
	Mode     string          `json:"mode,omitempty"`     // of a lock or a thermostat, such as "Secured" or "Heat"
	Setpoint *float64        `json:"setpoint,omitempty"` // of the mode a thermostat is in, in the device's unit
	CoolsTo  *float64        `json:"cools_to,omitempty"` // in a mode that keeps between two set points, the upper one; Setpoint is the lower
	Battery  *float64        `json:"battery,omitempty"`  // percent

	Sensors map[string]any `json:"sensors,omitempty"` // by property, such as "Water Alarm-Sensor status"; what has states in words
	Values  map[string]any `json:"values"`            // every value in the device's own units, by value id without node
}

// Truth returns what every device of the house physically is, by name. A name
// that several devices have is followed by the node id: "Lamp #7".
func (s *Sim) Truth(ctx context.Context) (map[string]Truth, error) {
	var out map[string]Truth
	err := s.ask(ctx, func() { out = s.net.truth() })
	return out, err
}

func (w *network) truth() map[string]Truth {
	shared := map[string]int{}
	for _, n := range w.nodes {
		shared[n.spec.Name]++
	}
	out := map[string]Truth{}
	for _, n := range w.nodes {
		label := cmp.Or(n.spec.Name, "nodeID_"+strconv.Itoa(n.spec.ID))
		if n.spec.Name != "" && shared[n.spec.Name] > 1 {
			label += " #" + strconv.Itoa(n.spec.ID)
		}
		out[label] = n.truth()
	}
	return out
}

func (n *node) truth() Truth {
	t := Truth{
		ID: n.spec.ID, Name: n.spec.Name, Location: n.spec.Location, Kind: n.spec.Kind,
		Dead: n.spec.Dead, Asleep: n.spec.Sleeping && !n.radio.awake, Moving: len(n.moves) > 0 || n.turning > 0,
		Sensors: map[string]any{}, Values: map[string]any{},
	}
	for _, v := range n.values {
		n.settle(v)
		t.Values[v.id.String()] = v.fact
		if tell := truths[v.id.Class]; tell != nil && sources(v.id.Property) == "" {
			tell(&t, n, v)
		}
	}
	return t
}

// truths say what a value tells of its device, by command class.
var truths = map[int]func(*Truth, *node, *value){
	wire.BinarySwitch:       tellSwitch,
	wire.MultilevelSwitch:   tellLevel,
	wire.ColorSwitch:        tellColour,
	wire.WindowCovering:     tellCovering,
	wire.BarrierOperator:    tellBarrier,
	wire.DoorLock:           tellLock,
	wire.Lock:               tellBolt,
	wire.ThermostatMode:     func(t *Truth, _ *node, v *value) { tellMode(t, v) },
	wire.ThermostatSetpoint: tellSetpoint,
	wire.Battery:            func(t *Truth, _ *node, v *value) { t.Battery = v.percent() },
	wire.Notification:       tellSensor,
	wire.BinarySensor:       tellSensor,
	wire.MultilevelSensor:   tellSensor,
	wire.Meter:              tellSensor,
}

func tellSwitch(t *Truth, n *node, v *value) {
	on, ok := v.fact.(bool)
	if !ok || !v.current() {
		return
	}
	if len(n.kind.Endpoints) == 0 {
		t.On = &on
		return
	}
	if t.Outlets == nil {
		t.Outlets = map[string]bool{}
	}
	t.Outlets[strconv.Itoa(v.id.Endpoint)] = on
}

func tellLevel(t *Truth, n *node, v *value) {
	level := v.percent()
	if !v.current() || level == nil {
		return
	}
	above := *level > 0
	if n.kind.Unclaimed {
		t.Position, t.Open = level, &above
		return
	}
	t.Level, t.On = level, &above
}

func tellColour(t *Truth, n *node, v *value) {
	if v.id.Property == "currentColor" && v.id.Key == "" {
		t.Colour = n.wholeColour(v.id)
	}
}

func tellCovering(t *Truth, _ *node, v *value) {
	position := v.percent()
	if !v.current() || position == nil {
		return
	}
	if v.id.Key != "13" {
		t.Tilt = position
		return
	}
	above := *position > 0
	t.Position, t.Open = position, &above
}

func tellBarrier(t *Truth, n *node, v *value) {
	if !v.current() {
		return
	}
	position, above := math.Round(n.level(v)*100/99), v.fact != 0.0
	t.State, t.Position, t.Open = v.word(), &position, &above
}

func tellLock(t *Truth, _ *node, v *value) {
	if !v.current() {
		return
	}
	t.Mode = v.word()
	if v.fact == unknownMode {
		return
	}
	locked := v.fact == 255.0
	t.Locked = &locked
}

func tellBolt(t *Truth, _ *node, v *value) {
	if locked, ok := v.fact.(bool); ok && v.id.Property == "locked" {
		t.Locked = &locked
	}
}

func tellMode(t *Truth, v *value) {
	if v.id.Property == "mode" {
		t.Mode = v.word()
	}
}

// tellSetpoint tells the setpoint of the mode: that for heating, or in the mode
// Cool that for cooling. In the mode Auto both count.
func tellSetpoint(t *Truth, _ *node, v *value) {
	setpoint, ok := v.fact.(float64)
	if !ok {
		return
	}
	if key := map[bool]string{true: "2", false: "1"}[t.Mode == "Cool"]; v.id.Key == key {
		t.Setpoint = &setpoint
	}
	if t.Mode == "Auto" && v.id.Key == "2" {
		t.CoolsTo = &setpoint
	}
}

func tellSensor(t *Truth, _ *node, v *value) {
	if !v.readable || v.fact == nil {
		return
	}
	name := v.id.Property
	switch {
	case v.id.Class == wire.Meter:
		name = v.meta.KeyName
	case v.id.Key != "":
		name += "-" + v.id.Key
	}
	t.Sensors[name] = v.stateWord()
	if v.id.Key == "Door state" {
		open := v.fact != 23.0
		t.Open = &open
	}
}

// percent returns the fact as a percentage: 99 is the most a device can say, and
// full. It returns nil where the fact is no number.
func (v *value) percent() *float64 {
	level, ok := v.fact.(float64)
	if !ok {
		return nil
	}
	if level == 99 && v.id.Class != wire.Battery {
		level = 100
	}
	return &level
}

// word returns the fact's text among the states; empty if it has none.
func (v *value) word() string {
	for _, s := range v.meta.States {
		if s.Value == v.fact {
			return s.Text
		}
	}
	return ""
}

// stateWord returns the fact in words if it has states, and else as it is.
func (v *value) stateWord() any {
	if word := v.word(); word != "" {
		return word
	}
	return v.fact
}

// TruthTopic returns the topic on which the devices' true state is requested,
// with {} or {"node":"Kitchen Light"}; a member "id" is repeated in the answer. The
// answer comes on the same topic without "/set": {"ok":true,"devices":{…}} as from
// (*Sim).Truth, or {"ok":false,"error":…}.
func (c Config) TruthTopic() string {
	return c.Prefix + "/_SIM/" + wire.GatewayLevel(c.Gateway) + "/truth/set"
}

// truthMessage takes a message of the truth topic.
func (s *Sim) truthMessage(payload []byte) {
	var in struct {
		ID   any `json:"id"`
		Node any `json:"node"`
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	devices := s.net.truth()
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case err != nil:
		err = fmt.Errorf("reading a request for the truth: %w", err)
	case in.Node != nil:
		devices, err = s.net.only(devices, in.Node)
	}
	out := map[string]any{"ok": err == nil, "id": in.ID, "devices": devices}
	if err != nil {
		delete(out, "devices")
		out["error"] = err.Error()
	}
	s.mqtt.send(strings.TrimSuffix(s.cfg.TruthTopic(), "/set"), body(out))
}

// only returns the one device that is asked for.
func (w *network) only(all map[string]Truth, which any) (map[string]Truth, error) {
	n := w.find(which)
	if n == nil {
		return nil, fmt.Errorf("the simulated house has no device %v; give its name or node id", which)
	}
	for label, t := range all {
		if t.ID == n.spec.ID {
			return map[string]Truth{label: t}, nil
		}
	}
	return nil, fmt.Errorf("the simulated house has lost the device %v", which)
}
