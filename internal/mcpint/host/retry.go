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
// each time Multiplier times the wait before, up to MaxDelay.
func (r Retry) Delay(attempt int) time.Duration {
	if attempt <= 1 {
		return 0
	}
	delay := float64(r.BaseDelay)
	for range attempt - 2 {
		delay *= r.Multiplier
		if delay >= float64(r.MaxDelay) {
			return r.MaxDelay
		}
	}
	return min(time.Duration(delay), r.MaxDelay)
}

// lateDelay is the wait between two tries after the attempts are used up, for as long
// as lateWindow: most services that come up late do so within it (REQUIREMENTS M3).
const (
	lateDelay  = 8 * time.Second
	lateWindow = 2 * time.Minute
)

// LateDelay returns the wait between two tries when the attempts have been used up
// for some time: lateDelay for lateWindow, then each time twice the wait before, up to
// SlowInterval.
func (r Retry) LateDelay(usedUpFor, before time.Duration) time.Duration {
	if usedUpFor < lateWindow || before == 0 {
		return min(lateDelay, r.SlowInterval)
	}
	return min(2*before, r.SlowInterval)
}

// addJitter spreads a slow delay by a tenth either way, so that several gateways
// or servers do not try at the same moment; roll is from [0, 1).
func addJitter(delay time.Duration, roll float64) time.Duration {
	return time.Duration(float64(delay) * (0.9 + 0.2*roll))
}
