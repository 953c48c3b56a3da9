package mcpint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/tools"
)

// remote is a discovered tool. It outlives connections: a call finds the present
// one or has one made.
type remote struct {
	spec tools.Spec
	via  *supervisor
}

func (s *supervisor) remotes(specs []tools.Spec) []tools.Tool {
	list := make([]tools.Tool, 0, len(specs))
	for _, spec := range specs {
		list = append(list, remote{spec, s})
	}
	return list
}

func (r remote) Spec() tools.Spec { return r.spec }

// Call makes one call, reconnecting first where needed and, once, after a loss
// that a repetition cannot make worse (M6).
func (r remote) Call(ctx context.Context, args json.RawMessage) (tools.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, r.via.srv.CallTimeout)
	defer cancel()
	harmless := r.spec.Risk == tools.Read || r.spec.Idempotent
	for first := true; ; first = false {
		result, err := r.via.call(ctx, r.spec.Remote, args)
		_, away := errors.AsType[*UnavailableError](err) // the one reconnect has been tried
		retry := errors.Is(err, ErrNotConnected) && !away || errors.Is(err, ErrNoAnswer) && harmless
		if err == nil || !first || !retry || ctx.Err() != nil {
			result.Untrusted = r.spec.OpenWorld
			return result, err
		}
	}
}

// call sends one call over the present connection, or over one made for it.
func (s *supervisor) call(ctx context.Context, name string, args json.RawMessage) (tools.Result, error) {
	session := s.session()
	if session == nil {
		var err error
		if session, err = s.send(ctx, false); err != nil {
			return tools.Result{}, &UnavailableError{Server: s.srv.ID, Err: err}
		}
	}
	begin := time.Now()
	s.calling.Add(1)
	result, err := session.CallTool(ctx, name, args)
	s.calling.Add(-1)
	took := time.Since(begin)
	s.beat(took, err)
	switch {
	case err != nil:
		return tools.Result{}, fmt.Errorf("calling %s on MCP server %q: %w", name, s.srv.ID, err)
	case took > slowCall:
		s.log.Warn("a tool call was slow", "tool", name, "took", took)
	}
	return result, nil
}

// session returns the present connection, nil if there is none or it has ended.
func (s *supervisor) session() Session {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	if mortal, ok := s.view.session.(Mortal); ok && mortal.Err() != nil {
		return nil
	}
	return s.view.session
}

// beat notes how a call went. One that its caller broke off says nothing about
// the server.
func (s *supervisor) beat(took time.Duration, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrNotConnected) {
		return
	}
	if err != nil {
		s.missedBeat()
		s.doubt()
		return
	}
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.vitals.failures, s.view.vitals.lastCall = 0, took
	s.view.lastReply = time.Now()
}

func (s *supervisor) missedBeat() {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	s.view.vitals.failures++
}

// UnavailableError means that a call was not made: its server is away and the one
// reconnect that was tried for the call did not succeed in time.
type UnavailableError struct {
	Server string
	Err    error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("the MCP server %q is not available: %v", e.Server, e.Err)
}

// Unwrap makes it an ErrNotConnected, too.
func (e *UnavailableError) Unwrap() []error { return []error{ErrNotConnected, e.Err} }
