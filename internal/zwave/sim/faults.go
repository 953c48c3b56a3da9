package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// faults says what goes wrong with one node.
type faults struct {
	drop       faultBudget   // commands that never arrive: no effect, no answer
	silent     faultBudget   // reports that never arrive
	refuse     faultBudget   // commands the device refuses
	wrong      faultBudget   // commands the device misunderstands, as wrongValue
	wrongValue any           // what it does instead
	dies       faultBudget   // commands that are the last it acknowledges
	block      faultBudget   // movements that stop half-way
	delay      time.Duration // more time for every command
}

// faultBudget says how often something still goes wrong: a number of times, or
// until a moment.
type faultBudget struct {
	left  int
	until time.Time
}

// spend uses one time up and reports whether there was one left.
func (c *faultBudget) spend() bool {
	if c.left > 0 {
		c.left--
		return true
	}
	return !c.until.IsZero() && time.Now().Before(c.until)
}

// Fault is something that goes wrong, or happens, on demand: the payload of the
// control topic <prefix>/_SIM/<gateway>/fault/set as JSON, and the argument of
// (*Sim).Fault. Its operations:
//
//	drop         commands to the node never arrive: no effect, no answer
//	lost_report  reports of the node never arrive
//	refuse       the node refuses commands: writeValue answers status 2
//	wrong        the node does Value instead of what it is told; a supervised
//	             one then answers that it failed
//	mute         the gateway does it and does not answer API calls
//	delay        every command to the node takes For longer
//	dead, alive  the node stops answering; answers again, unnoticed until asked
//	deaf, obedient  the node acknowledges and does nothing, and answers that it
//	             failed if it is supervised; obeys again
//	liar, honest  the node answers over Supervision that it has done everything,
//	             and does nothing; is as it was again
//	stops_at     on its way to another level the node stops at Value and stays
//	             there; a liar says that it has arrived, and so it does half of what
//	             it says. Without Value it goes all the way again
//	hold         every command and question to the node keeps the driver's queue
//	             for the time For: nobody else is reached meanwhile. Without For it
//	             does no more
//	hang         the node's interview begins anew and never ends: it answers a
//	             ping, and the gateway knows none of its values
//	dies         the node acknowledges its next command, does not carry it out,
//	             and is dead: the gateway's claim stays where it is
//	block        what moves is stopped where it is, by an obstacle; if nothing
//	             moves the next movements stop half-way; a bolt jams, and its
//	             lock does not know its mode (254)
//	quiet, chatty  the node reports nothing by itself: neither what is done by
//	             hand nor that its motor has arrived; reports again
//	awake, asleep   a sleeping node wakes up, or falls asleep at once
//	driver_down, driver_up  the driver stops and comes back
//	stick_out, stick_in     the USB stick is pulled out: writeValue answers
//	             status 2 at once, and the driver is down after ten seconds; it
//	             is put back
//	restart, crash  the gateway stops, properly or not, and returns after For
//	change       somebody presses the device: value Key becomes Value, with
//	             all that the device then reports
//	hear         the device is heard and says nothing
//	report       the device reports Key alone, as Value if there is one
//	scene        button Key ("001") of a remote; Value is the key attribute
//	notify       a notification of the node without state: class Key, text Value
//	rename, move the node gets the name or location Name
//	join, leave  the device Spec is included; the node is excluded
//	interview    the node is asked everything again
//	stale        Name is published, retained, as a topic below the prefix that
//	             nothing belongs to
//	flood        Count reports at once, up to 100000, from all over the house
//	clear        whatever is broken is mended, of the node or of the whole house
//	             with its driver, stick and gateway: no fault is left, the dead
//	             are heard again, the deaf and the liars obey, the quiet report,
//	             jammed bolts are free, interviews end. Where things stand stays, and so does
//	             what Ignores, Naive, Hasty, Full and Steps say in the house file
//
// Drop, lost_report, refuse, wrong, block and mute happen Count times, or for the time
// For; once if neither is given.
type Fault struct {
	Op    string    `json:"op"`
	Node  any       `json:"node"` // id or name
	Key   string    `json:"key"`  // value id without node
	Value any       `json:"value"`
	Count int       `json:"count"`
	For   Pause     `json:"for"` // "2s"
	Name  string    `json:"name"`
	Spec  *NodeSpec `json:"-"`
	House string    `json:"spec"` // Spec as the YAML of a house file has it
}

func (f Fault) budget() faultBudget {
	if f.For > 0 {
		return faultBudget{until: time.Now().Add(time.Duration(f.For))}
	}
	return faultBudget{left: max(f.Count, 1)}
}

// ops are the faults that can happen to a node, by name.
var ops = map[string]func(*Sim, *node, Fault) error{
	"drop":        func(_ *Sim, n *node, f Fault) error { n.fault.drop = f.budget(); return nil },
	"lost_report": func(_ *Sim, n *node, f Fault) error { n.fault.silent = f.budget(); return nil },
	"refuse":      func(_ *Sim, n *node, f Fault) error { n.fault.refuse = f.budget(); return nil },
	"wrong": func(_ *Sim, n *node, f Fault) error {
		n.fault.wrong, n.fault.wrongValue = f.budget(), jsonValue(f.Value)
		return nil
	},
	"delay":    func(_ *Sim, n *node, f Fault) error { n.fault.delay = time.Duration(f.For); return nil },
	"dead":     func(_ *Sim, n *node, _ Fault) error { n.spec.Dead = true; return nil },
	"alive":    func(_ *Sim, n *node, _ Fault) error { n.spec.Dead = false; return nil },
	"deaf":     func(_ *Sim, n *node, _ Fault) error { n.spec.Deaf = true; return nil },
	"obedient": func(_ *Sim, n *node, _ Fault) error { n.spec.Deaf = false; return nil },
	"liar":     func(_ *Sim, n *node, _ Fault) error { n.spec.Liar = true; return nil },
	"honest":   func(_ *Sim, n *node, _ Fault) error { n.spec.Liar = false; return nil },
	"stops_at": func(_ *Sim, n *node, f Fault) error {
		n.spec.StopsAt = nil
		if at, ok := jsonValue(f.Value).(float64); ok {
			n.spec.StopsAt = &at
		}
		return nil
	},
	"hold":      func(_ *Sim, n *node, f Fault) error { n.spec.Holds = time.Duration(f.For); return nil },
	"hang":      func(s *Sim, n *node, _ Fault) error { s.hang(n); return nil },
	"block":     func(s *Sim, n *node, f Fault) error { s.air.block(n, f); return nil },
	"dies":      func(_ *Sim, n *node, _ Fault) error { n.fault.dies = faultBudget{left: 1}; return nil },
	"quiet":     func(_ *Sim, n *node, _ Fault) error { n.spec.Quiet = true; return nil },
	"chatty":    func(_ *Sim, n *node, _ Fault) error { n.spec.Quiet = false; return nil },
	"hear":      func(s *Sim, n *node, _ Fault) error { s.air.reportUnasked(n, nil); return nil },
	"awake":     func(s *Sim, n *node, _ Fault) error { s.air.wakeUp(n); return nil },
	"asleep":    func(s *Sim, n *node, _ Fault) error { s.air.sleep(n); return nil },
	"change":    func(s *Sim, n *node, f Fault) error { return s.air.change(n, f) },
	"report":    func(s *Sim, n *node, f Fault) error { return s.air.reportOne(n, f) },
	"scene":     func(s *Sim, n *node, f Fault) error { return s.air.scene(n, f) },
	"notify":    func(s *Sim, n *node, f Fault) error { return s.air.notify(n, f) },
	"rename":    func(_ *Sim, n *node, f Fault) error { n.spec.Name = f.Name; return nil },
	"move":      func(_ *Sim, n *node, f Fault) error { n.spec.Location = f.Name; return nil },
	"leave":     func(s *Sim, n *node, _ Fault) error { s.leave(n); return nil },
	"interview": func(s *Sim, n *node, _ Fault) error { s.interview(n); return nil },
	"clear":     func(s *Sim, n *node, _ Fault) error { s.air.mend(n); return nil },
}

// houseOps are the faults that can happen to the gateway, by name.
var houseOps = map[string]func(*Sim, Fault) error{
	"mute":        func(s *Sim, f Fault) error { s.unansweredCalls = f.budget(); return nil },
	"stick_out":   func(s *Sim, _ Fault) error { s.pullStick(); return nil },
	"stick_in":    func(s *Sim, _ Fault) error { s.plugStick(); return nil },
	"restart":     func(s *Sim, f Fault) error { s.stop(false, cmp.Or(time.Duration(f.For), time.Second)); return nil },
	"crash":       func(s *Sim, f Fault) error { s.stop(true, cmp.Or(time.Duration(f.For), time.Second)); return nil },
	"driver_down": func(s *Sim, _ Fault) error { s.driverDown(); return nil },
	"driver_up":   func(s *Sim, _ Fault) error { s.driverUp(); return nil },
	"join":        (*Sim).join,
	"flood":       (*Sim).flood,
	"stale": func(s *Sim, f Fault) error {
		s.mqtt.retain(s.cfg.Prefix+"/"+wire.Sanitise(f.Name), body(map[string]any{"time": now(), "value": jsonValue(f.Value)}))
		return nil
	},
}

// apply makes a fault happen, in the simulator's goroutine.
func (s *Sim) apply(f Fault) error {
	if f.Op == "clear" && f.Node == nil {
		s.mend()
		return nil
	}
	if do, ok := houseOps[f.Op]; ok {
		return do(s, f)
	}
	do, ok := ops[f.Op]
	if !ok {
		return fmt.Errorf("there is no operation %q; use one of %s", f.Op, opNames())
	}
	n := s.net.find(f.Node)
	if n == nil {
		return fmt.Errorf("the simulated house has no device %v; give its name or node id", f.Node)
	}
	return do(s, n, f)
}

func opNames() string {
	var names []string
	for name := range ops {
		names = append(names, name)
	}
	for name := range houseOps {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// maxFlood bounds the messages that wait for the broker.
const maxFlood = 100000

// flood has devices report their state, one after the other.
func (s *Sim) flood(f Fault) error {
	if len(s.net.order) == 0 || f.Count > maxFlood {
		return fmt.Errorf("a flood of %d reports from %d nodes is not possible; the most is %d", f.Count, len(s.net.order), maxFlood)
	}
	for i := range f.Count {
		n := s.net.nodes[s.net.order[i%len(s.net.order)]]
		s.mqtt.report(n, n.values[i/len(s.net.order)%len(n.values)])
	}
	return nil
}
