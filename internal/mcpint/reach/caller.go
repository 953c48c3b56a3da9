// Package reach is a turn's way to the MCP servers: it calls their tools, waits for
// the server or the house that a step needs, and reconnects a lost server. It
// exists so that the rule of waiting is in one place, where it can be read and
// tested: a step waits for what it needs, and for nothing else (REQUIREMENTS M1).
// To let a step wait for something else, add a field to mind.Need and a case to
// Await. NewTools makes the tools by which a language model and other MCP hosts see and
// reconnect the servers.
package reach

import (
	"context"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/house"
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
	tellers  []string // the ids of the servers that may tell a house; guarded by attempts.mu
	house    *house.House
	host     *host.Host
	attempts *Attempts
}

// NewCaller makes a caller of the tools in a registry, which the host fills. tellers
// are the ids of the servers that may tell a house.
func NewCaller(r *tools.Registry, tellers []string, rooms *house.House, mcp *host.Host, a *Attempts) *Caller {
	return &Caller{Registry: r, tellers: tellers, house: rooms, host: mcp, attempts: a}
}

// Tellers are the ids of the servers that may tell a house.
func (c *Caller) Tellers() []string {
	c.attempts.mu.Lock()
	defer c.attempts.mu.Unlock()
	return c.tellers
}

// SetTellers makes these the servers that may tell a house.
func (c *Caller) SetTellers(ids []string) {
	c.attempts.mu.Lock()
	defer c.attempts.mu.Unlock()
	c.tellers = ids
	c.attempts.tell()
}

// Attempts knows what came of the attempts to connect to the servers, and which are
// not tried yet. It is safe for concurrent use.
type Attempts struct {
	mu    sync.Mutex
	news  chan struct{}        // closed and replaced when something below changes
	count map[string]int       // ended attempts, by server
	since map[string]time.Time // when the server was connected, if its last attempt succeeded
	held  map[string]bool      // servers that are not tried while something they need is missing
}

// NewAttempts returns an Attempts that has heard of none.
func NewAttempts() *Attempts {
	return &Attempts{news: make(chan struct{}), count: map[string]int{}, since: map[string]time.Time{}, held: map[string]bool{}}
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
	a.tell()
}

// Held notes that a server is not tried while something it needs is missing, or that
// it is tried again.
func (a *Attempts) Held(server string, held bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held[server] = held
	a.tell()
}

// tell tells everybody that something has changed. The caller holds mu.
func (a *Attempts) tell() {
	close(a.news)
	a.news = make(chan struct{})
}

// Await waits for what a step needs.
func (c *Caller) Await(ctx context.Context, n mind.Need) error {
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

// awaitHouse returns when a server has published a house, or when no server is left that
// may soon do so. With again, the servers that may have a house are tried once more while
// no house is known at all, even long after their attempts are used up.
func (c *Caller) awaitHouse(ctx context.Context, again bool) error {
	told := c.house.Told()
	for {
		trying, patience, news := c.expectHouse()
		if trying == nil && patience <= 0 {
			if !again || !c.house.House().Empty() {
				return nil
			}
			again = false
			c.reachTellers(ctx, told)
			continue
		}
		var over <-chan time.Time
		if trying == nil {
			over = time.After(patience)
		}
		select {
		case <-told:
			return nil
		case <-trying:
		case <-over:
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the house: %w", ctx.Err())
		}
	}
}

// expectHouse says from which servers a house may still come. trying is closed when one of
// the servers has ended its first attempts; nil if no server is trying. patience is how
// long the connected servers may still take to publish their house. A server that is not
// tried because something it needs is missing may take a minute, so it is not waited for.
// news is closed when the answer may have changed.
func (c *Caller) expectHouse() (trying <-chan struct{}, patience time.Duration, news <-chan struct{}) {
	c.attempts.mu.Lock()
	defer c.attempts.mu.Unlock()
	for _, id := range c.tellers {
		if c.house.Knows(id) {
			continue
		}
		arrival := c.Arrival(id)
		select {
		case <-arrival:
			if at, connected := c.attempts.since[id]; connected {
				patience = max(patience, time.Until(at.Add(housePatience)))
			}
		default:
			if !c.attempts.held[id] {
				trying = arrival
			}
		}
	}
	return trying, patience, c.attempts.news
}

// reachTellers makes the host try the servers that may tell a house, but are not
// connected, at once. It returns when the attempts have ended, or enough is closed.
func (c *Caller) reachTellers(ctx context.Context, enough <-chan struct{}) {
	servers := NewServers(c.host)
	var attempts sync.WaitGroup
	for _, id := range c.Tellers() {
		if !servers.Connected(id) {
			attempts.Go(func() { c.reach(ctx, id, enough) })
		}
	}
	attempts.Wait()
}

// reach makes the host try a server at once. It returns when the attempt has ended,
// or when enough is closed. Turns that wait at the same time share the attempt. A
// server that is held is not tried: its needs are looked for already.
func (c *Caller) reach(ctx context.Context, id string, enough <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	before, held, news := c.attempts.of(id)
	if held {
		return
	}
	c.host.Wake(id)
	for count := before; count == before; {
		select {
		case <-news:
		case <-enough:
			return
		case <-ctx.Done():
			return
		}
		count, _, news = c.attempts.of(id)
	}
}

// of returns how many attempts of a server have ended, whether it is held, and what
// is closed when one of these changes.
func (a *Attempts) of(server string) (ended int, held bool, news <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count[server], a.held[server], a.news
}
