package sim

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"voicegateway/internal/zwave/wire"
)

// appVersion is the version of the recorded gateway.
const appVersion = "11.22.2"

// lastActivePause is the least time between two lastActive messages of a node.
const lastActivePause = 250 * time.Millisecond

func now() int64 { return time.Now().UnixMilli() }

// body encodes JSON; everything passed in here can be encoded.
func body(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}

// publisher publishes what the gateway says, in the form that its settings ask
// for.
type publisher struct {
	cfg            Config
	out            *queue[message]
	published      map[string]wire.ValueID // topics published since the start: only these can be set
	publishedOrder []string                // the same, in the order in which they came
	cut            bool                    // nothing that devices say reaches the gateway: it has no driver, or no stick
}

func newPublisher(cfg Config) *publisher {
	return &publisher{cfg: cfg, out: newQueue[message](), published: map[string]wire.ValueID{}, cut: true}
}

// forget forgets the topics of a node, so that they cannot be set.
func (p *publisher) forget(node int) {
	for topic, id := range p.published {
		if id.Node == node {
			delete(p.published, topic)
		}
	}
	p.publishedOrder = slices.DeleteFunc(p.publishedOrder, func(topic string) bool { _, ok := p.published[topic]; return !ok })
}

// forgetAll forgets every topic, so that none can be set until it is published
// again.
func (p *publisher) forgetAll() {
	p.published, p.publishedOrder = map[string]wire.ValueID{}, nil
}

// retain publishes a message, retained unless the gateway's settings say
// otherwise.
func (p *publisher) retain(topic string, payload []byte) {
	p.out.push(message{topic: topic, payload: payload, retained: !p.cfg.Settings.NoRetain})
}

// send publishes a message that is never retained.
func (p *publisher) send(topic string, payload []byte) {
	p.out.push(message{topic: topic, payload: payload})
}

// answer publishes the answer of an API call.
func (p *publisher) answer(name string, out map[string]any) {
	p.send(p.cfg.base()+"/api/"+name, body(out))
}

func (p *publisher) topic(n *node) string {
	return p.cfg.Prefix + "/" + p.cfg.Scheme.Node(n.spec.ID, n.spec.Name, n.spec.Location)
}

// valueTopic returns the topic of a value; ok is false in a MANUAL gateway,
// unless the user gave the value a topic.
func (p *publisher) valueTopic(n *node, v *value) (topic string, ok bool) {
	if own := p.cfg.Settings.find(v.id); own != nil {
		named := wire.Scheme{IgnoreLocation: p.cfg.Scheme.IgnoreLocation}
		return p.cfg.Prefix + "/" + named.Node(n.spec.ID, n.spec.Name, n.spec.Location) + "/" + wire.Sanitise(own.Topic), true
	}
	if p.cfg.Settings.Manual {
		return "", false
	}
	return p.cfg.Scheme.Value(p.topic(n), p.spell(v)), true
}

// spell returns the value id as topics spell it: NAMED topics have the
// property's name, the others the property itself.
func (p *publisher) spell(v *value) wire.ValueID {
	if p.cfg.Scheme.Kind == wire.Named && v.meta.Name != "" {
		return v.id.With(v.meta.Name, v.id.Key)
	}
	return v.id
}

func (p *publisher) publishStatus(n *node) {
	if p.cut {
		return
	}
	status := n.status()
	topic := p.topic(n) + "/status"
	if p.cfg.Settings.Payload == JustValue {
		p.retain(topic, body(status != dead))
	} else {
		p.retain(topic, body(map[string]any{"time": now(), "value": status != dead, "status": status, "nodeId": n.spec.ID}))
	}
	if p.cfg.Settings.NodeDetails {
		p.retain(p.topic(n)+"/nodeinfo", body(n.info()))
	}
}

// publishValue publishes the current state of a value, known or not.
func (p *publisher) publishValue(n *node, v *value) {
	p.publishAs(n, v, true)
}

// publishAs publishes with the retain flag of the settings, or without one.
func (p *publisher) publishAs(n *node, v *value, retained bool) {
	topic, ok := p.valueTopic(n, v)
	if !ok || p.cut {
		return
	}
	if _, taken := p.published[topic]; !taken { // of two nodes with the same topic only the first can be set
		p.published[topic] = v.id
		p.publishedOrder = append(p.publishedOrder, topic)
	}
	if own := p.cfg.Settings.find(v.id); own != nil && own.NoRet {
		retained = false
	}
	if retained {
		p.retain(topic, p.payload(n, v))
	} else {
		p.send(topic, p.payload(n, v))
	}
}

// payload returns a value in the payload type of the settings.
func (p *publisher) payload(n *node, v *value) []byte {
	switch p.cfg.Settings.Payload {
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
		if p.cfg.Settings.NodeNames {
			out["nodeName"], out["nodeLocation"] = n.spec.Name, n.spec.Location
		}
		return body(out)
	}
}

// time returns the time of the device's last report. For a value that no device
// ever reported the gateway gives the moment of publishing.
func (v *value) time() int64 {
	if v.reported && v.known() {
		return v.updated
	}
	return now()
}

// report publishes a value as the device itself reports it.
func (p *publisher) report(n *node, v *value) {
	fact, told := n.reportedLevel(v)
	if p.cut || n.spec.Dead || n.fault.silent.spend() || !told {
		return
	}
	before := v.believed
	v.believed, v.updated, v.reported = fact, now(), true
	p.publishValue(n, v)
	p.publishChange(n, v, before)
}

// claim publishes a value that the gateway assumes without a report of the
// device. The time of a target stays that of the last report, unless the device
// confirms its writes (Supervision).
func (p *publisher) claim(n *node, v *value, to any) {
	if p.cut {
		return
	}
	before := v.believed
	v.believed = to
	if v.current() || v.id.Property == "hexColor" || n.supervised() {
		v.updated, v.reported = now(), true
	}
	p.publishValue(n, v)
	p.publishChange(n, v, before)
}

func (p *publisher) publishActive(n *node, at time.Time) {
	if p.cut {
		return
	}
	topic := p.topic(n) + "/lastActive"
	if p.cfg.Settings.Payload == JustValue {
		p.retain(topic, body(at.UnixMilli()))
		return
	}
	p.retain(topic, body(map[string]any{"time": now(), "value": at.UnixMilli()}))
}

// publishBroadcast publishes the writable topics of the pseudo-node that stands
// for the whole house.
func (p *publisher) publishBroadcast(values []*value) {
	if p.cfg.Settings.Manual {
		return
	}
	base := p.cfg.Prefix + "/" + p.cfg.Scheme.Node(wire.Broadcast, "Broadcast", "")
	for _, v := range values {
		topic := p.cfg.Scheme.Value(base, p.spell(v))
		p.published[topic] = v.id
		if p.cfg.Settings.Payload == JustValue {
			p.retain(topic, nil)
			continue
		}
		p.retain(topic, p.payload(&node{spec: NodeSpec{Name: "Broadcast"}}, v))
	}
}

// statusNumber returns a status as the number that events carry.
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

// event publishes a Z-Wave event of the driver, the controller or a node, if the
// settings ask for events.
func (p *publisher) event(name string, data ...any) {
	if p.cfg.Settings.Events {
		topic := p.cfg.Prefix + "/_EVENTS/" + wire.GatewayLevel(p.cfg.Gateway) + "/" + name
		p.send(topic, body(map[string]any{"data": append([]any{}, data...)}))
	}
}

// publishChange publishes a change of a value as an event, and remembers it for
// getNodes.
func (p *publisher) publishChange(n *node, v *value, before any) {
	args := map[string]any{
		"commandClassName": className(v.id.Class), "commandClass": v.id.Class, "endpoint": v.id.Endpoint,
		"property": v.id.Property, "propertyName": cmp.Or(v.meta.Name, v.id.Property), "newValue": v.believed, "prevValue": before,
	}
	if v.id.Key != "" {
		args["propertyKey"], args["propertyKeyName"] = key(v.id.Key), cmp.Or(v.meta.KeyName, v.id.Key)
	}
	if p.cfg.Settings.Events {
		p.event("node/node_value_updated", n.eventMembers(), args)
	}
	n.remember("value updated", args)
}

// eventsKept is how many events of a node getNodes lists.
const eventsKept = 100

func (n *node) remember(name string, args ...any) {
	if len(n.view.events) >= eventsKept {
		n.view.events = append(n.view.events[:0:0], n.view.events[len(n.view.events)-eventsKept+1:]...)
	}
	n.view.events = append(n.view.events, map[string]any{
		"time": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "event": name, "args": append([]any{}, args...),
	})
}
