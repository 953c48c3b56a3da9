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

// caller is the turn's way to every tool, and the gateway's one wait: for the
// servers' first round, and then for the house they tell of.
type caller struct {
	*tools.Registry
	house *house
	host  *mcpint.Host

	settled sync.Once
	until   time.Time // the house is not waited for any longer than this
}

// Await returns when the announced servers have brought their tools and told
// their house, or have given up.
func (c *caller) Await(ctx context.Context) error {
	if err := c.Registry.Await(ctx); err != nil {
		return err
	}
	c.settled.Do(func() { c.until = time.Now().Add(housePatience) })
	if !c.anyConnected() {
		return nil
	}
	patience := time.NewTimer(time.Until(c.until))
	defer patience.Stop()
	select {
	case <-c.house.known:
	case <-patience.C: // a house without devices, or one that is still asleep
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (c *caller) anyConnected() bool {
	for _, s := range c.host.Status() {
		if s.Status == mcpint.Connected {
			return true
		}
	}
	return false
}
