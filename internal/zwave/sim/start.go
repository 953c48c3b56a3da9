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

// greet follows every MQTT connection. After a mere reconnect the gateway
// publishes its version and status and nothing else; at a start the driver
// follows.
func (s *Sim) greet() {
	if s.down {
		return
	}
	s.retain(s.cfg.base()+"/version", body(map[string]any{"value": appVersion, "time": now()}))
	s.retain(s.cfg.base()+"/status", body(map[string]any{"value": true, "time": now()}))
	if s.ready || s.starting {
		return
	}
	s.starting = true
	if s.cfg.Settings.Driver == 0 {
		s.driverReady()
		return
	}
	s.after(s.cfg.Settings.Driver, s.driverReady)
}

// driverReady announces the driver and all nodes: first as unknown, then each as
// it answers, with all its values.
func (s *Sim) driverReady() {
	if s.down {
		return
	}
	s.starting, s.ready = false, true
	s.retain(s.cfg.Prefix+"/driver/status", []byte("true"))
	s.publishBroadcast()
	s.controller = view{unanswered: true}
	s.publishController()
	for _, id := range s.order {
		n := s.nodes[id]
		n.view.ready, n.view.unanswered, n.view.foundDead = false, true, false
		s.publishStatus(n)
	}
	s.event("driver/driver_ready", map[string]any{"homeid": s.cfg.House.HomeID, "name": s.cfg.homeName(), "controllerId": 1})
	s.controller.unanswered = false
	s.publishController()
	s.event("node/node_alive", s.controllerEventMembers())
	s.controller.ready = true
	s.publishController()
	s.event("node/node_ready", s.controllerEventMembers())
	var listening []*node
	for _, id := range s.readyOrder() {
		n := s.nodes[id]
		if n.spec.Sleeping {
			n.view.unanswered = false
			s.publishStatus(n)
			s.event("node/node_sleep", n.eventMembers())
			s.nodeReady(n)
			continue
		}
		listening = append(listening, n)
	}
	if s.cfg.Settings.Node > 0 {
		s.after(pingsBegin, s.counts)
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
		s.after(wait, func() { s.answers(n) })
	}
}

// readyOrder is all node ids, those of the settings first.
func (s *Sim) readyOrder() []int {
	var out []int
	for _, id := range append(slices.Clone(s.cfg.Settings.ReadyOrder), s.order...) {
		if s.nodes[id] != nil && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// answers is a listening node's answer to the first ping of a start.
func (s *Sim) answers(n *node) {
	if s.nodes[n.spec.ID] != n || !s.ready {
		return
	}
	if n.spec.Dead {
		n.view.unanswered, n.view.foundDead = false, true
		s.publishStatus(n)
		s.event("node/node_dead", n.eventMembers())
		return
	}
	if s.cfg.Settings.Node > 0 { // at once there is no traffic to tell of
		s.traffic(n, false)
	}
	n.view.unanswered = false
	s.publishStatus(n)
	s.event("node/node_alive", n.eventMembers())
	s.nodeReady(n)
}

// nodeReady publishes all values of a node whose interview is over.
func (s *Sim) nodeReady(n *node) {
	n.view.ready = true
	if !slices.ContainsFunc(s.order, func(id int) bool { return !s.nodes[id].view.ready }) {
		s.event("driver/all_nodes_ready")
	}
	for _, v := range n.listed() {
		s.publishValue(n, v)
	}
	s.publishStatus(n)
	s.event("node/node_ready", n.eventMembers())
}

func (s *Sim) publishController() {
	s.publishStatus(s.controllerNode())
}

// controllerNode is the gateway's own node.
func (s *Sim) controllerNode() *node {
	return &node{spec: NodeSpec{ID: 1, Kind: "controller"}, kind: kind{Class: [2]int{1, 0}}, view: s.controller}
}

func (s *Sim) controllerEventMembers() map[string]any {
	out := s.controllerNode().eventMembers()
	out["isControllerNode"] = true
	return out
}

// interview asks a node everything again, or for the first time. What its
// reports do not tell is unknown afterwards.
func (s *Sim) interview(n *node) {
	first := !n.view.ready
	stage := func(name string, times int) {
		n.view.stage = name
		for range times {
			s.publishStatus(n)
		}
	}
	still := func(d time.Duration, do func()) {
		s.after(d, func() {
			if s.nodes[n.spec.ID] == n {
				do()
			}
		})
	}
	still(interviewAsks, func() { n.view.unanswered = true; stage("None", 1) })
	still(interviewHears, func() {
		n.view.unanswered = false
		s.traffic(n, false)
		stage("None", 1)
	})
	still(interviewKnows, func() { stage("NodeInfo", 1) })
	still(interviewValues, func() {
		s.traffic(n, false)
		stage("CommandClasses", 3)
		n.forget()
		n.view.ready = true
		for _, v := range n.listed() {
			if first || v.republished() {
				s.publishValue(n, v)
			}
		}
		stage("", 1)
	})
	still(interviewEnds, func() {
		stage("", 1)
		s.event("node/node_ready", n.eventMembers())
		if first {
			s.publishBroadcast()
		}
	})
}

// forget drops what the reports of a switch do not carry; everything else has
// been reported anew.
func (n *node) forget() {
	for _, v := range n.values {
		v.updated = now()
		if v.id.Class != wire.BinarySwitch {
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

// republished says whether the gateway publishes a value after an interview that
// found nothing new: it takes unknown values and whole objects for changed.
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

// stop ends the driver: properly, or as a crash does. It comes back by itself
// after the pause; 0 is never.
func (s *Sim) stop(crash bool, pause time.Duration) {
	if crash {
		topic, payload := s.cfg.Will()
		s.retain(topic, payload) // as the broker does for a client that is lost
	} else {
		s.retain(s.cfg.Prefix+"/driver/status", []byte("false"))
	}
	s.down, s.ready, s.starting = true, false, false
	s.published, s.publishedOrder = map[string]wire.ValueID{}, nil
	s.timers.list = nil
	for _, n := range s.nodes {
		n.radio = radio{readBacks: map[wire.ValueID]*timer{}, lastTraffic: n.radio.lastTraffic}
		n.view.stage, n.view.events = "", nil
		for id, m := range n.moves { // the device goes on without the gateway
			if v := n.find(id); v != nil {
				v.fact = m.to
			}
			delete(n.moves, id)
		}
	}
	if pause > 0 {
		s.after(pause, func() { s.down = false; s.greet() })
	}
}
