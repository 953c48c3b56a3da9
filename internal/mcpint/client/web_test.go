package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// handmade returns a server with one tool, which waits until its call is
// cancelled.
func handmade(cancelled chan<- struct{}) *server.MCPServer {
	s := server.NewMCPServer("hand", "9", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("hello"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("hello"), nil
	})
	s.AddTool(mcp.NewTool("wait"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		cancelled <- struct{}{}
		return nil, ctx.Err()
	})
	return s
}

// TestOldServers speaks the transport of 2024, from the connection to the loss.
func TestOldServers(t *testing.T) {
	cancelled := make(chan struct{}, 1)
	old := server.NewSSEServer(handmade(cancelled))
	web := httptest.NewServer(old)
	defer web.Close()
	s := mcpint.Server{ID: "old", Transport: "sse", URL: web.URL + "/sse", ConnectTimeout: time.Minute, CallTimeout: time.Minute}
	session, err := Dial(patience(t), s, Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(patience(t))
	if err != nil || len(list.Tools) != 2 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	if r, err := session.CallTool(patience(t), "hello", nil); err != nil || r.Text != "hello" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if err := session.(Pingable).Ping(patience(t)); err != nil {
		t.Fatal(err)
	}
	web.CloseClientConnections()
	<-session.(Mortal).Done()
	if _, err := session.CallTool(patience(t), "hello", nil); !errors.Is(err, tools.ErrNotConnected) {
		t.Fatalf("after the loss: %v", err)
	}
}

func TestOldServersThatRefuse(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusNotFound: "no MCP server at this address", http.StatusUnauthorized: "wants to know who we are",
		http.StatusServiceUnavailable: "trouble of its own",
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		_, err := Dial(patience(t), mcpint.Server{ID: "old", Transport: "sse", URL: web.URL}, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", status, err)
		}
		web.Close()
	}
}

// TestHomeAssistantRefuses: its own MCP server is known by its address, asked for the handshake
// alone, and left alone for minutes after it has refused the token.
func TestHomeAssistantRefuses(t *testing.T) {
	for _, tt := range []struct {
		transport, path string
		status          int
		pause           time.Duration
	}{
		{"http", "/api/mcp", http.StatusNotFound, 0},
		{"http", "/api/mcp/assist", http.StatusUnauthorized, 5 * time.Minute},
		{"http", "/api/mcp", http.StatusForbidden, 5 * time.Minute},
		{"sse", "/mcp_server/sse", http.StatusNotFound, 0},
		{"sse", "/mcp_server/sse", http.StatusUnauthorized, 5 * time.Minute},
		{"http", "/mcp", http.StatusUnauthorized, 0},
	} {
		var asked atomic.Int32
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			http.Error(w, "Model Context Protocol server is not configured", tt.status)
		}))
		s := mcpint.Server{ID: "ha", Transport: tt.transport, URL: web.URL + tt.path}.WithDefaults()
		_, err := Dial(patience(t), s, Options{})
		answer, ok := errors.AsType[*HTTPError](err)
		if !ok || answer.LeastPause(s.IsHomeAssistant()) != tt.pause || asked.Load() != 1 || tt.status == http.StatusNotFound && !strings.Contains(err.Error(), "add the integration") {
			t.Errorf("%s, %d: asked %d times, %v", tt.path, tt.status, asked.Load(), err)
		}
		web.Close()
	}
}

func TestAServerThatIsNoOldOneIsGivenUp(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Dial(ctx, mcpint.Server{ID: "old", Transport: "sse", URL: web.URL, ConnectTimeout: 300 * time.Millisecond}, Options{})
	if err == nil || !strings.Contains(err.Error(), "no answer to initialize within 300ms") {
		t.Fatalf("got %v", err)
	}
}

// TestACancelledCallIsToldOverHTTP exists because the library reports a
// cancellation over stdio only.
func TestACancelledCallIsToldOverHTTP(t *testing.T) {
	cancelled := make(chan struct{}, 1)
	told := make(chan string, 1)
	next := server.NewStreamableHTTPServer(handmade(cancelled))
	began := make(chan struct{}, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tee := &teeBody{ReadCloser: r.Body}
		r.Body = tee
		next.ServeHTTP(w, r)
		if strings.Contains(tee.seen.String(), "notifications/cancelled") {
			told <- tee.seen.String()
		}
	}))
	defer web.Close()
	session, err := Dial(patience(t), mcpint.Server{ID: "web", Transport: "http", URL: web.URL}, Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ctx, cancel := context.WithCancel(patience(t))
	ended := make(chan error, 1)
	go func() {
		began <- struct{}{}
		_, err := session.CallTool(ctx, "wait", nil)
		ended <- err
	}()
	<-began
	time.AfterFunc(100*time.Millisecond, cancel) // the exact moment does not matter
	if err := <-ended; !errors.Is(err, context.Canceled) || !errors.Is(err, tools.ErrNoAnswer) {
		t.Fatalf("the call: %v", err)
	}
	var notice struct {
		Params struct {
			RequestID int64 `json:"requestId"`
		} `json:"params"`
	}
	if err := json.Unmarshal([]byte(<-told), &notice); err != nil || notice.Params.RequestID <= ownIDs {
		t.Fatalf("told of %+v, %v", notice, err)
	}
}

// teeBody keeps what is read of a request.
type teeBody struct {
	io.ReadCloser
	seen strings.Builder
}

func (b *teeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.seen.Write(p[:n])
	return n, err
}

// TestACallIsRefusedForItself: the event stream learns first that the server has forgotten
// the session. The call that was sent meanwhile is refused a moment later, and may be
// repeated: it was not carried out.
func TestACallIsRefusedForItself(t *testing.T) {
	hand := server.NewStreamableHTTPServer(handmade(nil))
	var forgotten atomic.Bool
	streams, told := make(chan struct{}), make(chan struct{})
	tell := sync.OnceFunc(func() { close(told) })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Method string }
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &asked)
		switch {
		case r.Method == http.MethodGet && forgotten.Load():
			http.Error(w, "no such session", http.StatusNotFound)
			tell()
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-streams: // the server ends it
			case <-r.Context().Done():
			}
		case asked.Method == string(mcp.MethodToolsCall):
			forgotten.Store(true)
			close(streams)
			<-told
			select {
			case <-time.After(500 * time.Millisecond): // a slow server
				http.Error(w, "no such session", http.StatusNotFound)
			case <-r.Context().Done():
			}
		default:
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			hand.ServeHTTP(w, r)
		}
	}))
	defer web.Close()
	session, err := Dial(patience(t), mcpint.Server{ID: "hand", Transport: "http", URL: web.URL}.WithDefaults(), Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-session.(Mortal).Done()
		_ = session.Close()
	}()
	if _, err := session.CallTool(patience(t), "hello", nil); !errors.Is(err, tools.ErrNotConnected) {
		t.Errorf("the call: %v", err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

func TestHTTPErrorsSayWhatIsWrong(t *testing.T) {
	tests := map[string]struct {
		err   HTTPError
		want  string
		ends  bool
		maybe bool
	}{
		"log-in":            {HTTPError{Status: 401, Text: "no token"}, "wants to know who we are (401 " + http.StatusText(http.StatusUnauthorized) + "); check the headers or auth set for it: no token", true, false},
		"not let in":        {HTTPError{Status: 403}, "does not let us in (403 Forbidden)", true, false},
		"nothing there":     {HTTPError{Status: 404}, "no MCP server at this address (404 Not Found); check the url", false, false},
		"forgotten":         {HTTPError{Status: 404, Session: true}, "has forgotten the session (404)", true, false},
		"forgotten, oddly":  {HTTPError{Status: 400, Session: true, Text: "Bad Request: No valid session ID provided"}, "has forgotten the session (400)", true, false},
		"bad request":       {HTTPError{Status: 400, Session: true, Text: "what?"}, "refuses the request (400 Bad Request): what?", false, false},
		"old server":        {HTTPError{Status: 405}, "set transport: sse", false, false},
		"patience":          {HTTPError{Status: 429, RetryAfter: 30 * time.Second}, "(429 Too Many Requests) and asks to wait 30s", false, false},
		"too much":          {HTTPError{Status: 429}, "has too much to do (429 Too Many Requests)", false, false},
		"its own trouble":   {HTTPError{Status: 503, Text: "starting\nup"}, "trouble of its own (503 Service Unavailable): starting up", false, true},
		"a page":            {HTTPError{Status: 200, Page: true}, "a web page came instead of an MCP answer (200 OK)", true, true},
		"a page of refusal": {HTTPError{Status: 404, Page: true}, "a web page came instead of an MCP answer (404 Not Found)", true, false},
		"a page of errors":  {HTTPError{Status: 502, Page: true}, "a web page came instead of an MCP answer (502 Bad Gateway)", true, true},
		"no integration":    {HTTPError{Status: 404, home: true, Text: "Model Context Protocol server is not configured"}, "not set up, or is still starting (404 Not Found); in Home Assistant, under Settings, Devices & services, add the integration Model Context Protocol Server", false, false},
		"no such api":       {HTTPError{Status: 404, home: true, Text: "Unknown LLM API 'asist'"}, "does not offer this API to models (404 Not Found): Unknown LLM API 'asist'", false, false},
		"too old":           {HTTPError{Status: 404, home: true, Text: "404: Not Found"}, "have it at /mcp_server/sse, with transport: sse", false, false},
		"an odd one":        {HTTPError{Status: 499}, "refuses the request (499)", false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.err.Error(); !strings.Contains(got, tt.want) || tt.err.endsSession() != tt.ends || tt.err.mayBeDone() != tt.maybe {
				t.Errorf("got %q, ends: %v, may be done: %v", got, tt.err.endsSession(), tt.err.mayBeDone())
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	tests := map[string]struct {
		to   string
		verb string
		hops int
		want string // part of the error; empty: the redirect is followed
	}{
		"within the host": {"http://a:1/mcp/", "POST", 1, ""},
		"another host":    {"http://b:1/mcp", "POST", 1, "http://b:1, which is not followed"},
		"another port":    {"http://a:2/mcp", "POST", 1, "not followed"},
		"without TLS":     {"ftp://a:1/mcp", "POST", 1, "not followed"},
		"without a body":  {"http://a:1/login", "GET", 1, "loses the request"},
		"for ever":        {"http://a:1/mcp", "POST", 4, "more than 3 times"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			at := func(address, method string) *http.Request {
				u, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				return &http.Request{Method: method, URL: u}
			}
			var via []*http.Request
			for range tt.hops {
				via = append(via, at("http://a:1/mcp", "POST"))
			}
			err := RedirectWithinHost(at(tt.to, tt.verb), via)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// TestCertificatesThatAreNotTrusted checks that the error says what to do.
func TestCertificatesThatAreNotTrusted(t *testing.T) {
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // it would tell of the refused handshake
	web.StartTLS()
	defer web.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for name, tt := range map[string]struct{ address, want string }{
		"unknown authority": {web.URL, "SSL_CERT_FILE"},
		"no TLS":            {strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS"},
	} {
		_, err := Dial(patience(t), mcpint.Server{ID: "web", Transport: "http", URL: tt.address}, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), tt.address) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
