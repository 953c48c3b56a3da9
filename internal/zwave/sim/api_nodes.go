package sim

import (
	"fmt"
	"time"

	"voicegateway/internal/zwave/wire"
)

func apiPollValue(s *Sim, args []any, done reply) {
	id, ok := valueArg(args)
	n := s.net.nodes[id.Node]
	if !ok || n == nil {
		s.clock.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'pollValue')") })
		return
	}
	if !n.has(id.Class) || n.lost() {
		problem := fmt.Sprintf("Node %d does not support the Command Class %s! (ZW0302)", id.Node, className(id.Class))
		s.clock.after(floorTime, func() { done(nil, problem) })
		return
	}
	v := n.find(id)
	if v == nil || !v.pollable() {
		problem := fmt.Sprintf("%s: %q is not a supported property (ZW0322)", className(id.Class), id.Property)
		s.clock.after(floorTime, func() { done(nil, problem) })
		return
	}
	s.air.whenAwake(n, airTime, func() {
		s.air.traffic(n, false)
		if n.fault.silent.spend() {
			s.clock.after(reportTimeout, func() { done(nil, "Timed out while waiting for a response from the node (ZW0201)") })
			return
		}
		s.clock.after(pollTime-airTime, func() {
			s.air.reportAll(n, n.answeredWith(v))
			s.air.foundAlive(n)
			done(v.believed, "")
		})
	}, func() {
		s.air.foundDead(n)
		done(nil, n.noAck())
	})
}

// noAck returns the gateway's text for a node that does not acknowledge.
func (n *node) noAck() string {
	return fmt.Sprintf("Failed to send the command after 3 attempts (Status NoAck) (ZW0204) to node %d", n.spec.ID)
}

// reportTimeout is how long the driver waits for a report. It is the driver's
// default, because no recording has a lost report.
const reportTimeout = time.Second

// pollable reports whether the gateway can ask the device for the value. It
// cannot ask for a whole colour.
func (v *value) pollable() bool {
	switch {
	case !v.readable || v.stateless:
		return false
	case v.id.Class == wire.ColorSwitch:
		return v.id.Key != "" || v.id.Property == "duration"
	default:
		return true
	}
}

// answeredWith returns every value that a device reports together with v: a
// switch only v itself, a dimmer its duration and target as well, a lock its
// whole state.
func (n *node) answeredWith(v *value) []*value {
	switch v.id.Class {
	case wire.MultilevelSwitch:
		return append([]*value{n.find(v.id.With("currentValue", ""))}, n.siblings(v, "duration", "targetValue")...)
	case wire.BinarySwitch:
		if n.full() {
			return n.siblings(v, "duration", "targetValue", "currentValue")
		}
		return []*value{v}
	case wire.BarrierOperator:
		return n.siblings(v, "currentState", "position")
	case wire.WindowCovering:
		return n.siblings(v, "duration", "targetValue", "currentValue")
	case wire.DoorLock:
		var all []*value
		for _, o := range n.values {
			if o.id.Class == wire.DoorLock && !o.configures() {
				all = append(all, o)
			}
		}
		return all
	case wire.ColorSwitch:
		return append(n.colourTargets(v.id.With("targetColor", v.id.Key)), v, n.find(v.id.With("currentColor", "")), n.find(v.id.With("hexColor", "")))
	default:
		return []*value{v}
	}
}

// configures reports whether a lock's value belongs to its configuration, which
// is asked for by another command than its state.
func (v *value) configures() bool {
	switch v.id.Property {
	case "targetMode":
		return false
	case "lockTimeout":
		return v.believed == nil
	default:
		return v.writeable
	}
}

// apiRefreshValues serves refreshValues (all classes) and refreshCCValues (one).
func apiRefreshValues(s *Sim, args []any, done reply) {
	n := s.net.nodeArg(args)
	if n == nil {
		s.clock.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'refreshValues')") })
		return
	}
	class := -1.0
	if len(args) > 1 {
		class, _ = args[1].(float64)
	}
	reads := n.polls(int(class))
	if len(reads) == 0 {
		s.clock.after(floorTime, func() { done(nil, "") })
		return
	}
	s.air.whenAwake(n, airTime, func() {
		s.air.traffic(n, false)
		for i, read := range reads {
			s.clock.after(time.Duration(i+1)*pollTime-airTime, func() {
				s.air.reportAll(n, read)
				if i == len(reads)-1 {
					done(nil, "")
				}
			})
		}
	}, func() { done(nil, "") })
}

// polls returns what a node is asked for, one after the other, to learn all its
// states or those of one class; each entry holds all values of one answer.
func (n *node) polls(class int) [][]*value {
	var out [][]*value
	seen := map[*value]bool{}
	for _, v := range n.values {
		switch v.id.Class {
		case 112, 114, 134, wire.WakeUp, wire.CentralScene:
			continue // devices report these once, in their interview; they are not polled
		}
		if class >= 0 && v.id.Class != class || seen[v] || !v.pollable() || sources(v.id.Property) != "" || v.id.Property == "duration" || v.configures() && v.id.Class == wire.DoorLock {
			continue
		}
		read := n.answeredWith(v)
		for _, o := range read {
			if o != nil {
				seen[o] = true
			}
		}
		out = append(out, read)
	}
	return out
}

func apiRefreshInfo(s *Sim, args []any, done reply) {
	n := s.net.nodeArg(args)
	if n == nil {
		var id any = "undefined"
		if len(args) > 0 {
			id = args[0]
		}
		s.clock.after(floorTime, func() { done(nil, fmt.Sprintf("Node %v not found", id)) })
		return
	}
	s.clock.after(floorTime, func() {
		done(nil, "")
		s.interview(n)
	})
}

func apiPing(s *Sim, args []any, done reply) {
	n := s.net.nodeArg(args)
	if n == nil {
		s.clock.after(2*time.Millisecond, func() { done(nil, "Cannot read properties of undefined (reading 'ping')") })
		return
	}
	s.air.whenAwake(n, pingTime, func() {
		s.air.traffic(n, false)
		s.air.foundAlive(n)
		done(true, "")
	}, func() {
		s.air.foundDead(n)
		done(false, "")
	})
}

func apiSetName(s *Sim, args []any, done reply) {
	s.relabel(args, done, func(n *node, text string) { n.spec.Name = text })
}

func apiSetLocation(s *Sim, args []any, done reply) {
	s.relabel(args, done, func(n *node, text string) { n.spec.Location = text })
}

// relabel renames or moves a node. Only the answer is published; the topics
// change with the next report.
func (s *Sim) relabel(args []any, done reply, set func(*node, string)) {
	n := s.net.nodeArg(args)
	text, ok := "", false
	if len(args) > 1 {
		text, ok = args[1].(string)
	}
	s.clock.after(floorTime, func() {
		if n == nil || !ok {
			done(nil, "Invalid Node ID")
			return
		}
		set(n, text)
		done(true, "")
	})
}
