package host

import (
	"errors"
	"time"
)

// Retry is the schedule by which a server is tried again (REQUIREMENTS M2, M3).
type Retry struct {
	Enabled      bool          // false: one attempt, and no timer ever starts another
	Attempts     int           // before the server counts as failed
	BaseDelay    time.Duration // before the second attempt
	Multiplier   float64       // from each delay to the next
	MaxDelay     time.Duration // bound of the delays up to the last attempt
	SlowInterval time.Duration // bound of the delays after it
}

// DefaultRetry is 0, 2 and 4 s, and then on to every 60 s.
func DefaultRetry() Retry {
	return Retry{
		Enabled: true, Attempts: 3, BaseDelay: 2 * time.Second, Multiplier: 2,
		MaxDelay: time.Minute, SlowInterval: time.Minute,
	}
}

func (r Retry) check() error {
	switch {
	case r.Attempts < 1:
		return errors.New("mcp.retry.attempts must be at least 1")
	case r.BaseDelay <= 0 || r.MaxDelay <= 0 || r.SlowInterval <= 0:
		return errors.New("mcp.retry.base_delay, max_delay and slow_interval must be positive")
	case r.Multiplier < 1:
		return errors.New("mcp.retry.multiplier must be at least 1")
	}
	return nil
}

// Delay is the wait before an attempt, counted from 1: none, BaseDelay, then
// Multiplier times the one before. Beyond Attempts it goes on growing, up to
// SlowInterval instead of MaxDelay.
func (r Retry) Delay(attempt int) time.Duration {
	if attempt <= 1 {
		return 0
	}
	bound := r.MaxDelay
	if attempt > r.Attempts {
		bound = r.SlowInterval
	}
	delay := float64(r.BaseDelay)
	for range attempt - 2 {
		delay *= r.Multiplier
		if delay >= float64(bound) {
			return bound
		}
	}
	return min(time.Duration(delay), bound)
}

// jittered spreads a slow delay by a tenth either way, so that several gateways
// or servers do not knock together; roll is from [0, 1).
func jittered(delay time.Duration, roll float64) time.Duration {
	return time.Duration(float64(delay) * (0.9 + 0.2*roll))
}
