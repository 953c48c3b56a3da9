package zwave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"voicegateway/internal/zwave/wire"
)

// pollAfter is how old a polled value may be, where no topic keeps it up to date,
// before the device is asked again.
const pollAfter = time.Second

// devices knows the state of the devices: what they last reported, whether that
// can be trusted, and what they answer when they are asked (asking.go).
type devices struct {
	link      *link
	ledger    *ledger
	directory *directory
	log       *slog.Logger
	polls     *polls
	probe     stickProbe
}

// trusted reports whether a reading can be taken for the current state.
func (d *devices) trusted(m *model, id wire.ValueID, r reading) bool {
	switch {
	case !r.known || d.ledger.unproved(id):
		return false
	case r.source == sourceReport:
		return true
	case m.topics.isContested(id):
		return r.source == sourcePoll && time.Since(r.at) < pollAfter
	case r.source == sourcePoll && time.Since(r.at) < pollAfter:
		return true
	default:
		return d.link.hasPublished(m.topics.topic(id))
	}
}

// reachable reports whether a node can be reached, as far as is known.
func (d *devices) reachable(n *node) bool {
	gateway, driver := d.link.available()
	return gateway && driver && !d.ledger.node(n.ID).dead()
}

// poll asks the device itself for a value.
func (d *devices) poll(ctx context.Context, id wire.ValueID) error {
	asked, answered := d.ledger.asks(id.Node)
	a, err := d.link.call(ctx, "pollValue", id)
	if _, isAnswer := errors.AsType[*apiError](err); isAnswer || err == nil {
		answered()
	}
	if err != nil {
		return err
	}
	var v any
	if len(a.result) > 0 {
		if err := json.Unmarshal(a.result, &v); err != nil {
			return fmt.Errorf("reading the answer of pollValue: %w", err)
		}
	}
	d.ledger.notePoll(id, v, asked)
	return nil
}
