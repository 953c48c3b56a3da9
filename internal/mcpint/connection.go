package mcpint

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/tools"
)

// connection is an opened session with what was learned while opening it. What it
// announces goes into its own inbox, so that a late word of an old child never
// reaches its successor.
type connection struct {
	session    Session
	generation int
	took       time.Duration // to make it
	specs      []tools.Spec
	peer       PeerStatus
	inbox      *inbox
	done       <-chan struct{} // nil for sessions that never notice their end
}

// open dials and lists the tools; without tools a connection is of no use.
func (s *supervisor) open(ctx context.Context, generation int) (*connection, error) {
	conn := &connection{generation: generation, inbox: newInbox()}
	options := s.host.cfg.Options
	options.Notify = conn.inbox.put
	options.Log = s.log
	session, err := s.host.dial(ctx, s.srv, options)
	if err != nil {
		return nil, err
	}
	conn.session = session
	conn.specs, err = session.ListTools(ctx)
	if err != nil {
		err = s.unlisted(ctx, session, err)
		return nil, err
	}
	if len(conn.specs) >= maxTools {
		s.log.Warn("the server offers very many tools; only the first are taken", "tools", maxTools)
	}
	if id, ok := session.(Identified); ok {
		conn.peer.PID, conn.peer.Version = known(id.PID()), known(id.ServerVersion())
	}
	if mortal, ok := session.(Mortal); ok {
		conn.done = mortal.Done()
	}
	return conn, nil
}

// unlisted ends a session whose tools could not be listed, and says why.
func (s *supervisor) unlisted(ctx context.Context, session Session, err error) error {
	failure := &DialError{Server: s.srv.ID, Transport: s.srv.transport(), Err: err}
	if mortal, ok := session.(Mortal); ok && ctx.Err() == nil && cutOff(mortal, err) {
		timer := time.NewTimer(2 * reasonGrace)
		defer timer.Stop()
		select {
		case <-mortal.Done():
			failure.Err = mortal.Err()
			if end, ok := errors.AsType[*EndError](failure.Err); ok {
				failure.Err = errors.New("the process ended before it listed its tools")
				failure.Exit, failure.Stderr = end.Exit, end.Stderr
			}
		case <-timer.C:
		}
	}
	_ = session.Close()
	return failure
}

// cutOff says of a failed request that the connection broke. After an answer,
// however bad, there is no end of the process to wait for.
func cutOff(m Mortal, err error) bool {
	_, refused := errors.AsType[refusal](err)
	_, odd := errors.AsType[*shapeError](err)
	_, web := errors.AsType[*HTTPError](err)
	return m.Err() != nil || !refused && !odd && !web
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
	if mortal, ok := c.session.(Mortal); ok && mortal.Err() != nil {
		return mortal.Err()
	}
	return errLost
}
