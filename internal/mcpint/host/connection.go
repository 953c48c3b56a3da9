package host

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// connection is an open session with what was learned while opening it. Its
// announcements go into its own inbox, so that a late announcement of an old
// child never reaches the connection that replaced it.
type connection struct {
	session    client.Session
	generation int
	took       time.Duration // how long connecting took
	list       client.Listing
	untold     []string // changed tools that were not reported before
	name       string   // as the server calls itself; "" when it does not say
	version    string   // of the server; "" when it does not say
	pid        int      // of its process; 0 when the process is not ours
	inbox      *inbox
	done       <-chan struct{} // nil for sessions that never notice their end
}

// open dials and lists the tools; without tools a connection is of no use. server holds
// the settings of this attempt. late is called if its program does not answer in time.
func (s *supervisor) open(ctx context.Context, server mcpint.Server, generation int, late func(error)) (*connection, error) {
	began := time.Now()
	inbox := &inbox{notices: map[client.Notice]struct{}{}, filled: make(chan struct{}, 1)}
	conn := &connection{generation: generation, inbox: inbox}
	options := s.host.cfg.Options
	options.Notify, options.Late = conn.inbox.put, late
	options.Log = s.log
	session, err := s.host.dial(ctx, server, options)
	if err != nil {
		return nil, err
	}
	conn.session = session
	listing := ctx
	if soonEnough := began.Add(server.ConnectTimeout); time.Now().Before(soonEnough) {
		var cancel func()
		listing, cancel = context.WithDeadline(ctx, soonEnough)
		defer cancel()
	}
	conn.list, err = session.ListTools(listing)
	if err != nil {
		err = client.CloseUnlisted(listing, server, session, err)
		return nil, err
	}
	if id, ok := session.(client.Identified); ok {
		conn.pid, conn.name, conn.version = id.PID(), id.ServerName(), id.ServerVersion()
	}
	if mortal, ok := session.(client.Mortal); ok {
		conn.done = mortal.Done()
	}
	return conn, nil
}

// dialling is an attempt at a connection that has not ended yet.
type dialling struct {
	began  time.Time
	result chan dialResult    // gets one value
	late   chan error         // why its server has not answered in time; gets one value at most
	cancel context.CancelFunc // ends it, with the program that it has started
}

// dialResult is how a dialling ended.
type dialResult struct {
	conn *connection
	err  error
}

// startDialling dials a server with the settings of this attempt. A program that has not
// answered in time may go on starting, but only one at a time.
func (s *supervisor) startDialling(ctx context.Context, server mcpint.Server) *dialling {
	limit := server.ConnectTimeout
	d := &dialling{began: time.Now(), result: make(chan dialResult, 1)}
	var late func(error)
	if longer := s.srv.StartingTime(limit); s.latecomer == nil && longer > limit {
		limit = longer
		d.late = make(chan error, 1)
		late = func(err error) { d.late <- err }
	}
	ctx, d.cancel = context.WithTimeout(ctx, limit)
	generation := s.plan.generation
	go func() {
		defer d.cancel()
		conn, err := s.open(ctx, server, generation, late)
		if conn != nil {
			conn.took = time.Since(d.began)
		}
		d.result <- dialResult{conn, err}
	}()
	return d
}

// outcome returns the channel of the result; it is nil, and never ready, if there is no dialling.
func (d *dialling) outcome() <-chan dialResult {
	if d == nil {
		return nil
	}
	return d.result
}

// abandon ends a dialling that is not needed any more, with the connection that it may
// have made meanwhile. It does not wait for the end of its program.
func (s *supervisor) abandon(d *dialling) {
	if d == nil {
		return
	}
	d.cancel()
	s.background.Go(func() {
		if r := <-d.result; r.conn != nil {
			_ = r.conn.session.Close()
		}
	})
}

// gone reports whether the session has ended already.
func (c *connection) gone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

var errLost = errors.New("the connection was lost")

// reason says why the connection ended.
func (c *connection) reason() error {
	if mortal, ok := c.session.(client.Mortal); ok && mortal.Err() != nil {
		return mortal.Err()
	}
	return errLost
}
