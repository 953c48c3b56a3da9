package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	library "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	_ "voicegateway/internal/fake/bubble"
)

// atEndpoint serves an endpoint in an HTTP server and returns its address.
func atEndpoint(t *testing.T) (*Endpoint, string) {
	t.Helper()
	e, err := NewEndpoint(served(nil), quiet())
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(e)
	t.Cleanup(srv.Close)
	return e, srv.URL
}

// exchange sends one request and returns the answer with its body read.
func exchange(t *testing.T, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(answer)
}

const sessionHeader = "Mcp-Session-Id"

func TestAnEndpointServesHosts(t *testing.T) {
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	e, url := atEndpoint(t)
	var hosts sync.WaitGroup
	for range 8 {
		hosts.Go(func() {
			c, err := library.NewStreamableHttpClient(url, transport.WithHTTPTimeout(time.Minute))
			if err != nil {
				t.Error(err)
				return
			}
			if err := converse(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	hosts.Wait()
	e.sessions.mu.Lock()
	defer e.sessions.mu.Unlock()
	if n := len(e.sessions.lastUsed); n != 0 {
		t.Errorf("%d sessions are left after all have said goodbye", n)
	}
}

// converse does what a host does: initialize, list, call, close.
func converse(t *testing.T, c *library.Client) error {
	t.Helper()
	if err := c.Start(t.Context()); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = protocolVersion
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		return err
	}
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 5 {
		return fmt.Errorf("%d tools, %w", len(list.Tools), err)
	}
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = "dim", map[string]any{"level": 7}
	answer, err := c.CallTool(t.Context(), request)
	if err != nil {
		return err
	}
	if text, ok := answer.Content[0].(mcp.TextContent); !ok || text.Text != "Level 7." {
		return fmt.Errorf("the answer is %v", answer.Content)
	}
	return c.Close()
}

func TestAnEndpointsRefusals(t *testing.T) {
	e, url := atEndpoint(t)
	resp, _ := exchange(t, http.MethodPost, url, helloBody)
	id := resp.Header.Get(sessionHeader)
	if resp.StatusCode != http.StatusOK || len(id) != 32 {
		t.Fatalf("initialize: %s, session %q", resp.Status, id)
	}
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for name, tc := range map[string]struct {
		method, body string
		session      string
		status       int
	}{
		"right":                       {http.MethodPost, list, id, 200},
		"no session":                  {http.MethodPost, list, "", 404},
		"a session nobody gave":       {http.MethodPost, list, strings.Repeat("0", 32), 404},
		"a stream of such a session":  {http.MethodGet, "", "x", 404},
		"the end of such a session":   {http.MethodDelete, "", "x", 404},
		"a body that says it is huge": {http.MethodPost, strings.Repeat(" ", endpointBody+1), id, 413},
		"no JSON":                     {http.MethodPost, "{", id, 400},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := exchange(t, tc.method, url, tc.body, sessionHeader, tc.session)
			if resp.StatusCode != tc.status {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, tc.status, body)
			}
		})
	}
	for range endpointOpen {
		e.open <- struct{}{}
	}
	if resp, body := exchange(t, http.MethodPost, url, list, sessionHeader, id); resp.StatusCode != http.StatusServiceUnavailable ||
		resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "about:blank") {
		t.Errorf("one request too many: %s %s", resp.Status, body)
	}
}

const helloBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// TestEndedSessionsAreNotFound demands 404, at both of our doors, for a session that was
// deleted, that never existed, or that was made by a program that has ended.
func TestEndedSessionsAreNotFound(t *testing.T) {
	for name, serving := range map[string]func() string{
		"inside another server": func() string { _, url := atEndpoint(t); return url },
		"as a program":          func() string { return "http://" + overHTTP(t, served(nil)) + endpointPath },
	} {
		t.Run(name, func(t *testing.T) {
			url, restarted := serving(), serving()
			resp, _ := exchange(t, http.MethodPost, url, helloBody)
			id := resp.Header.Get(sessionHeader)
			list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
			for _, step := range []struct {
				what, at, method, id string
				status               int
			}{
				{"a question", url, http.MethodPost, id, 200},
				{"after a restart", restarted, http.MethodPost, id, 404},
				{"a stream after a restart", restarted, http.MethodGet, id, 404},
				{"the end", url, http.MethodDelete, id, 200},
				{"a question after the end", url, http.MethodPost, id, 404},
				{"a stream after the end", url, http.MethodGet, id, 404},
				{"an end after the end", url, http.MethodDelete, id, 404},
				{"an invented one", url, http.MethodPost, "mcp-session-00000000-0000-4000-8000-000000000000", 404},
			} {
				body := list
				if step.method != http.MethodPost {
					body = ""
				}
				if resp, answer := exchange(t, step.method, step.at, body, sessionHeader, step.id); resp.StatusCode != step.status {
					t.Errorf("%s: %s, want %d: %s", step.what, resp.Status, step.status, answer)
				}
			}
			if resp, _ := exchange(t, http.MethodPost, url, helloBody); resp.StatusCode != http.StatusOK || resp.Header.Get(sessionHeader) == id {
				t.Errorf("a new session: %s", resp.Status)
			}
		})
	}
}

// TestABodyInPiecesIsBounded: a body that does not say how long it is.
func TestABodyInPiecesIsBounded(t *testing.T) {
	for name, url := range map[string]string{"program": "http://" + overHTTP(t, served(nil)) + endpointPath, "endpoint": second(atEndpoint(t))} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, io.MultiReader(strings.NewReader(strings.Repeat(" ", endpointBody)), strings.NewReader("{}")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}

func second(_ *Endpoint, url string) string { return url }

// TestTheLibraryForgetsSessions: what the library keeps of a session goes with it.
func TestTheLibraryForgetsSessions(t *testing.T) {
	o, err := newOffer(served(nil), quiet())
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(newEndpoint(o))
	t.Cleanup(srv.Close)
	var ids []string
	for range 2 * endpointSessions {
		resp, _ := exchange(t, http.MethodPost, srv.URL, helloBody)
		ids = append(ids, resp.Header.Get(sessionHeader))
	}
	for i, id := range ids {
		err := o.mcp.SendNotificationToSpecificClient(id, "notifications/message", nil)
		if kept := i >= endpointSessions; errors.Is(err, server.ErrSessionNotFound) == kept {
			t.Fatalf("session %d of %d: %v", i, len(ids), err)
		}
	}
}

// TestAnEndpointTakesJSONOnly guards against forms of other sites, which can send
// a POST of other content types.
func TestAnEndpointTakesJSONOnly(t *testing.T) {
	_, url := atEndpoint(t)
	for kind, want := range map[string]int{
		"": 415, "text/plain": 415, "application/json-seq": 415, "application/x-www-form-urlencoded": 415, "/": 415, "application/json; =": 415,
		"application/json": 200, "Application/JSON; charset=utf-8": 200,
	} {
		resp, body := exchange(t, http.MethodPost, url, helloBody, "Content-Type", kind)
		if resp.StatusCode != want {
			t.Errorf("%q: status %d, want %d: %s", kind, resp.StatusCode, want, body)
		}
		if want == 415 && (resp.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, "application/json")) {
			t.Errorf("%q: %s: %s", kind, resp.Header.Get("Content-Type"), body)
		}
	}
}

// TestListenersDoNotHoldUpQuestions checks that requests are answered however
// many hosts listen.
func TestListenersDoNotHoldUpQuestions(t *testing.T) {
	e, url := atEndpoint(t)
	for range cap(e.streams) {
		e.streams <- struct{}{}
	}
	if resp, body := exchange(t, http.MethodGet, url, ""); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one stream too many: %s %s", resp.Status, body)
	}
	if resp, body := exchange(t, http.MethodPost, url, helloBody); resp.StatusCode != http.StatusOK {
		t.Errorf("a question: %s %s", resp.Status, body)
	}
}

// TestSessionsAreBounded checks that the memory for sessions is bounded however
// many hosts initialise; the hosts silent for longest have to initialise again.
func TestSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions()
		first := s.Generate()
		<-time.After(time.Second)
		second := s.Generate()
		for range endpointSessions - 2 {
			<-time.After(time.Second)
			s.Generate()
		}
		if !s.known(first) { // it is used, so the second one is the oldest
			t.Fatal("a session in use is not known")
		}
		for range 1000 {
			<-time.After(time.Millisecond)
			s.Generate()
			if len(s.lastUsed) > endpointSessions {
				t.Fatalf("%d sessions", len(s.lastUsed))
			}
			if !s.known(first) {
				t.Fatal("a session in use had to make room")
			}
		}
		if s.known(second) {
			t.Error("the one that was silent longest did not make room")
		}
		<-time.After(sessionIdle + time.Second)
		if s.known(first) {
			t.Error("a session lives on after its time")
		}
		listener := s.Generate()
		if known, done := s.use(listener); !known {
			t.Error("a new session is not known")
		} else {
			<-time.After(2 * sessionIdle)
			for range endpointSessions {
				s.Generate()
			}
			if !s.known(listener) {
				t.Error("a session whose stream is open had to make room, or grew old")
			}
			done()
			<-time.After(sessionIdle + time.Second)
			if s.known(listener) {
				t.Error("a session lives on after its stream")
			}
		}
		last := s.Generate()
		if _, err := s.Terminate(last); err != nil || s.known(last) {
			t.Errorf("it lives on after its end, %v", err)
		}
	})
}

// TestAnEndpointsStreamsEnd checks that the event stream of a listening host ends
// with its request, and holds its place until then.
func TestAnEndpointsStreamsEnd(t *testing.T) {
	e, url := atEndpoint(t)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		t.Errorf("%s %s", resp.Status, kind)
	}
	if n := len(e.streams); n != 1 {
		t.Errorf("%d streams are open", n)
	}
	_ = resp.Body.Close()
	for len(e.streams) > 0 {
		<-time.After(time.Millisecond)
	}
}
