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

// errCallCancelled marks a call that says nothing about the server.
var errCallCancelled = errors.New("broken off by its caller")

// breaker is a server's circuit breaker. The library's knows no way from open to
// half-open but time, so halfOpen puts a fresh one in its place; until one call
// has been tried, which decides, it counts as half-open.
type breaker struct {
	cfg     BreakerConfig
	changed func(from, to mcpint.BreakerState)

	mu            sync.Mutex
	inner         *gobreaker.TwoStepCircuitBreaker[any]
	trial         bool                // of inner, which halfOpen made
	trialUnderWay bool                // the call that decides the trial is under way
	lastLoss      int                 // the connection whose loss has been counted
	shown         mcpint.BreakerState // the state noted last
	since         time.Time           // of it; zero if it never changed
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
		// The library waits until the time is over, not until it is reached.
		Timeout: b.cfg.Recovery - 1,
		// Asked while a failure is reported, so under mu.
		ReadyToTrip: func(c gobreaker.Counts) bool { return b.trial || int(c.ConsecutiveFailures) >= b.cfg.Threshold },
		IsExcluded:  func(err error) bool { return errors.Is(err, errCallCancelled) },
	})
}

// allow asks for leave to call; done takes how it went: nil for any answer,
// errCallCancelled for a call that says nothing, else a failure.
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
			refused.Until = b.openedAt().Add(b.cfg.Recovery)
		}
		return nil, refused
	}
	b.trialUnderWay = b.trial
	return func(err error) {
		b.mu.Lock()
		defer b.unlock()
		if inner != b.inner {
			return // replaced meanwhile: late news
		}
		report(err)
		b.trialUnderWay = false
		if !errors.Is(err, errCallCancelled) {
			b.trial = false
		}
	}, nil
}

// halfOpen makes an open breaker try a call at once: somebody forces it, or the
// connection is a new one. A trial under way is over; its end is late news.
func (b *breaker) halfOpen() {
	b.mu.Lock()
	defer b.unlock()
	if b.state() != mcpint.BreakerClosed {
		b.inner, b.trial, b.trialUnderWay = b.newInner(), true, false
	}
}

// firstLoss says of a lost connection, known by its generation, whether it is the
// first call to tell of it: however many were under way, it is one failure.
func (b *breaker) firstLoss(generation int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := generation > b.lastLoss
	b.lastLoss = max(b.lastLoss, generation)
	return first
}

// current returns the state and since when it lasts.
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

// openedAt is since when the breaker is open. The caller holds mu.
func (b *breaker) openedAt() time.Time {
	b.noteChange()
	return b.since
}

// noteChange notes a change. The caller holds mu and ends with unlock, which
// tells it.
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

// unlock ends what began with locking mu. What changed is told after it, so that
// whoever is told may look at the breaker, and by one goroutine at a time, so that
// the changes are told in order.
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
