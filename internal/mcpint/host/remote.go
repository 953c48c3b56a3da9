package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// remote is a discovered tool. It outlives connections: a call finds the present
// one or has one made.
type remote struct {
	spec tools.Spec
	via  *supervisor
}

// offer puts the tools of a connection into the registry, those the configuration
// lets through, and returns how many they are.
func (s *supervisor) offer(specs []tools.Spec) int {
	list := s.remotes(specs)
	s.host.reg.Replace(s.srv.ID, list)
	return len(list)
}

func (s *supervisor) remotes(specs []tools.Spec) []tools.Tool {
	list := make([]tools.Tool, 0, len(specs))
	for _, spec := range specs {
		if s.srv.Lets(spec.Name) {
			list = append(list, remote{spec, s})
		}
	}
	return list
}

func (r remote) Spec() tools.Spec { return r.spec }

// Call makes one call, reconnecting first where needed and, once, after a loss
// that a repetition cannot make worse (M6).
func (r remote) Call(ctx context.Context, args json.RawMessage) (tools.Result, error) {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.via.srv.CallTimeout)
	defer cancel()
	harmless := r.spec.Risk == tools.Read || r.spec.Idempotent
	for first := true; ; first = false {
		result, err := r.via.call(ctx, r.spec.Remote, args)
		retry := errors.Is(err, tools.ErrNotConnected) && !final(err) || errors.Is(err, tools.ErrNoAnswer) && harmless
		if err == nil || !first || !retry || ctx.Err() != nil {
			result.Untrusted = r.spec.OpenWorld
			r.via.called(r.spec.Remote, result, err, time.Since(begin))
			return result, err
		}
	}
}

// final says that a call was not made for a reason which another try at once
// cannot change: the one reconnect has been tried, or the breaker is open.
func final(err error) bool {
	_, away := errors.AsType[*UnavailableError](err)
	_, paused := errors.AsType[*BreakerError](err)
	return away || paused
}

// call sends one call over the present connection, or over one made for it.
func (s *supervisor) call(ctx context.Context, name string, args json.RawMessage) (tools.Result, error) {
	session, generation := s.session()
	if session == nil {
		got, err := s.send(ctx)
		if err != nil {
			return tools.Result{}, &UnavailableError{Server: s.srv.ID, Err: err}
		}
		session, generation = got.session, got.generation
	}
	done, err := s.breaker.allow(s.srv.ID)
	if err != nil {
		return tools.Result{}, err
	}
	begin := time.Now()
	s.calling.Add(1)
	result, err := session.CallTool(ctx, name, args)
	s.calling.Add(-1)
	took := time.Since(begin)
	done(s.counts(session, generation, took, err))
	if err != nil {
		err = fmt.Errorf("calling %s on MCP server %q: %w", s.redact(name), s.srv.ID, err)
		result = tools.Result{}
	}
	if took > slowCall {
		s.log.Warn("a tool call was slow", "tool", s.redact(name), "took", took, "answered", err == nil)
	}
	return result, err
}

// session returns the present connection and its generation, nil if there is none
// or it has ended.
func (s *supervisor) session() (client.Session, int) {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	if mortal, ok := s.view.session.(client.Mortal); ok && mortal.Err() != nil {
		return nil, 0
	}
	return s.view.session, s.view.generation
}

// counts notes how a call went and returns what the breaker is to make of it. One
// that its caller broke off, or that was never sent, says nothing about a
// connected server; nor do all those that a loss ended but the first.
func (s *supervisor) counts(session client.Session, generation int, took time.Duration, err error) error {
	switch {
	case err == nil:
		s.pulse(generation, func(v *vitals) { v.failures, v.silences, v.lastCall = 0, 0, took })
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, tools.ErrNotConnected):
		return errBrokenOff
	}
	s.pulse(generation, func(v *vitals) { v.failures++ })
	s.doubt()
	if mortal, ok := session.(client.Mortal); ok && mortal.Err() != nil && !s.breaker.firstLoss(generation) {
		return errBrokenOff
	}
	return err
}

// called passes the end of a call on.
func (s *supervisor) called(name string, r tools.Result, err error, took time.Duration) {
	if tell := s.host.cfg.Observer.Call; tell != nil {
		tell(CallReport{Server: s.srv.ID, Tool: name, Outcome: outcomeOf(r, err), Took: took})
	}
}

func outcomeOf(r tools.Result, err error) mcpint.CallOutcome {
	if err == nil {
		if r.Failed {
			return mcpint.CallFailed
		}
		return mcpint.CallOK
	}
	_, paused := errors.AsType[*BreakerError](err)
	switch {
	case paused:
		return mcpint.CallRefused
	case errors.Is(err, context.Canceled):
		return mcpint.CallCancelled
	case errors.Is(err, tools.ErrNotConnected):
		return mcpint.CallUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return mcpint.CallTimeout
	}
	return mcpint.CallLost
}

// redact returns a name of the server's, fit to be shown.
func (s *supervisor) redact(name string) string {
	return client.SecretsOf(s.srv).RedactLine(name, maxPinned)
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
func (e *UnavailableError) Unwrap() []error { return []error{tools.ErrNotConnected, e.Err} }
