// Package reconnect restarts things that end now and then: a connection to a broker or a
// speech service, a child process, an open sound card. It exists so that everywhere the
// pauses between attempts grow, are bounded and are reset by one rule (Pauses), and the
// loop around them ends with its context (Loop).
//
// MCP servers do not use it. Their attempts are counted, reported and shown with the time
// of the next one, change from a quick to a slow pace, and can be forced or asked for out
// of turn while the loop waits; that needs a state machine of its own (package
// mcpint/host). To keep another service, give a Loop its pauses and Run one connection,
// from its beginning to its loss.
package reconnect

import (
	"context"
	"math/rand/v2"
	"time"
)

// Pauses are the waits between attempts: First, twice that, and so on up to
// Longest.
type Pauses struct {
	First, Longest time.Duration

	next time.Duration // zero: First
}

// Next returns the pause that is due; the one after it is twice as long.
func (p *Pauses) Next() time.Duration { return p.NextAtLeast(0) }

// NextAtLeast does what Next does, and makes the pause at least least long, but
// never longer than Longest.
func (p *Pauses) NextAtLeast(least time.Duration) time.Duration {
	pause := min(max(p.next, p.First, least), p.Longest)
	p.next = min(2*pause, p.Longest)
	return pause
}

// Reset makes First the next pause.
func (p *Pauses) Reset() { p.next = 0 }

// Loop runs something again whenever it ends.
type Loop struct {
	Pauses
	// Spread is the share of a pause, from 0 to 1, by which it may be shortened at random, so
	// that several clients of a service do not come back together.
	Spread float64
	// Least returns the shortest wait after an error; nil: the pauses alone
	// decide.
	Least func(err error) time.Duration
	// Ended is called with the reason why a run ended, and the pause before the next one. It
	// may be nil.
	Ended func(err error, pause time.Duration)
}

// Run calls once again and again until ctx ends. A useful run resets the pauses. Other
// runs do not, because something that ends at once must not be repeated quickly for ever.
func (l Loop) Run(ctx context.Context, once func(ctx context.Context) (useful bool, err error)) {
	for {
		useful, err := once(ctx)
		if ctx.Err() != nil {
			return
		}
		if useful {
			l.Reset()
		}
		var least time.Duration
		if l.Least != nil {
			least = l.Least(err)
		}
		pause := l.NextAtLeast(least)
		if l.Ended != nil {
			l.Ended(err, pause)
		}
		if !wait(ctx, pause-time.Duration(l.Spread*rand.Float64()*float64(pause))) {
			return
		}
	}
}

// wait waits for the pause; it returns false when ctx ended first.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
