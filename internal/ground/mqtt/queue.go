package mqtt

import (
	"context"
	"sync"
)

// maxQueued bounds the bytes that wait for slow handlers. The largest answer
// seen from zwave-js-ui is 10 MB; several of them must fit, a flood must not
// take the memory of a small machine.
const maxQueued = 64 << 20

// queue hands events to the handlers one after the other, so that the library's
// reader never waits for a handler (a blocked reader misses the ping's answer
// and loses the connection).
type queue struct {
	mu      sync.Mutex
	waiting []event
	bytes   int
	wake    chan struct{} // capacity 1
}

type event struct {
	size int
	do   func()
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds an event and reports false when it would not fit. Events without a
// size, which are the connection's changes, always fit.
func (q *queue) push(size int, do func()) bool {
	q.mu.Lock()
	if size > 0 && q.bytes > 0 && q.bytes+size > maxQueued {
		q.mu.Unlock()
		return false
	}
	q.waiting = append(q.waiting, event{size, do})
	q.bytes += size
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return true
}

// run handles events in order until ctx ends.
func (q *queue) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		}
		for _, e := range q.drain() {
			if ctx.Err() != nil {
				return
			}
			e.do()
			q.mu.Lock()
			q.bytes -= e.size
			q.mu.Unlock()
		}
	}
}

func (q *queue) drain() []event {
	q.mu.Lock()
	defer q.mu.Unlock()
	events := q.waiting
	q.waiting = nil
	return events
}
