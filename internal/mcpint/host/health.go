package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// slowCall is the duration over which a call is slow (M6, M8).
const slowCall = time.Second

// vitals are the facts health is derived from.
type vitals struct {
	connected bool
	why       string        // why there is no connection; "" when there has been none yet
	failures  int           // calls and checks without an answer in a row
	silences  int           // the checks among them, since the last one that was answered
	lastCall  time.Duration // of the last answered call or check
}

// healthOf is the verdict and its reason in words, "" for a healthy server.
func healthOf(v vitals) (mcpint.Health, string) {
	switch {
	case !v.connected && v.why == "":
		return mcpint.Dead, "not connected yet"
	case !v.connected:
		return mcpint.Dead, v.why
	case v.silences >= silences:
		return mcpint.Unresponsive, fmt.Sprintf("%d checks in a row were not answered", v.silences)
	case v.failures == 1:
		return mcpint.Degraded, "the last call or check was not answered"
	case v.failures > 1:
		return mcpint.Degraded, fmt.Sprintf("%d calls or checks in a row were not answered", v.failures)
	case v.lastCall > slowCall:
		return mcpint.Degraded, fmt.Sprintf("the last call took %v", v.lastCall.Round(time.Millisecond))
	}
	return mcpint.Healthy, ""
}

// HealthCheck is when a connected server is asked for a sign of life
// (REQUIREMENTS M8).
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

// pulse notes something about the connection of a generation, and tells when it
// changes the verdict. What comes late from a former connection is dropped.
func (s *supervisor) pulse(generation int, note func(*vitals)) {
	s.view.telling.Lock()
	defer s.view.telling.Unlock()
	s.view.mu.Lock()
	if generation != s.view.generation {
		s.view.mu.Unlock()
		return
	}
	before := s.view.vitals.failures
	note(&s.view.vitals)
	if s.view.vitals.connected && s.view.vitals.failures <= before {
		s.view.status.LastSuccess = moment(time.Now())
	}
	from := s.view.health
	to, reason := healthOf(s.view.vitals)
	s.view.health = to
	s.view.mu.Unlock()
	if from == to {
		return
	}
	s.log.Debug("MCP server health changed", "from", from, "to", to, "why", reason)
	if tell := s.host.cfg.Observer.Health; tell != nil {
		tell(s.srv.ID, from, to, reason)
	}
}

// doubt asks for a check now. It does not block.
func (s *supervisor) doubt() {
	select {
	case s.mail.doubts <- struct{}{}:
	default: // one is asked for already
	}
}

// attend checks a connection now and then, and after a call without an answer,
// until ctx ends or hangs has been closed. Whoever closes the connection then
// ends the process as well, so that what lies in its pipe is never done late.
func (s *supervisor) attend(ctx context.Context, conn *connection, hangs chan<- struct{}) {
	session, ok := conn.session.(client.Pingable)
	if !ok {
		return
	}
	tick := time.NewTicker(s.host.cfg.Health.Interval)
	defer tick.Stop()
	for {
		doubted := false
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.mail.doubts:
			doubted = true
		}
		// Many servers do one thing after the other, and a call has a time-out of
		// its own, after which it raises the doubt again.
		if s.calling.Load() > 0 {
			continue
		}
		if s.silent(ctx, session, conn.generation, doubted) {
			close(hangs)
			return
		}
	}
}

// silent reports whether a server misses all checks.
func (s *supervisor) silent(ctx context.Context, session client.Pingable, generation int, doubted bool) bool {
	for range silences {
		if s.check(ctx, session, generation, doubted) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// check asks once for a sign of life. A sign after a doubt does not make up for
// the call that raised it; only the next call does, or the next regular check.
func (s *supervisor) check(ctx context.Context, session client.Pingable, generation int, doubted bool) bool {
	limited, cancel := context.WithTimeout(ctx, s.host.cfg.Health.Timeout)
	defer cancel()
	begin := time.Now()
	err := session.Ping(limited)
	took := time.Since(begin)
	switch {
	case ctx.Err() != nil:
		return true // nobody asks any more
	case err != nil && limited.Err() != nil || troubled(err):
		s.pulse(generation, func(v *vitals) { v.failures++; v.silences++ })
		return false
	}
	s.pulse(generation, func(v *vitals) {
		v.silences = 0
		if !doubted {
			v.failures, v.lastCall = 0, took
		}
	})
	return true
}

// troubled says that not the server answered but something before it, or that it
// is in no state to. Any other error is a sign of life.
func troubled(err error) bool {
	answer, ok := errors.AsType[*client.HTTPError](err)
	return ok && answer.Status >= http.StatusInternalServerError
}
