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

// word is what was said last about all servers together.
type word struct {
	mu   sync.Mutex     // held while it is told, so that changes are told in order
	last mcpint.Overall // "" before the announcement
	said chan struct{}
}

// Announced is closed when the state of all servers is announced: when all are
// connected, or have been waited for long enough. Until then it says little.
func (h *Host) Announced() <-chan struct{} { return h.word.said }

// announce waits for the first connections and announces what came of them.
func (h *Host) announce(ctx context.Context) {
	for _, l := range h.links {
		patience := optionalPatience
		if l.srv.Essential {
			patience = essentialPatience
		}
		over := time.NewTimer(time.Until(h.began.Add(patience)))
		defer over.Stop()
		select {
		case <-l.life.up:
		case <-over.C:
		case <-ctx.Done():
			return
		}
	}
	h.word.mu.Lock()
	defer h.word.mu.Unlock()
	h.say()
	close(h.word.said)
}

// overallMoved tells of the state of all servers, if it changed since it was told.
func (h *Host) overallMoved() {
	h.word.mu.Lock()
	defer h.word.mu.Unlock()
	if h.word.last != "" {
		h.say()
	}
}

// say tells the state if it is news. The caller holds word.mu.
func (h *Host) say() {
	state := h.Overall()
	if state == h.word.last {
		return
	}
	h.word.last = state
	h.log.Info("state of the MCP servers", "overall", state)
	if tell := h.cfg.Observer.Overall; tell != nil {
		tell(state)
	}
}
