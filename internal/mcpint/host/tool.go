package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// remoteTool is a discovered tool. It outlives connections: a call uses the
// current connection, or waits for a new one.
type remoteTool struct {
	spec   tools.Spec
	server *supervisor
}

// useTools puts tools of a server into the registry, and shows what is not used.
func (s *supervisor) useTools(used []tools.Spec, changed []string, unused []mcpint.UnusedTool, unusedCount int) {
	list := s.remoteTools(used)
	s.host.reg.Replace(s.srv.ID, list)
	count := len(list)
	s.view.update(func(st *mcpint.Status) {
		st.Tools, st.ToolsChanged, st.ToolsUnused, st.ToolsUnusedCount = &count, changed, unused, unusedCount
	})
}

// earlierTools are the names of the tools that the server had in an earlier run, as far
// as the configuration allows them. It is called before the server is run.
func (s *supervisor) earlierTools() []string {
	s.offer.pins.load()
	return slices.DeleteFunc(slices.Collect(maps.Keys(s.offer.pins.byName)), func(name string) bool { return !s.srv.Tools.Lets(name) })
}

func (s *supervisor) remoteTools(specs []tools.Spec) []tools.Tool {
	list := make([]tools.Tool, 0, len(specs))
	for _, spec := range specs {
		list = append(list, remoteTool{spec, s})
	}
	return list
}

func (r remoteTool) Spec() tools.Spec { return r.spec }

// Call makes one call, reconnecting first where needed and, once, after a loss
// that a repetition cannot make worse (M6). That the repetition could not be sent
// does not mean that nothing was done.
func (r remoteTool) Call(ctx context.Context, args json.RawMessage) (tools.Result, error) {
	begin := time.Now()
	ctx, cancel := tools.WithLimit(ctx, r.server.srv.CallTimeout, tools.NoPatience)
	defer cancel()
	harmless := r.spec.Risk == tools.Read || r.spec.Idempotent
	var unanswered error
	for first := true; ; first = false {
		result, err := r.server.call(ctx, r.spec.Remote, args)
		if unanswered != nil && errors.Is(err, tools.ErrNotConnected) {
			err = unanswered
		}
		retry := errors.Is(err, tools.ErrNotConnected) && !isFinal(err) || errors.Is(err, tools.ErrNoAnswer) && harmless
		if err == nil || !first || !retry || ctx.Err() != nil {
			result = r.doubt(result, err)
			if tell := r.server.host.cfg.Observer.Call; tell != nil {
				tell(CallReport{Server: r.server.srv.ID, Tool: r.spec.Remote, Outcome: outcomeOf(result, err), Took: time.Since(begin)})
			}
			return result, err
		}
		if errors.Is(err, tools.ErrNoAnswer) {
			unanswered = err
		}
	}
}

// doubt says of a result how far it can be believed.
func (r remoteTool) doubt(result tools.Result, err error) tools.Result {
	result.Untrusted = r.spec.OpenWorld || stderrOf(err) != ""
	if err == nil && r.spec.Risk != tools.Read && r.server.home.Load() {
		return asClaim(r.spec.Remote, result)
	}
	return result
}

// isFinal reports whether a call was not made for a reason that an immediate
// repetition cannot change: the one reconnect has been tried, or the breaker is
// open.
func isFinal(err error) bool {
	_, away := errors.AsType[*UnavailableError](err)
	_, paused := errors.AsType[*BreakerError](err)
	return away || paused
}

// call sends one call over the current connection, or over one made for it.
func (s *supervisor) call(ctx context.Context, name string, args json.RawMessage) (tools.Result, error) {
	session, generation := s.session()
	if session == nil {
		got, err := s.requestConnection(ctx)
		if err != nil {
			return tools.Result{}, &UnavailableError{Server: s.srv.ID, Err: whyUnavailable(ctx, err, s.status()), goesOn: s.plan.retry.Enabled}
		}
		session, generation = got.session, got.generation
	}
	done, err := s.breaker.allow(s.srv.ID)
	if err != nil {
		return tools.Result{}, err
	}
	begin := time.Now()
	s.callsUnderWay.Add(1)
	result, err := session.CallTool(ctx, name, args)
	s.callsUnderWay.Add(-1)
	took := time.Since(begin) - tools.HeldFor(ctx)
	slow := took > slowCall
	if err == nil && onItsWay(result.Receipt) { // a blind, which says so after a while
		slow, took = false, 0
	}
	done(s.noteCall(session, generation, took, err))
	if err != nil {
		err = fmt.Errorf("calling %s on MCP server %q: %w%s%s", nameText(s.srv, name), s.srv.ID, err, lastWords(err), whatFollows(session, err, s.plan.retry.Enabled))
		result = tools.Result{}
	}
	if slow {
		s.log.Warn("a tool call was slow", "tool", nameText(s.srv, name), "took", took, "answered", err == nil)
	}
	return result, err
}

// onItsWay reports whether a device, or one of a group, still moves: then the time of the
// call is that of its motor, not of the server.
func onItsWay(r *tools.Receipt) bool {
	return r != nil && (r.Reason == tools.OnItsWay || slices.ContainsFunc(r.Devices, func(d tools.Receipt) bool { return onItsWay(&d) }))
}

// whyUnavailable says why a call got no connection.
func whyUnavailable(ctx context.Context, err error, status mcpint.Status) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	if status.ErrorMessage == nil {
		return &waitedError{"the connection took longer than the call may", err}
	}
	return &waitedError{"the connection took longer than the call may; before it: " + *status.ErrorMessage, err}
}

// waitedError says in words that a call waited for a connection in vain.
type waitedError struct {
	text  string
	cause error
}

func (e *waitedError) Error() string { return e.text }
func (e *waitedError) Unwrap() error { return e.cause }

// whatFollows says what is done about a call without an answer, if something is.
func whatFollows(session client.Session, err error, goesOn bool) string {
	mortal, ok := session.(client.Mortal)
	switch {
	case errors.Is(err, context.Canceled) || !goesOn:
		return ""
	case ok && mortal.Err() != nil:
		return "; it is being connected anew"
	}
	return "; it is being checked, and connected anew if it hangs"
}

// session returns the current connection and its generation; nil if there is none
// or it has ended.
func (s *supervisor) session() (client.Session, int) {
	s.view.mu.Lock()
	defer s.view.mu.Unlock()
	if mortal, ok := s.view.session.(client.Mortal); ok && mortal.Err() != nil {
		return nil, 0
	}
	return s.view.session, s.view.generation
}

// fairTime is how long a server has for a call before a time-out is its failure.
const fairTime = 3 * time.Second

// noteCall records how a call went and returns what to report to the breaker. A call that
// its caller cancelled, that was never sent, or that ended before the server had its
// fairTime says nothing about a connected server; in the last case the server is checked.
// Of the calls that a lost connection ended, only the first counts.
func (s *supervisor) noteCall(session client.Session, generation int, took time.Duration, err error) error {
	switch {
	case err == nil:
		s.noteVitals(generation, func(v *vitals) { v.failures, v.silences, v.lastDuration = 0, 0, took })
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, tools.ErrNotConnected):
		return errCallCancelled
	case errors.Is(err, context.DeadlineExceeded) && took < min(s.srv.CallTimeout, fairTime):
		s.requestCheck()
		return errCallCancelled // its caller had waited for something else before
	}
	s.noteVitals(generation, func(v *vitals) { v.failures++ })
	s.requestCheck()
	if mortal, ok := session.(client.Mortal); ok && mortal.Err() != nil && !s.breaker.firstLoss(generation) {
		return errCallCancelled
	}
	return err
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

// nameText returns a name that a server gave, fit to be shown.
func nameText(srv mcpint.Server, name string) string {
	return client.SecretsOf(srv).RedactLine(name, maxPinned)
}

// UnavailableError means that a call was not made: its server is not connected,
// and the one reconnect tried for the call did not succeed in time.
type UnavailableError struct {
	Server string
	Err    error
	goesOn bool // it goes on being tried
}

func (e *UnavailableError) Error() string {
	text := fmt.Sprintf("the MCP server %q is not available: %v%s", e.Server, e.Err, lastWords(e.Err))
	if e.goesOn {
		return text + "; it goes on being tried"
	}
	return fmt.Sprintf("%s; voice-gateway servers retry %s tries it again", text, e.Server)
}

// Unwrap makes it an ErrNotConnected, too.
func (e *UnavailableError) Unwrap() []error { return []error{tools.ErrNotConnected, e.Err} }
