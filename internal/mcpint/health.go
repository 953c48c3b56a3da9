package mcpint

import (
	"context"
	"errors"
	"time"
)

// HealthCheck is when a connected server is asked for a sign of life (DESIGN M8).
type HealthCheck struct {
	Interval time.Duration // between two checks; after a call without an answer one comes at once
	Timeout  time.Duration // how long the sign may take
}

const (
	defaultHealthInterval = 30 * time.Second
	defaultHealthTimeout  = 5 * time.Second
	// silences is how many checks in a row without an answer mean that a server
	// hangs (M4). One may fall into a moment in which the machine was busy.
	silences = 2
)

// errHangs is why a connection is given up whose server lives and does not answer.
var errHangs = errors.New("the server hangs: it gave no sign of life in two checks")

// doubt asks for a check now. It does not block.
func (s *supervisor) doubt() {
	select {
	case s.doubts <- struct{}{}:
	default: // one is asked for already
	}
}

// attend checks a connection now and then, and after a call without an answer,
// until ctx ends or hangs has been closed. Whoever closes the connection then
// ends the process as well, so that what lies in its pipe is never done late.
func (s *supervisor) attend(ctx context.Context, conn *connection, hangs chan<- struct{}) {
	session, ok := conn.session.(Pingable)
	if !ok {
		return
	}
	tick := time.NewTicker(s.host.cfg.Health.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// Many servers do one thing after the other, and a call has a time-out
			// of its own.
			if s.calling.Load() > 0 {
				continue
			}
		case <-s.doubts:
		}
		if s.silent(ctx, session) {
			close(hangs)
			return
		}
	}
}

// silent reports whether a server misses all checks.
func (s *supervisor) silent(ctx context.Context, session Pingable) bool {
	for range silences {
		check, cancel := context.WithTimeout(ctx, s.host.cfg.Health.Timeout)
		begin := time.Now()
		err := session.Ping(check)
		late := err != nil && check.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil {
			s.beat(time.Since(begin), nil)
		}
		if !late {
			return false
		}
		s.missedBeat()
	}
	return true
}
