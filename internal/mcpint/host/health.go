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
	connected    bool
	whyAway      string        // why there is no connection; "" when there has been none yet
	failures     int           // calls and checks without an answer in a row
	silences     int           // the checks among them, since the last one that was answered
	lastDuration time.Duration // of the last answered call or check
}

// healthOf is the verdict and its reason in words, "" for a healthy server.
func healthOf(v vitals) (mcpint.Health, string) {
	switch {
	case !v.connected && v.whyAway == "":
		return mcpint.Dead, "not connected yet"
	case !v.connected:
		return mcpint.Dead, v.whyAway
	case v.silences >= silenceLimit:
		return mcpint.Unresponsive, fmt.Sprintf("%d checks in a row were not answered", v.silences)
	case v.failures == 1:
		return mcpint.Degraded, "the last call or check was not answered"
	case v.failures > 1:
		return mcpint.Degraded, fmt.Sprintf("%d calls or checks in a row were not answered", v.failures)
	case v.lastDuration > slowCall:
		return mcpint.Degraded, fmt.Sprintf("the last call took %v", v.lastDuration.Round(time.Millisecond))
	}
	return mcpint.Healthy, ""
}

// silenceLimit is how many checks in a row without an answer mean that a server
// hangs (M4). One may fall into a moment in which the machine was busy.
const silenceLimit = 2

// errHanging is why a connection is given up whose server lives and does not
// answer.
var errHanging = errors.New("the server hangs: it gave no sign of life in two checks")

// noteVitals notes something about the connection of a generation, and tells when
// it changes the verdict. What comes late from a former connection is dropped.
func (s *supervisor) noteVitals(generation int, note func(*vitals)) {
	s.view.tellingHealth.Lock()
	defer s.view.tellingHealth.Unlock()
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
	from := s.view.toldHealth
	to, reason := healthOf(s.view.vitals)
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

// requestCheck asks for a check now. It does not block.
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
// answer, until ctx ends or hangs has been closed. Whoever closes the connection
// then ends the process as well, so that what lies in its pipe is never done late.
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
		// Many servers do one thing after the other, and a call has a time-out of
		// its own, after which it raises the doubt again.
		if s.callsUnderWay.Load() > 0 {
			continue
		}
		if c.missesAll(ctx, doubted) {
			close(hangs)
			return
		}
	}
}

// missesAll reports whether a server misses all checks.
func (c checker) missesAll(ctx context.Context, doubted bool) bool {
	for range silenceLimit {
		if c.check(ctx, doubted) || ctx.Err() != nil {
			return false
		}
	}
	return true
}

// check asks once for a sign of life. A sign after a doubt does not make up for
// the call that raised it; only the next call does, or the next regular check.
func (c checker) check(ctx context.Context, doubted bool) bool {
	limited, cancel := context.WithTimeout(ctx, c.sup.host.cfg.Health.Timeout)
	defer cancel()
	begin := time.Now()
	err := c.session.Ping(limited)
	took := time.Since(begin)
	switch {
	case ctx.Err() != nil:
		return true // nobody asks any more
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
