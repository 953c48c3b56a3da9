package sim

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// timers is a list of things to do later, for one goroutine.
type timers struct{ list []*timer }

type timer struct {
	at        time.Time
	do        func()
	cancelled bool
}

// cancel forgets the timer; a nil one is fine.
func (t *timer) cancel() {
	if t != nil {
		t.cancelled = true
	}
}

func (t *timers) add(at time.Time, do func()) *timer {
	added := &timer{at: at, do: do}
	i, _ := slices.BinarySearchFunc(t.list, at, func(o *timer, at time.Time) int {
		if o.at.After(at) {
			return 1
		}
		return -1 // equal times keep their order
	})
	t.list = slices.Insert(t.list, i, added)
	return added
}

// run does what is due and returns how long until the next.
func (t *timers) run(now time.Time) time.Duration {
	for len(t.list) > 0 {
		first := t.list[0]
		if first.at.After(now) && !first.cancelled {
			return first.at.Sub(now)
		}
		t.list = t.list[1:]
		if !first.cancelled {
			first.do()
		}
	}
	return time.Hour
}

// inbox is what the simulator's goroutine is asked to do.
type inbox struct {
	mu   sync.Mutex
	list []func()
	wake chan struct{}
}

func (b *inbox) push(do func()) {
	b.mu.Lock()
	b.list = append(b.list, do)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.list
	b.list = nil
	return list
}

// outbox publishes in order, so that the house does not wait for the broker.
type outbox struct {
	mu    sync.Mutex
	queue []message
	wake  chan struct{}
}

type message struct {
	topic    string
	payload  []byte
	retained bool
	sent     chan struct{} // not nil: a mark, closed when everything before is out
}

func (o *outbox) push(m message) {
	o.mu.Lock()
	o.queue = append(o.queue, m)
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) run(ctx context.Context, bus Bus, log *slog.Logger) {
	for {
		o.mu.Lock()
		work := o.queue
		o.queue = nil
		o.mu.Unlock()
		for _, m := range work {
			if m.sent != nil {
				close(m.sent)
				continue
			}
			publish := bus.Publish
			if m.retained {
				publish = bus.PublishRetained
			}
			if err := publish(ctx, m.topic, m.payload); err != nil && ctx.Err() == nil {
				log.Debug("a message was lost", "topic", m.topic, "err", err)
			}
		}
		if len(work) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-o.wake:
		}
	}
}

// drain waits until everything is out, for a second at most.
func (o *outbox) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	sent := make(chan struct{})
	o.push(message{sent: sent})
	select {
	case <-sent:
	case <-ctx.Done():
	}
}
