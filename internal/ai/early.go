package ai

import (
	"context"
	"iter"
	"reflect"
	"sync"
	"time"

	"voicegateway/internal/mind/dialogue"
)

// unclaimed is how long a request that began early waits for its reply: the
// recogniser needs less to make a text final.
const unclaimed = 3 * time.Second

// Expect begins the request for a prompt that Reply will probably get, and returns a
// function that drops the request. Reply uses it if its first request is exactly the
// same. Until then nothing is said, remembered or called.
func (a *Assistant) Expect(ctx context.Context, p dialogue.Prompt) (drop func()) {
	a.mu.Lock()
	found := a.status
	a.mu.Unlock()
	if !found.ready {
		return func() {}
	}
	req := a.begin(p, found.model).request(false)
	return a.early.begin(ctx, a.model, req, a.warmth.turn())
}

// early is a request that began before its reply. It is safe for concurrent use.
type early struct {
	mu      sync.Mutex
	current *started // nil: none waits for its reply
}

// started is one such request and what has come of it.
type started struct {
	req    Request
	pieces chan piece
	cancel context.CancelFunc
	late   *time.Timer
}

// piece is what a Model yields.
type piece struct {
	delta Delta
	err   error
}

// begin starts a request, in place of one that still waits. It calls over when the
// request has ended.
func (e *early) begin(ctx context.Context, m Model, req Request, over func()) (drop func()) {
	ctx, cancel := context.WithCancel(ctx)
	s := &started{req: req, pieces: make(chan piece, 64), cancel: cancel}
	go func() {
		defer over()
		defer close(s.pieces)
		for d, err := range m.Complete(ctx, req) {
			select {
			case s.pieces <- piece{d, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	drop = func() { e.drop(s) }
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current != nil {
		e.current.end()
	}
	e.current = s
	s.late = time.AfterFunc(unclaimed, drop)
	return drop
}

// drop ends a request that no reply has taken.
func (e *early) drop(s *started) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current == s {
		e.current = nil
		s.end()
	}
}

func (s *started) end() {
	s.late.Stop()
	s.cancel()
}

// claim returns the answer to a request that has begun already; ok is false if none
// has.
func (e *early) claim(ctx context.Context, req Request) (answer iter.Seq2[Delta, error], ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.current
	if s == nil || !reflect.DeepEqual(s.req, req) {
		return nil, false
	}
	e.current = nil
	s.late.Stop()
	return func(yield func(Delta, error) bool) {
		stop := context.AfterFunc(ctx, s.cancel)
		defer func() {
			stop()
			s.cancel()
			for range s.pieces { // until the request has ended
			}
		}()
		for p := range s.pieces {
			if !yield(p.delta, p.err) {
				return
			}
		}
	}, true
}
