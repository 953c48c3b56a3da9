package sim

import (
	"math"
	"time"

	"voicegateway/internal/zwave/wire"
)

// Recorded delays: from a request to the radio's acknowledgement, to the device's
// word under Supervision, and to the gateway's read-back of a claim.
const (
	airTime        = 68 * time.Millisecond
	supervisedTime = 90 * time.Millisecond
	switchReadBack = 1100 * time.Millisecond
	slowReadBack   = 5 * time.Second
	boltTime       = 1500 * time.Millisecond
	deathTime      = 3500 * time.Millisecond // silence until a node is declared dead
	deadAnswerTime = 3800 * time.Millisecond
)

// The states of writeValue's answer.
const (
	statusWorking = 1
	statusFailed  = 2
	noEndpoint    = 3
	statusInvalid = 5
	statusSent    = 254
	statusDone    = 255
)

// outcome is what a write came to.
type outcome struct {
	status    int
	message   string
	remaining time.Duration // with statusWorking
}

// command is one write on its way.
type command struct {
	node       *node
	value      *value
	to         any
	transition time.Duration // the ramp asked for; negative: none
	done       func(outcome)
}

// writers is how devices answer, by command class; all others just take a value.
var writers = map[int]func(*Sim, command){
	wire.BinarySwitch:       writeSwitch,
	wire.MultilevelSwitch:   writeLevel,
	wire.ColorSwitch:        writeColour,
	wire.ThermostatMode:     writeSetting,
	wire.ThermostatSetpoint: writeSetting,
	wire.DoorLock:           writeLock,
	wire.BarrierOperator:    writeBarrier,
	wire.WindowCovering:     writeCovering,
}

// write sends a command over the simulated radio.
func (s *Sim) write(c command) {
	n := c.node
	switch {
	case n.spec.Dead && n.marked:
		s.after(deadAnswerTime, func() { c.done(outcome{status: statusFailed}) })
		return
	case n.spec.Dead:
		s.after(deathTime, func() {
			n.marked = true
			s.publishStatus(n, dead)
			c.done(outcome{status: statusFailed})
		})
		return
	case n.spec.Sleeping && !n.awake:
		n.waiting = append(n.waiting, func() { s.write(c) })
		return
	}
	air := airTime
	if n.supervised() {
		air = supervisedTime
	}
	s.after(air, func() {
		s.traffic(n)
		if write, ok := writers[c.value.id.Class]; ok {
			write(s, c)
			return
		}
		c.value.fact = c.to
		s.claim(n, c.value, c.to)
		c.done(outcome{status: statusSent})
	})
}

// supervised says whether the device answers for what it does.
func (n *node) supervised() bool {
	return n.spec.Supervised || n.spec.Kind == "lock" || n.spec.Kind == "blind"
}

// readBack verifies a claim after a while, counted from the last write.
func (s *Sim) readBack(n *node, d time.Duration, values ...*value) {
	n.verify.cancel()
	n.verify = s.after(d, func() { s.reportAll(n, values) })
}

func (s *Sim) reportAll(n *node, values []*value) {
	for _, v := range values {
		if v == nil {
			continue
		}
		s.settle(n, v)
		s.report(n, v)
	}
}

func writeSwitch(s *Sim, c command) {
	n, current := c.node, c.node.source(c.value)
	if !n.spec.Deaf {
		current.fact, c.value.fact = c.to, c.to
	}
	s.claim(n, c.value, c.to)
	s.claim(n, current, c.to)
	if n.supervised() {
		c.done(outcome{status: statusDone})
	} else {
		c.done(outcome{status: statusSent})
		s.readBack(n, switchReadBack, current)
	}
	if watts := n.find(wire.ValueID{Node: n.spec.ID, Class: wire.Meter, Property: "value", Key: "66049"}); watts != nil {
		watts.fact = 0.0
		if current.fact == true {
			watts.fact = 55.25
		}
		s.after(time.Second, func() { s.report(n, watts) })
	}
}

// writeLevel serves dimmers and fans, which claim at once and ramp, and covers,
// which claim nothing and move.
func writeLevel(s *Sim, c command) {
	n := c.node
	if c.value.id.Property != "targetValue" {
		s.levelChange(c)
		return
	}
	current := n.source(c.value)
	to, ok := c.to.(float64)
	valid := ok && to >= 0 && to <= 99
	goal := to
	if to == 255 {
		valid, goal = true, n.last
	}
	cover := n.spec.Kind == "cover"
	s.claim(n, c.value, c.to)
	if !cover && to >= 0 && to <= 99 {
		s.claim(n, current, to)
	}
	c.done(outcome{status: statusSent})
	set := []*value{current, n.find(c.value.id.With("duration", "")), c.value}
	if !valid || n.spec.Deaf {
		s.readBack(n, slowReadBack, set...)
		return
	}
	s.move(n, current, math.Floor(goal), c.transition, func() {
		n.verify.cancel()
		s.reportAll(n, set)
	})
	c.value.fact = math.Floor(goal)
	if m := n.moves[current.id]; m == nil || m.end.Sub(m.start) > s.scaled(slowReadBack) {
		s.readBack(n, slowReadBack, set...)
	}
}

// levelChange is Up, Down, Open and Close: true starts, false stops.
func (s *Sim) levelChange(c command) {
	n := c.node
	current, target := n.moving(c.value)
	c.done(outcome{status: statusSent})
	if c.to != true {
		s.settle(n, current)
		s.stop(n, current)
		target.fact = current.fact
		if c.value.id.Class == wire.MultilevelSwitch {
			s.reportAll(n, []*value{current, n.find(current.id.With("duration", "")), target})
		}
		return
	}
	goal := 0.0
	switch c.value.id.Property {
	case "Up", "Open", "levelChangeUp":
		goal = 99
	}
	target.fact = goal
	s.move(n, current, goal, -1, func() { s.reportAll(n, []*value{current}) })
}

// moving returns the position a level change acts on, and its target.
func (n *node) moving(button *value) (current, target *value) {
	current = n.find(button.id.With("currentValue", button.id.Key))
	return current, n.target(current)
}

func writeCovering(s *Sim, c command) {
	if c.value.id.Property != "targetValue" {
		s.levelChange(c)
		return
	}
	n, current := c.node, c.node.source(c.value)
	s.claim(n, c.value, c.to)
	to, _ := c.to.(float64)
	s.settle(n, current)
	if current.fact == to {
		s.report(n, current)
		c.done(outcome{status: statusDone})
		return
	}
	c.value.fact = to
	s.move(n, current, to, -1, func() { s.reportAll(n, []*value{current}) })
	c.done(outcome{status: statusWorking, remaining: n.moves[current.id].remaining(time.Now())})
}

func writeLock(s *Sim, c command) {
	n, current := c.node, c.node.source(c.value)
	s.claim(n, c.value, c.to)
	if current.fact == c.to {
		s.report(n, current)
		c.done(outcome{status: statusDone})
		return
	}
	c.done(outcome{status: statusWorking, remaining: 2 * time.Second})
	c.value.fact = c.to
	s.after(boltTime, func() {
		if !n.spec.Deaf {
			current.fact = c.to
		}
		if bolt := n.find(c.value.id.With("boltStatus", "")); bolt != nil {
			bolt.fact = map[bool]string{true: "locked", false: "unlocked"}[current.fact == 255.0]
		}
		s.report(n, current)
	})
}

func writeBarrier(s *Sim, c command) {
	n, current := c.node, c.node.source(c.value)
	s.claim(n, c.value, c.to)
	c.done(outcome{status: statusSent})
	if current.fact == c.to {
		s.report(n, current)
		return
	}
	c.value.fact = c.to
	current.fact = map[bool]float64{true: 254, false: 252}[c.to == 255.0]
	s.report(n, current)
	s.after(n.travel(), func() {
		if c.value.fact == c.to {
			current.fact = c.to
			s.report(n, current)
		}
	})
}

// writeSetting is a value that is state and target at once; the gateway believes
// it until the read-back, even out of range.
func writeSetting(s *Sim, c command) {
	n, v := c.node, c.value
	if v.takes(c.to) && !n.spec.Deaf {
		v.fact = c.to
	}
	s.claim(n, v, c.to)
	c.done(outcome{status: statusSent})
	s.readBack(n, slowReadBack, v)
}

// takes says whether the device itself accepts a number.
func (v *value) takes(to any) bool {
	n, ok := to.(float64)
	if !ok || v.meta.Min != nil && n < *v.meta.Min || v.meta.Max != nil && n > *v.meta.Max {
		return false
	}
	for _, s := range v.meta.States {
		if plain(s.Value) == to {
			return true
		}
	}
	return len(v.meta.States) == 0
}
