package host

import (
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// view is the copy of the state that other goroutines may read.
type view struct {
	tellingHealth sync.Mutex // held while a change of health is reported, so that changes are reported in order
	mu            sync.Mutex
	status        mcpint.Status // without health and breaker, which are derived when it is read
	session       client.Session
	generation    int // of the connection that the vitals describe
	vitals        vitals
	toldHealth    mcpint.Health // the verdict told last
	said          string        // the last stderr of a process that has ended
}

// update changes the status.
func (v *view) update(change func(*mcpint.Status)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(&v.status)
}

// move changes the state as the table says for an event. Only the owner calls it.
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
	if e != stopped { // the end of the gateway is no trouble with a server
		s.host.overallChanged()
	}
}

// breakerChanged logs a change of the breaker and tells the observer.
func (s *supervisor) breakerChanged(from, to mcpint.BreakerState) {
	s.log.Info("MCP circuit breaker changed", "from", from, "to", to)
	if tell := s.host.cfg.Observer.Breaker; tell != nil {
		tell(s.srv.ID, from, to)
	}
	s.tellHealth()
}

// status returns a copy of what is known about the server.
func (s *supervisor) status() mcpint.Status {
	breaker, since, until := s.breaker.current()
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	status := s.view.status
	health, reason := healthOf(s.view.vitals, breaker, until)
	status.Health, status.HealthReason, status.ConsecutiveFailures = health, pointerOrNil(reason), s.view.vitals.failures
	status.Breaker, status.BreakerSince, status.BreakerUntil = breaker, timestamp(since), timestamp(until)
	return status
}

// pointerOrNil returns a pointer to v, or nil for the zero value, which stands
// for unknown.
func pointerOrNil[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// timestamp returns a time as a status shows it: in UTC to the millisecond, nil
// when unknown.
func timestamp(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}
