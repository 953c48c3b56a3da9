package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/tools"
)

const (
	// ownIDs is the first id of the requests made here, far above the ids the
	// library uses.
	ownIDs = 1 << 40
	// cancelTimeout bounds the sending of a cancellation, which is a courtesy.
	cancelTimeout = 2 * time.Second
)

// rpcError is a JSON-RPC error. It is an answer: the connection works.
type rpcError struct {
	text     string
	code     int
	versions []string // the revisions that the server names when it refuses another one
}

func (r rpcError) Error() string { return r.text }

// request sends one request, bypassing the library's decoding, and waits for its
// answer. When ctx ends first, it tells the server that the request is cancelled.
func (s *session) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return s.send(ctx, s.stateless, method, params)
}

// send is request in a revision of the newest era, or with "" in the eras before.
func (s *session) send(ctx context.Context, stateless, method string, params any) (json.RawMessage, error) {
	if reason := s.Err(); reason != nil {
		return nil, unsentError{reason}
	}
	if method == string(mcp.MethodToolsCall) {
		s.quota.refillForCall()
	} else {
		s.quota.refillForRequest()
	}
	begin := time.Now()
	place := order.From(ctx)
	defer place.Pass()
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(s.lastID.Add(1)), Method: method, Params: params}
	if stateless != "" {
		fields, header, err := s.described(stateless, method, params)
		if err != nil {
			return nil, unsentError{err}
		}
		request.Params, request.Header = fields, header
	}
	if place != nil {
		ctx = s.passWhenSent(ctx, request.ID, place)
		defer s.leaving.Delete(request.ID.String())
	}
	answer, err := s.client.GetTransport().SendRequest(ctx, request)
	switch {
	case err != nil && ctx.Err() != nil:
		s.tellCancelled(ctx, request.ID)
		return nil, noAnswerIn(ctx, methodText(method), begin)
	case err != nil:
		return nil, s.secrets.RedactError(err)
	case answer.Error != nil:
		refused := answer.Error.AsError()
		unsupported, _ := errors.AsType[mcp.UnsupportedProtocolVersionError](refused)
		return nil, rpcError{s.secrets.RedactLine(refused.Error(), MaxQuote), answer.Error.Code, unsupported.Supported}
	}
	return answer.Result, nil
}

// passWhenSent gives a place back when its request has been sent, so that calls are sent
// in order and answered side by side. A child's pipe keeps the order. Over HTTP each
// call may have its own connection, and is sent later only if it is written later.
func (s *session) passWhenSent(ctx context.Context, id mcp.RequestId, place *order.Place) context.Context {
	s.leaving.Store(id.String(), place)
	return httptrace.WithClientTrace(ctx, whenSent(place.Pass))
}

// noteSent notes that a message has been written to our child process.
func (s *session) noteSent(message []byte) {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	waits := false
	s.leaving.Range(func(any, any) bool { waits = true; return false })
	if !waits || json.Unmarshal(message, &head) != nil {
		return
	}
	var id mcp.RequestId
	if json.Unmarshal(head.ID, &id) != nil {
		return
	}
	if place, ok := s.leaving.Load(id.String()); ok {
		place.(*order.Place).Pass()
	}
}

// methodText is a method as an error names it; of a call everybody knows what it was.
func methodText(method string) string {
	if method == string(mcp.MethodToolsCall) {
		return ""
	}
	return method
}

// runBeside runs fn in a goroutine, unless the session has ended; Close waits for
// it.
func (s *session) runBeside(fn func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endReason != nil {
		return false
	}
	s.background.Go(fn)
	return true
}

// tellCancelled tells the server that a request is cancelled. It does not block.
func (s *session) tellCancelled(ctx context.Context, id mcp.RequestId) {
	if _, web := s.client.GetTransport().(transport.HTTPConnection); web && s.stateless != "" {
		return // there the end of the request says it
	}
	var n mcp.JSONRPCNotification
	n.JSONRPC = mcp.JSONRPC_VERSION
	n.Method = string(mcp.MethodNotificationCancelled)
	n.Params.AdditionalFields = map[string]any{"requestId": id, "reason": ctx.Err().Error()}
	ctx = context.WithoutCancel(ctx)
	s.runBeside(func() {
		ctx, done := context.WithTimeout(ctx, cancelTimeout)
		defer done()
		_ = s.client.GetTransport().SendNotification(ctx, n)
	})
}

// list sends a list request.
func (s *session) list(ctx context.Context, method, cursor string, into any) error {
	var params any
	if cursor != "" {
		params = map[string]any{"cursor": cursor}
	}
	raw, err := s.request(ctx, method, params)
	if err != nil {
		return Explain(s.cause(withoutWrapping(err)))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return &shapeError{method, s.secrets.RedactError(err)}
	}
	return nil
}

// shapeError says that an answer came and cannot be read.
type shapeError struct {
	method string
	err    error
}

func (e *shapeError) Error() string {
	return fmt.Sprintf("the answer to %s has the wrong shape%s; whoever made the server has to mend it", e.method, misshapen(e.err))
}

// misshapen names the part of an answer that has the wrong shape, in words of ours, ""
// if it is not known.
func misshapen(err error) string {
	if shape, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && shape.Field != "" {
		kind, _, _ := strings.Cut(shape.Value, " ") // a number is named with its value
		return fmt.Sprintf(" (its %s is a %s)", shape.Field, kind)
	}
	return ""
}

func (e *shapeError) Unwrap() error { return e.err }

// Ping asks for a sign of life. The newest era has no ping; there it is the first page of
// the tools.
func (s *session) Ping(ctx context.Context) error {
	method := mcp.MethodPing
	if s.stateless != "" {
		method = mcp.MethodToolsList
	}
	if _, err := s.request(ctx, string(method), nil); err != nil {
		return fmt.Errorf("asking for a sign of life: %w", s.cause(err))
	}
	return nil
}

// callParams are the parameters of tools/call.
type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      callMeta        `json:"_meta"`

	// These answer a result of the newest era that asked for more.
	InputResponses map[string]any  `json:"inputResponses,omitempty"`
	RequestState   json.RawMessage `json:"requestState,omitempty"`
}

// callMeta asks the server to report progress under a token.
type callMeta struct {
	ProgressToken int64 `json:"progressToken"`
}

func (s *session) CallTool(ctx context.Context, name string, args json.RawMessage) (tools.Result, error) {
	if reason := s.Err(); reason != nil {
		return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrNotConnected, reason)
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	before := s.traffic()
	ctx, call := s.calls.begin(ctx)
	raw, err := s.callAnswering(ctx, callParams{Name: name, Arguments: args, Meta: callMeta{call.token}})
	s.calls.end(call)
	if err == nil {
		return readResult(raw, s.secrets), nil
	}
	if no, ok := errors.AsType[rpcError](err); ok {
		return truncateResult(tools.Result{Failed: true, Text: no.Error()}, maxResult), nil
	}
	return s.withoutAnswer(ctx, before, err)
}

// withoutAnswer decides what a call without an answer comes to, above all whether
// it may have been carried out. before is what had been written before the call.
func (s *session) withoutAnswer(ctx context.Context, before traffic, err error) (tools.Result, error) {
	if ctx.Err() != nil {
		return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrNoAnswer, s.withWords(err, before.said))
	}
	if answer, ok := errors.AsType[*HTTPError](err); ok && !answer.mayBeDone() {
		if answer.endsSession() {
			return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrNotConnected, answer)
		}
		return tools.Result{Failed: true, Text: answer.Error()}, nil
	}
	reason := s.secrets.RedactError(s.reasonOf(err))
	if unsent(err) || s.process != nil && s.process.neverRead(before.sent) {
		return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrNotConnected, reason)
	}
	return tools.Result{}, fmt.Errorf("%w: %w", tools.ErrNoAnswer, reason)
}

// unsentError is why a request was not sent.
type unsentError struct{ error }

func (e unsentError) Unwrap() error { return e.error }

// unsent reports whether a request cannot have reached the server.
func unsent(err error) bool {
	if _, ok := errors.AsType[unsentError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// traffic is how many bytes our child process was sent so far, and how many it wrote
// to its stderr; without one both are zero.
type traffic struct{ sent, said int64 }

func (s *session) traffic() traffic {
	if s.process == nil {
		return traffic{}
	}
	return traffic{s.process.written.Load(), s.process.child.StderrSize()}
}

// Words is the end of what our child process wrote to its stderr, "" without one.
func (s *session) Words() string {
	if s.process == nil {
		return ""
	}
	return s.secrets.RedactTail(s.process.child.Stderr(stderrRead))
}

// withWords adds to an error what our child process wrote to its stderr since it had
// written so many bytes.
func (s *session) withWords(err error, since int64) error {
	if s.process == nil {
		return err
	}
	fresh := s.process.child.StderrSize() - since
	words := s.secrets.RedactTail(s.process.child.Stderr(int(min(fresh, stderrRead))))
	if words == "" {
		return err
	}
	return &SaidError{words, err}
}

// cause replaces the library's "transport closed" by the reason, once known.
func (s *session) cause(err error) error {
	if reason := s.Err(); reason != nil && errors.Is(err, transport.ErrTransportClosed) {
		return reason
	}
	return err
}

// reasonOf says why a request got no answer. The library's error often comes a
// moment before the reason (exit status, last words) is known.
func (s *session) reasonOf(err error) error {
	if s.pid == 0 {
		if reason := s.Err(); reason != nil {
			return reason
		}
		return Explain(withoutWrapping(err)) // nothing else will tell
	}
	timer := time.NewTimer(2 * reasonGrace)
	defer timer.Stop()
	select {
	case <-s.done:
		return s.Err()
	case <-timer.C:
		return Explain(err)
	}
}
