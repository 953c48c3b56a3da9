package host

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

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

// breaker is a server's circuit breaker. The library's breaker goes from open to
// half-open only after a time, so halfOpen replaces it by a fresh one. That one
// counts as half-open until one call, the trial, has decided.
type breaker struct {
	cfg     BreakerConfig
	changed func(from, to mcpint.BreakerState)

	mu            sync.Mutex
	inner         *gobreaker.TwoStepCircuitBreaker[any]
	trial         bool                // inner was made by halfOpen and is undecided
	trialUnderWay bool                // the call that decides is under way
	lastLoss      int                 // the connection whose loss has been counted
	shown         mcpint.BreakerState // the state noted last
	since         time.Time           // when shown last changed; zero if never
	timer         *time.Timer

	pendingChanges [][2]mcpint.BreakerState // changes, from and to
	telling        bool
}

func newBreaker(cfg BreakerConfig, tell func(from, to mcpint.BreakerState)) *breaker {
	cfg.Threshold = cmp.Or(cfg.Threshold, defaultThreshold)
	cfg.Recovery = cmp.Or(cfg.Recovery, defaultRecovery)
	b := &breaker{cfg: cfg, changed: tell, shown: mcpint.BreakerClosed}
	b.inner = b.newInner()
	return b
}

func (b *breaker) newInner() *gobreaker.TwoStepCircuitBreaker[any] {
	return gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		// The library waits until this time is exceeded, hence one nanosecond
		// less.
		Timeout: b.cfg.Recovery - 1,
		// The library calls this while a failure is reported, so mu is held.
		ReadyToTrip: func(c gobreaker.Counts) bool { return b.trial || int(c.ConsecutiveFailures) >= b.cfg.Threshold },
		IsExcluded:  func(err error) bool { return errors.Is(err, errCallCancelled) },
	})
}

// allow asks whether a call may be made; call done with how it went: nil for any
// answer, errCallCancelled for a call that says nothing about the server, else
// the failure.
func (b *breaker) allow(server string) (done func(error), err error) {
	b.mu.Lock()
	defer b.unlock()
	if b.trial && b.trialUnderWay {
		return nil, &BreakerError{Server: server}
	}
	inner := b.inner
	report, err := inner.Allow()
	if err != nil {
		refused := &BreakerError{Server: server}
		if errors.Is(err, gobreaker.ErrOpenState) {
			b.noteChange() // it may have opened since the last look
			refused.Until = b.since.Add(b.cfg.Recovery)
		}
		return nil, refused
	}
	b.trialUnderWay = b.trial
	return func(err error) {
		b.mu.Lock()
		defer b.unlock()
		if inner != b.inner {
			return // inner was replaced meanwhile: this call does not count
		}
		report(err)
		b.trialUnderWay = false
		if !errors.Is(err, errCallCancelled) {
			b.trial = false
		}
	}, nil
}

// halfOpen makes an open breaker try a call at once, because somebody forces it
// or the connection is new. A trial under way is abandoned: its outcome does not
// count.
func (b *breaker) halfOpen() {
	b.mu.Lock()
	defer b.unlock()
	if b.state() != mcpint.BreakerClosed {
		b.inner, b.trial, b.trialUnderWay = b.newInner(), true, false
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

// current returns the state and when it began.
func (b *breaker) current() (state mcpint.BreakerState, since time.Time) {
	b.mu.Lock()
	defer b.unlock()
	b.noteChange()
	return b.shown, b.since
}

// stop ends the timer that tells of the end of the recovery.
func (b *breaker) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
}

func (b *breaker) state() mcpint.BreakerState {
	if b.trial {
		return mcpint.BreakerHalfOpen
	}
	return mcpint.BreakerState(b.inner.State().String())
}

// noteChange records a change of state. The caller holds mu and ends with unlock,
// which tells the observer.
func (b *breaker) noteChange() {
	to := b.state()
	if b.shown == to {
		return
	}
	b.pendingChanges = append(b.pendingChanges, [2]mcpint.BreakerState{b.shown, to})
	b.shown, b.since = to, time.Now()
	if b.timer != nil {
		b.timer.Stop()
	}
	if to == mcpint.BreakerOpen {
		b.timer = time.AfterFunc(b.cfg.Recovery, func() { b.current() })
	}
}

// unlock tells the observer the recorded changes and unlocks mu. It does not hold
// mu while it tells, so that the observer may look at the breaker, and it tells
// from one goroutine at a time, so that changes arrive in order.
func (b *breaker) unlock() {
	b.noteChange()
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
