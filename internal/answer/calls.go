package answer

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/tools"
)

// callMaker makes the calls of a plan. Each call starts as soon as its own server
// is there and earlier turns have finished with its device.
type callMaker struct {
	caller  Caller
	phrases *reply.Phrases
	places  places
	log     *slog.Logger
}

func (m *callMaker) await(ctx context.Context, n Need) {
	if err := m.caller.Await(ctx, n); err != nil {
		m.log.Warn("what a step needs is not there", "part", "turn", "err", err)
	}
}

// ready waits until a step may be made: first for its server, then for earlier
// turns that act on the same devices. The returned context bounds the call.
func (m *callMaker) ready(ctx context.Context, place *place, server string) (context.Context, context.CancelFunc, error) {
	if server != "" {
		wait, cancel := context.WithTimeout(ctx, needBudget)
		defer cancel()
		m.await(wait, Need{Server: server})
	}
	call, cancel := context.WithTimeout(ctx, callBudget)
	return call, cancel, place.wait(call)
}

// all makes all calls at once: a room's lamps do not wait for each other.
func (m *callMaker) all(ctx context.Context, place *place, steps []plan.Step) calls {
	c := newCalls(len(steps))
	c.asks = len(steps) > 0
	all := make([]int, len(steps))
	for i := range steps {
		all[i] = i
		c.asks = c.asks && steps[i].Risk == tools.Read
	}
	m.some(ctx, place, steps, all, c)
	return c
}

// readsAtOnce is how many readings a question makes at the same time. A question
// about the whole house reads hundreds of things, and a server answers several at
// once, but not all.
const readsAtOnce = 16

// some makes the calls of the steps whose indexes are in which. Several acts on one
// device are made one after the other, in the order of the plan.
func (m *callMaker) some(ctx context.Context, place *place, steps []plan.Step, which []int, c calls) {
	for len(which) > 0 {
		var busy []string
		var first, later []int
		for _, i := range which {
			s := &steps[i]
			switch acts := s.Entity != nil && s.Risk != tools.Read; {
			case acts && slices.Contains(busy, s.Entity.ID):
				later = append(later, i)
				continue
			case acts:
				busy = append(busy, s.Entity.ID)
			}
			first = append(first, i)
		}
		m.together(ctx, place, steps, first, c)
		which = later
	}
}

// together makes the calls of steps at once, each as soon as its own server is
// there. Of readings, a few are made at a time.
func (m *callMaker) together(ctx context.Context, place *place, steps []plan.Step, which []int, c calls) {
	var wg sync.WaitGroup
	reading := make(chan struct{}, readsAtOnce)
	for _, i := range which {
		wg.Go(func() {
			s := &steps[i]
			ctx, done, err := m.ready(ctx, place, s.Call.Server)
			defer done()
			if err == nil && s.Risk == tools.Read {
				select {
				case reading <- struct{}{}:
					defer func() { <-reading }()
				case <-ctx.Done():
					err = fmt.Errorf("waiting for other readings: %w", ctx.Err())
				}
			}
			began := time.Now()
			var res tools.Result
			if err == nil {
				res, err = s.Do(ctx, m.caller.Call)
			}
			if err != nil {
				res = tools.Result{Failed: true, Text: m.phrases.Apology(err)}
			}
			c.note(i, s.Call, res, err, time.Since(began), s.Entity != nil && s.Risk != tools.Read)
		})
	}
	wg.Wait()
}
