package sim

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// queue passes items to another goroutine in order. Putting an item in never
// blocks.
type queue[T any] struct {
	mu   sync.Mutex
	list []T
	wake chan struct{} // holds an item when list is not empty
}

func newQueue[T any]() *queue[T] { return &queue[T]{wake: make(chan struct{}, 1)} }

func (q *queue[T]) push(one T) {
	q.mu.Lock()
	q.list = append(q.list, one)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// drain empties the queue and returns its items.
func (q *queue[T]) drain() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	return list
}

// message is a message to publish, or a mark between messages.
type message struct {
	topic    string
	payload  []byte
	retained bool
	sent     chan struct{} // not nil: this is a mark, closed when everything before it has been sent
}

// publish publishes the messages of the queue in a goroutine of its own, so that
// the house does not wait for the broker.
func publish(ctx context.Context, out *queue[message], bus Bus, log *slog.Logger) {
	for {
		list := out.drain()
		for _, m := range list {
			if m.sent != nil {
				close(m.sent)
				continue
			}
			send := bus.Publish
			if m.retained {
				send = bus.PublishRetained
			}
			if err := send(ctx, m.topic, m.payload); err != nil && ctx.Err() == nil {
				log.Debug("a message was lost", "topic", m.topic, "err", err)
			}
		}
		if len(list) > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-out.wake:
		}
	}
}

// drain waits until everything has been sent, for five seconds at most: a house has
// hundreds of topics, and a machine may be busy.
func drain(ctx context.Context, out *queue[message]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	sent := make(chan struct{})
	out.push(message{sent: sent})
	select {
	case <-sent:
	case <-ctx.Done():
	}
}
