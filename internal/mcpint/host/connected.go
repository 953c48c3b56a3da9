package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// errRenewed is why a connection ends when a user asked for a new one.
var errRenewed = errors.New("a new connection was asked for")

// keepConnected keeps a connection until it is lost (true) or ctx ends (false).
func (s *supervisor) keepConnected(ctx context.Context, conn *connection) bool {
	s.showConnected(conn)
	following, unfollow := context.WithCancel(ctx)
	var followers sync.WaitGroup
	hangs := make(chan struct{})
	followers.Go(func() { s.follow(following, conn) })
	followers.Go(func() { s.watchHealth(following, conn, hangs) })
	end := s.waitForEnd(ctx, conn, hangs)
	unfollow()
	s.showDisconnected(end)
	switch {
	case end == nil:
	case errors.Is(end, errRenewed):
		s.log.Info("MCP connection is made anew")
		s.resetSchedule()
		s.plan.forceAttempt()
	default:
		s.connectionLost(end)
	}
	s.closeConnection(ctx, conn)
	followers.Wait()
	return end != nil
}

// waitForEnd waits for the end of a connection and returns the reason; nil means
// that ctx ended.
func (s *supervisor) waitForEnd(ctx context.Context, conn *connection, hangs <-chan struct{}) error {
	stable := time.NewTimer(stableAfter)
	defer stable.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-conn.done:
			return conn.reason()
		case <-hangs:
			return errHanging
		case <-stable.C:
			s.resetSchedule()
		case <-s.requests.wake: // a connected server has nothing to do
		case a := <-s.requests.connect:
			if conn.gone() {
				s.plan.waiters = append(s.plan.waiters, a.reply)
				s.plan.urgency = besideSchedule
				return conn.reason()
			}
			a.reply <- outcome{session: conn.session, generation: conn.generation}
		case a := <-s.requests.retry:
			if !a.renew {
				s.breaker.halfOpen()
				s.requestCheck()
			}
			a.reply <- outcome{}
			if a.renew {
				return errRenewed
			}
		}
	}
}

// closeConnection ends a connection and returns when its process is gone, so that
// the next process finds free what this one held. Meanwhile it answers requests.
func (s *supervisor) closeConnection(ctx context.Context, conn *connection) {
	closed := make(chan error, 1)
	go func() { closed <- conn.session.Close() }()
	for {
		select {
		case err := <-closed:
			if err != nil {
				s.log.Error("closing the MCP connection", "err", err)
			}
			return
		case a := <-s.requests.connect:
			s.plan.waiters = append(s.plan.waiters, a.reply)
			s.plan.urgency = max(s.plan.urgency, besideSchedule)
		case a := <-s.requests.retry:
			if ctx.Err() != nil {
				a.reply <- outcome{err: errStopping}
				continue
			}
			s.beginAnew(a)
		}
	}
}

// showConnected shows a new connection.
func (s *supervisor) showConnected(conn *connection) {
	s.plan.urgency, s.plan.took = notUrgent, conn.took
	s.plan.home = s.srv.IsHomeAssistantCalled(conn.name)
	s.home.Store(s.plan.home)
	s.endRequirementWait()
	// First, so that a reader who sees the new state also finds the tools.
	count, untold := s.offer.adopt(conn.list)
	conn.untold = untold
	s.breaker.halfOpen()
	s.view.mu.Lock()
	s.view.session, s.view.generation = conn.session, conn.generation
	status := &s.view.status
	status.LastSuccess = timestamp(time.Now())
	status.ErrorMessage, status.Fault, status.NextRetryTime, status.Report = nil, nil, nil, ""
	status.PID, status.Version = pointerOrNil(conn.pid), pointerOrNil(conn.version)
	s.view.mu.Unlock()
	s.noteVitals(conn.generation, func(v *vitals) { *v = vitals{connected: true} })
	s.move(opened)
	s.log.Info(fmt.Sprintf("MCP connection succeeded on attempt %d", s.plan.attempts), "tools", count) //nolint:sloglint // the words of M2
	s.toolsArrived()
	if tell := s.host.cfg.Observer.Connected; tell != nil {
		tell(Connection{
			Server: s.srv.ID, Attempt: s.plan.attempts, Took: conn.took, Away: time.Since(s.plan.awaySince), Tools: count,
		})
	}
	s.firstRoundOver()
	s.answerWaiters(outcome{session: conn.session, generation: conn.generation})
}

// showDisconnected removes the connection from the view, and moves to the next
// state if it ended by itself.
func (s *supervisor) showDisconnected(end error) {
	s.plan.awaySince = time.Now()
	s.view.mu.Lock()
	s.view.session = nil
	s.view.status.PID = nil
	s.view.mu.Unlock()
	s.noteDead(end, 0)
	if end != nil {
		s.move(lost)
	}
}

// noteDead notes that there is no connection, and why; nil: the gateway stops. attempts
// is how many attempts found it out.
func (s *supervisor) noteDead(why error, attempts int) {
	s.view.mu.Lock()
	generation := s.view.generation
	s.view.mu.Unlock()
	s.noteVitals(generation, func(v *vitals) {
		v.connected = false
		v.failures += attempts
		if why != nil {
			v.whyAway = client.Secrets(nil).RedactLine(why.Error(), client.MaxQuote)
		}
	})
}

// connectionLost plans what follows a lost connection: the schedule, from its
// beginning if the connection was stable.
func (s *supervisor) connectionLost(err error) {
	s.log.Warn("MCP connection lost", "err", err)
	if tell := s.host.cfg.Observer.Lost; tell != nil {
		tell(s.srv.ID, err)
	}
	s.plan.due = time.Time{}
	if !s.plan.retry.Enabled {
		s.plan.waitingSince = time.Now()
		s.view.update(func(s *mcpint.Status) {
			s.ErrorMessage, s.Fault = pointerOrNil(statusText(err)), pointerOrNil(faultOf(err))
		})
		return
	}
	s.scheduleNext(err, true, time.Now(), nil)
}

// reportFailure says once, in full, that the attempts are used up.
func (s *supervisor) reportFailure(err error) {
	f := failure{server: s.srv, attempts: s.plan.attempts, err: err, local: localTools, others: s.host.connectedBeside(s.srv.ID)}
	text := f.text()
	s.view.update(func(s *mcpint.Status) { s.Report = text })
	s.log.Error(fmt.Sprintf("MCP connection failed after %d %s", f.attempts, plural("attempt", f.attempts)), "details", text) //nolint:sloglint // the words of M2
}

// answerWaiters frees every caller that waits for a connection.
func (s *supervisor) answerWaiters(o outcome) {
	for _, reply := range s.plan.waiters {
		reply <- o
	}
	s.plan.waiters = nil
}
