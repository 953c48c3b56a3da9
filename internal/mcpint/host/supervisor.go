package host

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// stableAfter is how long a connection must last before the retries it took are
// forgotten (M4). Without it a server that dies after each handshake would be
// restarted for ever without a pause.
const stableAfter = 30 * time.Second

// supervisor keeps one server connected. Its goroutine (run) owns the schedule and
// the state; others see a copy (view) and send mail.
type supervisor struct {
	host    *Host
	srv     mcpint.Server
	retry   Retry
	log     *slog.Logger
	mail    mail
	calling atomic.Int32 // calls under way
	beside  sync.WaitGroup
	life    life
	breaker *breaker
	plan    plan
	pins    map[string]pin // nil before the first connection; only its follower touches it
	view    view
}

// mail is how others reach the owner of the state. It is read wherever the owner
// waits, so that nobody waits long for it.
type mail struct {
	asks   chan ask      // calls that want a connection
	forces chan ask      // of size one: a fresh start is wanted
	wake   chan struct{} // of size one: something is back
	doubts chan struct{} // of size one: somebody got no answer
}

// life is what can be waited for.
type life struct {
	arrive  func()        // tells the registry that the tools are there or not coming
	up      chan struct{} // closed at the first connection, or when none will be tried
	once    sync.Once
	stopped chan struct{} // closed when run has ended
}

// plan is the schedule of attempts; only run touches it.
type plan struct {
	generation int           // of the connection, one more with every attempt
	number     int           // attempts since the last reset, of any cause
	scheduled  int           // those the schedule started
	due        time.Time     // of the next scheduled one; zero: none
	since      time.Time     // when the wait for it began
	delay      time.Duration // the schedule's wait
	waiting    []chan outcome
	hurry      hurry
	forced     bool      // the next attempt is a forced retry
	needs      *needs    // what is waited for before the schedule goes on; nil: nothing
	provided   bool      // the needs of this round have been waited for
	away       time.Time // since when there is no connection
}

// hurry is an attempt that is wanted without waiting.
type hurry int

const (
	noHurry  hurry = iota
	outside        // beside the schedule, which stays as it is
	fromZero       // as the schedule's first
)

func newSupervisor(h *Host, s mcpint.Server, r Retry) *supervisor {
	sup := &supervisor{
		host: h, srv: s, retry: r, log: h.log.With("server", s.ID),
		mail: mail{
			asks: make(chan ask), forces: make(chan ask, 1),
			wake: make(chan struct{}, 1), doubts: make(chan struct{}, 1),
		},
		life: life{arrive: func() {}, up: make(chan struct{}), stopped: make(chan struct{})},
		view: view{health: mcpint.Dead, status: mcpint.Status{
			ID: s.ID, Transport: s.Transport, Essential: s.Essential, Status: mcpint.Disconnected, MaxRetries: r.Attempts - 1,
		}},
	}
	sup.breaker = newBreaker(h.cfg.Breaker, sup.breakerMoved)
	return sup
}

// run connects, holds and connects again until ctx ends.
func (s *supervisor) run(ctx context.Context) {
	defer s.life.arrive()
	defer close(s.life.stopped)
	defer s.move(stopped)
	defer s.breaker.stop()
	defer s.beside.Wait()
	defer func() { s.answer(outcome{err: errStopping}) }()
	s.plan.due = time.Now()
	s.plan.since, s.plan.away = s.plan.due, s.plan.due
	for {
		conn, ok := s.connect(ctx)
		if !ok || !s.hold(ctx, conn) {
			return
		}
	}
}

// connect tries until there is a connection, or ctx ends.
func (s *supervisor) connect(ctx context.Context) (*connection, bool) {
	for {
		timed, ok := s.rest(ctx)
		if !ok {
			return nil, false
		}
		conn, err := s.attempt(ctx, timed)
		switch {
		case err == nil:
			return conn, true
		case ctx.Err() != nil:
			return nil, false
		}
		s.missed(err, timed)
	}
}

// rest waits for the next attempt; timed tells whether the schedule wants it or
// somebody who could not wait.
func (s *supervisor) rest(ctx context.Context) (timed, ok bool) {
	for {
		if s.plan.hurry != noHurry || ctx.Err() != nil {
			timed = s.plan.hurry == fromZero || !s.plan.due.IsZero() && !time.Now().Before(s.plan.due)
			s.plan.hurry = noHurry
			return timed, ctx.Err() == nil
		}
		alarm, wake := s.alarms()
		var news chan string
		var over chan struct{}
		if n := s.plan.needs; n != nil {
			news, over = n.news, n.over
		}
		select {
		case <-ctx.Done():
		case <-alarm:
			if !s.wants(ctx) {
				return true, true
			}
		case text := <-news:
			s.lacks(text)
		case <-over:
			s.unwait()
			return true, ctx.Err() == nil
		case <-wake:
			return false, true
		case a := <-s.mail.asks:
			s.plan.waiting = append(s.plan.waiting, a.reply)
			return false, true
		case a := <-s.mail.forces:
			s.restart(a)
		}
	}
}

// alarms are what ends the rest: the schedule, and something that came back. Where
// either does not count it is nil.
func (s *supervisor) alarms() (schedule <-chan time.Time, wake <-chan struct{}) {
	if s.plan.needs != nil {
		return nil, nil // its probes find out soon enough
	}
	if !s.plan.due.IsZero() {
		schedule = time.After(time.Until(s.plan.due))
	}
	if !s.soon() {
		wake = s.mail.wake
	}
	return schedule, wake
}

// soon says that the schedule's own attempts are not used up. Then it is kept as
// it is, whatever comes back: at a start everything does, and the attempts must
// not be spent within one moment.
func (s *supervisor) soon() bool {
	return !s.plan.due.IsZero() && s.plan.scheduled < s.retry.Attempts
}

// wants begins to wait for what the server needs, once in a round of attempts and
// before its first; false when there is nothing to wait for.
func (s *supervisor) wants(ctx context.Context) bool {
	if len(s.srv.Requires) == 0 || s.plan.provided || s.plan.scheduled > 0 {
		return false
	}
	s.plan.needs = s.await(ctx)
	s.plan.due = time.Time{}
	s.move(waits)
	return true
}

// lacks shows what is missing.
func (s *supervisor) lacks(text string) {
	s.view.mu.Lock()
	old := s.view.status.ErrorMessage
	s.view.status.ErrorMessage = &text
	s.view.status.NextRetryTime = moment(s.plan.needs.until)
	s.view.mu.Unlock()
	if old == nil || *old != text {
		s.log.Info("MCP server is not started yet", "why", text, "at_the_latest", s.plan.needs.until)
	}
}

// unwait ends the wait for what the server needs.
func (s *supervisor) unwait() {
	if s.plan.needs != nil {
		s.plan.needs.stop()
		s.plan.needs, s.plan.provided = nil, true
	}
}

// restart begins the schedule anew, with an attempt at once.
func (s *supervisor) restart(a ask) {
	s.unwait()
	s.reset()
	s.plan.hurry, s.plan.provided, s.plan.forced = fromZero, true, true
	s.view.mu.Lock()
	s.view.status.NextRetryTime, s.view.status.LastRetryTime = nil, moment(time.Now())
	s.view.mu.Unlock()
	s.move(forced)
	a.reply <- outcome{}
}

// reset starts the schedule over.
func (s *supervisor) reset() {
	s.plan.number, s.plan.scheduled, s.plan.delay, s.plan.provided = 0, 0, 0, false
	s.plan.due, s.plan.since = time.Time{}, time.Now()
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.status.RetryCount = 0
}

// attempt dials once. Meanwhile it reads the mail: whoever wants a connection
// waits for this one.
func (s *supervisor) attempt(ctx context.Context, timed bool) (*connection, error) {
	select {
	case <-s.mail.wake: // what woke us until now is answered by this attempt
	default:
	}
	begin := time.Now()
	delay := begin.Sub(s.plan.since)
	s.plan.number++
	s.plan.generation++
	if timed {
		s.plan.scheduled++
		delay = s.plan.delay
	}
	s.begins(begin, timed)
	s.log.Info("MCP connection attempt", "attempt", s.plan.number, "delay", delay.Round(time.Millisecond))
	dialCtx, cancel := context.WithTimeout(ctx, s.srv.ConnectTimeout)
	defer cancel()
	type dialled struct {
		conn *connection
		err  error
	}
	result := make(chan dialled, 1)
	generation := s.plan.generation
	go func() {
		conn, err := s.open(dialCtx, generation)
		result <- dialled{conn, err}
	}()
	for {
		select {
		case r := <-result:
			s.host.attempted(Attempt{Server: s.srv.ID, Number: s.plan.number, After: s.host.since(begin), Delay: delay, Err: r.err})
			if r.err == nil {
				r.conn.took = time.Since(begin)
			}
			return r.conn, r.err
		case <-s.mail.wake:
			if s.plan.scheduled >= s.retry.Attempts || !s.retry.Enabled {
				s.plan.hurry = outside
			}
		case a := <-s.mail.asks:
			s.plan.waiting = append(s.plan.waiting, a.reply)
		case a := <-s.mail.forces:
			s.restart(a)
			// The attempt under way is the forced one.
			s.plan.hurry, s.plan.number, s.plan.scheduled, s.plan.forced = noHurry, 1, 1, false
		}
	}
}

// begins shows an attempt to the outside. Of a server that failed and is tried on
// slowly, it is always told when: that of an attempt by the schedule is the moment
// it began, and one out of turn leaves the schedule as it is.
func (s *supervisor) begins(at time.Time, timed bool) {
	s.move(tried)
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	switch slow := s.view.status.Status == mcpint.Failed && s.retry.Enabled; {
	case !slow:
		s.view.status.NextRetryTime = nil
	case timed:
		s.view.status.NextRetryTime = moment(at)
	}
	if s.plan.number > 1 {
		s.view.status.RetryCount = s.plan.number - 1
	}
	if s.plan.number > 1 || s.plan.forced {
		s.view.status.LastRetryTime = moment(at)
	}
	s.plan.forced = false
}

// missed plans what follows a failed attempt. Whoever waited for it is told last:
// the status they look at then is the one after it.
func (s *supervisor) missed(err error, timed bool) {
	s.log.Warn("MCP connection attempt did not succeed", "attempt", s.plan.number, "err", err)
	s.schedule(err, timed)
	s.dead(err)
	s.answer(outcome{err: err})
}

// schedule decides when the next attempt is due, and shows it. An attempt out of
// turn leaves the schedule as it is.
func (s *supervisor) schedule(err error, timed bool) {
	now := time.Now()
	left := s.retry.Enabled && s.plan.scheduled < s.retry.Attempts
	s.plan.since = now
	switch {
	case !s.retry.Enabled:
		s.plan.due = time.Time{}
	case s.plan.needs != nil: // the schedule goes on when the wait is over
	case timed || s.plan.due.IsZero():
		s.plan.delay = s.nextDelay(err, left)
		s.plan.due = now.Add(s.plan.delay)
	}
	next := s.plan.due
	if s.plan.needs != nil {
		next = s.plan.needs.until
	}
	s.view.mu.Lock()
	s.view.status.ErrorMessage = known(statusText(err))
	s.view.status.NextRetryTime = moment(next)
	failedBefore := s.view.status.Status == mcpint.Failed
	s.view.mu.Unlock()
	if left || s.plan.needs != nil {
		s.move(again)
		return
	}
	s.move(gaveUp)
	if !failedBefore {
		s.report(err)
	}
	s.life.arrive()
	if !s.retry.Enabled {
		s.settled()
	}
}

// nextDelay is the wait before the next attempt. A server that asks for patience
// (429 with Retry-After) gets it, within the slow pace.
func (s *supervisor) nextDelay(err error, left bool) time.Duration {
	delay := s.retry.Delay(s.plan.scheduled + 1)
	if answer, ok := errors.AsType[*client.HTTPError](err); ok && answer.RetryAfter > delay {
		return min(answer.RetryAfter, max(delay, s.retry.SlowInterval))
	}
	if !left {
		return jittered(delay, s.host.roll())
	}
	return delay
}
