package mcpint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/tools"
)

const (
	// protocolVersion is pinned: a probe for newer ones costs up to 5 s with
	// servers that ignore unknown methods, and newer ones have no ping (MCP.md 1).
	protocolVersion = "2025-11-25"
	// maxPages and maxTools bound what a server can list.
	maxPages = 50
	maxTools = 1000
	// ownIDs is where the ids of requests made here start, far from the library's.
	ownIDs = 1 << 40
)

// session is a connection through the client library, over any transport.
type session struct {
	client  *client.Client
	ids     atomic.Int64
	version string
	pid     int
	proc    *process     // nil when it is no process of ours
	stop    func() error // ends what is below the client

	mu     sync.Mutex
	reason error
	done   chan struct{}
	closed sync.Once
	result error // of the first Close
}

var (
	_ Session     = (*session)(nil)
	_ Mortal      = (*session)(nil)
	_ Resourceful = (*session)(nil)
	_ Identified  = (*session)(nil)
	_ Pingable    = (*session)(nil)
)

// newSession wraps a transport that is ready to be started.
func newSession(t transport.Interface, notify func(Notice), stop func() error) *session {
	s := &session{
		client: client.NewClient(t, client.WithProtocolVersion(protocolVersion)),
		stop:   stop, done: make(chan struct{}),
	}
	s.ids.Store(ownIDs)
	s.client.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationToolsListChanged:
			notify(Notice{Kind: ToolsChanged})
		case mcp.MethodNotificationResourcesListChanged:
			notify(Notice{Kind: ResourcesChanged})
		case mcp.MethodNotificationResourceUpdated:
			if uri, ok := n.Params.AdditionalFields["uri"].(string); ok {
				notify(Notice{Kind: ResourceUpdated, URI: uri})
			}
		}
	})
	return s
}

// open starts the transport, which then lives until Close, and shakes hands
// within the context.
func (s *session) open(ctx context.Context, o Options) error {
	if err := s.client.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = protocolVersion
	hello.Params.ClientInfo = mcp.Implementation{Name: o.Name, Version: o.Version}
	info, err := s.client.Initialize(ctx, hello)
	if err != nil {
		return err
	}
	s.version = info.ServerInfo.Version
	return nil
}

func (s *session) ServerVersion() string { return s.version }
func (s *session) PID() int              { return s.pid }
func (s *session) Done() <-chan struct{} { return s.done }

func (s *session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}

// end marks the connection as lost; the first reason stays.
func (s *session) end(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == nil {
		s.reason = reason
		close(s.done)
	}
}

var errClosed = errors.New("the connection was closed")

func (s *session) Close() error {
	s.closed.Do(func() {
		s.end(errClosed)
		// The library only closes the pipes; ending the process is ours.
		_ = s.client.Close()
		s.result = s.stop()
	})
	return s.result
}

// ListTools decodes tool by tool: with the library's own method one bad schema
// hides every tool of the server.
func (s *session) ListTools(ctx context.Context) ([]tools.Spec, error) {
	var specs []tools.Spec
	cursor := ""
	for range maxPages {
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := s.ask(ctx, string(mcp.MethodToolsList), cursor, &page); err != nil {
			return nil, fmt.Errorf("listing tools: %w", err)
		}
		for _, raw := range page.Tools {
			if spec, ok := specOf(raw); ok && len(specs) < maxTools {
				specs = append(specs, spec)
			}
		}
		if page.NextCursor == "" || page.NextCursor == cursor || len(specs) >= maxTools {
			break
		}
		cursor = page.NextCursor
	}
	return specs, nil
}

// ask sends a list request past the library's decoding.
func (s *session) ask(ctx context.Context, method, cursor string, into any) error {
	request := transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(s.ids.Add(1)), Method: method}
	if cursor != "" {
		request.Params = map[string]any{"cursor": cursor}
	}
	answer, err := s.client.GetTransport().SendRequest(ctx, request)
	if err != nil {
		return s.cause(err)
	}
	if answer.Error != nil {
		return answer.Error.AsError()
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		return fmt.Errorf("the answer to %s has the wrong shape: %w", method, err)
	}
	return nil
}

// cause replaces the library's "transport closed" by the reason, once known.
func (s *session) cause(err error) error {
	if reason := s.Err(); reason != nil && errors.Is(err, transport.ErrTransportClosed) {
		return reason
	}
	return err
}

func (s *session) CallTool(ctx context.Context, name string, args json.RawMessage) (tools.Result, error) {
	if reason := s.Err(); reason != nil {
		return tools.Result{}, fmt.Errorf("%w: %w", ErrNotConnected, reason)
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var request mcp.CallToolRequest
	request.Params.Name = name
	request.Params.Arguments = args
	before := s.given()
	answer, err := s.client.CallTool(ctx, request)
	if err == nil {
		return resultOf(answer), nil
	}
	if ctx.Err() != nil {
		return tools.Result{}, fmt.Errorf("%w: %w", ErrNoAnswer, ctx.Err())
	}
	if _, broken := errors.AsType[*transport.Error](err); broken {
		reason := s.lossOf(err)
		if s.proc != nil && s.proc.neverRead(before) {
			return tools.Result{}, fmt.Errorf("%w: %w", ErrNotConnected, reason)
		}
		return tools.Result{}, fmt.Errorf("%w: %w", ErrNoAnswer, reason)
	}
	// What is left is the server's refusal, or an answer in a wrong shape.
	return tools.Result{Failed: true, Text: err.Error()}, nil
}

// given is how many bytes a process of ours was sent so far.
func (s *session) given() int64 {
	if s.proc == nil {
		return 0
	}
	return s.proc.given.Load()
}

// Ping asks for a sign of life.
func (s *session) Ping(ctx context.Context) error {
	if err := s.client.Ping(ctx); err != nil { //nolint:staticcheck // sessions are pinned to a protocol that has it
		return fmt.Errorf("asking for a sign of life: %w", s.cause(err))
	}
	return nil
}

// lossOf says why a request got no answer. The library's error often comes a
// moment before the reason (exit status, last words) is known.
func (s *session) lossOf(err error) error {
	if s.pid == 0 {
		return err // nothing else will tell
	}
	timer := time.NewTimer(2 * reasonGrace)
	defer timer.Stop()
	select {
	case <-s.done:
		return s.Err()
	case <-timer.C:
		return err
	}
}

func (s *session) ListResources(ctx context.Context) ([]string, error) {
	if s.client.GetServerCapabilities().Resources == nil {
		return nil, nil
	}
	var uris []string
	cursor := ""
	for range maxPages {
		var page struct {
			Resources []struct {
				URI string `json:"uri"`
			} `json:"resources"`
			NextCursor string `json:"nextCursor"`
		}
		if err := s.ask(ctx, string(mcp.MethodResourcesList), cursor, &page); err != nil {
			return nil, fmt.Errorf("listing resources: %w", err)
		}
		for _, r := range page.Resources {
			uris = append(uris, r.URI)
		}
		if page.NextCursor == "" || page.NextCursor == cursor || len(uris) >= maxTools {
			break
		}
		cursor = page.NextCursor
	}
	return uris, nil
}

func (s *session) ReadResource(ctx context.Context, uri string) ([]byte, error) {
	var request mcp.ReadResourceRequest
	request.Params.URI = uri
	answer, err := s.client.ReadResource(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", uri, s.cause(err))
	}
	var body []byte
	for _, part := range answer.Contents {
		if text, ok := part.(mcp.TextResourceContents); ok {
			body = append(body, text.Text...)
		}
	}
	return body, nil
}

func (s *session) Subscribe(ctx context.Context, uri string) error {
	if offers := s.client.GetServerCapabilities().Resources; offers == nil || !offers.Subscribe {
		return nil
	}
	var request mcp.SubscribeRequest
	request.Params.URI = uri
	if err := s.client.Subscribe(ctx, request); err != nil { //nolint:staticcheck // deprecated for protocols after the pinned one
		return fmt.Errorf("subscribing to %s: %w", uri, s.cause(err))
	}
	return nil
}

// resultOf turns an answer into the one result form.
func resultOf(answer *mcp.CallToolResult) tools.Result {
	result := tools.Result{Failed: answer.IsError, Data: answer.RawStructuredContent}
	var parts []string
	for _, content := range answer.Content {
		switch c := content.(type) {
		case mcp.TextContent:
			parts = append(parts, c.Text)
		case mcp.EmbeddedResource:
			if text, ok := c.Resource.(mcp.TextResourceContents); ok {
				parts = append(parts, text.Text)
			}
		case mcp.ImageContent:
			parts = append(parts, "(an image)")
		case mcp.AudioContent:
			parts = append(parts, "(a sound)")
		}
	}
	result.Text = strings.Join(parts, "\n")
	if result.Text == "" {
		result.Text = string(result.Data)
	}
	if answer.Meta != nil {
		if at, ok := answer.Meta.AdditionalFields[publishedAt].(string); ok {
			// An unreadable time is as good as none.
			result.PublishedAt, _ = time.Parse(time.RFC3339Nano, at)
		}
	}
	return result
}
