package zwave

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// Ages from which a reading is given only after asking the device, or only with its age,
// and when a question is answered at the latest: a caller waits for 3 s.
const (
	askedAfter  = time.Minute    // a device that listens is asked again
	measuredFor = time.Hour      // a sleeping device's measurement may have changed
	heldFor     = 24 * time.Hour // any other sleeping device may have failed
	listedFor   = time.Second    // the gateway's list is read again
	answeredIn  = 2500 * time.Millisecond
)

// finding is a reading as the user hears it.
type finding struct {
	reading
	reachable bool
	stale     bool         // its age has to be said with it
	reason    tools.Reason // why it may be wrong; empty if nothing suggests that
}

// ask returns what is known of a value. It first asks a listening device if its last
// report is older than a minute or cannot be trusted, and the gateway's list if the
// value's topic shows nothing.
func (d *devices) ask(ctx context.Context, m *model, e *entity, id wire.ValueID) finding {
	ctx, cancel := context.WithTimeout(ctx, answeredIn)
	defer cancel()
	d.recheckStick(ctx)
	f := finding{reading: d.ledger.read(id), reachable: d.reachable(e.node)}
	switch {
	case !f.reachable:
		f.reason = d.unreachableReason(e.node)
	case !m.known(id):
		f.reason = tools.NotReady
	case !canBeAsked(e.node, id):
		f = d.askGateway(ctx, m, e, id)
	case time.Since(f.at) > askedAfter || !d.trusted(m, id, f.reading):
		f = d.askDevice(ctx, m, e, id)
	}
	if f.unanswered() && d.ledger.outdated(id) {
		f.reading = reading{}
	}
	f.stale = f.stale || f.reason != "" || !f.reachable || e.node.sleeper() && old(id, f.at)
	return f
}

// unanswered reports whether nobody has answered a question about a device, or could be asked.
func (f finding) unanswered() bool { return f.reason != "" }

// told returns the readings that are given with a finding. If nobody has answered, a
// value is unknown that may have become another one since its last reading.
func (d *devices) told(f finding) func(wire.ValueID) reading {
	return func(id wire.ValueID) reading {
		if f.unanswered() && d.ledger.outdated(id) {
			return reading{}
		}
		return d.ledger.read(id)
	}
}

// canBeAsked reports whether a poll of a value brings something new. Events cannot
// be asked for, and a sleeping device does not hear.
func canBeAsked(n *node, id wire.ValueID) bool {
	return !n.sleeper() && id.Class != wire.CentralScene && id.Class != wire.Notification
}

// old reports whether a sleeping device's reading is given with its age.
func old(id wire.ValueID, at time.Time) bool {
	limit := heldFor
	if id.Class == wire.MultilevelSensor || id.Class == wire.Meter {
		limit = measuredFor
	}
	return !at.IsZero() && time.Since(at) > limit
}

// askDevice polls a value.
func (d *devices) askDevice(ctx context.Context, m *model, e *entity, id wire.ValueID) finding {
	err := d.polls.do(ctx, func(ctx context.Context) error { return d.poll(ctx, id) })
	f := finding{reading: d.ledger.read(id), reachable: d.reachable(e.node)}
	var api *apiError
	switch {
	case err == nil:
		return f
	case errors.Is(err, errNotAsked) && f.reachable: // nothing speaks against its last report
		f = d.askGateway(ctx, m, e, id)
		f.stale = time.Since(f.at) > askedAfter
		return f
	case errors.As(err, &api) && strings.Contains(api.message, "support"): // the class has no such question
		return d.askGateway(ctx, m, e, id)
	case !f.reachable, api != nil && d.stickAway(ctx, e.node.ID):
		f.reachable, f.reason = false, d.unreachableReason(e.node)
	default:
		d.log.Debug("asking a device for a value", "node", e.node.ID, "err", err)
		f.reason, f.reachable = tools.Silent, api == nil // without an answer the device may only be slow
	}
	if m.topics.isContested(id) {
		f.reading, f.reason = reading{}, form.SharedTopics
	}
	return f
}

// askGateway reads a value from the gateway's own list, unless its topic tells it.
func (d *devices) askGateway(ctx context.Context, m *model, e *entity, id wire.ValueID) finding {
	f := finding{reading: d.ledger.read(id), reachable: d.reachable(e.node)}
	if d.trusted(m, id, f.reading) {
		return f
	}
	list := d.directory.recent
	if m.topics.isContested(id) {
		list = d.directory.renewed // its topic reports nothing that can be believed
	}
	_, fresh := list(ctx)
	f.reading = d.ledger.read(id)
	switch {
	case fresh:
	case m.topics.isContested(id):
		f.reading, f.reason = reading{}, form.SharedTopics
	default:
		f.reason = tools.GatewayAway
	}
	return f
}

// listed returns a model whose states are worth listing. If the topic of a wanted entity
// shows nothing, it asks for the list again; fresh is false if none came.
func (d *devices) listed(ctx context.Context, m *model, wanted func(*entity) bool) (_ *model, fresh bool) {
	d.recheckStick(ctx)
	doubtful := func(e *entity) bool { return wanted(e) && !d.trusted(m, e.main, d.ledger.read(e.main)) }
	gateway, driver := d.link.available()
	switch {
	case time.Since(m.at) < listedFor, !slices.ContainsFunc(m.entities, doubtful):
		return m, true
	case !gateway || !driver:
		return m, false
	default:
		return d.directory.renewed(ctx)
	}
}

// lastFound is what is known of an entity without asking its device; fresh tells
// whether the gateway's list is of just now.
func (d *devices) lastFound(m *model, e *entity, fresh bool) finding {
	f := finding{reading: d.ledger.read(e.main), reachable: d.reachable(e.node)}
	switch {
	case !f.reachable:
		f.reason = d.unreachableReason(e.node)
		if d.ledger.outdated(e.main) {
			f.reading = reading{}
		}
	case fresh || d.trusted(m, e.main, f.reading):
	case m.topics.isContested(e.main):
		f.reading, f.reason = reading{}, form.SharedTopics
	case d.ledger.outdated(e.main):
		f.reading, f.reason = reading{}, tools.GatewayAway
	}
	f.stale = f.reason != "" || e.node.sleeper() && old(e.main, f.at)
	return f
}

// unreachableReason says why a node cannot be reached.
func (d *devices) unreachableReason(n *node) tools.Reason {
	switch gateway, driver := d.link.available(); {
	case !d.link.connected():
		return tools.BrokerAway
	case !gateway:
		return tools.GatewayAway
	case d.link.stickGone():
		return tools.StickGone
	case !driver:
		return tools.ControllerNotReady
	case !n.Ready && len(n.values) == 0:
		return tools.NotReady
	default:
		return tools.Dead
	}
}
