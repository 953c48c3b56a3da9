package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	library "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// protocolVersion is the version that our own hosts speak.
const protocolVersion = "2025-11-25"

var publishTime = time.Date(2025, 1, 2, 3, 4, 5, 678901000, time.UTC)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// served returns a server with a tool for each way a call can end.
func served(changed <-chan struct{}) Config {
	type dim struct {
		Level int `json:"level"`
	}
	spec := func(name string, risk tools.Risk) tools.Spec {
		return tools.Spec{Name: name, Title: strings.ToUpper(name), Description: "Does " + name + ".", Risk: risk}
	}
	dimSpec := spec("dim", tools.Reversible)
	dimSpec.Idempotent = true
	dimSpec.Input = json.RawMessage(`{"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":99}},"required":["level"],"additionalProperties":false}`)
	dimSpec.Output = json.RawMessage(`{"type":"object","properties":{"outcome":{"type":"string"}}}`)
	return Config{
		Name: "test", Version: "1.0", Instructions: "Be kind.",
		Tools: []tools.Tool{
			tools.New(dimSpec, func(_ context.Context, d dim) (tools.Result, error) {
				return tools.Result{Text: fmt.Sprintf("Level %d.", d.Level), Data: json.RawMessage(`{"outcome":"confirmed"}`), PublishedAt: publishTime}, nil
			}),
			tools.New(spec("refuse", tools.Dangerous), func(context.Context, struct{}) (tools.Result, error) {
				return tools.Result{Text: "The lock does not open.", Failed: true}, nil
			}),
			tools.New(spec("break", ""), func(context.Context, struct{}) (tools.Result, error) {
				return tools.Result{}, errors.New("the broker is away")
			}),
			tools.New(spec("panic", tools.Read), func(context.Context, struct{}) (tools.Result, error) { panic("oh no") }),
			tools.New(spec("wait", tools.Read), func(ctx context.Context, _ struct{}) (tools.Result, error) {
				<-ctx.Done()
				return tools.Result{}, ctx.Err()
			}),
		},
		Resources: []Resource{{URI: "test://home", MIMEType: "application/json", Changed: changed, Read: func(context.Context) ([]byte, error) {
			return []byte(`{"areas":[]}`), nil
		}}},
	}
}

// overPipes runs Run and returns a client after the handshake, and a function
// that ends Run and returns its error.
func overPipes(t *testing.T, cfg Config) (*library.Client, func() error) {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	cfg.In, cfg.Out = fromClient, toClient
	ended := make(chan error, 1)
	go func() { ended <- Run(t.Context(), cfg, quiet()) }()
	c := library.NewClient(transport.NewIO(fromServer, toServer, io.NopCloser(strings.NewReader(""))), library.WithProtocolVersion(protocolVersion))
	shake(t, c)
	return c, func() error {
		err := c.Close() // EOF for the server
		serveErr := <-ended
		_ = toClient.Close()
		return errors.Join(err, serveErr)
	}
}

func shake(t *testing.T, c *library.Client) *mcp.InitializeResult {
	t.Helper()
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = protocolVersion
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "0"}
	info, err := c.Initialize(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func callTool(t *testing.T, c *library.Client, name, args string) *mcp.CallToolResult {
	t.Helper()
	var request mcp.CallToolRequest
	request.Params.Name = name
	request.Params.Arguments = json.RawMessage(cmp.Or(args, "{}"))
	answer, err := c.CallTool(t.Context(), request)
	if err != nil {
		t.Fatalf("%s: a protocol error, which hosts take for a broken server: %v", name, err)
	}
	return answer
}

// readAnswer returns the result that a host makes of an answer.
func readAnswer(t *testing.T, answer *mcp.CallToolResult) tools.Result {
	t.Helper()
	text, ok := answer.Content[0].(mcp.TextContent)
	if !ok {
		t.Fatalf("got %+v", answer.Content)
	}
	result := tools.Result{Text: text.Text, Failed: answer.IsError, Data: answer.RawStructuredContent}
	if answer.Meta != nil {
		at, _ := answer.Meta.AdditionalFields[tools.PublishedKey].(string)
		result.PublishedAt, _ = time.Parse(time.RFC3339Nano, at) // an unreadable time fails the comparison
	}
	return result
}

func TestServedToolsAreDescribedInFull(t *testing.T) {
	c, end := overPipes(t, served(nil))
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][4]bool{ // read-only, destructive, idempotent, open world
		"dim": {false, false, true, false}, "refuse": {false, true, false, false}, "break": {false, true, false, false},
		"panic": {true, false, true, false}, "wait": {true, false, true, false},
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s: a hint is missing: %+v", tool.Name, a)
			continue
		}
		if got := [4]bool{*a.ReadOnlyHint, *a.DestructiveHint, *a.IdempotentHint, *a.OpenWorldHint}; got != want[tool.Name] {
			t.Errorf("%s: hints are %v, want %v", tool.Name, got, want[tool.Name])
		}
		if tool.Description == "" || tool.Title == "" {
			t.Errorf("%s: title or description is missing", tool.Name)
		}
		delete(want, tool.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	for _, tool := range list.Tools {
		if tool.Name == "dim" && (len(tool.InputSchema.Required) != 1 || tool.OutputSchema.Type != "object") {
			t.Errorf("dim's schemas did not arrive: %+v", tool)
		}
	}
	if err := end(); err != nil {
		t.Fatalf("Run ended with %v at EOF", err)
	}
}

func TestServedCalls(t *testing.T) {
	c, end := overPipes(t, served(nil))
	tests := map[string]struct {
		tool, args, text string
		failed           bool
	}{
		"good":               {tool: "dim", args: `{"level":5}`, text: "Level 5."},
		"mended":             {tool: "dim", args: `{"Level":"5"}`, text: "Level 5."},
		"out of range":       {tool: "dim", args: `{"level":500}`, text: "The arguments of dim are wrong: level: maximum: got 500, want 99.", failed: true},
		"failed":             {tool: "refuse", text: "The lock does not open.", failed: true},
		"error":              {tool: "break", text: "the broker is away", failed: true},
		"panic":              {tool: "panic", text: "The tool panic has an internal error and did not finish.", failed: true},
		"good after a panic": {tool: "dim", args: `{"level":6}`, text: "Level 6."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := readAnswer(t, callTool(t, c, tt.tool, tt.args))
			if got.Text != tt.text || got.Failed != tt.failed {
				t.Fatalf("got %+v, want %q", got, tt.text)
			}
			if tt.tool == "dim" && !tt.failed && (string(got.Data) != `{"outcome":"confirmed"}` || !got.PublishedAt.Equal(publishTime)) {
				t.Fatalf("structured content or published_at is lost: %s, %v", got.Data, got.PublishedAt)
			}
		})
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
}

func TestServedResourceTellsItsSubscribers(t *testing.T) {
	changed := make(chan struct{})
	c, end := overPipes(t, served(changed))
	updates := make(chan string, 4)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == mcp.MethodNotificationResourceUpdated {
			updates <- fmt.Sprint(n.Params.AdditionalFields["uri"])
		}
	})
	var subscribe mcp.SubscribeRequest
	subscribe.Params.URI = "test://home"
	if err := c.Subscribe(t.Context(), subscribe); err != nil { //nolint:staticcheck // deprecated for protocols after the pinned one
		t.Fatal(err)
	}
	changed <- struct{}{}
	if got := <-updates; got != "test://home" {
		t.Fatalf("told of %q", got)
	}
	var read mcp.ReadResourceRequest
	read.Params.URI = "test://home"
	body, err := c.ReadResource(t.Context(), read)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := body.Contents[0].(mcp.TextResourceContents); !ok || text.Text != `{"areas":[]}` || text.MIMEType != "application/json" {
		t.Fatalf("read %+v", body.Contents)
	}
	var unsubscribe mcp.UnsubscribeRequest
	unsubscribe.Params.URI = "test://home"
	if err := c.Unsubscribe(t.Context(), unsubscribe); err != nil { //nolint:staticcheck // deprecated for protocols after the pinned one
		t.Fatal(err)
	}
	changed <- struct{}{}
	close(changed)
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if len(updates) != 0 {
		t.Fatal("told after it unsubscribed")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	in, keep := io.Pipe() // never written, never closed by the host
	defer keep.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := served(nil)
	cfg.In, cfg.Out = in, io.Discard
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, cfg, quiet()) }()
	cancel()
	if err := <-ended; err != nil {
		t.Fatalf("Run ended with %v", err)
	}
}

func TestServeAnswersABatchThatEndsAtOnce(t *testing.T) {
	var out strings.Builder
	cfg := served(nil)
	cfg.In = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}` + "\n" +
		`nonsense` + "\n\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	cfg.Out = &out
	if err := Run(t.Context(), cfg, quiet()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1`, `"instructions":"Be kind."`, `-32700`, `"id":2`, `"name":"dim"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the answers lack %s:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("stdout carries something else than JSON: %q", line)
		}
	}
}

func TestServeRefusesABrokenOffer(t *testing.T) {
	tests := map[string]func(*Config){
		"two of a name":  func(c *Config) { c.Tools = append(c.Tools, c.Tools[0]) },
		"no description": func(c *Config) { c.Tools = []tools.Tool{named(tools.Spec{Name: "x"})} },
		"schema not object": func(c *Config) {
			c.Tools = []tools.Tool{named(tools.Spec{Name: "x", Description: "X.", Input: json.RawMessage(`[]`)})}
		},
		"no reader":         func(c *Config) { c.Resources = []Resource{{URI: "a://b"}} },
		"no pipes":          func(c *Config) { c.In = nil },
		"open to the world": func(c *Config) { c.HTTPAddr = "0.0.0.0:0" },
		"bad address":       func(c *Config) { c.HTTPAddr = "8765" },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := served(nil)
			cfg.In, cfg.Out = strings.NewReader(""), io.Discard
			spoil(&cfg)
			if err := Run(t.Context(), cfg, quiet()); err == nil {
				t.Fatal("Run took it")
			}
		})
	}
}

func named(spec tools.Spec) tools.Tool {
	return tools.New(spec, func(context.Context, struct{}) (tools.Result, error) { return tools.Result{}, nil })
}

// overHTTP serves on a free port and returns its address.
func overHTTP(t *testing.T, cfg Config) string {
	t.Helper()
	return throughDoor(t, cfg, httpguard.DefaultDoor())
}

// throughDoor does what overHTTP does, with a door that the test chooses.
func throughDoor(t *testing.T, cfg Config, door httpguard.Door) string {
	t.Helper()
	o, err := newOffer(cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		defer o.followAllChanges(ctx)()
		ended <- o.serveListener(ctx, listener, cfg, door)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving ended with %v", err)
		}
	})
	return listener.Addr().String()
}

func TestHTTPGuard(t *testing.T) {
	cfg := served(nil)
	cfg.Token = "s3cret-token"
	friendly := served(nil)
	friendly.Origins = []string{"http://localhost:6274", "https://house.example"}
	open, locked, listed := overHTTP(t, served(nil)), overHTTP(t, cfg), overHTTP(t, friendly)
	tests := map[string]struct {
		addr, host, origin, auth string
		body                     string
		want                     int
	}{
		"plain":                {addr: open, want: http.StatusOK},
		"own origin":           {addr: open, origin: "http://" + open, want: http.StatusOK},
		"local origin":         {addr: open, origin: "http://localhost:6274", want: http.StatusForbidden},
		"own host, other port": {addr: open, origin: "http://127.0.0.1:6274", want: http.StatusForbidden},
		"no web page's origin": {addr: open, origin: "ftp://" + open, want: http.StatusForbidden},
		"configured origin":    {addr: listed, origin: "http://localhost:6274", want: http.StatusOK},
		"another such":         {addr: listed, origin: "https://HOUSE.example", want: http.StatusOK},
		"other than those":     {addr: listed, origin: "http://house.example", want: http.StatusForbidden},
		"own beside those":     {addr: listed, origin: "http://" + listed, want: http.StatusOK},
		"token, local origin":  {addr: locked, auth: "Bearer s3cret-token", origin: "http://localhost:6274", want: http.StatusForbidden},
		"evil origin":          {addr: open, origin: "http://evil.example", want: http.StatusForbidden},
		"opaque origin":        {addr: open, origin: "null", want: http.StatusForbidden},
		"rebound host":         {addr: open, host: "evil.example", origin: "http://evil.example", want: http.StatusForbidden},
		"huge body":            {addr: open, body: strings.Repeat(" ", endpointBody+1), want: http.StatusRequestEntityTooLarge},
		"no token":             {addr: locked, want: http.StatusUnauthorized},
		"wrong token":          {addr: locked, auth: "Bearer s3cret-toke", want: http.StatusUnauthorized},
		"token":                {addr: locked, auth: "Bearer s3cret-token", want: http.StatusOK},
		"token, evil origin":   {addr: locked, auth: "Bearer s3cret-token", origin: "http://evil.example", want: http.StatusForbidden},
		"token as a bare word": {addr: locked, auth: "s3cret-token", want: http.StatusUnauthorized},
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			body := hello
			if tt.body != "" {
				body = tt.body
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+tt.addr+endpointPath, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Expect", "100-continue") // what is refused is not sent
			for key, value := range map[string]string{"Origin": tt.origin, "Authorization": tt.auth} {
				if value != "" {
					r.Header.Set(key, value)
				}
			}
			r.Host = tt.host
			answer, err := plain.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != tt.want {
				text, _ := io.ReadAll(answer.Body)
				t.Fatalf("got %d, want %d: %s", answer.StatusCode, tt.want, text)
			}
		})
	}
}

func TestHTTPHostAndServerTogether(t *testing.T) {
	changed := make(chan struct{}, 1)
	cfg := served(changed)
	cfg.Token = "s3cret-token"
	addr := overHTTP(t, cfg)
	notices := make(chan client.Notice, 4)
	server := mcpint.Server{ID: "remote", Transport: "http", URL: "http://" + addr + endpointPath, Headers: map[string]string{"Authorization": "Bearer s3cret-token"}}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	session, err := client.Dial(ctx, server, client.Options{Name: "test", Version: "0", Notify: func(n client.Notice) { notices <- n }})
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(ctx)
	if err != nil || len(list.Tools) != 5 {
		t.Fatalf("listed %d tools, %v", len(list.Tools), err)
	}
	result, err := session.CallTool(ctx, "dim", json.RawMessage(`{"level":7}`))
	if err != nil || result.Text != "Level 7." || !result.PublishedAt.Equal(publishTime) {
		t.Fatalf("got %+v, %v", result, err)
	}
	resourceful, ok := session.(client.Resourceful)
	if !ok {
		t.Fatal("an HTTP session has no resources")
	}
	if err := resourceful.Subscribe(ctx, "test://home"); err != nil {
		t.Fatal(err)
	}
	// The event stream opens at the same time as the first requests. A change before that
	// moment is not announced, so the test keeps making changes until one is.
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for told := false; !told; {
		select {
		case n := <-notices:
			if n != (client.Notice{Kind: client.ResourceUpdated, URI: "test://home"}) {
				t.Fatalf("told of %+v", n)
			}
			told = true
		case <-ticker.C:
			select {
			case changed <- struct{}{}:
			default:
			}
		case <-ctx.Done():
			t.Fatal("the change was never told")
		}
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	server.Headers = nil
	if _, err := client.Dial(ctx, server, client.Options{}); err == nil {
		t.Fatal("connected without the token")
	}
}

func FuzzServe(f *testing.F) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"0"}}}`
	for _, in := range []string{
		"", "\n\n", "nonsense\n", hello, hello + "\n" + `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"dim","arguments":{"level":"1e9"}}}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `[]`, `{"id":1}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://home"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var out strings.Builder
		cfg := served(nil)
		cfg.In, cfg.Out = strings.NewReader(in), &out
		if err := Run(t.Context(), cfg, quiet()); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("stdout carries something else than JSON: %q", line)
			}
		}
	})
}

// TestALongLineIsAnsweredAndTheNextOneHeard sends a line that is too long before a
// question. The answer names the id of the long message, wherever in the line the id
// stands.
func TestALongLineIsAnsweredAndTheNextOneHeard(t *testing.T) {
	long := strings.Repeat("y", maxRequest)
	for name, tt := range map[string]struct{ line, id string }{
		"id first":        {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"x":"` + long + `"}}`, "7"},
		"id last":         {`{"method":"tools/call","params":{"a":[{"id":1}],"x":"\"id\":3,` + long + `"} , "jsonrpc":"2.0", "id" : "q\"7" }`, `"q\"7"`},
		"a large id":      {`{"id":9007199254740993,"x":"` + long + `"}`, "9007199254740993"},
		"no id":           {`{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + long + `"}}`, "null"},
		"an id of no use": {`{"id":{"id":4},"x":"` + long + `"}`, "null"},
		"an endless id":   {`{"id":"` + long + `"}`, "null"},
		"two messages":    {`[{"id":1,"x":"` + long + `"}]`, "null"},
		"no JSON":         {long + `"id":3`, "null"},
		"cut off":         {`{"id":7,"x":"` + long, "7"},
		"a list before":   {`[],{"id":7,"x":"` + long + `"}`, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			cfg := served(nil)
			cfg.In, cfg.Out = strings.NewReader(tt.line+"\n"+helloBody+"\n"), &out
			if err := Run(t.Context(), cfg, quiet()); err != nil {
				t.Errorf("it ended with %v", err)
			}
			refusal, rest, _ := strings.Cut(out.String(), "\n")
			var told struct {
				ID    json.RawMessage
				Error struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(refusal), &told); err != nil || string(told.ID) != tt.id ||
				told.Error.Code != mcp.INVALID_REQUEST || !strings.Contains(told.Error.Message, "4194304 bytes") {
				t.Errorf("answered %q (%v), expected a refusal of %s", refusal, err, tt.id)
			}
			if !strings.Contains(rest, `"id":1,"result"`) {
				t.Errorf("then answered %q", rest)
			}
		})
	}
}
