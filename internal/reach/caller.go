// Package reach is a turn's way to the MCP servers: it calls their tools, waits for
// the server or the house that a step needs, and reconnects a lost server. It
// exists so that the rule of waiting is in one place, where it can be read and
// tested: a step waits for what it needs, and for nothing else (REQUIREMENTS M1).
// To let a step wait for something else, add a field to answer.Need and a case to
// Await.
package reach

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

// housePatience is how long a connected server may take to tell its house: the time
// zwave-js-ui takes to answer, with room to spare.
const housePatience = 5 * time.Second

// reachPatience bounds the one attempt that a command forces when its server is
// not connected: with the call itself it stays within a spoken turn (M6).
const reachPatience = 4 * time.Second

// Caller is the turn's way to every tool.
type Caller struct {
	*tools.Registry
	own      string // the id of our own server, the Z-Wave server, which tells a house
	house    *house.House
	host     *host.Host
	attempts *Attempts
}

// NewCaller makes a caller of the tools in a registry, which the host fills. own is
// the id of our own server.
func NewCaller(r *tools.Registry, own string, rooms *house.House, mcp *host.Host, a *Attempts) *Caller {
	return &Caller{Registry: r, own: own, house: rooms, host: mcp, attempts: a}
}

// Attempts counts the attempts to connect to the servers, as they end. It is safe
// for concurrent use.
type Attempts struct {
	mu    sync.Mutex
	tried chan struct{}        // closed and replaced when an attempt has ended
	count map[string]int       // ended attempts, by server
	since map[string]time.Time // when the server was connected, if its last attempt succeeded
}

// NewAttempts returns an Attempts that has counted none.
func NewAttempts() *Attempts {
	return &Attempts{tried: make(chan struct{}), count: map[string]int{}, since: map[string]time.Time{}}
}

// Ended counts an attempt that has ended; ok says whether it connected.
func (a *Attempts) Ended(server string, ok bool) {
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

// Await waits for what a step needs.
func (c *Caller) Await(ctx context.Context, n answer.Need) error {
	switch {
	case n.House:
		return c.awaitHouse(ctx, n.Again)
	case n.Server != "":
		return c.awaitServer(ctx, n.Server)
	}
	return nil
}

// awaitServer returns when a server has brought its tools or used up its attempts.
// A server that has never been connected is then tried once more. The tools of any
// other server are known, and the call itself connects it.
func (c *Caller) awaitServer(ctx context.Context, id string) error {
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
// one: our own server until it has used up its first attempts, and any server that
// has just been connected. With again, our own server is tried once more while no
// house is known at all, even long after its attempts are used up.
func (c *Caller) awaitHouse(ctx context.Context, again bool) error {
	told := c.house.Told()
	if c.house.Knows(c.own) {
		return nil
	}
	select {
	case <-c.Arrival(c.own):
	case <-told:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the house: %w", ctx.Err())
	}
	if again && c.house.House().Empty() && !NewServers(c.host).Connected(c.own) {
		c.reach(ctx, c.own, told)
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

// patience is how long the connected servers may still take to tell their houses.
// If a house is known already, only our own server is waited for.
func (c *Caller) patience() time.Duration {
	nobody := c.house.House().Empty()
	c.attempts.mu.Lock()
	defer c.attempts.mu.Unlock()
	var left time.Duration
	for id, at := range c.attempts.since {
		if nobody || id == c.own {
			left = max(left, time.Until(at.Add(housePatience)))
		}
	}
	return left
}

// reach makes the host try a server at once. It returns when the attempt has ended,
// or when enough is closed. Turns that wait at the same time share the attempt.
func (c *Caller) reach(ctx context.Context, id string, enough <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	c.attempts.mu.Lock()
	before, tried := c.attempts.count[id], c.attempts.tried
	c.attempts.mu.Unlock()
	c.host.Wake(id)
	for over := false; !over; {
		select {
		case <-tried:
		case <-enough:
			return
		case <-ctx.Done():
			return
		}
		c.attempts.mu.Lock()
		tried, over = c.attempts.tried, c.attempts.count[id] > before
		c.attempts.mu.Unlock()
	}
}
