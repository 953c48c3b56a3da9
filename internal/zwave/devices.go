package zwave

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"voicegateway/internal/zwave/wire"
)

// pollAfter is how old a polled value may be, where no topic keeps it up to date,
// before the device is asked again.
const pollAfter = time.Second

// devices knows the state of the devices: what they last reported, whether that
// can be trusted, and what they answer when they are asked.
type devices struct {
	link   *link
	ledger *ledger
	log    *slog.Logger
}

// fresh returns the last reading of a value. It asks the device first when the
// reading cannot be trusted: two nodes have the same topic, the value was never
// known, or the gateway does not publish it.
func (d *devices) fresh(ctx context.Context, m *model, e *entity, id wire.ValueID) reading {
	r := d.ledger.read(id)
	status := d.ledger.node(e.node.ID)
	if d.trusted(m, id, r) || status.dead() || e.node.sleeper() || !m.known(id) {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := d.poll(ctx, id); err != nil {
		d.log.Debug("asking a device for a value", "node", e.node.ID, "err", err)
	}
	return d.ledger.read(id)
}

// trusted reports whether a reading can be taken for the current state.
func (d *devices) trusted(m *model, id wire.ValueID, r reading) bool {
	switch {
	case !r.known || m.topics.shared[id.Node]:
		return false
	case r.source == sourceReport:
		return true
	case r.source == sourcePoll && time.Since(r.at) < pollAfter:
		return true
	default:
		return d.link.hasPublished(m.topics.topic(id))
	}
}

// unheard reports whether the gateway has published no value on the topics we
// expect, as with a MANUAL gateway.
func (d *devices) unheard(m *model) bool {
	for _, e := range m.entities {
		if d.link.hasPublished(m.topics.topic(e.main)) {
			return false
		}
	}
	return len(m.entities) > 0
}

func (d *devices) reachable(n *node) bool {
	gateway, driver := d.link.available()
	return gateway && driver && !d.ledger.node(n.ID).dead()
}

// poll asks the device itself for a value.
func (d *devices) poll(ctx context.Context, id wire.ValueID) error {
	a, err := d.link.call(ctx, "pollValue", id)
	if err != nil {
		return err
	}
	var v any
	if len(a.result) > 0 {
		if err := json.Unmarshal(a.result, &v); err != nil {
			return fmt.Errorf("reading the answer of pollValue: %w", err)
		}
	}
	d.ledger.polled(id, v)
	return nil
}
