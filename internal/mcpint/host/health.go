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

// slowCall is the duration above which a call counts as slow (M6, M8).
const slowCall = time.Second

// vitals are the facts health is derived from.
type vitals struct {
	connected    bool
	whyAway      string        // why there is no connection; "" when there has been none yet
	failures     int           // calls and checks without an answer in a row, and attempts to connect in vain
	silences     int           // the checks among them, since the last one that was answered
	lastDuration time.Duration // how long the last answered call or check took
}

// healthOf returns the verdict and its reason in words, "" for a healthy server. A server
// whose breaker is not closed answers checks at most, but no calls. until is when the
// pause of an open breaker ends.
func healthOf(v vitals, breaker mcpint.BreakerState, until time.Time) (mcpint.Health, string) {
	switch {
	case !v.connected && v.whyAway == "":
		return mcpint.Dead, "not connected yet"
	case !v.connected:
		return mcpint.Dead, v.whyAway
	case v.silences >= silenceLimit:
		return mcpint.Unresponsive, fmt.Sprintf("%d checks in a row were not answered", v.silences)
	case breaker == mcpint.BreakerOpen:
		return mcpint.Degraded, fmt.Sprintf("several calls in a row were not answered; none is made until %s", until.Format(time.TimeOnly))
	case breaker == mcpint.BreakerHalfOpen:
		return mcpint.Degraded, "several calls in a row were not answered; the next one decides"
	case v.failures == 1:
		return mcpint.Degraded, "the last call or check was not answered"
	case v.failures > 1:
		return mcpint.Degraded, fmt.Sprintf("%d calls or checks in a row were not answered", v.failures)
	case v.lastDuration > slowCall:
		return mcpint.Degraded, fmt.Sprintf("the last call took %v", v.lastDuration.Round(time.Millisecond))
	}
	return mcpint.Healthy, ""
}

// silenceLimit is how many checks in a row without an answer mean that a server hangs
// (M4). A single one may be lost because the machine was busy.
const silenceLimit = 2

// errHanging is the reason to give up a connection whose server lives but does
// not answer.
var errHanging = errors.New("the server hangs: it gave no sign of life in two checks")

// noteVitals records a fact about the connection with that generation, and tells
// the observer when it changes the verdict. A late fact about an earlier
// connection is dropped.
func (s *supervisor) noteVitals(generation int, note func(*vitals)) {
	s.view.mu.Lock()
	if generation != s.view.generation {
		s.view.mu.Unlock()
		return
	}
	before := s.view.vitals.failures
	note(&s.view.vitals)
	if s.view.vitals.connected && s.view.vitals.failures <= before {
		s.view.status.LastSuccess = timestamp(time.Now())
	}
	s.view.mu.Unlock()
	s.tellHealth()
}

// tellHealth reports the verdict to the observer if it differs from the last one
// reported.
func (s *supervisor) tellHealth() {
	s.view.tellingHealth.Lock()
	defer s.view.tellingHealth.Unlock()
	breaker, _, until := s.breaker.current()
	s.view.mu.Lock()
	from := s.view.toldHealth
	to, reason := healthOf(s.view.vitals, breaker, until)
	s.view.toldHealth = to
	s.view.mu.Unlock()
	if from == to {
		return
	}
	s.log.Debug("MCP server health changed", "from", from, "to", to, "why", reason)
	if tell := s.host.cfg.Observer.Health; tell != nil {
		tell(s.srv.ID, from, to, reason)
	}
}

// requestCheck asks for a health check at once. It does not block.
func (s *supervisor) requestCheck() {
	select {
	case s.requests.check <- struct{}{}:
	default: // one is asked for already
	}
}

// checker asks one connection for signs of life.
type checker struct {
	sup        *supervisor
	session    client.Pingable
	generation int // of the connection
}

// watchHealth checks a connection now and then, and after a call without an
// answer, until ctx ends or hangs has been closed. Closing the connection then
// ends the process too, so that a call left in its pipe is never carried out
// late.
func (s *supervisor) watchHealth(ctx context.Context, conn *connection, hangs chan<- struct{}) {
	session, ok := conn.session.(client.Pingable)
	if !ok {
		return
	}
	c := checker{s, session, conn.generation}
	tick := time.NewTicker(s.host.cfg.Health.Interval)
	defer tick.Stop()
	for {
		doubted := false
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.requests.check:
			doubted = true
		}
		// No check during a call: many servers do one thing after the other, and
		// a call that reaches its own time-out asks for a check again.
		if s.callsUnderWay.Load() > 0 {
			continue
		}
		if c.missesAll(ctx, doubted) {
			close(hangs)
			return
		}
	}
}

// missesAll reports whether the server leaves all of silenceLimit checks
// unanswered.
func (c checker) missesAll(ctx context.Context, doubted bool) bool {
	for range silenceLimit {
		if c.check(ctx, doubted) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// check asks once for a sign of life and reports whether one came. After a doubt,
// which a call without an answer raised, a sign of life does not make the server
// healthy again; only the next answered call or regular check does.
func (c checker) check(ctx context.Context, doubted bool) bool {
	limited, cancel := context.WithTimeout(ctx, c.sup.host.cfg.Health.Timeout)
	defer cancel()
	begin := time.Now()
	err := c.session.Ping(limited)
	took := time.Since(begin)
	switch {
	case ctx.Err() != nil:
		return true // the checks have been stopped
	case err != nil && limited.Err() != nil || isServerTrouble(err):
		c.sup.noteVitals(c.generation, func(v *vitals) { v.failures++; v.silences++ })
		return false
	}
	c.sup.noteVitals(c.generation, func(v *vitals) {
		v.silences = 0
		if !doubted {
			v.failures, v.lastDuration = 0, took
		}
	})
	return true
}

// isServerTrouble reports whether the answer comes from something before the
// server, or from a server that is in no state to answer. Any other error is a
// sign of life.
func isServerTrouble(err error) bool {
	answer, ok := errors.AsType[*client.HTTPError](err)
	return ok && answer.Status >= http.StatusInternalServerError
}
