package host

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// BreakerError means that a call was not made, because the server left several
// calls in a row without an answer. It is an ErrNotConnected, too.
type BreakerError struct {
	Server string
	Until  time.Time // when the next call is tried; zero while one is being tried
}

func (e *BreakerError) Error() string {
	if e.Until.IsZero() {
		return fmt.Sprintf("the MCP server %q did not answer lately and is being tried with another call; try again in a moment", e.Server)
	}
	return fmt.Sprintf("the MCP server %q did not answer several calls in a row and gets a pause until %s; a retry of the server ends it",
		e.Server, e.Until.Format(time.TimeOnly))
}

func (e *BreakerError) Unwrap() error { return tools.ErrNotConnected }

// errCallCancelled is reported to the breaker for a call whose end says nothing
// about the server.
var errCallCancelled = errors.New("broken off by its caller")

// breaker is a server's circuit breaker: closed, open for the recovery time after
// some failures in a row, then half-open until one call, the trial, has decided.
type breaker struct {
	cfg     BreakerConfig
	changed func(from, to mcpint.BreakerState)

	mu            sync.Mutex
	state         mcpint.BreakerState
	since         time.Time // when state last changed; zero if never
	round         int       // one more with each change; calls of an earlier round do not count
	failures      int       // in a row
	trialUnderWay bool      // the call that decides is under way
	lastLoss      int       // the connection whose loss has been counted
	timer         *time.Timer

	pendingChanges [][2]mcpint.BreakerState // changes, from and to
	telling        bool
}

func newBreaker(cfg BreakerConfig, tell func(from, to mcpint.BreakerState)) *breaker {
	cfg.Threshold = cmp.Or(cfg.Threshold, defaultThreshold)
	cfg.Recovery = cmp.Or(cfg.Recovery, defaultRecovery)
	return &breaker{cfg: cfg, changed: tell, state: mcpint.BreakerClosed}
}

// allow asks whether a call may be made; call done with how it went: nil for any
// answer, errCallCancelled for a call that says nothing about the server, else
// the failure.
func (b *breaker) allow(server string) (done func(error), err error) {
	b.mu.Lock()
	defer b.unlock()
	b.recover()
	switch {
	case b.state == mcpint.BreakerOpen:
		return nil, &BreakerError{Server: server, Until: b.until()}
	case b.state == mcpint.BreakerHalfOpen && b.trialUnderWay:
		return nil, &BreakerError{Server: server}
	}
	b.trialUnderWay = b.state == mcpint.BreakerHalfOpen
	round := b.round
	return func(err error) {
		b.mu.Lock()
		defer b.unlock()
		if round == b.round {
			b.count(err)
		}
	}, nil
}

// count counts how a call of this round went. The caller holds mu.
func (b *breaker) count(err error) {
	b.trialUnderWay = false
	switch {
	case errors.Is(err, errCallCancelled):
	case err == nil:
		b.failures = 0
		if b.state == mcpint.BreakerHalfOpen {
			b.become(mcpint.BreakerClosed)
		}
	default:
		b.failures++
		if b.state == mcpint.BreakerHalfOpen || b.failures >= b.cfg.Threshold {
			b.become(mcpint.BreakerOpen)
		}
	}
}

// halfOpen makes an open breaker try a call at once, because a user forces it or the
// connection is new. A trial under way is abandoned: its outcome does not count.
func (b *breaker) halfOpen() {
	b.mu.Lock()
	defer b.unlock()
	if b.state != mcpint.BreakerClosed {
		b.become(mcpint.BreakerHalfOpen)
	}
}

// firstLoss reports whether this is the first call to report the loss of the
// connection with that generation. However many calls were under way, one loss is
// one failure.
func (b *breaker) firstLoss(generation int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := generation > b.lastLoss
	b.lastLoss = max(b.lastLoss, generation)
	return first
}

// current returns the state, when it began, and when its pause ends, which is zero
// unless it is open.
func (b *breaker) current() (state mcpint.BreakerState, since, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == mcpint.BreakerOpen {
		until = b.until()
	}
	return b.state, b.since, until
}

// stop ends the timer that tells of the end of the recovery.
func (b *breaker) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopTimer()
}

func (b *breaker) stopTimer() {
	if b.timer != nil {
		b.timer.Stop()
	}
}

// until is when the pause of an open breaker ends. The caller holds mu.
func (b *breaker) until() time.Time { return b.since.Add(b.cfg.Recovery) }

// recover ends the pause of an open breaker when it is over. The caller holds mu.
func (b *breaker) recover() {
	if b.state == mcpint.BreakerOpen && !time.Now().Before(b.until()) {
		b.become(mcpint.BreakerHalfOpen)
	}
}

// become begins a new round in a state. The caller holds mu and ends with unlock,
// which tells the observer.
func (b *breaker) become(to mcpint.BreakerState) {
	b.round, b.failures, b.trialUnderWay = b.round+1, 0, false
	if to == b.state {
		return
	}
	b.pendingChanges = append(b.pendingChanges, [2]mcpint.BreakerState{b.state, to})
	b.state, b.since = to, time.Now()
	b.stopTimer()
	if to == mcpint.BreakerOpen {
		b.timer = time.AfterFunc(b.cfg.Recovery, func() {
			b.mu.Lock()
			defer b.unlock()
			b.recover()
		})
	}
}

// unlock tells the observer the recorded changes and unlocks mu. It does not hold
// mu while it tells, so that the observer may look at the breaker, and it tells
// from one goroutine at a time, so that changes arrive in order.
func (b *breaker) unlock() {
	for !b.telling && len(b.pendingChanges) > 0 {
		change := b.pendingChanges[0]
		b.pendingChanges, b.telling = b.pendingChanges[1:], true
		b.mu.Unlock()
		b.changed(change[0], change[1])
		b.mu.Lock()
		b.telling = false
	}
	b.mu.Unlock()
}
