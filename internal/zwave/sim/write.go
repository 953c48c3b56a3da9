package sim

import (
	"math"
	"time"

	"voicegateway/internal/zwave/wire"
)

// Recorded delays: from a request to the radio's acknowledgement, to the device's
// answer under Supervision, and to the gateway's read-back of a claim.
const (
	airTime        = 68 * time.Millisecond
	supervisedTime = 22 * time.Millisecond // more than airTime
	switchReadBack = 1100 * time.Millisecond
	slowReadBack   = 5080 * time.Millisecond
	rampReadBack   = 1070 * time.Millisecond // after the transition that was asked for
	codeReadBack   = 1200 * time.Millisecond
	stopTime       = 60 * time.Millisecond
	deathTime      = 3400 * time.Millisecond // silence until a node is declared dead
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

// outcome is the result of a write.
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
	goal       any  // what the device makes of it
	obeyed     bool // the device does it
	transition time.Duration
	done       func(outcome)
}

// writers are the behaviours of devices when a value is written, by command
// class; devices of other classes simply take the value.
var writers = map[int]func(*air, command){
	wire.BinarySwitch:       writeSwitch,
	wire.MultilevelSwitch:   writeLevel,
	wire.ColorSwitch:        writeColour,
	wire.ThermostatMode:     writeSetting,
	wire.ThermostatSetpoint: writeSetting,
	thermostatFanMode:       writeSetting,
	wire.DoorLock:           writeLock,
	wire.BarrierOperator:    writeBarrier,
	wire.WindowCovering:     writeCovering,
	wire.WakeUp:             writePlain,
	userCode:                writeCode,
}

// write sends a command over the simulated radio.
func (a *air) write(c command) {
	n := c.node
	switch {
	case a.stickOut:
		a.clock.after(floorTime, func() { c.done(outcome{status: statusFailed}) })
		return
	case n.fault.drop.spend():
		return
	case n.spec.Dead && n.view.foundDead:
		a.clock.after(deadAnswerTime, func() { c.done(outcome{status: statusFailed}) })
		return
	case n.spec.Dead:
		a.clock.after(deathTime, func() {
			a.foundDead(n)
			c.done(outcome{status: statusFailed})
		})
		return
	case n.spec.Sleeping && !n.radio.awake:
		n.radio.waiting = append(n.radio.waiting, func() { a.write(c) })
		return
	}
	c.goal, c.obeyed = c.to, n.obeys(c.value)
	if n.fault.wrong.spend() {
		c.goal = n.fault.wrongValue
	}
	c.goal = n.stopsShort(c.value, c.goal)
	act := a.carry(c)
	a.onAirTo(n, airTime+n.fault.delay, func() {
		a.traffic(n, false)
		if n.supervised() {
			a.clock.after(supervisedTime, act)
			return
		}
		act()
	})
}

// carry returns what happens when the device has received a command.
func (a *air) carry(c command) func() {
	n, write := c.node, writers[c.value.id.Class]
	switch {
	case n.fault.refuse.spend():
		return func() { c.done(outcome{status: statusFailed}) }
	case n.spec.Liar && c.value.id.Class != wire.ColorSwitch:
		write = (*air).lie
	case write == nil:
		write = writeSetting
	}
	dying := n.fault.dies.spend()
	return func() {
		if dying {
			a.die(c, write)
			return
		}
		write(a, c)
		a.foundAlive(n)
	}
}

// die has a device acknowledge a command and then fall silent before it has done
// anything. The gateway claims what an acknowledgement is worth, and finds the
// node dead when it reads back; a report under Supervision never comes.
func (a *air) die(c command, write func(*air, command)) {
	n := c.node
	n.spec.Dead, c.obeyed = true, false
	if n.supervised() {
		a.clock.after(reportTimeout, func() { c.done(outcome{status: statusFailed}) })
		return
	}
	write(a, c)
}

// hears reports whether a message would reach the node at this moment.
func (n *node) hears() bool { return !n.spec.Dead && (!n.spec.Sleeping || n.radio.awake) }

// supervised reports whether the device confirms writes by Supervision.
func (n *node) supervised() bool { return n.kind.Supervised || n.spec.Supervised || n.spec.Liar }

// fails reports whether a supervised device answers that it has not done the write. Under
// Supervision both statuses, 255 and 2, are the device's own answer.
func (c command) fails() bool { return c.node.supervised() && (!c.obeyed || c.goal != c.to) }

// stopsShort returns how far a device really goes for a level.
func (n *node) stopsShort(target *value, goal any) any {
	current := n.source(target)
	from, _ := current.fact.(float64)
	to, isLevel := goal.(float64)
	if n.spec.StopsAt == nil || !isLevel || current == target {
		return goal
	}
	if at := *n.spec.StopsAt; at > min(from, to) && at < max(from, to) {
		return at
	}
	return goal
}

// lie has a device answer at once that it has done what it has not, or only as far as
// where it stops. The gateway believes that, as it believes every success under
// Supervision.
func (a *air) lie(c command) {
	if current := c.node.source(c.value); c.goal != c.to && c.node.spec.StopsAt != nil {
		current.fact = c.goal
	}
	a.mqtt.claim(c.node, c.value, c.to)
	if current := c.node.source(c.value); current != c.value {
		a.mqtt.claim(c.node, current, c.to)
	}
	c.done(outcome{status: statusDone})
}

func writeSwitch(a *air, c command) {
	n, current := c.node, c.node.source(c.value)
	if c.obeyed {
		current.fact, c.value.fact = c.goal, c.goal
	}
	if c.fails() {
		c.done(outcome{status: statusFailed})
		return
	}
	a.mqtt.claim(n, c.value, c.to)
	a.mqtt.claim(n, current, c.to)
	if n.supervised() {
		c.done(outcome{status: statusDone})
	} else {
		c.done(outcome{status: statusSent})
		a.readBack(n, c.value, switchReadBack, n.answeredWith(current)...)
	}
	watts := n.find(wire.ValueID{Node: n.spec.ID, Class: wire.Meter, Property: "value", Key: "66049"})
	if n.kind.Watts == 0 || watts == nil {
		return
	}
	watts.fact = 0.0
	if current.fact == true {
		watts.fact = n.kind.Watts
	}
	a.clock.after(time.Second, func() { a.mqtt.report(n, watts) })
}

// writeLevel serves dimmers and fans, which claim at once and ramp, and covers,
// which claim nothing and move.
func writeLevel(a *air, c command) {
	n := c.node
	if c.value.id.Property != "targetValue" {
		a.levelChange(c)
		return
	}
	if n.supervised() {
		a.superviseLevel(c)
		return
	}
	current := n.source(c.value)
	to, _ := c.to.(float64)
	a.mqtt.claim(n, c.value, c.to)
	if !n.kind.Unclaimed && to >= 0 && to <= 99 {
		a.mqtt.claim(n, current, to)
	}
	c.done(outcome{status: statusSent})
	set := append([]*value{current}, n.siblings(c.value, "duration", "targetValue")...)
	verify := slowReadBack
	if c.transition >= 0 {
		verify = c.transition + rampReadBack
	}
	a.readBack(n, c.value, verify, set...)
	goal, valid := n.levelFor(c.goal)
	if !valid || !c.obeyed {
		return
	}
	c.value.fact = goal
	a.move(n, current, goal, c.transition, func() {
		if _, told := n.reportedLevel(current); told {
			n.radio.readBacks[c.value.id].cancel()
		}
		a.reportAll(n, set)
	})
}

// superviseLevel serves dimmers and covers that answer for what they do: at once,
// or with the time they still need. No recording has one; a Window Covering and
// the manual of Supervision say as much.
func (a *air) superviseLevel(c command) {
	n, current := c.node, c.node.source(c.value)
	goal, valid := n.levelFor(c.goal)
	if !valid || c.fails() && !c.obeyed {
		c.done(outcome{status: statusFailed})
		return
	}
	a.mqtt.claim(n, c.value, c.to)
	c.value.fact = goal
	a.move(n, current, goal, c.transition, func() {
		a.reportAll(n, append([]*value{current}, n.siblings(c.value, "duration", "targetValue")...))
	})
	if m := n.moves[current.id]; m != nil {
		c.done(outcome{status: statusWorking, remaining: m.remaining(time.Now())})
		return
	}
	if c.fails() {
		c.done(outcome{status: statusFailed})
		return
	}
	a.mqtt.claim(n, current, goal)
	c.done(outcome{status: statusDone})
}

// levelFor returns the level a device goes to for a number: for 255 the last
// level. A naive device takes the number's lowest byte as the level.
func (n *node) levelFor(to any) (level float64, valid bool) {
	number, ok := to.(float64)
	switch {
	case !ok || math.Abs(number) > math.MaxInt32:
		return 0, false
	case n.spec.Naive:
		return float64(uint8(int64(number))), true
	case number == 255:
		return n.last, true
	default:
		return math.Floor(number), number >= 0 && number <= 99
	}
}

// reportedLevel returns the level in a device's report as the gateway reads it:
// 255 is full, and a number between 99 and 255 is no level.
func (n *node) reportedLevel(v *value) (any, bool) {
	level, ok := v.fact.(float64)
	if !ok || v.id.Class != wire.MultilevelSwitch || v.id.Property == "duration" || level <= 99 {
		return v.fact, true
	}
	return 99.0, level == 255
}

// levelChange serves Up, Down, Open and Close: true starts the movement, false
// stops it.
func (a *air) levelChange(c command) {
	n := c.node
	if c.value.id.Class == wire.MultilevelSwitch && !n.kind.Unclaimed {
		a.mqtt.claim(n, c.value, c.to) // the gateway treats the buttons of dimmers as values
	}
	c.done(outcome{status: statusSent})
	current := n.find(c.value.id.With("currentValue", c.value.id.Key))
	if current == nil || !c.obeyed {
		return
	}
	target := n.target(current)
	if c.to != true {
		n.settle(current)
		n.halt(current)
		if target != nil {
			target.fact = current.fact
		}
		if c.value.id.Class == wire.MultilevelSwitch {
			a.clock.after(stopTime, func() { a.reportAll(n, append([]*value{current}, n.siblings(current, "duration", "targetValue")...)) })
		}
		return
	}
	goal := 0.0
	switch c.value.id.Property {
	case "Up", "Open", "levelChangeUp":
		goal = 99
	case "restorePrevious":
		goal = n.last
	}
	if target != nil {
		target.fact = goal
	}
	arrived := []*value{current} // a multilevel switch reports all three values, a Window Covering its position
	if current.id.Class == wire.MultilevelSwitch {
		arrived = append(arrived, n.siblings(current, "duration", "targetValue")...)
	}
	a.move(n, current, goal, -1, func() { a.reportAll(n, arrived) })
}

func writeCovering(a *air, c command) {
	if c.value.id.Property != "targetValue" {
		a.levelChange(c)
		return
	}
	n, current := c.node, c.node.source(c.value)
	a.mqtt.claim(n, c.value, c.to)
	goal, ok := c.goal.(float64)
	n.settle(current)
	if !ok || c.fails() && (!c.obeyed || current.fact == goal) {
		c.done(outcome{status: statusFailed})
		return
	}
	if current.fact == goal {
		a.mqtt.report(n, current)
		c.done(outcome{status: statusDone})
		return
	}
	c.value.fact = goal
	a.move(n, current, min(max(goal, 0), 99), -1, func() { a.mqtt.report(n, current) })
	c.done(outcome{status: statusWorking, remaining: n.moves[current.id].remaining(time.Now())})
}

// writeSetting writes a value that is state and target at once; the gateway
// believes it until the read-back, even when it is out of range. Under Supervision
// the device refuses that itself.
func writeSetting(a *air, c command) {
	n, v := c.node, c.value
	taken := c.obeyed && v.takes(c.goal)
	if taken {
		v.fact = c.goal
	}
	if n.supervised() && (!taken || c.fails()) {
		c.done(outcome{status: statusFailed})
		return
	}
	a.mqtt.claim(n, v, c.to)
	if n.supervised() {
		c.done(outcome{status: statusDone})
		return
	}
	c.done(outcome{status: statusSent})
	if v.readable {
		a.readBack(n, v, slowReadBack, v)
	}
}

// writePlain writes a value that is not read back.
func writePlain(a *air, c command) {
	if c.obeyed {
		c.value.fact = c.goal
	}
	a.mqtt.claim(c.node, c.value, c.to)
	c.done(outcome{status: statusSent})
}

// writeCode sets a user's code, or removes it. Nothing is claimed; the read-back
// reports both the state and the code.
func writeCode(a *air, c command) {
	n, v := c.node, c.value
	code, status := n.find(v.id.With("userCode", v.id.Key)), n.find(v.id.With("userIdStatus", v.id.Key))
	c.done(outcome{status: statusSent})
	if code == nil || status == nil {
		return
	}
	switch {
	case !c.obeyed:
	case v == code:
		code.fact, status.fact = c.goal, 1.0
	case c.goal == 0.0:
		code.fact, status.fact = nil, 0.0
	default:
		status.fact = c.goal
	}
	a.readBack(n, status, codeReadBack, status, code)
}

// takes reports whether the device itself accepts a value. One that has a value outside
// of the range that it tells does not keep to that range.
func (v *value) takes(to any) bool {
	n, ok := to.(float64)
	if !ok {
		return v.meta.Type != "number"
	}
	if now, known := v.fact.(float64); v.beyond(n) && (!known || !v.beyond(now)) {
		return false
	}
	for _, s := range v.meta.States {
		if s.Value == to {
			return true
		}
	}
	return len(v.meta.States) == 0 || v.meta.More["allowManualEntry"] == true
}

// beyond reports whether a number is outside of the range that the device tells.
func (v *value) beyond(n float64) bool {
	return v.meta.Min != nil && n < *v.meta.Min || v.meta.Max != nil && n > *v.meta.Max
}
