package zwave

import (
	"context"
	"time"

	"voicegateway/internal/zwave/wire"
)

// How long a claim may wait for the read-back that proves it, which a switch gets
// after a second, before we ask the device ourselves, so that no state is untrue for two
// seconds; and when we ask again what has not answered.
const (
	claimWait  = 1500 * time.Millisecond
	claimAgain = time.Minute
)

// prove asks the devices about claims without a proof: a supervised switch that another
// client has switched is never read back.
func (h *House) prove(ctx context.Context) {
	again := time.NewTimer(claimAgain)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.ledger.claimed:
			if !sleep(ctx, claimWait) {
				return
			}
		case <-again.C:
		}
		for _, id := range h.ledger.allClaims() {
			if !h.worthProving(id) {
				continue
			}
			ctx, cancel := context.WithTimeout(ctx, pollWait)
			if err := h.devices.poll(ctx, id); err != nil {
				h.log.Debug("asking a device for a value", "node", id.Node, "err", err)
			}
			cancel()
		}
		again.Reset(claimAgain)
	}
}

// worthProving reports whether a claim is about the state of a thing that can be
// asked, and says something new.
func (h *House) worthProving(id wire.ValueID) bool {
	m := h.directory.current()
	n := m.nodes[id.Node]
	gateway, driver := h.link.available()
	return n != nil && gateway && driver && m.states[id] && !n.sleeper() && !h.ledger.node(id.Node).dead() && h.ledger.unproved(id)
}
