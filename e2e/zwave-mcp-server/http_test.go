package e2e

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// TestHTTPIsGuarded: the endpoint over HTTP has the same protections as the
// gateway's own.
func TestHTTPIsGuarded(t *testing.T) {
	t.Parallel()
	address := fake.FreeAddr(t)
	p := startProcess(t, []string{"MQTT_BROKER_URL=mqtt://127.0.0.1:9", "MCP_HTTP_TOKEN=secret-token"}, "--http", address)
	waitFor(t, "the endpoint", func() bool { return rig.Listens(t.Context(), address) })
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	tests := map[string]struct {
		change func(*http.Request)
		body   string
		want   int
	}{
		"right":       {nil, hello, http.StatusOK},
		"no token":    {func(r *http.Request) { r.Header.Del("Authorization") }, hello, http.StatusUnauthorized},
		"wrong token": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer guess") }, hello, http.StatusUnauthorized},
		"a web page":  {func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, hello, http.StatusForbidden},
		"rebinding":   {func(r *http.Request) { r.Host = "evil.example" }, hello, http.StatusForbidden},
		"too long":    {nil, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, http.StatusRequestEntityTooLarge},
	}
	for name, tc := range tests {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/mcp", strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer secret-token")
		if tc.change != nil {
			tc.change(req)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s: %s, want %d", name, resp.Status, tc.want)
		}
	}
	if strings.Contains(p.stderr.String(), "secret-token") {
		t.Error("the token is on stderr")
	}
	c, err := client.NewStreamableHttpClient("http://"+address+"/mcp", transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer secret-token"}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var first mcp.InitializeRequest
	first.Params.ProtocolVersion = "2025-11-25"
	if _, err := c.Initialize(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil || len(list.Tools) != 7 {
		t.Errorf("%v tools, %v", list, err)
	}
}

// TestHTTPSessionsEnd: a session that was deleted, invented, or given before a restart
// is not found, and its owner gets a new one.
func TestHTTPSessionsEnd(t *testing.T) {
	t.Parallel()
	address := fake.FreeAddr(t)
	post := func(method, session, body string) *http.Response {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a stream would never end
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, method, "http://"+address+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Session-Id", session)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp
	}
	starting := func() *process {
		p := startProcess(t, []string{"MQTT_BROKER_URL=mqtt://127.0.0.1:9"}, "--http", address)
		waitFor(t, "the endpoint", func() bool { return rig.Listens(t.Context(), address) })
		return p
	}
	const (
		hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
		list  = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	)
	p := starting()
	deleted, restarted := post(http.MethodPost, "", hello).Header.Get("Mcp-Session-Id"), post(http.MethodPost, "", hello).Header.Get("Mcp-Session-Id")
	expect := func(what, method, session string, want int) {
		t.Helper()
		body := ""
		if method == http.MethodPost {
			body = list
		}
		if resp := post(method, session, body); resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", what, resp.Status, want)
		}
	}
	expect("a session", http.MethodPost, deleted, http.StatusOK)
	expect("its end", http.MethodDelete, deleted, http.StatusOK)
	expect("a deleted one", http.MethodPost, deleted, http.StatusNotFound)
	expect("a stream of a deleted one", http.MethodGet, deleted, http.StatusNotFound)
	expect("an invented one", http.MethodPost, "mcp-session-00000000-0000-4000-8000-000000000000", http.StatusNotFound)
	expect("another one", http.MethodPost, restarted, http.StatusOK)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	starting()
	expect("after a restart", http.MethodPost, restarted, http.StatusNotFound)
	if resp := post(http.MethodPost, "", hello); resp.StatusCode != http.StatusOK || resp.Header.Get("Mcp-Session-Id") == "" {
		t.Errorf("a new session: %s", resp.Status)
	}
}

// TestHTTPBeyondLoopbackNeedsAToken: the start fails and says why.
func TestHTTPBeyondLoopbackNeedsAToken(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{"": "needs a token", "x": "fewer than 16 characters"} {
		p := startProcess(t, []string{"MQTT_BROKER_URL=mqtt://127.0.0.1:9", "MCP_HTTP_TOKEN=" + token}, "--http", "0.0.0.0:0")
		if err := p.Wait(); err == nil || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("with the token %q it ended with %v, saying %s", token, err, p.stderr)
		}
	}
}
