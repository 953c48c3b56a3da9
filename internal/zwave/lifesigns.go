package zwave

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Dead nodes are called one after the other, each less and less often, and at most one a
// minute in the whole house, because a call without an answer keeps the radio busy for
// seconds.
const (
	callPause   = time.Minute
	longestCall = 32 * time.Minute
)

// calls remembers when dead nodes are called again.
type calls struct {
	pauses map[int]time.Duration
	due    map[int]time.Time
}

// next chooses the dead node whose turn it is; 0: none.
func (c *calls) next(dead []int, now time.Time) int {
	maps.DeleteFunc(c.due, func(id int, _ time.Time) bool { return !slices.Contains(dead, id) })
	maps.DeleteFunc(c.pauses, func(id int, _ time.Duration) bool { return !slices.Contains(dead, id) })
	chosen := 0
	for _, id := range dead {
		if _, known := c.due[id]; !known {
			c.due[id], c.pauses[id] = now, callPause
		}
		if !c.due[id].After(now) && (chosen == 0 || c.due[id].Before(c.due[chosen])) {
			chosen = id
		}
	}
	if chosen > 0 {
		c.pauses[chosen] = min(2*c.pauses[chosen], longestCall)
		c.due[chosen] = now.Add(c.pauses[chosen])
	}
	return chosen
}

// lookAfter looks for a lost stick, announces when the house begins or ends to wait for
// something, and calls dead nodes until ctx ends.
func (h *House) lookAfter(ctx context.Context) {
	c := calls{map[int]time.Duration{}, map[int]time.Time{}}
	last, waited := time.Now(), h.inspector.awaited()
	for sleep(ctx, stickRecheck) {
		h.devices.recheckStick(ctx)
		if gateway, driver := h.link.available(); gateway && driver && h.link.stickDue() {
			h.devices.stickAway(ctx, 0)
		}
		if now := h.inspector.awaited(); now != waited {
			waited = now
			poke(h.chronicle.changed)
		}
		if gateway, driver := h.link.available(); !gateway || !driver || time.Since(last) < callPause {
			continue
		}
		if id := c.next(h.deadNodes(), time.Now()); id > 0 {
			last = time.Now()
			if h.link.ping(ctx, id) {
				h.directory.askRefresh()
			}
		}
	}
}

// deadNodes returns the nodes that are thought dead.
func (h *House) deadNodes() []int {
	var out []int
	for _, id := range slices.Sorted(maps.Keys(h.directory.current().nodes)) {
		if h.ledger.node(id).dead() {
			out = append(out, id)
		}
	}
	return out
}
