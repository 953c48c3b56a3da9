package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// The recorded times of sleepers and buttons.
const (
	awakeTime   = 2530 * time.Millisecond // without traffic, until a sleeper sleeps again
	wakeTime    = 70 * time.Millisecond   // from waking up to the first command
	clearTime   = time.Second             // until a pressed button is published as not pressed
	releaseTime = 400 * time.Millisecond  // a held button that sends nothing for this long counts as released
)

// The key attributes of Central Scene.
const (
	keyReleased = 1.0
	keyHeld     = 2.0
)

// valueOf returns the value a fault is about.
func (n *node) valueOf(key string) (*value, error) {
	if v := n.byText(key); v != nil {
		return v, nil
	}
	keys := make([]string, len(n.values))
	for i, v := range n.values {
		keys[i] = v.id.String()
	}
	return nil, fmt.Errorf("%s has no value %q; it has %s", n.spec.Name, key, strings.Join(keys, ", "))
}

// change plays a change at the device itself, by hand or by the world, with
// everything it then reports.
func (a *air) change(n *node, f Fault) error {
	v, err := n.valueOf(f.Key)
	if err != nil {
		return err
	}
	n.halt(v)
	v.fact = jsonValue(f.Value)
	told := n.companions(v)
	if target := n.target(v); target != nil && v.fact != unknownMode {
		target.fact = v.fact
	}
	if !n.spec.Quiet {
		a.reportUnasked(n, append(told, v))
	}
	return nil
}

// block stops what moves now, or else movements to come.
func (a *air) block(n *node, f Fault) {
	if len(n.moves) == 0 {
		n.fault.block = f.budget()
		return
	}
	var told []*value
	for _, v := range n.values {
		if n.moves[v.id] != nil {
			n.halt(v)
			told = append(told, n.answeredWith(v)...)
		}
	}
	if !n.spec.Quiet {
		a.reportUnasked(n, told)
	}
}

// companions returns the values that a device reports together with one that
// changed, after bringing them in line with it.
func (n *node) companions(v *value) []*value {
	if v.id.Class == wire.BarrierOperator {
		return n.siblings(v, "position") // its reports tell no target
	}
	if v.id.Class == wire.DoorLock && v.current() {
		if bolt := n.find(v.id.With("boltStatus", "")); bolt != nil && n.obeys(bolt) && v.fact != unknownMode {
			bolt.fact = boltOf(v.fact)
		}
		return slices.DeleteFunc(n.answeredWith(v), func(o *value) bool { return o == v })
	}
	if v.id.Class != wire.Notification {
		if n.target(v) == nil {
			return nil
		}
		return n.siblings(v, "duration", n.target(v).id.Property)
	}
	out := []*value{n.find(v.id.With("alarmType", "")), n.find(v.id.With("alarmLevel", ""))}
	opening, simple := n.find(v.id.With("Access Control", "Opening state")), n.find(v.id.With("Access Control", "Door state (simple)"))
	if v.id.Key != "Door state" || opening == nil || simple == nil {
		return out
	}
	opening.fact, simple.fact = 0.0, 23.0
	if v.fact != 23.0 {
		opening.fact, simple.fact = 1.0, 22.0
	}
	return append(out, opening, simple)
}

// reportOne has a device report a single value.
func (a *air) reportOne(n *node, f Fault) error {
	v, err := n.valueOf(f.Key)
	if err != nil {
		return err
	}
	if f.Value != nil {
		v.fact = jsonValue(f.Value)
	}
	a.reportUnasked(n, []*value{v})
	return nil
}

// scene presses a button of a remote.
func (a *air) scene(n *node, f Fault) error {
	v := n.find(wire.ValueID{Node: n.spec.ID, Class: wire.CentralScene, Property: "scene", Key: f.Key})
	if v == nil {
		return fmt.Errorf("%s has no button %q; buttons are 001 to 004", n.spec.Name, f.Key)
	}
	if n.spec.Dead {
		return nil
	}
	how, _ := jsonValue(f.Value).(float64)
	a.traffic(n, true)
	if how == keyReleased {
		if slow := n.find(v.id.With("slowRefresh", "")); slow != nil {
			slow.fact = true
			a.mqtt.report(n, slow)
		}
		if v.believed != keyHeld {
			return nil // it counts as released already
		}
	}
	a.press(n, v, how)
	return nil
}

// press publishes a button's event, and a second later that the button is not
// pressed.
func (a *air) press(n *node, v *value, how float64) {
	tell := func(what any) {
		v.believed, v.updated, v.reported, v.pressed = what, now(), true, true
		a.mqtt.publishAs(n, v, false)
	}
	tell(how)
	n.radio.readBacks[v.id].cancel()
	if how == keyHeld {
		n.radio.readBacks[v.id] = a.clock.after(releaseTime, func() { a.press(n, v, keyReleased) })
		return
	}
	n.radio.readBacks[v.id] = a.clock.after(clearTime, func() { tell(nil) })
}

// notify sends a notification without a state, such as that of a battery that has
// to be replaced.
func (a *air) notify(n *node, f Fault) error {
	id, ok := wire.ParseValueID(n.spec.ID, f.Key)
	if !ok {
		return fmt.Errorf("a notification needs a value id such as 128-0-battery_low, not %q", f.Key)
	}
	if n.spec.Dead {
		return nil
	}
	a.traffic(n, true)
	v := &value{id: id, believed: jsonValue(f.Value), updated: now(), reported: true, stateless: true, pressed: true, readable: true, meta: meta{Type: "any", Label: id.Property}}
	a.mqtt.publishAs(n, v, false)
	return nil
}

// driverDown stops the driver while the gateway stays.
func (s *Sim) driverDown() {
	if s.ready {
		s.setReady(false)
		s.mqtt.retain(s.cfg.Prefix+"/driver/status", []byte("false"))
	}
}

func (s *Sim) driverUp() {
	if !s.ready && !s.down && !s.air.stickOut {
		s.driverReady()
	}
}

// join includes a device, which is then interviewed.
func (s *Sim) join(f Fault) error {
	spec := f.Spec
	if spec == nil {
		parsed, err := parseNode(f.House)
		if err != nil {
			return err
		}
		spec = &parsed
	}
	if spec.ID == 0 {
		spec.ID = s.net.free()
	}
	if err := spec.validate(); err != nil {
		return err
	}
	if s.net.nodes[spec.ID] != nil {
		return fmt.Errorf("there is a node %d already", spec.ID)
	}
	n, err := newNode(*spec, 0)
	if err != nil {
		return err
	}
	n.view.ready, n.view.stage = false, "None"
	n.radio.awake = spec.Sleeping // a new sleeper is awake for its interview
	s.net.add(n)
	s.mqtt.event("controller/node_added", n.eventMembers())
	s.interview(n)
	return nil
}

// leave excludes a device. Its retained messages stay.
func (s *Sim) leave(n *node) {
	s.net.remove(n)
	s.mqtt.forget(n.spec.ID)
	s.mqtt.event("controller/node_removed", n.eventMembers(), 0)
}
