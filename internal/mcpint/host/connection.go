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
	version    string   // of the server; "" when it does not say
	pid        int      // of its process; 0 when the process is not ours
	inbox      *inbox
	done       <-chan struct{} // nil for sessions that never notice their end
}

// open dials and lists the tools; without tools a connection is of no use. server holds
// the settings of this attempt.
func (s *supervisor) open(ctx context.Context, server mcpint.Server, generation int) (*connection, error) {
	inbox := &inbox{notices: map[client.Notice]struct{}{}, filled: make(chan struct{}, 1)}
	conn := &connection{generation: generation, inbox: inbox}
	options := s.host.cfg.Options
	options.Notify = conn.inbox.put
	options.Log = s.log
	session, err := s.host.dial(ctx, server, options)
	if err != nil {
		return nil, err
	}
	conn.session = session
	conn.list, err = session.ListTools(ctx)
	if err != nil {
		err = client.CloseUnlisted(ctx, server, session, err)
		return nil, err
	}
	if id, ok := session.(client.Identified); ok {
		conn.pid, conn.version = id.PID(), id.ServerVersion()
	}
	if mortal, ok := session.(client.Mortal); ok {
		conn.done = mortal.Done()
	}
	return conn, nil
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
