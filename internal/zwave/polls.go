package zwave

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// How long questions that come together wait for devices, how little time is not
// worth a poll, and how long a device is given before it counts as silent. Two polls
// are under way at once: one on the radio, and one behind it, so that a device which
// keeps the radio busy is known from the others.
const (
	pollsTogether = 2 * time.Second
	shortestPoll  = 50 * time.Millisecond
	fairPoll      = time.Second
	pollsAtOnce   = 2
)

// errNotAsked means that a device was not asked, because many others were.
var errNotAsked = errors.New("too many devices are asked at once")

// polls are the requests with which questions ask devices. The time for which
// simultaneous questions wait together runs down while one of them waits, and fills up
// again meanwhile.
type polls struct {
	turns *semaphore.Weighted

	mu       sync.Mutex
	used     time.Duration
	waiting  int
	at       time.Time
	answered int // polls that brought a value
}

func newPolls() *polls { return &polls{turns: semaphore.NewWeighted(pollsAtOnce)} }

// do makes a poll when its turn comes. The error is errNotAsked if the time went to
// devices of which at least one has answered, or to earlier questions.
func (p *polls) do(ctx context.Context, poll func(context.Context) error) error {
	left, answered := p.enter()
	defer p.leave()
	if left < shortestPoll {
		return errNotAsked // a request whose result is not awaited would only cost airtime
	}
	end := time.Now().Add(left)
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	err, took := errNoAnswer, time.Duration(0)
	if p.turns.Acquire(ctx, 1) == nil {
		defer p.turns.Release(1)
		if began := time.Now(); end.Sub(began) >= shortestPoll {
			err = poll(ctx)
			took = time.Since(began)
		}
	}
	return p.judge(err, took, left, answered)
}

// judge returns what the error of a poll that took a time means, where it might
// have taken the time that was left, and so many polls had brought a value before it.
func (p *polls) judge(err error, took, left time.Duration, answered int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.answered++
	case errors.Is(err, errNoAnswer) && took < fairPoll && (left < fairPoll || p.answered > answered):
		return errNotAsked
	}
	return err
}

// enter returns how long the caller may wait, and how many polls have brought a
// value so far; leave follows when it has waited.
func (p *polls) enter() (left time.Duration, answered int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	p.waiting++
	return pollsTogether - p.used, p.answered
}

func (p *polls) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count()
	p.waiting--
}

// count brings the time up to date. The caller holds mu.
func (p *polls) count() {
	now := time.Now()
	passed := now.Sub(p.at)
	p.at = now
	if p.waiting > 0 {
		p.used = min(pollsTogether, p.used+passed)
	} else {
		p.used = max(0, p.used-passed)
	}
}
