// Package serve offers our own tools and resources to MCP hosts: over stdio or HTTP as a
// program of its own (Run), or inside another HTTP server (Endpoint).
//
// It exists because the protocol library does not do what a house needs: arguments are
// checked and corrected before a tool sees them, every failure is an answer a model can
// read, no message ends the process, and a page in a browser cannot reach the house. A
// new tool or resource is an entry of Config; a new way to be reached is a file that puts
// an offer on a transport.
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/tools"
)

// Config says what our server offers and where.
type Config struct {
	Name, Version string
	Instructions  string // for the model of the host
	Tools         []tools.Tool
	Resources     []Resource

	HTTPAddr string // host:port for Streamable HTTP at /mcp; empty means stdio
	Token    string // bearer token for HTTP; without one only loopback is served
	// Origins are those of web pages that may ask over HTTP beside our own address,
	// such as https://house.example; see CheckOrigin.
	Origins []string

	In  io.Reader // stdio: requests, a line each; nothing but EOF or a line wakes a blocked Read
	Out io.Writer // stdio: answers and notifications, nothing else may write there
}

// Resource is a document a server offers for reading.
type Resource struct {
	URI, Name, MIMEType string
	Read                func(ctx context.Context) ([]byte, error)
	// Changed receives when Read would answer differently; subscribed hosts are then
	// notified. nil: the resource never changes. Closing it means no further changes.
	Changed <-chan struct{}
}

// Run offers tools and resources to one MCP host over stdio, or to several over
// HTTP, until ctx ends or the host closes its side; both are no error. A request
// still running then gets a cancelled context and has stopGrace to end.
func Run(ctx context.Context, cfg Config, log *slog.Logger) error {
	o, err := newOffer(cfg, log)
	if err != nil {
		return err
	}
	defer o.followAllChanges(ctx)()
	if cfg.HTTPAddr != "" {
		return o.serveHTTP(ctx, cfg)
	}
	if cfg.In == nil || cfg.Out == nil {
		return errors.New("serving MCP over stdio: Config.In and Out must be set")
	}
	return o.serveStdio(ctx, cfg.In, cfg.Out)
}

// offer is a set of tools and resources as an MCP server, not yet on a transport.
type offer struct {
	mcp         *server.MCPServer
	resources   []Resource
	reg         *tools.Registry // checks and mends arguments before the tool sees them
	log         *slog.Logger
	lines       order.Lines // the queues of the calls, in the order in which they were read
	mu          sync.Mutex
	subscribers map[string][]string // resource URI to ids of the sessions that asked
}

// maxSubscribers bounds the sessions remembered per resource. HTTP sessions do
// not say goodbye reliably, so the oldest is dropped when there are too many.
const maxSubscribers = 256

func newOffer(cfg Config, log *slog.Logger) (*offer, error) {
	o := &offer{resources: cfg.Resources, reg: tools.NewRegistry(), log: log, subscribers: map[string][]string{}}
	if err := o.reg.Add(cfg.Tools...); err != nil {
		return nil, fmt.Errorf("serving MCP: %w", err)
	}
	hooks := &server.Hooks{}
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		o.subscribe(ctx, m.Params.URI)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, m *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		o.unsubscribe(ctx, m.Params.URI)
	})
	options := []server.ServerOption{
		server.WithToolCapabilities(false), server.WithInstructions(cfg.Instructions),
		server.WithRecovery(), server.WithHooks(hooks),
	}
	if len(cfg.Resources) > 0 {
		options = append(options, server.WithResourceCapabilities(true, false), server.WithResourceRecovery())
	}
	o.mcp = server.NewMCPServer(cfg.Name, cfg.Version, options...)
	for _, t := range cfg.Tools {
		described, err := describe(t.Spec())
		if err != nil {
			return nil, fmt.Errorf("serving MCP: %w", err)
		}
		o.mcp.AddTool(described, o.call)
	}
	for _, r := range cfg.Resources {
		if r.URI == "" || r.Read == nil {
			return nil, fmt.Errorf("serving MCP: the resource %q needs a URI and a Read function", r.Name)
		}
		o.mcp.AddResource(mcp.Resource{URI: r.URI, Name: cmp.Or(r.Name, r.URI), MIMEType: r.MIMEType}, reader(r))
	}
	return o, nil
}

// describe turns a Spec into what tools/list answers. All four hints are always
// set: the protocol's defaults for missing ones are the most dangerous ones.
func describe(spec tools.Spec) (mcp.Tool, error) {
	if spec.Description == "" {
		return mcp.Tool{}, fmt.Errorf("the tool %q has no description", spec.Name)
	}
	input := spec.Input
	if len(input) == 0 {
		input = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	for _, schema := range []json.RawMessage{input, spec.Output} {
		var object struct {
			Type string `json:"type"`
		}
		if schema == nil {
			continue
		}
		if err := json.Unmarshal(schema, &object); err != nil || object.Type != "object" {
			return mcp.Tool{}, fmt.Errorf("the tool %q: its schemas must be JSON objects with \"type\": \"object\" (%w)", spec.Name, cmp.Or(err, errors.New("another type")))
		}
	}
	read := spec.Risk == tools.Read
	destructive := !read && spec.Risk != tools.Reversible && spec.Risk != tools.Costly
	idempotent := spec.Idempotent || read
	return mcp.Tool{
		Name: spec.Name, Title: spec.Title, Description: spec.Description,
		RawInputSchema: input, RawOutputSchema: spec.Output,
		Annotations: mcp.ToolAnnotation{
			Title: spec.Title, ReadOnlyHint: &read, DestructiveHint: &destructive,
			IdempotentHint: &idempotent, OpenWorldHint: &spec.OpenWorld,
		},
	}, nil
}

// call runs a tool. Whatever goes wrong is an isError result the host's model can
// read; a protocol error would look to the host like a broken connection.
func (o *offer) call(ctx context.Context, req mcp.CallToolRequest) (answer *mcp.CallToolResult, _ error) {
	name := req.Params.Name
	defer func() {
		if p := recover(); p != nil {
			o.log.Error("a tool panicked", "tool", name, "err", p, "stack", string(debug.Stack()))
			answer = mcp.NewToolResultError(fmt.Sprintf("The tool %s has an internal error and did not finish.", name))
		}
	}()
	if spec, known := o.reg.Lookup(tools.Call{Tool: name}); !known || spec.Risk == tools.Read {
		order.From(ctx).Pass() // it changes nothing, so nothing has to wait for it
	}
	start := time.Now()
	result, err := o.reg.Call(ctx, tools.Call{Tool: name, Args: req.Params.RawArguments})
	if err != nil {
		o.log.Warn("a tool call did not happen", "tool", name, "took", time.Since(start), "err", err)
		return mcp.NewToolResultError(err.Error()), nil
	}
	o.log.Debug("tool called", "tool", name, "took", time.Since(start), "failed", result.Failed)
	return answerOf(result), nil
}

func answerOf(r tools.Result) *mcp.CallToolResult {
	answer := &mcp.CallToolResult{IsError: r.Failed, RawStructuredContent: r.Data}
	text := r.Text
	if text == "" {
		text = string(r.Data)
	}
	answer.Content = []mcp.Content{mcp.NewTextContent(text)}
	if !r.PublishedAt.IsZero() {
		answer.Meta = mcp.NewMetaFromMap(map[string]any{tools.PublishedKey: r.PublishedAt.Format(time.RFC3339Nano)})
	}
	return answer
}

func reader(r Resource) server.ResourceHandlerFunc {
	return func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		body, err := r.Read(ctx)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", r.URI, err)
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.URI, MIMEType: r.MIMEType, Text: string(body)}}, nil
	}
}

// followAllChanges follows every resource that changes, until stop is called.
func (o *offer) followAllChanges(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	for _, r := range o.resources {
		if r.Changed != nil {
			watching.Go(func() { o.followChanges(ctx, r) })
		}
	}
	return func() {
		cancel()
		watching.Wait()
	}
}

// followChanges tells subscribers about each change of a resource.
func (o *offer) followChanges(ctx context.Context, r Resource) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-r.Changed:
			if !open {
				return
			}
			o.mu.Lock()
			ids := slices.Clone(o.subscribers[r.URI])
			o.mu.Unlock()
			for _, id := range ids {
				err := o.mcp.SendNotificationToSpecificClient(id, mcp.MethodNotificationResourceUpdated, map[string]any{"uri": r.URI})
				if err != nil {
					o.log.Debug("a change could not be told", "uri", r.URI, "err", err)
				}
			}
		}
	}
}

func (o *offer) subscribe(ctx context.Context, uri string) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	ids := slices.DeleteFunc(o.subscribers[uri], func(id string) bool { return id == session.SessionID() })
	ids = append(ids, session.SessionID())
	o.subscribers[uri] = ids[max(0, len(ids)-maxSubscribers):]
}

func (o *offer) unsubscribe(ctx context.Context, uri string) {
	session := server.ClientSessionFromContext(ctx)
	if session == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.subscribers[uri] = slices.DeleteFunc(o.subscribers[uri], func(id string) bool { return id == session.SessionID() })
}
