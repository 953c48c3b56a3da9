package host

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/mcpint"
)

// stableAfter is how long a connection must last before the retries it took are
// forgotten (M4). Without it a server that dies after each handshake would be
// restarted for ever without a pause.
const stableAfter = 30 * time.Second

// supervisor keeps one server connected. Its goroutine (run) owns the plan and the
// state; others see a copy (view) and send requests.
type supervisor struct {
	host          *Host
	srv           mcpint.Server
	log           *slog.Logger
	requests      requests
	callsUnderWay atomic.Int32
	home          atomic.Bool // the connected server is Home Assistant's own, for calls
	background    sync.WaitGroup
	breaker       *breaker
	plan          plan
	offer         *offer
	view          view
	latecomer     *dialling   // an earlier attempt whose program is still starting; or nil
	late          *connection // what the latecomer made between two attempts; or nil

	toolsArrived   func()        // tells the registry that the tools are there or not coming
	firstRound     chan struct{} // closed at the first connection, or when none will be tried
	firstRoundOver func()        // closes firstRound, once
	stopped        chan struct{} // closed when run has ended
	end            func()        // takes the server away; set when it is run
}

func newSupervisor(h *Host, s mcpint.Server, r Retry) *supervisor {
	sup := &supervisor{
		host: h, srv: s, log: h.log.With("server", s.ID), plan: plan{retry: r, home: s.IsHomeAssistant()},
		requests: requests{
			connect: make(chan request), retry: make(chan request, 1),
			wake: make(chan struct{}, 1), check: make(chan struct{}, 1),
		},
		toolsArrived: func() {}, firstRound: make(chan struct{}), stopped: make(chan struct{}),
		view: view{toldHealth: mcpint.Dead, status: mcpint.Status{
			ID: s.ID, Transport: s.Transport, Essential: s.Essential, Status: mcpint.Disconnected, MaxRetries: r.Attempts - 1, ImportedFrom: pointerOrNil(s.From), RetriesOff: !r.Enabled,
		}},
	}
	sup.firstRoundOver = sync.OnceFunc(func() { close(sup.firstRound) })
	sup.offer = &offer{server: s, command: h.cfg.Command, log: sup.log, pins: pins{server: s, store: h.cfg.Pins, log: sup.log}, apply: sup.useTools}
	sup.breaker = newBreaker(h.cfg.Breaker, sup.breakerChanged)
	return sup
}

// run connects, keeps the connection and connects again until ctx ends.
func (s *supervisor) run(ctx context.Context) {
	defer s.toolsArrived()
	defer close(s.stopped)
	defer s.move(stopped)
	defer s.breaker.stop()
	defer s.background.Wait()
	defer func() { s.answerWaiters(outcome{err: errStopping}) }()
	s.plan.due = time.Now()
	s.plan.waitingSince, s.plan.awaySince = s.plan.due, s.plan.due
	for {
		conn, ok := s.connect(ctx)
		if !ok || !s.keepConnected(ctx, conn) {
			return
		}
	}
}

// connect tries until there is a connection, or ctx ends. Once the attempts are used
// up it also looks for signs that the server can be reached again.
func (s *supervisor) connect(ctx context.Context) (*connection, bool) {
	looking, stop := context.WithCancel(ctx)
	defer stop()
	defer func() { s.abandon(s.latecomer); s.latecomer = nil }()
	signs := Watched{Server: s.srv, ExecDir: s.host.cfg.Options.ExecDir, Probe: s.host.probe}
	look := sync.OnceFunc(func() {
		s.background.Go(func() {
			signs.Watch(looking, func(what string) {
				s.log.Info("something an MCP server needs has come", "what", nameText(s.srv, what))
				s.requests.wakeUp()
			})
		})
	})
	for {
		timed, ok := s.waitForAttempt(ctx)
		if !ok {
			return nil, false
		}
		if conn := s.late; conn != nil {
			s.late = nil
			s.move(tried)
			return conn, true
		}
		conn, err := s.attempt(ctx, timed)
		switch {
		case err == nil:
			return conn, true
		case ctx.Err() != nil:
			return nil, false
		}
		s.attemptFailed(err, timed)
		if s.plan.retry.Enabled && !s.plan.attemptsLeft() {
			look()
		}
	}
}

// waitForAttempt waits until the next attempt has to be made. timed reports
// whether the schedule wants it, and not a call or a wake-up; ok is false when
// ctx ended.
func (s *supervisor) waitForAttempt(ctx context.Context) (timed, ok bool) {
	for {
		if s.needsNoWait(ctx) {
			return s.plan.takeUrgency(), ctx.Err() == nil
		}
		alarm, wake := s.alarms()
		missing, over := s.plan.requirements.news()
		select {
		case <-ctx.Done():
		case <-alarm:
			if !s.beginRequirementWait(ctx) {
				return true, true
			}
		case text := <-missing:
			s.showMissing(text)
		case <-over:
			s.endRequirementWait()
			return true, ctx.Err() == nil
		case r := <-s.latecomer.outcome():
			if s.latecomer, s.late = nil, r.conn; r.err == nil {
				return false, true
			}
		case <-wake:
			if !s.plan.hasten(time.Now()) {
				return false, true
			}
		case a := <-s.requests.connect:
			if s.letWait(a) {
				return false, true
			}
		case a := <-s.requests.retry:
			s.beginAnew(a)
		}
	}
}

// needsNoWait reports whether an attempt is urgent, or ctx has ended.
func (s *supervisor) needsNoWait(ctx context.Context) bool {
	return s.plan.urgency != notUrgent || ctx.Err() != nil
}

// letWait keeps a call that wants a connection until there is one. It refuses the call, and
// returns false, while the server is left alone.
func (s *supervisor) letWait(a request) bool {
	if s.plan.isSpared(time.Now()) {
		a.reply <- outcome{err: s.plan.refusal}
		return false
	}
	s.plan.waiters = append(s.plan.waiters, a.reply)
	return true
}

// alarms returns the channels that end the wait: the time of the schedule, and
// the wake-up. A channel that must not end it is nil.
func (s *supervisor) alarms() (schedule <-chan time.Time, wake <-chan struct{}) {
	if s.plan.requirements != nil {
		return nil, nil // the probes find out soon enough what is back
	}
	if !s.plan.due.IsZero() {
		schedule = time.After(time.Until(s.plan.due))
	}
	// While the schedule has attempts planned, it is kept even when something the
	// server needs comes back: at a start everything comes back, and the attempts
	// must not all be used up in one moment.
	if s.plan.due.IsZero() || s.plan.scheduledAttempts >= s.plan.retry.Attempts {
		wake = s.requests.wake
	}
	return schedule, wake
}

// beginRequirementWait begins to wait for what the server needs, once in a round
// of attempts and before the first one; it returns false when there is nothing to
// wait for.
func (s *supervisor) beginRequirementWait(ctx context.Context) bool {
	if len(s.srv.Requires) == 0 || s.plan.requirementsAwaited || s.plan.scheduledAttempts > 0 {
		return false
	}
	s.plan.requirements = s.awaitRequirements(ctx)
	s.plan.due = time.Time{}
	s.move(waits)
	return true
}

// showMissing shows in the status what is missing.
func (s *supervisor) showMissing(text string) {
	s.view.mu.Lock()
	old := s.view.status.ErrorMessage
	s.view.status.ErrorMessage, s.view.status.Fault = &text, pointerOrNil(mcpint.FaultNeeds)
	s.view.status.NextRetryTime = timestamp(s.plan.requirements.deadline)
	s.view.mu.Unlock()
	if tell := s.host.cfg.Observer.Held; tell != nil && !s.plan.requirements.missed {
		tell(s.srv.ID, true)
	}
	s.plan.requirements.missed = true
	if old == nil || *old != text {
		s.log.Info("MCP server is not started yet", "why", text, "at_the_latest", s.plan.requirements.deadline)
	}
}

// endRequirementWait ends the wait for what the server needs.
func (s *supervisor) endRequirementWait() {
	if s.plan.requirements != nil {
		s.plan.requirements.cancel()
		if tell := s.host.cfg.Observer.Held; tell != nil && s.plan.requirements.missed {
			tell(s.srv.ID, false)
		}
		s.plan.requirements, s.plan.requirementsAwaited = nil, true
	}
}

// beginAnew restarts the schedule, with an attempt at once.
func (s *supervisor) beginAnew(a request) {
	s.endRequirementWait()
	s.resetSchedule()
	s.plan.forceAttempt()
	s.view.update(func(s *mcpint.Status) { s.NextRetryTime, s.LastRetryTime = nil, timestamp(time.Now()) })
	s.move(forced)
	a.reply <- outcome{}
}

// resetSchedule starts the schedule over.
func (s *supervisor) resetSchedule() {
	s.plan.reset()
	s.view.update(func(s *mcpint.Status) { s.RetryCount = 0 })
}

// attempt dials once. Meanwhile it reads requests: a request for a connection waits for
// this one, and a wake-up is kept until afterwards.
func (s *supervisor) attempt(ctx context.Context, timed bool) (*connection, error) {
	select {
	case <-s.requests.wake: // this attempt answers every wake-up so far
	default:
	}
	begin := time.Now()
	s.plan.began = begin
	delay := begin.Sub(s.plan.waitingSince)
	s.plan.attempts++
	s.plan.generation++
	if timed {
		s.plan.scheduledAttempts++
		delay = s.plan.delay
	}
	s.showAttempt(begin, timed)
	s.log.Info("MCP connection attempt", "attempt", s.plan.attempts, "delay", delay.Round(time.Millisecond))
	server := s.srv
	server.ConnectTimeout = s.srv.Patience(s.plan.silences, s.plan.took)
	d := s.startDialling(ctx, server)
	over := func(conn *connection, err error) (*connection, error) {
		if tell := s.host.cfg.Observer.Attempt; tell != nil {
			tell(Attempt{Server: s.srv.ID, Number: s.plan.attempts, After: begin.Sub(s.host.started), Delay: delay, Err: err})
		}
		return conn, err
	}
	for {
		select {
		case r := <-d.result:
			if r.err != nil && time.Since(begin) >= server.ConnectTimeout {
				s.plan.silences++
			}
			return over(r.conn, r.err)
		case err := <-d.late:
			s.latecomer = d
			s.plan.silences++
			return over(nil, err)
		case r := <-s.latecomer.outcome():
			s.latecomer = nil
			if r.err == nil {
				s.abandon(d)
				return over(r.conn, nil)
			}
		case a := <-s.requests.connect:
			s.plan.waiters = append(s.plan.waiters, a.reply)
		case a := <-s.requests.retry:
			s.beginAnew(a)
			// The attempt under way counts as the forced one.
			s.plan.urgency, s.plan.attempts, s.plan.scheduledAttempts, s.plan.forced = notUrgent, 1, 1, false
		}
	}
}

// showAttempt shows an attempt in the status. A failed server that is still tried
// slowly always has a time of the next retry: for a scheduled attempt it is the
// moment the attempt began, and an attempt out of turn leaves it as it is.
func (s *supervisor) showAttempt(at time.Time, timed bool) {
	s.move(tried)
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	switch slow := s.view.status.Status == mcpint.Failed && s.plan.retry.Enabled; {
	case !slow:
		s.view.status.NextRetryTime = nil
	case timed:
		s.view.status.NextRetryTime = timestamp(at)
	}
	if s.plan.attempts > 1 {
		s.view.status.RetryCount = min(s.plan.attempts-1, s.view.status.MaxRetries)
	}
	if s.plan.attempts > 1 || s.plan.forced {
		s.view.status.LastRetryTime = timestamp(at)
	}
	s.plan.forced = false
}

// attemptFailed plans what follows a failed attempt. Those who waited for it are
// answered last, so that they find the status after the attempt.
func (s *supervisor) attemptFailed(err error, timed bool) {
	number := s.plan.attempts
	s.scheduleNext(err, timed, s.plan.began, func(next time.Time) {
		log := s.log
		if words := lastLine(err); words != "" {
			log = log.With("stderr", words)
		}
		if next.IsZero() {
			log.Warn("MCP connection attempt did not succeed; retries are off", "attempt", number, "err", err)
			return
		}
		log.Warn("MCP connection attempt did not succeed", "attempt", number, "err", err, "next_in", time.Until(next).Round(time.Millisecond))
	})
	s.view.update(func(st *mcpint.Status) {
		if began := timestamp(s.plan.began); st.LastRetryTime == nil || st.LastRetryTime.Before(*began) {
			st.LastRetryTime = began
		}
	})
	s.noteDead(err, 1)
	s.answerWaiters(outcome{err: err})
}

// scheduleNext decides when the next attempt is due, and shows it. The wait counts
// from since. An attempt out of turn leaves the schedule as it is. tell is called with the
// time of the next attempt, zero if none is due; it may be nil.
func (s *supervisor) scheduleNext(err error, timed bool, since time.Time, tell func(next time.Time)) {
	now := time.Now()
	left := s.plan.attemptsLeft()
	s.plan.waitingSince = now
	switch {
	case !s.plan.retry.Enabled:
		s.plan.due = time.Time{}
	case s.plan.requirements != nil: // the schedule continues when the wait is over
	case timed || s.plan.due.IsZero():
		s.plan.planNext(since, now, err, s.host.random)
	}
	s.plan.spare(now, err)
	next := s.plan.due
	if s.plan.requirements != nil {
		next = s.plan.requirements.deadline
	}
	if tell != nil {
		tell(next)
	}
	s.view.mu.Lock()
	s.view.status.ErrorMessage, s.view.status.Fault = pointerOrNil(statusText(err)), pointerOrNil(faultOf(err))
	s.view.status.NextRetryTime = timestamp(next)
	s.view.said = stderrOf(err)
	failedBefore := s.view.status.Status == mcpint.Failed
	s.view.mu.Unlock()
	if left || s.plan.requirements != nil {
		s.move(again)
		return
	}
	s.move(gaveUp)
	if !failedBefore {
		s.reportFailure(err)
	}
	s.toolsArrived()
	if !s.plan.retry.Enabled {
		s.firstRoundOver()
	}
}
