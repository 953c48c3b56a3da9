// Package reconnect keeps something going that ends now and then: a connection to
// a broker or a speech service, a child process, an open sound card. It exists so
// that the pauses between attempts grow, are bounded and start anew by one rule
// (Pauses), and so that the loop around them ends with its context everywhere
// (Loop).
//
// MCP servers are not kept by it. Their attempts are counted, reported and shown
// with the time of the next one, go over from a quick to a slow pace, and can be
// forced or asked for out of turn while the loop waits; that is a state machine of
// its own (package mcpint/host). To keep another service, give a Loop its pauses
// and Run one connection, from its beginning to its loss.
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

// Next is the pause that is due now; the one after it is twice as long.
func (p *Pauses) Next() time.Duration { return p.NextAtLeast(0) }

// NextAtLeast is Next for a pause that must not be shorter than least, as long as
// it stays within Longest.
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
	// Spread is the share of a pause that chance may take off, from 0 to 1, so that
	// several clients of one service do not come back together.
	Spread float64
	// Least is how long to wait at least after an error; nil: as the pauses say.
	Least func(err error) time.Duration
	// Ended is told why a run ended, and the pause before the next one; nil:
	// nobody listens.
	Ended func(err error, pause time.Duration)
}

// Run calls once again and again until ctx ends. A run that was useful starts the
// pauses anew: one that ends at once must not be repeated in haste for ever.
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

// wait lets time pass; false at the end of ctx.
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
