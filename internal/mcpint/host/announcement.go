package host

import (
	"context"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
)

// essentialPatience and optionalPatience are how long servers are waited for
// before the state of all is announced at the start (REQUIREMENTS M5).
const (
	essentialPatience = 30 * time.Second
	optionalPatience  = 10 * time.Second
)

// announcement remembers what observers were last told about all servers
// together.
type announcement struct {
	mu   sync.Mutex     // held during a report, so that changes are reported in order
	last mcpint.Overall // "" before the announcement
}

// announce announces the state of all servers when all are connected, or have
// been waited for long enough. An announcement made earlier would say little.
func (h *Host) announce(ctx context.Context) {
	for _, s := range h.all() {
		patience := optionalPatience
		if s.srv.Essential {
			patience = essentialPatience
		}
		over := time.NewTimer(time.Until(h.started.Add(patience)))
		defer over.Stop()
		select {
		case <-s.firstRound:
		case <-over.C:
		case <-ctx.Done():
			return
		}
	}
	h.announcement.mu.Lock()
	defer h.announcement.mu.Unlock()
	h.tellOverall()
}

// overallChanged tells the observer the state of all servers, if it changed since
// the last time.
func (h *Host) overallChanged() {
	h.announcement.mu.Lock()
	defer h.announcement.mu.Unlock()
	if h.announcement.last != "" {
		h.tellOverall()
	}
}

// tellOverall tells the state if it changed. The caller holds announcement.mu.
func (h *Host) tellOverall() {
	state := h.Overall()
	if state == h.announcement.last {
		return
	}
	h.announcement.last = state
	h.log.Info("state of the MCP servers", "overall", state)
	if tell := h.cfg.Observer.Overall; tell != nil {
		tell(state)
	}
}
