package sim

import (
	"fmt"
	"time"

	"voicegateway/internal/zwave/wire"
)

// whenAwake runs do with a node that can hear: at once, when it wakes up, or,
// for a dead one, not at all: then dead is called instead.
func (s *Sim) whenAwake(n *node, wait time.Duration, do, silent func()) {
	switch {
	case n.spec.Dead:
		s.after(deadPingTime, silent)
	case n.spec.Sleeping && !n.awake:
		n.waiting = append(n.waiting, func() { s.whenAwake(n, wait, do, silent) })
	default:
		s.after(wait, do)
	}
}

func apiPollValue(s *Sim, args []any, done reply) {
	id, ok := valueArg(args)
	n := s.nodes[id.Node]
	if !ok || n == nil {
		s.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'pollValue')") })
		return
	}
	v := n.find(id)
	if v == nil || !v.readable {
		problem := fmt.Sprintf("Node %d does not support the Command Class %s! (ZW0302)", id.Node, className(id.Class))
		s.after(floorTime, func() { done(nil, problem) })
		return
	}
	s.whenAwake(n, pollTime, func() {
		s.traffic(n)
		s.reportAll(n, n.answered(v))
		done(v.now, "")
	}, func() {
		done(nil, fmt.Sprintf("Failed to send the command after 1 attempts. Transmission status: NoAck (ZW0204) to node %d", id.Node))
	})
}

// answered is every value that comes with one: a switch reports itself, a dimmer
// its duration and target as well, a lock everything it has.
func (n *node) answered(v *value) []*value {
	switch v.id.Class {
	case wire.MultilevelSwitch:
		return []*value{v, n.find(v.id.With("duration", "")), n.find(v.id.With("targetValue", ""))}
	case wire.WindowCovering:
		return []*value{v, n.find(v.id.With("targetValue", v.id.Key)), n.find(v.id.With("duration", v.id.Key))}
	case wire.DoorLock:
		var all []*value
		for _, o := range n.values {
			if o.id.Class == wire.DoorLock && o != v {
				all = append(all, o)
			}
		}
		return append(all, v)
	case wire.ColorSwitch:
		return []*value{v, n.find(v.id.With("currentColor", "")), n.find(v.id.With("hexColor", ""))}
	default:
		return []*value{v}
	}
}

// apiRefreshValues serves refreshValues (all classes) and refreshCCValues (one).
func apiRefreshValues(s *Sim, args []any, done reply) {
	n := s.nodeArg(args)
	if n == nil {
		s.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'refreshValues')") })
		return
	}
	class := -1.0
	if len(args) > 1 {
		class, _ = args[1].(float64)
	}
	s.whenAwake(n, floorTime, func() {
		s.traffic(n)
		wait := time.Duration(0)
		for _, v := range n.values {
			if !v.readable || v.id.Property == "targetValue" || class >= 0 && v.id.Class != int(class) {
				continue
			}
			wait += floorTime
			s.after(wait, func() { s.reportAll(n, []*value{v}) })
		}
		s.after(wait+time.Millisecond, func() { done(nil, "") })
	}, func() { done(nil, "") })
}

func apiRefreshInfo(s *Sim, args []any, done reply) {
	n := s.nodeArg(args)
	if n == nil {
		s.after(floorTime, func() { done(nil, "Cannot read properties of undefined (reading 'refreshInfo')") })
		return
	}
	s.after(floorTime, func() {
		done(nil, "")
		s.publishStatus(n, "Unknown")
		s.after(1300*time.Millisecond, func() { s.publishStatus(n, n.status()) })
	})
}

func apiPing(s *Sim, args []any, done reply) {
	n := s.nodeArg(args)
	if n == nil {
		s.after(2*time.Millisecond, func() { done(nil, "Cannot read properties of undefined (reading 'ping')") })
		return
	}
	s.whenAwake(n, pingTime, func() {
		s.alive(n)
		done(true, "")
	}, func() {
		if !n.marked {
			n.marked = true
			s.publishStatus(n, dead)
		}
		done(false, "")
	})
}

func apiSetName(s *Sim, args []any, done reply) {
	s.relabel(args, done, func(n *node, text string) { n.spec.Name = text })
}

func apiSetLocation(s *Sim, args []any, done reply) {
	s.relabel(args, done, func(n *node, text string) { n.spec.Location = text })
}

// relabel renames or moves. The answer is all that is published; topics follow
// with the next report.
func (s *Sim) relabel(args []any, done reply, set func(*node, string)) {
	n := s.nodeArg(args)
	text, ok := "", false
	if len(args) > 1 {
		text, ok = args[1].(string)
	}
	s.after(floorTime, func() {
		if n == nil || !ok {
			done(nil, "Invalid Node ID")
			return
		}
		set(n, text)
		done(true, "")
	})
}

// alive notes that a node was heard.
func (s *Sim) alive(n *node) {
	if n.marked {
		n.marked = false
		s.publishStatus(n, n.status())
	}
}
