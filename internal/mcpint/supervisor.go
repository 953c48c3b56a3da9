package mcpint

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// stableAfter is how long a connection must last before the retries it took are
// forgotten (M4). Without it a server that dies after each handshake would be
// restarted for ever without a pause.
const stableAfter = 30 * time.Second

// supervisor keeps one server connected. Its goroutine (run) owns the schedule;
// others see a copy (view) and send asks.
type supervisor struct {
	host    *Host
	srv     Server
	retry   Retry
	log     *slog.Logger
	arrive  func() // tells the registry that the tools are there or not coming
	asks    chan ask
	wake    chan struct{}
	doubts  chan struct{} // of size one: somebody got no answer
	calling atomic.Int32  // calls under way
	stopped chan struct{}
	plan    plan
	view    view
}

// plan is the schedule of attempts; only run touches it.
type plan struct {
	number    int           // attempts since the last reset, of any cause
	scheduled int           // those the schedule started
	due       time.Time     // of the next scheduled one; zero: none
	since     time.Time     // when the wait for it began
	delay     time.Duration // the schedule's wait
	waiting   []chan outcome
	hurry     bool // something came back while an attempt was under way
}

func newSupervisor(h *Host, s Server, r Retry) *supervisor {
	return &supervisor{
		host: h, srv: s, retry: r, log: h.log.With("server", s.ID), arrive: func() {},
		asks: make(chan ask), wake: make(chan struct{}, 1), doubts: make(chan struct{}, 1), stopped: make(chan struct{}),
		view: view{state: Disconnected, retries: RetryStatus{MaxRetries: r.Attempts - 1}},
	}
}

// run connects, holds and connects again until ctx ends.
func (s *supervisor) run(ctx context.Context) {
	defer s.arrive()
	defer close(s.stopped)
	defer s.move(stopped)
	s.plan.due = time.Now()
	s.plan.since = s.plan.due
	for {
		conn, ok := s.connect(ctx)
		if !ok {
			return
		}
		if !s.hold(ctx, conn) {
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
			s.answer(outcome{err: ctx.Err()})
			return nil, false
		}
		s.missed(err, timed)
	}
}

// rest waits for the next attempt; timed tells whether the schedule wants it or
// somebody who could not wait.
func (s *supervisor) rest(ctx context.Context) (timed, ok bool) {
	var timer <-chan time.Time
	if !s.plan.due.IsZero() {
		t := time.NewTimer(time.Until(s.plan.due))
		defer t.Stop()
		timer = t.C
	}
	if s.plan.hurry {
		s.plan.hurry = false
		due := !s.plan.due.IsZero() && !time.Now().Before(s.plan.due)
		return due, ctx.Err() == nil
	}
	wake := s.wake
	if s.soon() {
		wake = nil
	}
	select {
	case <-ctx.Done():
		return false, false
	case <-timer:
		return true, true
	case <-wake:
		return false, true
	case a := <-s.asks:
		if a.fresh {
			s.reset()
			s.move(forced)
			a.reply <- outcome{}
			return true, true
		}
		s.plan.waiting = append(s.plan.waiting, a.reply)
		return false, true
	}
}

// soon says that the schedule's own attempts are not used up. Then it is kept as
// it is, whatever comes back: at a start everything does, and the attempts must
// not be spent within one moment.
func (s *supervisor) soon() bool {
	return !s.plan.due.IsZero() && s.plan.scheduled < s.retry.Attempts
}

// reset starts the schedule over.
func (s *supervisor) reset() {
	s.plan.number, s.plan.scheduled, s.plan.delay = 0, 0, 0
	s.plan.due, s.plan.since = time.Time{}, time.Now()
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.retries.RetryCount = 0
}

// attempt dials once. Meanwhile it answers asks: whoever wants a connection waits
// for this one.
func (s *supervisor) attempt(ctx context.Context, timed bool) (*connection, error) {
	select {
	case <-s.wake: // what woke us until now is answered by this attempt
	default:
	}
	begin := time.Now()
	delay := begin.Sub(s.plan.since)
	s.plan.number++
	if timed {
		s.plan.scheduled++
		delay = s.plan.delay
	}
	s.begins(begin)
	s.log.Info("MCP connection attempt", "attempt", s.plan.number, "delay", delay.Round(time.Millisecond))
	dialCtx, cancel := context.WithTimeout(ctx, s.srv.ConnectTimeout)
	defer cancel()
	type dialled struct {
		conn *connection
		err  error
	}
	result := make(chan dialled, 1)
	go func() {
		conn, err := s.open(dialCtx)
		result <- dialled{conn, err}
	}()
	for {
		select {
		case r := <-result:
			s.host.attempted(Attempt{Server: s.srv.ID, Number: s.plan.number, After: s.host.since(begin), Delay: delay, Err: r.err})
			return r.conn, r.err
		case <-s.wake:
			s.plan.hurry = s.plan.scheduled >= s.retry.Attempts || !s.retry.Enabled
		case a := <-s.asks:
			if a.fresh {
				s.reset()
				s.plan.number, s.plan.scheduled = 1, 1
				s.move(forced)
				a.reply <- outcome{}
				continue
			}
			s.plan.waiting = append(s.plan.waiting, a.reply)
		}
	}
}

// begins shows an attempt to the outside.
func (s *supervisor) begins(at time.Time) {
	s.move(tried)
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.retries.NextRetryTime = nil
	if s.plan.number > 1 {
		s.view.retries.RetryCount = s.plan.number - 1
		s.view.retries.LastRetryTime = moment(at)
	}
}

// missed plans what follows a failed attempt. Whoever waited for it is told last:
// the status they look at then is the one after it.
func (s *supervisor) missed(err error, timed bool) {
	s.log.Warn("MCP connection attempt did not succeed", "attempt", s.plan.number, "err", err)
	s.schedule(err, timed)
	s.answer(outcome{err: err})
}

// schedule decides when the next attempt is due, and shows it. An attempt out of
// turn leaves the schedule as it is.
func (s *supervisor) schedule(err error, timed bool) {
	now := time.Now()
	left := s.retry.Enabled && s.plan.scheduled < s.retry.Attempts
	s.plan.since = now
	if !s.retry.Enabled {
		s.plan.due = time.Time{}
	} else if timed || s.plan.due.IsZero() {
		delay := s.retry.Delay(s.plan.scheduled + 1)
		if !left {
			delay = jittered(delay, s.host.roll())
		}
		s.plan.due, s.plan.delay = now.Add(delay), delay
	}
	s.view.mu.Lock()
	s.view.retries.ErrorMessage = known(statusText(err))
	s.view.retries.NextRetryTime = moment(s.plan.due)
	failedBefore := s.view.state == Failed
	s.view.mu.Unlock()
	if left {
		s.move(again)
		return
	}
	s.move(gaveUp)
	if !failedBefore {
		s.report(err)
	}
	s.arrive()
}

// report says once, in full, that the attempts are used up.
func (s *supervisor) report(err error) {
	f := &Failure{Server: s.srv, Attempts: s.plan.number, Err: err, Local: s.host.cfg.LocalTools}
	s.view.mu.Lock()
	s.view.failure = f
	s.view.mu.Unlock()
	s.log.Error(fmt.Sprintf("MCP connection failed after %d %s", f.Attempts, plural("attempt", f.Attempts)), "details", f.Text()) //nolint:sloglint // the words of M2
}

// answer frees whoever waits for a connection.
func (s *supervisor) answer(o outcome) {
	for _, reply := range s.plan.waiting {
		reply <- o
	}
	s.plan.waiting = nil
}

// hold keeps a connection until it is lost (true) or ctx ends (false).
func (s *supervisor) hold(ctx context.Context, conn *connection) bool {
	s.connected(conn)
	following, unfollow := context.WithCancel(ctx)
	var follower sync.WaitGroup
	hangs := make(chan struct{})
	follower.Go(func() { s.follow(following, conn) })
	follower.Go(func() { s.attend(following, conn, hangs) })
	defer func() {
		unfollow()
		s.disconnected()
		if err := conn.session.Close(); err != nil {
			s.log.Error("closing the MCP connection", "err", err)
		}
		follower.Wait()
	}()
	stable := time.NewTimer(stableAfter)
	defer stable.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-conn.done:
			s.lose(conn.reason())
			return true
		case <-hangs:
			s.lose(errHangs)
			return true
		case <-stable.C:
			s.reset()
		case <-s.wake: // connected is all it asks for
		case a := <-s.asks:
			if !a.fresh && conn.gone() {
				s.plan.waiting = append(s.plan.waiting, a.reply)
				s.lose(conn.reason())
				s.plan.hurry = true
				return true
			}
			a.reply <- outcome{session: conn.session}
		}
	}
}

// connected shows a new connection.
func (s *supervisor) connected(conn *connection) {
	s.plan.hurry = false
	s.view.mu.Lock()
	s.view.session = conn.session
	s.view.vitals = vitals{connected: true}
	s.view.lastReply = time.Now()
	s.view.retries.ErrorMessage, s.view.retries.NextRetryTime = nil, nil
	s.view.peer = conn.peer
	s.view.failure = nil
	s.view.mu.Unlock()
	s.move(opened)
	s.log.Info(fmt.Sprintf("MCP connection succeeded on attempt %d", s.plan.number), "tools", len(conn.specs)) //nolint:sloglint // the words of M2
	s.host.reg.Replace(s.srv.ID, s.remotes(conn.specs))
	s.arrive()
	s.answer(outcome{session: conn.session})
}

// disconnected takes the connection back.
func (s *supervisor) disconnected() {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.session = nil
	s.view.vitals.connected = false
	s.view.peer.PID = nil
}

// lose plans what follows a lost connection: the schedule, from its beginning if
// the connection was stable.
func (s *supervisor) lose(err error) {
	s.disconnected()
	s.move(lost)
	s.log.Warn("MCP connection lost", "err", err)
	s.plan.due = time.Time{}
	if !s.retry.Enabled {
		s.plan.since = time.Now()
		s.view.mu.Lock()
		defer s.view.mu.Unlock()
		s.view.retries.ErrorMessage = known(statusText(err))
		return
	}
	s.schedule(err, true)
}
