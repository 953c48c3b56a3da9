package ai

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/home"
)

// Times for warming: loading a model from a slow disk may take long, and a house
// whose servers still connect changes several times within seconds.
const (
	warmTimeout  = 2 * time.Minute
	warmInterval = 5 * time.Second
)

// Housed is a Toolbox that also knows the house, so that a model can read about it before
// the first question.
type Housed interface {
	House() *home.House
}

// warmth knows what the model's server has read before the first question. It is safe for
// concurrent use.
type warmth struct {
	mu     sync.Mutex
	turns  int                // replies that are running
	cancel context.CancelFunc // ends the running warming; nil if there is none
	seen   [sha256.Size]byte  // of the prefixes at the last look
	read   [sha256.Size]byte  // of the prefixes the server has read
}

// turn ends a warming, because a person who waits comes first, and keeps others
// from starting until the reply calls over.
func (w *warmth) turn() (over func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turns++
	if w.cancel != nil {
		w.cancel()
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.turns--
	}
}

// due reports whether prefixes should be read: the server has not read them, they
// have not changed since the last look, and no reply is running. The context is of
// that warming, and done ends it.
func (w *warmth) due(ctx context.Context, now [sha256.Size]byte) (warming context.Context, done func(ok bool), due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	settled := w.seen == now
	w.seen = now
	if !settled || w.read == now || w.turns > 0 {
		return nil, nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, warmTimeout)
	w.cancel = cancel
	return ctx, func(ok bool) {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cancel = nil
		if ok {
			w.read = now
		}
	}, true
}

// forget makes the next look warm at once: the server is new, or was away.
func (w *warmth) forget(now [sha256.Size]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen, w.read = now, [sha256.Size]byte{}
}

// house is the house of the toolbox; nil if it knows none.
func (a *Assistant) house() *home.House {
	if h, ok := a.tools.(Housed); ok {
		return h.House()
	}
	return nil
}

// prefixes returns the beginnings of requests, the one of turns that may act last,
// because a server that caches only one keeps the last. There is only one if no tool may
// act.
func (a *Assistant) prefixes() (all []prefix, sum [sha256.Size]byte) {
	h := a.house()
	reads, acts := a.prefix(h, reading, ""), a.prefix(h, everywhere, "")
	if all = []prefix{acts}; len(reads.tools) < len(acts.tools) {
		all = []prefix{reads, acts}
	}
	var text bytes.Buffer
	text.WriteString(acts.system.Text)
	for _, spec := range acts.tools {
		fmt.Fprintf(&text, "\x00%s\x00%s\x00%s\x00%s", spec.Name, spec.Risk, spec.Description, parameters(spec))
	}
	return all, sha256.Sum256(text.Bytes())
}

// warm makes the server load the model and read the beginning of all requests, before a
// user waits for it. A failure is only logged: the first reply will show it.
func (a *Assistant) warm(ctx context.Context) {
	a.mu.Lock()
	found := a.status
	a.mu.Unlock()
	if !found.ready || !profiles[a.cfg.Profile].warm {
		return
	}
	all, sum := a.prefixes()
	ctx, done, due := a.warmth.due(ctx, sum)
	if !due {
		return
	}
	start := time.Now()
	for _, p := range all {
		req := Request{Model: found.model, MaxTokens: 1, Messages: []Message{p.system, {Role: User, Text: "Hello"}}, Tools: a.habits.omitRefused(found.model, p.tools)}
		for _, err := range a.model.Complete(ctx, req) {
			if err != nil {
				a.log.Debug("language model not warmed", "err", err)
				done(false)
				return
			}
		}
	}
	ok := ctx.Err() == nil
	done(ok)
	a.log.Debug("language model warmed", "took", time.Since(start), "whole", ok)
}
