package mind_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// crowd is a house to which several people talk at the same time. A call takes a second,
// and five for the lamp that does not answer.
type crowd struct {
	*talk
	mu      sync.Mutex
	calls   []string
	replies []string // in the order in which they were asked
	took    []time.Duration
	people  sync.WaitGroup
}

func newCrowd(t *testing.T, silent string) *crowd {
	t.Helper()
	c := &crowd{talk: converse(t, "en", nil)}
	c.caller.CallFunc = func(ctx context.Context, call tools.Call) (tools.Result, error) {
		c.mu.Lock()
		c.calls = append(c.calls, string(call.Args))
		c.mu.Unlock()
		took := time.Second
		if silent != "" && strings.Contains(string(call.Args), silent) {
			took = time.Minute
		}
		select {
		case <-time.After(took):
			return c.world.Call(ctx, call)
		case <-ctx.Done():
			return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrNoAnswer, ctx.Err())
		}
	}
	return c
}

// say lets a person say something, after all that was said before.
func (c *crowd) say(text string) {
	i := len(c.replies)
	c.replies, c.took = append(c.replies, ""), append(c.took, 0)
	began := time.Now()
	c.people.Go(func() {
		r := c.answer.Turn(c.t.Context(), record.Request{Text: text, Area: "Bedroom", Source: record.FromHTTP})
		c.mu.Lock()
		defer c.mu.Unlock()
		c.replies[i], c.took[i] = r.Reply, time.Since(began)
	})
	synctest.Wait()
}

// TestManyCommandsToOneThing: of several waiting values for the same thing only the newest is sent, and the other
// users hear so; a user who wants the same value shares its call; toggles are sent one by one, a few of them.
func TestManyCommandsToOneThing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "")
		for range 10 {
			c.say("turn on the kitchen light")
			c.say("turn off the kitchen light")
		}
		c.people.Wait()
		want := slices.Repeat([]string{"A newer command for the kitchen light came first."}, 20)
		want[0], want[19] = "The kitchen light is on.", "The kitchen light is off."
		if !slices.Equal(c.replies, want) || len(c.calls) != 2 || c.world.State["Kitchen Light"]["on_off"] != "off" {
			t.Errorf("%d calls, %q", len(c.calls), c.replies)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "")
		for range 10 {
			c.say("turn on the kitchen light")
		}
		c.people.Wait()
		if want := slices.Repeat([]string{"The kitchen light is on."}, 10); !slices.Equal(c.replies, want) || len(c.calls) != 2 {
			t.Errorf("%d calls, %q", len(c.calls), c.replies)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "")
		c.world.State["Left Lamp"]["brightness"] = 100.0
		for range 7 {
			c.say("make the left lamp darker")
		}
		c.people.Wait()
		full := 0
		for _, r := range c.replies {
			if r == "I'm still busy with the left lamp. Try again in a moment." {
				full++
			}
		}
		if full != 2 || len(c.calls) != 10 || c.world.State["Left Lamp"]["brightness"] != 5.0 {
			t.Errorf("%d calls, %q", len(c.calls), c.replies)
		}
	})
}

// TestASilentLampHoldsUpNobody: what waits for a lamp that does not answer delays no
// other lamp, and the wait takes nothing from the time of a call.
func TestASilentLampHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "Left Lamp")
		c.say("turn on the lights in the bedroom")
		c.say("set the right lamp to 40 percent")
		c.say("turn off the left lamp")
		c.people.Wait()
		if c.took[1] != 2*time.Second || !strings.Contains(c.replies[1], "40 percent") {
			t.Errorf("the right lamp after %v: %q", c.took[1], c.replies[1])
		}
		if c.took[2] != 10*time.Second { // five of the first command, five of its own
			t.Errorf("the left lamp after %v: %q", c.took[2], c.replies[2])
		}
	})
}

// TestStopWaitsForNobody: a stop is sent while the blind still answers the command
// before, and what waits for the blind is dropped.
func TestStopWaitsForNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "")
		c.say("open the blind")
		c.say("close the blind")
		c.say("stop the blind")
		c.people.Wait()
		if len(c.calls) != 2 || c.took[2] != time.Second || c.replies[1] != "A newer command for the blind came first." {
			t.Errorf("%q after %v: %q", c.calls, c.took, c.replies)
		}
	})
}
