//go:build cgo

package device

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits of calls into the library. A read takes 20 ms and may take as long as a
// busy machine delays a reader (0.6 s), but no longer, because the library burns
// a processor while a card is gone. A write takes at most the speaker's buffer;
// opening takes some seconds on a bad day.
const (
	readLimit = 1500 * time.Millisecond
	fastLimit = 2 * time.Second
	slowLimit = 6 * time.Second
)

// errStuck ends the worker: a call that does not return cannot be cancelled, and
// closing the stream under it aborts the process or blocks as well.
var errStuck = errors.New("the sound library hangs; its process is started again")

// watchdog notices calls that do not return.
type watchdog struct {
	mu   sync.Mutex
	next int
	busy map[int]call
}

type call struct {
	doing string
	until time.Time
}

// watch begins a call; the returned function ends it.
func (w *watchdog) watch(doing string, limit time.Duration) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy == nil {
		w.busy = map[int]call{}
	}
	w.next++
	id := w.next
	w.busy[id] = call{doing: doing, until: time.Now().Add(limit)}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.busy, id)
	}
}

const lookAtCalls = fastLimit / 8

// run returns an error when a call is over its limit, nil when ctx ends.
func (w *watchdog) run(ctx context.Context) error {
	tick := time.NewTicker(lookAtCalls)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := time.Now()
		if doing := w.overdue(now, now.Sub(last)-lookAtCalls); doing != "" {
			return fmt.Errorf("%s: %w", doing, errStuck)
		}
		last = now
	}
}

// overdue returns which call hangs, or "". If this check itself comes late, the
// machine stood still and the calls with it, so they get that time too.
func (w *watchdog) overdue(now time.Time, late time.Duration) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, c := range w.busy {
		if late > 0 {
			c.until = c.until.Add(late)
			w.busy[id] = c
		}
		if now.After(c.until) {
			return c.doing
		}
	}
	return ""
}
