package sim

import "time"

// mend ends everything that went wrong in the house: the gateway comes back, the
// stick and the driver too, and every node is well.
func (s *Sim) mend() {
	s.unansweredCalls = faultBudget{}
	s.plugStick()
	s.comeBack()
	if !s.starting {
		s.driverUp()
	}
	for _, id := range s.net.order {
		s.air.mend(s.net.nodes[id])
	}
}

// mend ends everything that went wrong with a node. The gateway hears one that it
// thought dead.
func (a *air) mend(n *node) {
	n.fault = faults{}
	n.spec.Dead, n.spec.Deaf, n.spec.Liar, n.spec.Quiet = false, false, false, false
	if n.spec.Holds > 0 {
		a.radioFree = time.Time{} // what waits in the queue is sent at once
	}
	n.spec.StopsAt, n.spec.Holds = nil, 0
	a.unjam(n)
	if n.view.foundDead {
		a.reportUnasked(n, nil)
	}
	if n.spec.Hangs {
		n.spec.Hangs = false
		a.found(n)
	}
}
