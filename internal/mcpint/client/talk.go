package client

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/tools"
)

// underWay are the calls that have no answer yet, by their progress tokens: what a server
// says by itself is about one of them.
type underWay struct {
	mu    sync.Mutex
	last  int64
	calls map[int64]*callUnderWay
}

// callUnderWay is a call that has no answer yet.
type callUnderWay struct {
	ctx    context.Context //nolint:containedctx // what the server says meanwhile is heard for this call
	token  int64
	over   chan struct{}  // closed with the answer
	asking sync.WaitGroup // questions of the server to the person
}

// hold stops the clock of the call until release is called.
func (c *callUnderWay) hold() (release func()) { return tools.Hold(c.ctx) }

// talk is the way to the person for whom the call is made; nil without one.
func (c *callUnderWay) talk() tools.Talk { return tools.TalkOf(c.ctx) }

// whenOver calls a function when the call has its answer, or is given up, unless stop is
// called before.
func (c *callUnderWay) whenOver(do func()) (stop func()) {
	stopped := make(chan struct{})
	go func() {
		select {
		case <-c.over:
			do()
		case <-c.ctx.Done():
			do()
		case <-stopped:
		}
	}()
	return sync.OnceFunc(func() { close(stopped) })
}

type callKey struct{}

// begin notes a call. The context it returns belongs to the call.
func (u *underWay) begin(ctx context.Context) (context.Context, *callUnderWay) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls == nil {
		u.calls = map[int64]*callUnderWay{}
	}
	u.last++
	c := &callUnderWay{token: u.last, over: make(chan struct{})}
	c.ctx = context.WithValue(ctx, callKey{}, c)
	u.calls[c.token] = c
	return c.ctx, c
}

// end notes that a call has its answer. It returns when no question that belongs to it is
// open, because who called may go on only then.
func (u *underWay) end(c *callUnderWay) {
	u.mu.Lock()
	delete(u.calls, c.token)
	u.mu.Unlock()
	close(c.over)
	c.asking.Wait()
}

// wait waits until the calls that are under way have their answers, at the longest for limit.
func (u *underWay) wait(limit time.Duration) {
	u.mu.Lock()
	calls := slices.Collect(maps.Values(u.calls))
	u.mu.Unlock()
	over := time.NewTimer(limit)
	defer over.Stop()
	for _, c := range calls {
		select {
		case <-c.over:
		case <-over.C:
			return
		}
	}
}

// of returns the call with a progress token.
func (u *underWay) of(token any) (*callUnderWay, bool) {
	number, ok := token.(float64) // as JSON has it
	if !ok {
		return nil, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	c, ok := u.calls[int64(number)]
	return c, ok
}

// asker returns the call during which a server asks, and counts the question: over HTTP
// the request comes on the call's own stream. A child's pipe does not say it, so there all
// calls under way must be of one turn. It returns nil if it is not known who would be asked.
func (u *underWay) asker(ctx context.Context) *callUnderWay {
	u.mu.Lock()
	defer u.mu.Unlock()
	found, _ := ctx.Value(callKey{}).(*callUnderWay)
	if found == nil {
		for _, c := range u.calls {
			if found != nil && c.talk() != found.talk() {
				return nil
			}
			if found == nil || c.token > found.token {
				found = c
			}
		}
	}
	if found == nil || u.calls[found.token] != found || found.talk() == nil {
		return nil
	}
	found.asking.Add(1)
	return found
}

// progress notes that a server says that a call goes on.
func (s *session) progress(n mcp.JSONRPCNotification) {
	c, ok := s.calls.of(n.Params.AdditionalFields["progressToken"])
	if !ok {
		return
	}
	tools.Progress(c.ctx)
	if talk := tools.TalkOf(c.ctx); talk != nil {
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
