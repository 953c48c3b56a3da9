package host

import (
	"errors"
	"time"

	"voicegateway/internal/mcpint/client"
)

// plan is the schedule of attempts. Only the goroutine of run uses it.
type plan struct {
	retry             Retry
	home              bool          // the server is Home Assistant's own
	generation        int           // number of the connection, one more with every attempt
	attempts          int           // attempts since the last reset, for any reason
	scheduledAttempts int           // those of attempts that the schedule started
	silences          int           // attempts since the last reset that the server left unanswered until their time was up
	began             time.Time     // when the last attempt began
	took              time.Duration // how long the last successful attempt took; zero: none succeeded
	due               time.Time     // when the schedule's next attempt is due; zero: no attempt is planned
	waitingSince      time.Time     // when the wait for the next attempt began
	delay             time.Duration // the schedule's wait
	usedUpSince       time.Time     // since when no attempts are left, or something the server needs came since; zero: some are
	lateDelay         time.Duration // the wait before, once no attempts are left, without jitter
	awaySince         time.Time     // since when there is no connection
	sparedUntil       time.Time     // until when only a forced retry makes an attempt; zero: any may
	refusal           error         // why it is spared, for calls
	waiters           []chan outcome
	urgency           urgency
	forced            bool // the next attempt is a forced retry

	requirements        *requirementWait // must end before the schedule continues; nil: there is no such wait
	requirementsAwaited bool             // the requirements were awaited in this round, so not again
}

// urgency says whether an attempt is wanted at once.
type urgency int

const (
	notUrgent       urgency = iota
	besideSchedule          // an attempt at once, and the schedule stays as it is
	restartSchedule         // an attempt at once, as the schedule's first
)

// reset starts the schedule over.
func (p *plan) reset() {
	p.attempts, p.scheduledAttempts, p.silences, p.delay, p.requirementsAwaited = 0, 0, 0, 0, false
	p.due, p.waitingSince = time.Time{}, time.Now()
	p.usedUpSince, p.lateDelay = time.Time{}, 0
	p.sparedUntil, p.refusal = time.Time{}, nil
}

// spare leaves a server alone for as long as its refusal asks for: no call and nothing that
// comes back starts an attempt meanwhile.
func (p *plan) spare(now time.Time, err error) {
	p.sparedUntil, p.refusal = time.Time{}, nil
	answer, ok := errors.AsType[*client.HTTPError](err)
	if !ok || answer.LeastPause(p.home) == 0 {
		return
	}
	p.sparedUntil, p.refusal = now.Add(answer.LeastPause(p.home)), err
	if !p.due.IsZero() && p.due.Before(p.sparedUntil) {
		p.due = p.sparedUntil
	}
}

// isSpared reports whether the server is left alone.
func (p *plan) isSpared(now time.Time) bool { return now.Before(p.sparedUntil) }

// hastenAfter is the least time between the beginnings of an attempt and of one that
// something which came makes due, because a broker or a port may come and go.
const hastenAfter = time.Second

// hasten makes the next attempt due now and the pace quick again, because something
// the server needs has come; a server that is left alone stays so. It returns false where no
// timer may start an attempt.
func (p *plan) hasten(now time.Time) bool {
	if p.isSpared(now) {
		return true
	}
	if !p.retry.Enabled {
		return false
	}
	p.usedUpSince, p.lateDelay = now, 0
	p.due = now
	if soonest := p.began.Add(hastenAfter); soonest.After(now) {
		p.due = soonest
	}
	return true
}

// forceAttempt makes the next attempt a forced retry: at once, as the schedule's
// first, and whether or not what the server needs is there.
func (p *plan) forceAttempt() {
	p.urgency, p.requirementsAwaited, p.forced = restartSchedule, true, true
}

// takeUrgency takes the wish for an attempt at once. It reports whether the schedule wants
// that attempt too.
func (p *plan) takeUrgency() (timed bool) {
	timed = p.urgency == restartSchedule || !p.due.IsZero() && !time.Now().Before(p.due)
	p.urgency = notUrgent
	return timed
}

// attemptsLeft reports whether attempts are left before the server counts as
// failed.
func (p *plan) attemptsLeft() bool { return p.retry.Enabled && p.scheduledAttempts < p.retry.Attempts }

// planNext plans the next attempt after an attempt or a connection that began at one
// time and has ended now. The wait counts from the beginning, so that an attempt that
// takes its time does not delay the next one. A server that asks for patience (429
// with Retry-After) gets it, within the slow pace. random is from [0, 1).
func (p *plan) planNext(began, now time.Time, err error, random func() float64) {
	p.delay = p.retry.Delay(p.scheduledAttempts + 1)
	soonest := now
	if !p.attemptsLeft() {
		if p.usedUpSince.IsZero() {
			p.usedUpSince = now
		}
		p.lateDelay = p.retry.LateDelay(now.Sub(p.usedUpSince), p.lateDelay)
		p.delay = addJitter(p.lateDelay, random())
		soonest = now.Add(min(p.retry.BaseDelay, p.delay)) // a server that hangs is not started without a pause
	}
	p.due = began.Add(p.delay)
	if answer, ok := errors.AsType[*client.HTTPError](err); ok {
		wanted := max(min(answer.RetryAfter, max(p.delay, p.retry.SlowInterval)), answer.LeastPause(p.home))
		if wanted > p.delay {
			p.delay = wanted
			p.due = now.Add(p.delay)
		}
	}
	if p.due.Before(soonest) {
		p.due = soonest
	}
}
