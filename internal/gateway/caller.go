package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/answer"
	"voicegateway/internal/house"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/tools"
)

// housePatience is how long a connected server may take to tell its house: the
// time zwave-js-ui takes to answer, with room to spare.
const housePatience = 5 * time.Second

// reachPatience bounds the one attempt that a command forces when its server is
// not connected: with the call itself it stays within a spoken turn (M6).
const reachPatience = 4 * time.Second

// caller is the turn's way to every tool, and the gateway's one place that waits:
// for the server a step needs, and for no other.
type caller struct {
	*tools.Registry
	house *house.House
	host  *host.Host
	*attempts
}

// attempts are the attempts to connect to the servers, as they end. It is safe for
// concurrent use.
type attempts struct {
	mu    sync.Mutex
	tried chan struct{}        // closed and replaced when an attempt has ended
	count map[string]int       // ended ones, by server
	since map[string]time.Time // by server, of the connection that its last attempt made
}

func newAttempts() *attempts {
	return &attempts{tried: make(chan struct{}), count: map[string]int{}, since: map[string]time.Time{}}
}

func newCaller(r *tools.Registry, rooms *house.House, mcp *host.Host, a *attempts) *caller {
	return &caller{Registry: r, house: rooms, host: mcp, attempts: a}
}

// Await waits for what a step needs.
func (c *caller) Await(ctx context.Context, n answer.Need) error {
	switch {
	case n.House:
		return c.awaitHouse(ctx, n.Again)
	case n.Server != "":
		return c.awaitServer(ctx, n.Server)
	}
	return nil
}

// awaitServer returns when a server has brought its tools or used up its attempts.
// One that has never been connected is tried once more then; of any other the tools
// are known, and the call itself connects it.
func (c *caller) awaitServer(ctx context.Context, id string) error {
	if err := c.Registry.Await(ctx, id); err != nil {
		return err
	}
	for _, s := range c.host.Status() {
		if s.ID == id && s.Tools == nil {
			c.reach(ctx, id, nil)
		}
	}
	return nil
}

// awaitHouse returns when a house is told, or when no server is left that may tell
// one: our own, until it has used up its first attempts, and whichever has just
// been connected. Again makes our own be tried once more while no house is known
// at all, also long after its attempts are used up.
func (c *caller) awaitHouse(ctx context.Context, again bool) error {
	told := c.house.Told()
	if c.house.Knows(zwaveServer) {
		return nil
	}
	select {
	case <-c.Arrival(zwaveServer):
	case <-told:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the house: %w", ctx.Err())
	}
	if again && c.house.House().Empty() && !c.connected(zwaveServer) {
		c.reach(ctx, zwaveServer, told)
	}
	over := time.NewTimer(c.patience())
	defer over.Stop()
	select {
	case <-told:
	case <-over.C:
	case <-ctx.Done():
		return fmt.Errorf("waiting for the house: %w", ctx.Err())
	}
	return nil
}

// patience is how long those that are connected may still take to tell their
// house. Where one is known already, only our own server is waited for.
func (c *caller) patience() time.Duration {
	nobody := c.house.House().Empty()
	c.mu.Lock()
	defer c.mu.Unlock()
	var left time.Duration
	for id, at := range c.since {
		if nobody || id == zwaveServer {
			left = max(left, time.Until(at.Add(housePatience)))
		}
	}
	return left
}

// reach makes a server be tried at once. It returns when it has been, or when
// enough is closed. Turns that wait at the same time share the attempt.
func (c *caller) reach(ctx context.Context, id string, enough <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	c.mu.Lock()
	before, tried := c.count[id], c.tried
	c.mu.Unlock()
	c.host.Wake(id)
	for over := false; !over; {
		select {
		case <-tried:
		case <-enough:
			return
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		tried, over = c.tried, c.count[id] > before
		c.mu.Unlock()
	}
}

// ended takes the end of an attempt in.
func (a *attempts) ended(server string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count[server]++
	delete(a.since, server)
	if ok {
		a.since[server] = time.Now()
	}
	close(a.tried)
	a.tried = make(chan struct{})
}

func (c *caller) connected(id string) bool { return servers{c.host}.connected(id) }
