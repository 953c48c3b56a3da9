package sim

import (
	"slices"
	"time"

	"voicegateway/internal/zwave/wire"
)

// The recorded steps of an interview, from its beginning, and the first ping of a
// start.
const (
	pingsBegin      = 25 * time.Millisecond
	interviewAsks   = 15 * time.Millisecond
	interviewHears  = 110 * time.Millisecond
	interviewKnows  = 250 * time.Millisecond
	interviewValues = 2100 * time.Millisecond
	interviewEnds   = 2150 * time.Millisecond
)

// greet publishes what follows every MQTT connection. After a mere reconnect that
// is only the gateway's version and status; at a start the driver comes up
// afterwards.
func (s *Sim) greet() {
	if s.down {
		return
	}
	s.connected = true
	s.mqtt.retain(s.cfg.base()+"/version", body(map[string]any{"value": appVersion, "time": now()}))
	s.mqtt.retain(s.cfg.base()+"/status", body(map[string]any{"value": true, "time": now()}))
	if s.ready || s.starting {
		return
	}
	s.starting = true
	if s.cfg.Settings.Driver == 0 {
		s.driverReady()
		return
	}
	s.clock.after(s.cfg.Settings.Driver, s.driverReady)
}

// driverReady announces the driver and all nodes: first as unknown, then each as
// it answers, with all its values.
func (s *Sim) driverReady() {
	if s.down || s.ready {
		return
	}
	s.starting = false
	if s.air.stickOut {
		return
	}
	s.setReady(true)
	s.mqtt.retain(s.cfg.Prefix+"/driver/status", []byte("true"))
	s.mqtt.publishBroadcast(s.net.broadcastValues())
	s.controller = view{unanswered: true}
	s.publishController()
	for _, id := range s.net.order {
		n := s.net.nodes[id]
		n.view.ready, n.view.unanswered, n.view.foundDead = false, true, false
		s.mqtt.publishStatus(n)
	}
	s.mqtt.event("driver/driver_ready", map[string]any{"homeid": s.cfg.House.HomeID, "name": s.cfg.homeName(), "controllerId": 1})
	s.controller.unanswered = false
	s.publishController()
	s.mqtt.event("node/node_alive", controllerEventMembers(s.controller))
	s.controller.ready = true
	s.publishController()
	s.mqtt.event("node/node_ready", controllerEventMembers(s.controller))
	var listening []*node
	for _, id := range s.net.readyOrder(s.cfg.Settings.ReadyOrder) {
		n := s.net.nodes[id]
		if n.spec.Sleeping {
			n.view.unanswered = false
			s.mqtt.publishStatus(n)
			s.mqtt.event("node/node_sleep", n.eventMembers())
			s.nodeReady(n)
			continue
		}
		listening = append(listening, n)
	}
	if s.cfg.Settings.Node > 0 {
		s.clock.after(pingsBegin, s.air.counts)
	}
	for i, n := range listening {
		wait := time.Duration(i+1) * s.cfg.Settings.Node
		if at, known := s.cfg.Settings.answers[n.spec.ID]; known {
			wait = at
		}
		if s.cfg.Settings.Node == 0 {
			s.answers(n)
			continue
		}
		s.clock.after(wait, func() { s.answers(n) })
	}
}

// setReady says whether the driver is up. Without it the gateway hears nothing.
func (s *Sim) setReady(up bool) {
	s.ready = up
	s.mqtt.cut = !up || s.air.stickOut
}

// answers plays a listening node's answer to the first ping of a start.
func (s *Sim) answers(n *node) {
	if s.net.nodes[n.spec.ID] != n || !s.ready {
		return
	}
	if n.spec.Dead {
		n.view.unanswered, n.view.foundDead = false, true
		s.mqtt.publishStatus(n)
		s.mqtt.event("node/node_dead", n.eventMembers())
		return
	}
	if s.cfg.Settings.Node > 0 { // when all nodes are ready at once there is no traffic to publish
		s.air.traffic(n, false)
	}
	n.view.unanswered = false
	if n.spec.Hangs {
		n.view.stage = hangingStage
	}
	s.mqtt.publishStatus(n)
	s.mqtt.event("node/node_alive", n.eventMembers())
	if !n.spec.Hangs {
		s.nodeReady(n)
	}
}

// hangingStage is where an interview hangs: the node is known, and none of its values.
const hangingStage = "NodeInfo"

// hang restarts the interview of a node, which then never ends.
func (s *Sim) hang(n *node) {
	n.spec.Hangs, n.view.ready, n.view.stage = true, false, hangingStage
	s.mqtt.publishStatus(n)
}

// nodeReady publishes all values of a node whose interview is over.
func (s *Sim) nodeReady(n *node) {
	n.view.ready = true
	if !slices.ContainsFunc(s.net.order, func(id int) bool { return !s.net.nodes[id].view.ready }) {
		s.mqtt.event("driver/all_nodes_ready")
	}
	for _, v := range n.listValues() {
		s.mqtt.publishValue(n, v)
	}
	s.mqtt.publishStatus(n)
	s.mqtt.event("node/node_ready", n.eventMembers())
}

func (s *Sim) publishController() {
	s.mqtt.publishStatus(controllerNode(s.controller))
}

// controllerNode returns the gateway's own node.
func controllerNode(v view) *node {
	return &node{spec: NodeSpec{ID: 1, Kind: "controller"}, kind: kind{Class: [2]int{1, 0}}, view: v}
}

func controllerEventMembers(v view) map[string]any {
	out := controllerNode(v).eventMembers()
	out["isControllerNode"] = true
	return out
}

// interview asks a node everything again, or for the first time. Values that its
// reports do not carry are unknown afterwards.
func (s *Sim) interview(n *node) {
	first := !n.view.ready
	stage := func(name string, times int) {
		n.view.stage = name
		for range times {
			s.mqtt.publishStatus(n)
		}
	}
	still := func(d time.Duration, do func()) {
		s.clock.after(d, func() {
			switch {
			case s.net.nodes[n.spec.ID] != n:
			case n.spec.Dead:
				n.view.unanswered, n.view.stage = false, ""
				s.air.foundDead(n)
			case n.spec.Hangs && d > interviewKnows:
			default:
				do()
			}
		})
	}
	still(interviewAsks, func() { n.view.unanswered = true; stage("None", 1) })
	still(interviewHears, func() {
		n.view.unanswered = false
		s.air.traffic(n, false)
		stage("None", 1)
	})
	still(interviewKnows, func() { stage("NodeInfo", 1) })
	still(interviewValues, func() {
		s.air.traffic(n, false)
		stage("CommandClasses", 3)
		n.forget()
		n.view.ready = true
		for _, v := range n.listValues() {
			if first || v.republished() {
				s.mqtt.publishValue(n, v)
			}
		}
		stage("", 1)
	})
	still(interviewEnds, func() {
		stage("", 1)
		s.mqtt.event("node/node_ready", n.eventMembers())
		if first {
			s.mqtt.publishBroadcast(s.net.broadcastValues())
		}
	})
}

// forget drops what the reports of a switch do not contain; everything else has been
// reported again.
func (n *node) forget() {
	for _, v := range n.values {
		v.updated = now()
		if v.id.Class != wire.BinarySwitch || n.full() {
			continue
		}
		switch v.id.Property {
		case "targetValue":
			v.believed, v.reported = nil, false
		case "duration":
			v.believed, v.reported = map[string]any{"unit": "seconds"}, false
		}
	}
}

// republished reports whether the gateway publishes a value after an interview
// that found nothing new: it treats unknown values and objects as changed.
func (v *value) republished() bool {
	switch v.believed.(type) {
	case nil:
		return !v.stateless
	case map[string]any:
		return !v.known()
	case []any:
		return v.id.Class == 134
	default:
		return false
	}
}

// stop ends the gateway, properly or as a crash does. It comes back after the pause; 0
// means never.
func (s *Sim) stop(crash bool, pause time.Duration) {
	if crash {
		topic, payload := s.cfg.Will()
		s.mqtt.retain(topic, payload) // as the broker does for a client that is lost
	} else {
		s.mqtt.retain(s.cfg.Prefix+"/driver/status", []byte("false"))
	}
	s.down, s.connected, s.starting = true, false, false
	s.setReady(false)
	s.mqtt.forgetAll()
	s.clock.timers.forget()
	for _, n := range s.net.nodes {
		n.radio = radio{readBacks: map[wire.ValueID]*timer{}, lastTraffic: n.radio.lastTraffic}
		n.view.stage, n.view.events = "", nil
	}
	if pause > 0 {
		s.comeback = s.clock.after(pause, s.comeBack)
	}
}

// comeBack starts a gateway that was stopped.
func (s *Sim) comeBack() {
	s.comeback.cancel()
	if s.down {
		s.down = false
		s.greet()
	}
}
