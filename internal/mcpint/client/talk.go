package client

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/tools"
)

// underWay are the calls that have no answer yet, by their progress tokens: what a server
// says by itself is about one of them.
type underWay struct {
	mu    sync.Mutex
	last  int64
	calls map[int64]context.Context
}

// begin notes a call and returns its progress token. end is called with the answer.
func (u *underWay) begin(ctx context.Context) (token int64, end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls == nil {
		u.calls = map[int64]context.Context{}
	}
	u.last++
	token = u.last
	u.calls[token] = ctx
	return token, func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.calls, token)
	}
}

// of returns the context of the call with a progress token.
func (u *underWay) of(token any) (context.Context, bool) {
	number, ok := token.(float64) // as JSON has it
	if !ok {
		return nil, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	ctx, ok := u.calls[int64(number)]
	return ctx, ok
}

// asker returns the context of the call during which a server asks: over HTTP the request
// comes on the call's own stream. A child's pipe does not say it, so there all calls under
// way must be of one turn. ok is false if it is not known who would be asked.
func (u *underWay) asker(ctx context.Context) (_ context.Context, ok bool) {
	if tools.TalkOf(ctx) != nil {
		return ctx, true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	var who tools.Talk
	var latest int64
	for token, call := range u.calls {
		talk := tools.TalkOf(call)
		if talk == nil || who != nil && who != talk {
			return nil, false
		}
		who, latest = talk, max(latest, token)
	}
	return u.calls[latest], who != nil
}

// progress notes that a server says that a call goes on.
func (s *session) progress(n mcp.JSONRPCNotification) {
	ctx, ok := s.calls.of(n.Params.AdditionalFields["progressToken"])
	if !ok {
		return
	}
	tools.Lift(ctx)
	if talk := tools.TalkOf(ctx); talk != nil {
		talk.Working(s.id)
	}
}

// answerServer answers a request of the server. What we do not offer does not exist, and
// the code of the error says so.
func (s *session) answerServer(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	var result any
	switch r.Method {
	case string(mcp.MethodPing):
		result = struct{}{}
	case string(mcp.MethodElicitationCreate):
		result = s.elicit(ctx, r.Params)
	default:
		return transport.NewJSONRPCErrorResponse(r.ID, mcp.METHOD_NOT_FOUND, "this client does not offer the method", nil), nil
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	return transport.NewJSONRPCResultResponse(r.ID, raw), nil
}
