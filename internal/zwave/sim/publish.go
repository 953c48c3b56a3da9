package sim

import (
	"cmp"
	"encoding/json"
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

// retain publishes with the flag of the gateway's settings.
func (s *Sim) retain(topic string, payload []byte) {
	s.out.push(message{topic: topic, payload: payload, retained: !s.cfg.Settings.NoRetain})
}

// send publishes what is never retained.
func (s *Sim) send(topic string, payload []byte) {
	s.out.push(message{topic: topic, payload: payload})
}

func (s *Sim) topic(n *node) string {
	return s.cfg.Prefix + "/" + s.cfg.Scheme.Node(n.spec.ID, n.spec.Name, n.spec.Location)
}

// valueTopic is where a value is published; nowhere in a MANUAL gateway, unless
// the user gave it a topic.
func (s *Sim) valueTopic(n *node, v *value) (topic string, ok bool) {
	if own := s.cfg.Settings.configured(v.id); own != nil {
		named := wire.Scheme{IgnoreLocation: s.cfg.Scheme.IgnoreLocation}
		return s.cfg.Prefix + "/" + named.Node(n.spec.ID, n.spec.Name, n.spec.Location) + "/" + wire.Sanitise(own.Topic), true
	}
	if s.cfg.Settings.Manual {
		return "", false
	}
	return s.cfg.Scheme.Value(s.topic(n), s.spelled(v)), true
}

// spelled is the value id as topics spell it: NAMED ones have the property's
// name, the others the property itself.
func (s *Sim) spelled(v *value) wire.ValueID {
	if s.cfg.Scheme.Kind == wire.Named && v.meta.Name != "" {
		return v.id.With(v.meta.Name, v.id.Key)
	}
	return v.id
}

func (s *Sim) publishStatus(n *node) {
	status := n.status()
	topic := s.topic(n) + "/status"
	if s.cfg.Settings.Payload == JustValue {
		s.retain(topic, body(status != dead))
	} else {
		s.retain(topic, body(map[string]any{"time": now(), "value": status != dead, "status": status, "nodeId": n.spec.ID}))
	}
	if s.cfg.Settings.NodeDetails {
		s.retain(s.topic(n)+"/nodeinfo", body(n.info()))
	}
}

// publishValue publishes a value as it stands, known or not.
func (s *Sim) publishValue(n *node, v *value) {
	s.publishAs(n, v, true)
}

// publishAs publishes with the retain flag of the settings, or without one.
func (s *Sim) publishAs(n *node, v *value, retained bool) {
	topic, ok := s.valueTopic(n, v)
	if !ok {
		return
	}
	if _, taken := s.published[topic]; !taken { // of two nodes with one topic only the first can be set
		s.published[topic] = v.id
		s.publishedOrder = append(s.publishedOrder, topic)
	}
	if own := s.cfg.Settings.configured(v.id); own != nil && own.NoRet {
		retained = false
	}
	if retained {
		s.retain(topic, s.payload(n, v))
	} else {
		s.send(topic, s.payload(n, v))
	}
}

// payload is a value in the payload type of the settings.
func (s *Sim) payload(n *node, v *value) []byte {
	switch s.cfg.Settings.Payload {
	case JustValue:
		if v.believed == nil {
			return nil
		}
		return body(v.believed)
	case EntireObject:
		return body(v.describe())
	default:
		out := map[string]any{"time": v.time()}
		if v.believed != nil {
			out["value"] = v.believed
		}
		if s.cfg.Settings.NodeNames {
			out["nodeName"], out["nodeLocation"] = n.spec.Name, n.spec.Location
		}
		return body(out)
	}
}

// time is that of the device's last report. The gateway dates what no device
// ever reported by the moment of publishing.
func (v *value) time() int64 {
	if v.reported && v.known() {
		return v.updated
	}
	return now()
}

// report is a value as the device itself sends it.
func (s *Sim) report(n *node, v *value) {
	fact, told := n.reportedLevel(v)
	if n.fault.silent.take() || !told {
		return
	}
	before := v.believed
	v.believed, v.updated, v.reported = fact, now(), true
	s.publishValue(n, v)
	s.updated(n, v, before)
}

// claim is the gateway's optimism: published, but no report of the device. The
// time of a target stays that of the last report, unless the device vouches for
// what it does.
func (s *Sim) claim(n *node, v *value, to any) {
	before := v.believed
	v.believed = to
	if v.current() || v.id.Property == "hexColor" || n.supervised() {
		v.updated, v.reported = now(), true
	}
	s.publishValue(n, v)
	s.updated(n, v, before)
}

// traffic notes that a node was heard and publishes lastActive, at most four
// times a second: at once, and at the end of the pause. The first message after
// a command still has the time of the traffic before it.
func (s *Sim) traffic(n *node, unasked bool) {
	last := n.radio.lastTraffic
	n.radio.lastTraffic = time.Now()
	if n.radio.awake {
		s.sleepSoon(n)
	}
	if n.radio.trailing != nil {
		return
	}
	if unasked || last.IsZero() {
		last = n.radio.lastTraffic
	}
	s.publishActive(n, last)
	s.statistics(n)
	n.radio.trailing = s.after(lastActivePause, func() {
		n.radio.trailing = nil
		s.publishActive(n, n.radio.lastTraffic)
	})
}

func (s *Sim) publishActive(n *node, at time.Time) {
	topic := s.topic(n) + "/lastActive"
	if s.cfg.Settings.Payload == JustValue {
		s.retain(topic, body(at.UnixMilli()))
		return
	}
	s.retain(topic, body(map[string]any{"time": now(), "value": at.UnixMilli()}))
}

// publishBroadcast publishes the writable topics of the pseudo-node that stands
// for the whole house.
func (s *Sim) publishBroadcast() {
	if s.cfg.Settings.Manual {
		return
	}
	base := s.cfg.Prefix + "/" + s.cfg.Scheme.Node(wire.Broadcast, "Broadcast", "")
	for _, v := range s.broadcastValues() {
		topic := s.cfg.Scheme.Value(base, s.spelled(v))
		s.published[topic] = v.id
		if s.cfg.Settings.Payload == JustValue {
			s.retain(topic, nil)
			continue
		}
		s.retain(topic, s.payload(&node{spec: NodeSpec{Name: "Broadcast"}}, v))
	}
}

// broadcastValues is one of each writable value in the house, and the Basic
// target of each endpoint that has one.
func (s *Sim) broadcastValues() []*value {
	seen := map[wire.ValueID]bool{}
	var out, basics []*value
	add := func(to *[]*value, v value) {
		v.id.Node = wire.Broadcast
		if !seen[v.id] {
			seen[v.id] = true
			v.readable, v.believed, v.fact, v.reported = false, nil, nil, false
			*to = append(*to, &v)
		}
	}
	low, high := 0.0, 255.0
	for _, id := range s.order {
		for _, v := range s.nodes[id].listed() {
			if !v.writeable || !recorded().Classes[v.id.Class].House {
				continue
			}
			add(&out, *v)
			target := value{id: v.id, writeable: true, meta: meta{Type: "number", Label: "Target value", Name: "Target value", Min: &low, Max: &high}}
			target.id.Class, target.id.Property, target.id.Key = basic, "targetValue", ""
			add(&basics, target)
		}
	}
	return append(out, basics...)
}

// statusNumber is a status as events have it.
func statusNumber(status string) int {
	switch status {
	case asleep:
		return 1
	case awake:
		return 2
	case dead:
		return 3
	case alive:
		return 4
	default:
		return 0
	}
}

// event publishes a Z-Wave event of a driver, controller or node, where the
// settings ask for it.
func (s *Sim) event(name string, data ...any) {
	if s.cfg.Settings.Events {
		topic := s.cfg.Prefix + "/_EVENTS/" + wire.GatewayLevel(s.cfg.Gateway) + "/" + name
		s.send(topic, body(map[string]any{"data": append([]any{}, data...)}))
	}
}

// updated tells a change of a value as an event, and remembers it for getNodes.
func (s *Sim) updated(n *node, v *value, before any) {
	args := map[string]any{
		"commandClassName": className(v.id.Class), "commandClass": v.id.Class, "endpoint": v.id.Endpoint,
		"property": v.id.Property, "propertyName": cmp.Or(v.meta.Name, v.id.Property), "newValue": v.believed, "prevValue": before,
	}
	if v.id.Key != "" {
		args["propertyKey"], args["propertyKeyName"] = key(v.id.Key), cmp.Or(v.meta.KeyName, v.id.Key)
	}
	if s.cfg.Settings.Events {
		s.event("node/node_value_updated", n.eventMembers(), args)
	}
	n.remember("value updated", args)
}

// eventsKept is how many events of a node getNodes tells.
const eventsKept = 100

func (n *node) remember(name string, args ...any) {
	if len(n.view.events) >= eventsKept {
		n.view.events = append(n.view.events[:0:0], n.view.events[len(n.view.events)-eventsKept+1:]...)
	}
	n.view.events = append(n.view.events, map[string]any{
		"time": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "event": name, "args": append([]any{}, args...),
	})
}
