package sim

import "time"

// air is the radio between the gateway and its nodes: commands, reports, lost
// frames, and the sleep of nodes with a battery.
type air struct {
	clock     *clock
	mqtt      *publisher
	found     func(*node) // a node that was dead at the start was heard
	stickOut  bool        // the USB stick is pulled out
	radioFree time.Time   // when the radio has sent everything handed to it so far
	counting  bool        // the controller's statistics are due to be reported again
}

// onAir runs do when the radio has sent a frame; frames are sent one after the
// other.
func (a *air) onAir(d time.Duration, do func()) { a.busy(min(d, airTime), d, do) }

// onAirTo runs do when the radio has sent a frame to a node. One that holds the
// driver's queue lets nothing be sent to any other meanwhile.
func (a *air) onAirTo(n *node, d time.Duration, do func()) {
	if hold := n.spec.Holds; hold > 0 {
		a.busy(hold+d, hold+d, do)
		return
	}
	a.onAir(d, do)
}

// busy runs do after a time from when the radio is free, and keeps the radio busy for
// part of that.
func (a *air) busy(part, d time.Duration, do func()) {
	start := time.Now()
	if a.radioFree.After(start) {
		start = a.radioFree
	}
	a.radioFree = start.Add(a.clock.scaleTime(part))
	a.clock.timers.add(start.Add(a.clock.scaleTime(d)), do)
}

// whenAwake runs do when the node receives a command: when the radio has sent it,
// which takes wait, or when the node wakes up. For a dead node it runs silent instead, and at once with the USB stick
// out.
func (a *air) whenAwake(n *node, wait time.Duration, do, silent func()) {
	switch {
	case a.stickOut:
		a.clock.after(floorTime, silent)
	case n.fault.drop.spend():
	case n.spec.Dead:
		a.clock.after(deadPingTime, silent)
	case n.spec.Sleeping && !n.radio.awake:
		n.radio.waiting = append(n.radio.waiting, do)
	default:
		a.onAirTo(n, wait+n.fault.delay, do)
	}
}

// traffic records that a node was heard and publishes lastActive, at most four
// times a second: at once, and at the end of the pause. The first message after a
// command still carries the time of the traffic before it.
func (a *air) traffic(n *node, unasked bool) {
	last := n.radio.lastTraffic
	n.radio.lastTraffic = time.Now()
	if n.radio.awake {
		a.sleepSoon(n)
	}
	if n.radio.trailing != nil {
		return
	}
	if unasked || last.IsZero() {
		last = n.radio.lastTraffic
	}
	a.mqtt.publishActive(n, last)
	a.statistics(n)
	n.radio.trailing = a.clock.after(lastActivePause, func() {
		n.radio.trailing = nil
		a.mqtt.publishActive(n, n.radio.lastTraffic)
	})
}

// statistics publishes a node's and the controller's traffic as events.
func (a *air) statistics(n *node) {
	if a.mqtt.cfg.Settings.Events {
		a.mqtt.event("node/statistics_updated", n.eventMembers(), n.statistics())
		a.counts()
	}
}

// counts publishes the controller's traffic as an event: at once, and again at
// the end of a pause.
func (a *air) counts() {
	if a.counting || !a.mqtt.cfg.Settings.Events {
		return
	}
	tell := func() { a.mqtt.event("controller/statistics_updated", recorded().Traffic) }
	a.counting = true
	tell()
	a.clock.after(lastActivePause, func() { a.counting = false; tell() })
}

// readBack makes the gateway verify a claim after d, counted from the last write
// of the value.
func (a *air) readBack(n *node, of *value, d time.Duration, values ...*value) {
	n.radio.readBacks[of.id].cancel()
	n.radio.readBacks[of.id] = a.clock.after(d, func() {
		switch {
		case n.spec.Dead:
			a.clock.after(deathTime, func() { a.foundDead(n) })
		case n.hears():
			a.traffic(n, false)
			a.reportAll(n, values)
		}
	})
}

func (a *air) reportAll(n *node, values []*value) {
	for _, v := range values {
		if v == nil {
			continue
		}
		n.settle(v)
		a.mqtt.report(n, v)
	}
}

// reportUnasked has a device report values without a request. The reports of a dead
// device, and any while the gateway has no driver or stick, are lost.
func (a *air) reportUnasked(n *node, values []*value) {
	if n.spec.Dead || a.mqtt.cut {
		return
	}
	a.traffic(n, true)
	a.reportAll(n, values)
	a.foundAlive(n)
}

// foundDead records that a node does not answer.
func (a *air) foundDead(n *node) {
	if n.view.foundDead || !n.spec.Dead || a.mqtt.cut {
		return
	}
	n.view.foundDead = true
	a.mqtt.publishStatus(n)
	a.mqtt.event("node/node_dead", n.eventMembers())
}

// foundAlive records that a node thought dead was heard.
func (a *air) foundAlive(n *node) {
	if n.view.foundDead {
		n.view.foundDead = false
		a.mqtt.publishStatus(n)
		a.mqtt.event("node/node_alive", n.eventMembers())
		if !n.view.ready {
			a.found(n)
		}
	}
}

// wakeUp wakes a sleeping node up, which then gets the commands that wait for it.
func (a *air) wakeUp(n *node) {
	if !n.spec.Sleeping {
		return
	}
	n.radio.awake = true
	a.traffic(n, true)
	a.mqtt.publishStatus(n)
	a.mqtt.event("node/node_wakeup", n.eventMembers())
	waiting := n.radio.waiting
	n.radio.waiting = nil
	for _, do := range waiting {
		do()
	}
}

// sleepSoon lets a node sleep again when nothing has been sent for a while.
func (a *air) sleepSoon(n *node) {
	n.radio.sleepTimer.cancel()
	n.radio.sleepTimer = a.clock.after(awakeTime, func() { a.sleep(n) })
}

func (a *air) sleep(n *node) {
	if !n.spec.Sleeping || !n.radio.awake {
		return
	}
	n.radio.sleepTimer.cancel()
	n.radio.awake = false
	a.mqtt.publishStatus(n)
	a.mqtt.event("node/node_sleep", n.eventMembers())
}
