package mcpint

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ask is a request to the goroutine that owns the state.
type ask struct {
	fresh bool         // reset the count first (M7)
	reply chan outcome // buffered; a connection or why there is none, or just "heard" for fresh ones
}

type outcome struct {
	session Session
	err     error
}

// view is what other goroutines may read, and the pulse calls write.
type view struct {
	mu        sync.Mutex
	state     State
	session   Session
	retries   RetryStatus
	peer      PeerStatus
	vitals    vitals
	lastReply time.Time
	failure   *Failure
}

func (s *supervisor) move(e event) {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	to, ok := next(s.view.state, e)
	if !ok {
		s.log.Error("an MCP server's state has no such transition", "state", s.view.state, "event", e)
	}
	s.view.state = to
}

// send hands an ask to the owner and waits for its reply.
func (s *supervisor) send(ctx context.Context, fresh bool) (Session, error) {
	reply := make(chan outcome, 1)
	select {
	case s.asks <- ask{fresh: fresh, reply: reply}:
	case <-s.stopped:
		return nil, errStopping
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case o := <-reply:
		return o.session, o.err
	case <-s.stopped:
		return nil, errStopping
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var errStopping = errors.New("the gateway is stopping")

func (s *supervisor) force(ctx context.Context) error {
	if _, err := s.send(ctx, true); err != nil {
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, err)
	}
	return nil
}

func (s *supervisor) status() Status {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	return Status{
		ID: s.srv.ID, Transport: s.srv.transport(), Essential: s.srv.Essential, Status: s.view.state, Failure: s.view.failure,
		RetryStatus: s.view.retries,
		HealthStatus: HealthStatus{
			Health: healthOf(s.view.vitals), Breaker: "closed",
			ConsecutiveFailures: s.view.vitals.failures, LastSuccess: moment(s.view.lastReply),
		},
		PeerStatus: s.view.peer,
	}
}
