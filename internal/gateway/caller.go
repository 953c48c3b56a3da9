package gateway

import (
	"context"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// housePatience is how long a connected server may take to tell its house: the
// time zwave-js-ui takes to answer, with room to spare.
const housePatience = 5 * time.Second

// reachPatience bounds the one attempt that a command forces when no server is
// connected: with the call itself it stays within a spoken turn (M6).
const reachPatience = 4 * time.Second

// caller is the turn's way to every tool, and the gateway's one wait: for the
// servers' first round, and then for the house they tell of.
type caller struct {
	*tools.Registry
	house *house
	host  *mcpint.Host

	settled sync.Once
	until   time.Time // the house is not waited for any longer than this

	mu      sync.Mutex
	tried   chan struct{} // closed and replaced when an attempt to connect has ended
	reached bool          // whether the last one succeeded
}

func newCaller(r *tools.Registry, house *house, host *mcpint.Host) *caller {
	return &caller{Registry: r, house: house, host: host, tried: make(chan struct{})}
}

// Await returns when the announced servers have brought their tools and told
// their house, or have given up. While the house is not known and no server is
// connected, it makes the servers be tried once more, also long after their
// attempts are used up.
func (c *caller) Await(ctx context.Context) error {
	if err := c.Registry.Await(ctx); err != nil {
		return err
	}
	c.settled.Do(func() { c.until = time.Now().Add(housePatience) })
	select {
	case <-c.house.known:
		return nil
	default:
	}
	wait := time.Until(c.until)
	if !c.anyConnected() {
		if !c.reach(ctx) {
			return nil
		}
		wait = housePatience
	}
	patience := time.NewTimer(wait)
	defer patience.Stop()
	select {
	case <-c.house.known:
	case <-patience.C: // a house without devices, or one that is still asleep
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// reach makes the servers be tried at once and says whether one is connected
// then. Turns that wait at the same time share the attempt.
func (c *caller) reach(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	c.mu.Lock()
	tried := c.tried
	c.mu.Unlock()
	c.host.WakeAll()
	select {
	case <-tried:
	case <-ctx.Done():
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reached
}

// attempted is told of the end of every attempt to connect.
func (c *caller) attempted(ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reached = ok
	close(c.tried)
	c.tried = make(chan struct{})
}

func (c *caller) anyConnected() bool {
	for _, s := range c.host.Status() {
		if s.Status == mcpint.Connected {
			return true
		}
	}
	return false
}
