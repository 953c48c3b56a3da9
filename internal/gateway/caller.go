package gateway

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
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
	host  *host.Host

	settled sync.Once
	until   time.Time // the house is not waited for any longer than this

	mu       sync.Mutex
	tried    chan struct{}  // closed and replaced when an attempt to connect has ended
	attempts map[string]int // ended ones, by server
	reached  bool           // whether the last one succeeded
}

func newCaller(r *tools.Registry, house *house, host *host.Host) *caller {
	return &caller{Registry: r, house: house, host: host, tried: make(chan struct{}), attempts: map[string]int{}}
}

// Await is the wait of a turn: it returns when the announced servers have
// brought their tools and told their house, or have given up. While the house is
// not known and no server is connected, it makes the servers be tried once more,
// also long after their attempts are used up.
func (c *caller) Await(ctx context.Context) error {
	if err := c.settle(ctx); err != nil {
		return err
	}
	if c.knows() || len(c.away()) == 0 || !c.reach(ctx) {
		return nil
	}
	return c.awaitHouse(ctx, housePatience)
}

// settle is Await without the attempt: for whoever waits before there is a
// command that needs one.
func (c *caller) settle(ctx context.Context) error {
	if err := c.Registry.Await(ctx); err != nil {
		return err
	}
	c.settled.Do(func() { c.until = time.Now().Add(housePatience) })
	if c.knows() || !c.anyConnected() {
		return nil
	}
	return c.awaitHouse(ctx, time.Until(c.until))
}

// awaitHouse gives a connected server time to tell of its house. There may be
// none, or one that is still asleep.
func (c *caller) awaitHouse(ctx context.Context, patience time.Duration) error {
	over := time.NewTimer(patience)
	defer over.Stop()
	select {
	case <-c.house.known:
	case <-over.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// knows says whether a server has told of a device.
func (c *caller) knows() bool {
	select {
	case <-c.house.known:
		return true
	default:
		return false
	}
}

// toolbox is the language model's way to the tools: most answers need none, so
// it forces no attempt to connect.
type toolbox struct{ *caller }

// Await waits for the servers' first round.
func (t toolbox) Await(ctx context.Context) error { return t.settle(ctx) }

// reach makes the servers that are away be tried at once. It returns when each of
// them has been or the house is known, and says whether one is connected then.
// Turns that wait at the same time share the attempts.
func (c *caller) reach(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	c.mu.Lock()
	before, tried := maps.Clone(c.attempts), c.tried
	c.mu.Unlock()
	waiting := c.away()
	c.host.WakeAll()
	for reached := false; ; {
		select {
		case <-tried:
		case <-c.house.known:
			return true
		case <-ctx.Done():
			return reached
		}
		c.mu.Lock()
		tried, reached = c.tried, reached || c.reached
		waiting = slices.DeleteFunc(waiting, func(id string) bool { return c.attempts[id] > before[id] })
		c.mu.Unlock()
		if len(waiting) == 0 {
			return reached
		}
	}
}

// attempted is told of the end of every attempt to connect.
func (c *caller) attempted(server string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts[server]++
	c.reached = ok
	close(c.tried)
	c.tried = make(chan struct{})
}

// away are the servers that are not connected.
func (c *caller) away() []string {
	var list []string
	for _, s := range c.host.Status() {
		if s.Status != mcpint.Connected {
			list = append(list, s.ID)
		}
	}
	return list
}

func (c *caller) anyConnected() bool { return len(c.away()) < len(c.host.Status()) }
