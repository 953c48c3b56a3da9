package sim

import (
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// appVersion is the version of the recorded gateway.
const appVersion = "11.22.2"

// lastActivePause is the least time between two lastActive messages of a node.
const lastActivePause = 250 * time.Millisecond

func now() int64 { return time.Now().UnixMilli() }

// body writes JSON; what is put in here always can be written.
func body(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}

func (s *Sim) retain(topic string, payload []byte) {
	s.out.push(message{topic: topic, payload: payload, retained: true})
}

func (s *Sim) send(topic string, payload []byte) {
	s.out.push(message{topic: topic, payload: payload})
}

func (s *Sim) topic(n *node) string {
	return s.cfg.Prefix + "/" + s.cfg.Scheme.Node(n.spec.ID, n.spec.Name, n.spec.Location)
}

func (s *Sim) publishStatus(n *node, status string) {
	s.retain(s.topic(n)+"/status", body(map[string]any{
		"time": now(), "value": status != dead, "status": status, "nodeId": n.spec.ID,
	}))
}

// publishValue publishes a value as it stands, known or not.
func (s *Sim) publishValue(n *node, v *value) {
	topic := s.cfg.Scheme.Value(s.topic(n), v.id)
	if _, taken := s.heard[topic]; !taken { // of two nodes with one topic only the first can be set
		s.heard[topic] = v.id
	}
	payload := map[string]any{"time": v.updated}
	if v.now != nil {
		payload["value"] = v.now
	}
	s.retain(topic, body(payload))
}

// report is a value as the device itself sends it.
func (s *Sim) report(n *node, v *value) {
	v.now, v.updated = v.fact, now()
	s.publishValue(n, v)
}

// claim is the gateway's optimism: published, but no report of the device, so
// the time stays that of the last one for targets.
func (s *Sim) claim(n *node, v *value, to any) {
	v.now = to
	if v.current() {
		v.updated = now()
	}
	s.publishValue(n, v)
}

// traffic publishes lastActive, at most four times a second.
func (s *Sim) traffic(n *node) {
	if time.Since(n.active) < lastActivePause {
		return
	}
	last := n.active
	n.active = time.Now()
	if last.IsZero() {
		last = n.active
	}
	s.retain(s.topic(n)+"/lastActive", body(map[string]any{"time": now(), "value": last.UnixMilli()}))
}

// publishBroadcast publishes the writable topics of the pseudo-node that stands
// for the whole house.
func (s *Sim) publishBroadcast() {
	for _, v := range s.broadcastValues() {
		topic := s.cfg.Prefix + "/" + s.cfg.Scheme.Value(s.cfg.Scheme.Node(wire.Broadcast, "Broadcast", ""), v.id)
		id := v.id
		id.Node = wire.Broadcast
		s.heard[topic] = id
		s.retain(topic, body(map[string]any{"time": now()}))
	}
}

// broadcastValues is one of each writable value in the house.
func (s *Sim) broadcastValues() []*value {
	seen := map[wire.ValueID]bool{}
	var out []*value
	for _, id := range s.order {
		for _, v := range s.nodes[id].values {
			everywhere := v.id
			everywhere.Node = wire.Broadcast
			if v.writeable && v.id.Endpoint == 0 && !seen[everywhere] {
				seen[everywhere] = true
				out = append(out, v)
			}
		}
	}
	return out
}

func isSet(topic string) bool { return strings.HasSuffix(topic, "/set") }
