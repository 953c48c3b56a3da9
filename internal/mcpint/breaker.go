package mcpint

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// BreakerConfig is when calls of a server that does not answer are no longer made
// (DESIGN M9).
type BreakerConfig struct {
	Threshold int           // calls without an answer in a row; zero means 3
	Recovery  time.Duration // how long none is made, before one is tried; zero means 60 s
}

// The defaults of DESIGN 2.5.
const (
	defaultThreshold = 3
	defaultRecovery  = time.Minute
)

// The states of a breaker, as in the status.
const (
	breakerClosed   = "closed"
	breakerOpen     = "open"
	breakerHalfOpen = "half-open"
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

func (e *BreakerError) Unwrap() error { return ErrNotConnected }

// errBrokenOff marks a call that says nothing about the server.
var errBrokenOff = errors.New("broken off by its caller")

// breaker is a server's circuit breaker. The library's knows no way from open to
// half-open but time, so halfOpen puts a fresh one in its place whose first
// failure opens it; until then it counts as half-open.
type breaker struct {
	cfg  BreakerConfig
	tell func(from, to string)

	mu    sync.Mutex
	inner *gobreaker.TwoStepCircuitBreaker[any]
	trial bool
	shown string    // the state noted last
	since time.Time // of it; zero if it never changed
	timer *time.Timer

	untold  [][2]string // changes, from and to
	telling bool
}

func newBreaker(cfg BreakerConfig, tell func(from, to string)) *breaker {
	cfg.Threshold = cmp.Or(cfg.Threshold, defaultThreshold)
	cfg.Recovery = cmp.Or(cfg.Recovery, defaultRecovery)
	b := &breaker{cfg: cfg, tell: tell, shown: breakerClosed}
	b.inner = b.fresh(cfg.Threshold)
	return b
}

func (b *breaker) fresh(threshold int) *gobreaker.TwoStepCircuitBreaker[any] {
	return gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		// The library waits until the time is over, not until it is reached.
		Timeout:     b.cfg.Recovery - 1,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= threshold },
		IsExcluded:  func(err error) bool { return errors.Is(err, errBrokenOff) },
	})
}

// allow asks for leave to call; done takes how it went: nil for any answer,
// errBrokenOff for a call that says nothing, else a failure.
func (b *breaker) allow(server string) (done func(error), err error) {
	b.mu.Lock()
	defer b.unlock()
	inner := b.inner
	report, err := inner.Allow()
	if err != nil {
		refused := &BreakerError{Server: server}
		if errors.Is(err, gobreaker.ErrOpenState) {
			refused.Until = b.opened().Add(b.cfg.Recovery)
		}
		return nil, refused
	}
	return func(err error) {
		b.mu.Lock()
		defer b.unlock()
		if inner != b.inner {
			return // replaced meanwhile: late news
		}
		report(err)
		if b.trial && !errors.Is(err, errBrokenOff) {
			b.trial = false
			if err == nil {
				b.inner = b.fresh(b.cfg.Threshold)
			}
		}
	}, nil
}

// halfOpen makes an open breaker let calls through at once: somebody forces it,
// or the connection is a new one.
func (b *breaker) halfOpen() {
	b.mu.Lock()
	defer b.unlock()
	if b.state() != breakerClosed && !b.trial {
		b.inner, b.trial = b.fresh(1), true
	}
}

// look returns the state and since when it lasts.
func (b *breaker) look() (state string, since time.Time) {
	b.mu.Lock()
	defer b.unlock()
	b.note()
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

func (b *breaker) state() string {
	if b.trial {
		return breakerHalfOpen
	}
	return b.inner.State().String()
}

// opened is since when the breaker is open. The caller holds mu.
func (b *breaker) opened() time.Time {
	b.note()
	return b.since
}

// note notes a change. The caller holds mu and ends with unlock, which tells it.
func (b *breaker) note() {
	to := b.state()
	if b.shown == to {
		return
	}
	b.untold = append(b.untold, [2]string{b.shown, to})
	b.shown, b.since = to, time.Now()
	if b.timer != nil {
		b.timer.Stop()
	}
	if to == breakerOpen {
		b.timer = time.AfterFunc(b.cfg.Recovery, func() { b.look() })
	}
}

// unlock ends what began with locking mu. What changed is told after it, so that
// whoever is told may look at the breaker, and by one goroutine at a time, so that
// the changes are told in order.
func (b *breaker) unlock() {
	b.note()
	for !b.telling && len(b.untold) > 0 {
		change := b.untold[0]
		b.untold, b.telling = b.untold[1:], true
		b.mu.Unlock()
		b.tell(change[0], change[1])
		b.mu.Lock()
		b.telling = false
	}
	b.mu.Unlock()
}
