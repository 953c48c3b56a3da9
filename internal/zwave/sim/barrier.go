package sim

import (
	"math"
	"time"
)

// The states of a barrier, such as a garage door or a gate, other than closed (0) and
// open (255).
const (
	barrierClosing = 252.0
	barrierStopped = 253.0
	barrierOpening = 254.0
)

// writeBarrier opens or closes a barrier. One that answers over Supervision tells
// how long it still moves; a hasty one answers success at once, which the gateway
// believes until the barrier reports.
func writeBarrier(a *air, c command) {
	n, current := c.node, c.node.source(c.value)
	if c.fails() {
		c.done(outcome{status: statusFailed})
		return
	}
	a.mqtt.claim(n, c.value, c.to)
	told := append([]*value{current}, n.siblings(current, "position")...)
	if c.obeyed {
		c.value.fact = c.goal
		a.move(n, current, barrierLevel(c.goal), -1, func() { a.reportAll(n, told) })
	}
	m := n.moves[current.id]
	switch {
	case n.supervised() && (m == nil || hasty(n)):
		a.mqtt.claim(n, current, c.to)
		c.done(outcome{status: statusDone})
	case n.supervised():
		c.done(outcome{status: statusWorking, remaining: m.remaining(time.Now())})
		a.reportAll(n, told)
	default:
		c.done(outcome{status: statusSent})
		a.reportAll(n, told)
	}
}

// hasty reports whether a device answers success before it has done anything, and
// nothing more over Supervision when it has.
func hasty(n *node) bool { return n.kind.Hasty || n.spec.Hasty }

// barrierLevel returns the level that a barrier goes to for a target: 255 is
// open.
func barrierLevel(to any) float64 {
	if to == 255.0 {
		return 99
	}
	return 0
}

// settleBarrier updates a barrier's value to what it would report at this moment.
// While it moves, and where it was stopped, it reports no position.
func (n *node) settleBarrier(v *value) {
	current := v.id.With("currentState", "")
	m := n.moves[current]
	switch {
	case v.id.Property == "currentState" && m != nil && m.to > m.from:
		v.fact = barrierOpening
	case v.id.Property == "currentState" && m != nil:
		v.fact = barrierClosing
	case v.id.Property == "position":
		v.fact = nil
		if state := n.find(current); m == nil && state != nil && state.fact != barrierStopped {
			v.fact = math.Round(n.level(state) * 100 / 99)
		}
	}
}
