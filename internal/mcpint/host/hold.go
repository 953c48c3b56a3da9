package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/mcpint/client"
)

// errAnew is why a connection ends that somebody wants to be made anew.
var errAnew = errors.New("a new connection was asked for")

// hold keeps a connection until it is lost (true) or ctx ends (false).
func (s *supervisor) hold(ctx context.Context, conn *connection) bool {
	s.connected(conn)
	following, unfollow := context.WithCancel(ctx)
	var followers sync.WaitGroup
	hangs := make(chan struct{})
	followers.Go(func() { s.follow(following, conn) })
	followers.Go(func() { s.attend(following, conn, hangs) })
	end := s.watch(ctx, conn, hangs)
	unfollow()
	s.disconnected(end)
	switch {
	case end == nil:
	case errors.Is(end, errAnew):
		s.log.Info("MCP connection is made anew")
		s.reset()
		s.plan.hurry, s.plan.provided, s.plan.forced = fromZero, true, true
	default:
		s.lose(end)
	}
	s.hangUp(ctx, conn)
	followers.Wait()
	return end != nil
}

// watch waits for the end of a connection and says why it came; nil: ctx ended.
func (s *supervisor) watch(ctx context.Context, conn *connection, hangs <-chan struct{}) error {
	stable := time.NewTimer(stableAfter)
	defer stable.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-conn.done:
			return conn.reason()
		case <-hangs:
			return errHangs
		case <-stable.C:
			s.reset()
		case <-s.mail.wake: // connected is all it asks for
		case a := <-s.mail.asks:
			if conn.gone() {
				s.plan.waiting = append(s.plan.waiting, a.reply)
				s.plan.hurry = outside
				return conn.reason()
			}
			a.reply <- outcome{session: conn.session, generation: conn.generation}
		case a := <-s.mail.forces:
			if !a.anew {
				s.breaker.halfOpen()
				s.doubt()
			}
			a.reply <- outcome{}
			if a.anew {
				return errAnew
			}
		}
	}
}

// hangUp ends a connection and returns when its process is gone, so that the next
// one finds what it held free. Meanwhile it reads the mail.
func (s *supervisor) hangUp(ctx context.Context, conn *connection) {
	closed := make(chan error, 1)
	go func() { closed <- conn.session.Close() }()
	for {
		select {
		case err := <-closed:
			if err != nil {
				s.log.Error("closing the MCP connection", "err", err)
			}
			return
		case a := <-s.mail.asks:
			s.plan.waiting = append(s.plan.waiting, a.reply)
			s.plan.hurry = max(s.plan.hurry, outside)
		case a := <-s.mail.forces:
			if ctx.Err() != nil {
				a.reply <- outcome{err: errStopping}
				continue
			}
			s.restart(a)
		}
	}
}

// connected shows a new connection.
func (s *supervisor) connected(conn *connection) {
	s.plan.hurry = noHurry
	s.unwait()
	// First, so that whoever sees the state finds the tools.
	count := s.offer(conn.specs)
	s.breaker.halfOpen()
	s.view.mu.Lock()
	s.view.session, s.view.generation = conn.session, conn.generation
	status := &s.view.status
	status.LastSuccess = moment(time.Now())
	status.ErrorMessage, status.NextRetryTime, status.Report = nil, nil, ""
	status.Tools, status.PID, status.Version = &count, known(conn.pid), known(conn.version)
	s.view.mu.Unlock()
	s.pulse(conn.generation, func(v *vitals) { *v = vitals{connected: true} })
	s.move(opened)
	s.log.Info(fmt.Sprintf("MCP connection succeeded on attempt %d", s.plan.number), "tools", count) //nolint:sloglint // the words of M2
	s.life.arrive()
	if tell := s.host.cfg.Observer.Connected; tell != nil {
		tell(Connection{
			Server: s.srv.ID, Attempt: s.plan.number, Took: conn.took, Away: time.Since(s.plan.away), Tools: count,
		})
	}
	s.settled()
	s.answer(outcome{session: conn.session, generation: conn.generation})
}

// disconnected takes the connection back, and moves on if it ended by itself.
func (s *supervisor) disconnected(end error) {
	s.plan.away = time.Now()
	s.view.mu.Lock()
	s.view.session = nil
	s.view.status.PID = nil
	s.view.mu.Unlock()
	s.dead(end)
	if end != nil {
		s.move(lost)
	}
}

// dead notes that there is no connection, and why; nil: the gateway stops.
func (s *supervisor) dead(why error) {
	s.view.mu.Lock()
	generation := s.view.generation
	s.view.mu.Unlock()
	s.pulse(generation, func(v *vitals) {
		v.connected = false
		if why != nil {
			v.why = client.Secrets(nil).RedactLine(why.Error(), client.MaxQuote)
		}
	})
}

// lose plans what follows a lost connection: the schedule, from its beginning if
// the connection was stable.
func (s *supervisor) lose(err error) {
	s.log.Warn("MCP connection lost", "err", err)
	if tell := s.host.cfg.Observer.Lost; tell != nil {
		tell(s.srv.ID, err)
	}
	s.plan.due = time.Time{}
	if !s.retry.Enabled {
		s.plan.since = time.Now()
		s.view.mu.Lock()
		defer s.view.mu.Unlock()
		s.view.status.ErrorMessage = known(statusText(err))
		return
	}
	s.schedule(err, true)
}

// report says once, in full, that the attempts are used up.
func (s *supervisor) report(err error) {
	f := failure{server: s.srv, attempts: s.plan.number, err: err, local: s.host.cfg.LocalTools}
	text := f.text()
	s.view.mu.Lock()
	s.view.status.Report = text
	s.view.mu.Unlock()
	s.log.Error(fmt.Sprintf("MCP connection failed after %d %s", f.attempts, plural("attempt", f.attempts)), "details", text) //nolint:sloglint // the words of M2
}

// answer frees whoever waits for a connection.
func (s *supervisor) answer(o outcome) {
	for _, reply := range s.plan.waiting {
		reply <- o
	}
	s.plan.waiting = nil
}

// settled says that the first connection is there, or that none will be tried.
func (s *supervisor) settled() { s.life.once.Do(func() { close(s.life.up) }) }
