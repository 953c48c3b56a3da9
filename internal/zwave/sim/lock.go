package sim

import "time"

// unknownMode is the mode of a lock that does not know where its bolt is.
const unknownMode = 254.0

// boltTime is how long a bolt took in the recordings.
const boltTime = 1500 * time.Millisecond

// lockJammed is the state of Access Control of a lock whose bolt is stuck.
const lockJammed = 11.0

// boltOf returns the position of a lock's bolt in a mode.
func boltOf(mode any) string {
	if mode == 255.0 {
		return "locked"
	}
	return "unlocked"
}

// writeLock turns the bolt, which answers at once that it is under way.
func writeLock(a *air, c command) {
	n, current := c.node, c.node.source(c.value)
	if c.value.id.Property != "targetMode" {
		writePlain(a, c)
		return
	}
	a.mqtt.claim(n, c.value, c.to)
	if current.fact == c.to {
		a.mqtt.report(n, current)
		c.done(outcome{status: statusDone})
		return
	}
	c.done(outcome{status: statusWorking, remaining: 2 * time.Second})
	c.value.fact = c.to
	n.turning++
	a.clock.physically(boltTime, func() {
		n.turning--
		if c.obeyed {
			a.turn(n, current, c.goal)
		}
		a.mqtt.report(n, current)
	})
}

// turn brings a lock to a mode, unless something is in the way of its bolt.
func (a *air) turn(n *node, current *value, to any) {
	state := n.byText("113-0-Access Control-Lock state")
	before := n.jammed
	n.jammed = n.fault.block.spend()
	current.fact = to
	if n.jammed {
		current.fact = unknownMode
	}
	if bolt := n.find(current.id.With("boltStatus", "")); bolt != nil && n.obeys(bolt) && !n.jammed {
		bolt.fact = boltOf(current.fact)
	}
	if state == nil || n.jammed == before {
		return
	}
	state.fact = map[bool]float64{true: lockJammed, false: 0}[n.jammed]
	a.mqtt.report(n, state)
}

// unjam draws back a bolt that is stuck.
func (a *air) unjam(n *node) {
	current := n.byText("98-0-currentMode")
	if !n.jammed || current == nil {
		return
	}
	a.turn(n, current, 0.0)
	a.reportUnasked(n, []*value{current})
}
