package zwave

import (
	"encoding/json"
	"path"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// These are the times in which reports may be claims, from the recordings: an
// optimistic report follows a write within 0.1 s, the read-back that tells the
// truth after 1.1 s; a gateway that starts republishes its cache within 4 s of
// its driver.
const (
	doubtAfterWrite     = 900 * time.Millisecond
	repeatsAfterRestart = 10 * time.Second
)

// handle takes one message; it only records it and never waits.
func (h *House) handle(topic string, payload []byte, retained bool) {
	rest, ok := strings.CutPrefix(topic, h.cfg.Prefix+"/")
	if !ok {
		return
	}
	switch {
	case strings.HasPrefix(rest, "_CLIENTS/"):
		h.clientMessage(strings.TrimPrefix(rest, "_CLIENTS/"), payload, retained)
	case strings.HasPrefix(rest, "_EVENTS/"):
		h.eventMessage(strings.TrimPrefix(rest, "_EVENTS/"))
	case strings.HasPrefix(rest, "_SIM/"): // a change played in a simulated house is not a write to a device
	case rest == "driver/status":
		if h.link.driverMessage(payload) {
			h.restarted(retained, time.Time{})
		}
	case strings.HasSuffix(rest, "/set"):
		h.valueSet(strings.TrimSuffix(rest, "/set"))
	case strings.HasSuffix(rest, "/lastActive"):
	case strings.HasSuffix(rest, "/nodeinfo"):
		h.nodeInfo(payload, retained)
	default:
		h.nodeMessage(rest, payload, retained)
	}
}

// clientMessage takes what is below _CLIENTS: the gateways' life and their API.
func (h *House) clientMessage(rest string, payload []byte, retained bool) {
	switch {
	case !strings.HasSuffix(rest, "/set"):
		if h.link.gatewayMessage(rest, payload, h.ledger.tick()) {
			h.restarted(retained, wire.MessageTime(payload))
		}
		if relabels(rest, payload) {
			h.directory.outdate()
		}
	case strings.HasSuffix(rest, "/api/writeValue/set"):
		if h.link.isOurs(payload) {
			return
		}
		h.ledger.noteMeddling(h.real(firstArgument(payload)))
	case strings.HasSuffix(rest, "/api/sendCommand/set"), strings.Contains(rest, "/broadcast/"), strings.Contains(rest, "/multicast/"):
		h.ledger.noteMeddling(wire.ValueID{Node: everyNode})
	case asking[path.Base(strings.TrimSuffix(rest, "/set"))]:
		if !h.link.isOurs(payload) {
			h.ledger.noteDisturbance(h.real(firstArgument(payload)).Node)
		}
	}
}

// asking are the API calls after which a node reports its values.
var asking = map[string]bool{"pollValue": true, "refreshValues": true, "refreshCCValues": true, "refreshInfo": true}

// firstArgument returns the value, or the node, that another client's API call is about;
// everyNode where that cannot be told.
func firstArgument(payload []byte) wire.ValueID {
	var in struct {
		Args []json.RawMessage `json:"args"`
	}
	var id wire.ValueID
	if json.Unmarshal(payload, &in) != nil || len(in.Args) == 0 {
		return wire.ValueID{Node: everyNode}
	}
	if json.Unmarshal(in.Args[0], &id) != nil {
		id = wire.ValueID{}
		_ = json.Unmarshal(in.Args[0], &id.Node) // else it is every node
	}
	return id
}

// real returns a value of a node of the house, else every node's: what is noted of writes
// is noted for real nodes only, whatever a payload says.
func (h *House) real(id wire.ValueID) wire.ValueID {
	if h.directory.current().nodes[id.Node] == nil {
		return wire.ValueID{Node: everyNode}
	}
	return id
}

// valueSet records that another client writes by topic.
func (h *House) valueSet(topic string) {
	id, known := h.directory.current().topics.values[topic]
	if !known {
		id = wire.ValueID{Node: everyNode}
	}
	h.ledger.noteMeddling(id)
}

// restarted records that the gateway or the driver is online, perhaps again. Unless the
// message was retained, the gateway is about to publish everything again out of its
// cache. at is the time of the start by the gateway's own clock, as far as the message
// has it.
func (h *House) restarted(retained bool, at time.Time) {
	if retained {
		h.ledger.readStart(at)
	} else {
		h.ledger.repeats(repeatsAfterRestart, at)
		h.link.forgetTopics()
		h.link.noteReconnect()
	}
	h.directory.askRefresh()
}

// eventMessage takes an event of the gateway, which is a hint that the list of
// nodes has changed. Only some users have events switched on.
func (h *House) eventMessage(rest string) {
	level, event, _ := strings.Cut(rest, "/")
	if strings.HasPrefix(level, wire.GatewayPrefix) && h.link.noteGateway(level) {
		h.directory.askRefresh()
	}
	_, name, _ := strings.Cut(event, "/")
	switch name {
	case "node_added", "node_removed", "node_ready", "node_interview_completed", "all_nodes_ready":
		h.directory.askRefresh()
	}
}

// nodeInfo takes a node's details, which tell of new nodes and new names at once.
// Only some users have them switched on.
func (h *House) nodeInfo(payload []byte, retained bool) {
	if retained {
		return
	}
	var in struct {
		ID         int        `json:"id"`
		Name       scalarText `json:"name"`
		Loc        scalarText `json:"loc"`
		Controller flag       `json:"isControllerNode"`
		Virtual    flag       `json:"virtual"`
	}
	if json.Unmarshal(payload, &in) != nil || in.ID <= 0 || bool(in.Controller) || bool(in.Virtual) || in.ID == wire.Broadcast {
		return
	}
	switch n := h.directory.current().nodes[in.ID]; {
	case n == nil:
		h.directory.askRefresh()
	case n.Name != string(in.Name) || n.Loc != string(in.Loc):
		h.directory.outdate()
	}
}

// nodeMessage records a value or a node status. A retained message never changes
// a state: it may be left over from an old name, and the list of nodes is more
// reliable.
func (h *House) nodeMessage(rest string, payload []byte, retained bool) {
	m := h.directory.current()
	fresh := h.link.noteTopic(rest, retained)
	if id, known := m.topics.values[rest]; known {
		r, err := wire.ParseReading(payload)
		if err != nil || retained {
			return
		}
		twins := m.topics.twins[rest]
		switch {
		case r.HasID && m.known(r.ID):
			h.ledger.report(r.ID, r)
		case len(twins) == 0:
			h.ledger.report(id, r)
		}
		return
	}
	if node, isStatus := strings.CutSuffix(rest, "/status"); isStatus {
		if status, ok := wire.ParseNodeStatus(payload); ok {
			h.statusMessage(m, node, status, retained)
			return
		}
	}
	if r, err := wire.ParseReading(payload); err == nil && r.HasID && m.known(r.ID) {
		if !retained {
			h.ledger.report(r.ID, r)
		}
		return
	}
	if fresh && !retained {
		h.directory.askRefresh()
	}
}

func (h *House) statusMessage(m *model, topic string, s wire.NodeStatus, retained bool) {
	if s.Node == 0 && !m.topics.shared[m.topics.nodes[topic]] {
		s.Node = m.topics.nodes[topic]
	}
	if retained || s.Node == 0 {
		return
	}
	n := m.nodes[s.Node]
	if n != nil {
		h.ledger.nodeStatus(s.Node, s.Available, s.Status)
	}
	// A new node, a renamed one, or one whose values were not known so far. The
	// controller publishes a status, too.
	if n == nil && s.Node != m.controller || n != nil && (m.topics.bases[s.Node] != topic || !n.Ready) {
		h.directory.askRefresh()
	}
}
