package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// ask is a request to the goroutine that owns the state.
type ask struct {
	anew  bool         // forces only: also where there is a connection
	reply chan outcome // buffered; a connection or why there is none, or just "heard" for forces
}

type outcome struct {
	session    client.Session
	generation int
	err        error
}

// view is what other goroutines may read, and the pulse calls write.
type view struct {
	telling    sync.Mutex // held while a change of health is told, so that changes are told in order
	mu         sync.Mutex
	status     mcpint.Status // but for health and breaker, which are derived
	session    client.Session
	generation int // of the connection the vitals are of
	vitals     vitals
	health     mcpint.Health // told last
}

// move takes the state on. Only the owner calls it.
func (s *supervisor) move(e event) {
	s.view.mu.Lock()
	from := s.view.status.Status
	to, ok := next(from, e)
	s.view.status.Status = to
	s.view.mu.Unlock()
	if !ok {
		s.log.Error("an MCP server's state has no such transition", "state", from, "event", e)
	}
	if from == to {
		return
	}
	if tell := s.host.cfg.Observer.State; tell != nil {
		tell(s.srv.ID, from, to)
	}
	if e != stopped { // the end of the gateway is no trouble of a server's
		s.host.overallMoved()
	}
}

// wake says that something is back.
func (s *supervisor) wake() {
	select {
	case s.mail.wake <- struct{}{}:
	default: // one is waiting already
	}
}

// send asks the owner for a connection and waits for it.
func (s *supervisor) send(ctx context.Context) (outcome, error) {
	reply := make(chan outcome, 1)
	select {
	case s.mail.asks <- ask{reply: reply}:
	case <-s.life.stopped:
		return outcome{}, errStopping
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
	select {
	case o := <-reply:
		return o, o.err
	case <-s.life.stopped:
		return outcome{}, errStopping
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

var errStopping = errors.New("the gateway is stopping")

// forceGrace is how long a force waits to be heard: long enough for the status
// after it to show it, and short enough for an HTTP answer within 100 ms, whatever
// the owner is at.
const forceGrace = 50 * time.Millisecond

// force asks for a fresh start and does not wait for its success.
func (s *supervisor) force(ctx context.Context, anew bool) error {
	reply := make(chan outcome, 1)
	select {
	case s.mail.forces <- ask{anew: anew, reply: reply}:
	case <-s.life.stopped:
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, errStopping)
	default:
		return nil // one is asked for already
	}
	grace := time.NewTimer(forceGrace)
	defer grace.Stop()
	select {
	case o := <-reply:
		if o.err != nil {
			return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, o.err)
		}
		return nil
	case <-grace.C:
		return nil
	case <-s.life.stopped:
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, errStopping)
	case <-ctx.Done():
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, ctx.Err())
	}
}

// breakerMoved passes a change of the breaker on.
func (s *supervisor) breakerMoved(from, to mcpint.BreakerState) {
	s.log.Info("MCP circuit breaker changed", "from", from, "to", to)
	if tell := s.host.cfg.Observer.Breaker; tell != nil {
		tell(s.srv.ID, from, to)
	}
}

// status returns a copy of what is known of the server.
func (s *supervisor) status() mcpint.Status {
	breaker, since := s.breaker.look()
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	status := s.view.status
	health, reason := healthOf(s.view.vitals)
	status.Health, status.HealthReason, status.ConsecutiveFailures = health, known(reason), s.view.vitals.failures
	status.Breaker, status.BreakerSince = breaker, moment(since)
	return status
}

// known returns a pointer to v, or nil for the zero value, which stands for unknown.
func known[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// moment is a time for a status: null when unknown, to the millisecond in UTC.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}
