package host

import (
	"errors"
	"time"
)

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

// Delay returns the wait before an attempt, counted from 1: none, BaseDelay, then
// each time Multiplier times the wait before. After Attempts it goes on growing,
// up to SlowInterval instead of MaxDelay.
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
// or servers do not try at the same moment; roll is from [0, 1).
func jittered(delay time.Duration, roll float64) time.Duration {
	return time.Duration(float64(delay) * (0.9 + 0.2*roll))
}
