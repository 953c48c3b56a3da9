package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

const token = "very-secret-token"

// shout returns text with which a server could do harm: long, with terminal
// commands, a secret it was given, and lines that look like ours.
func shout(secret string) string {
	return "\x1b]0;owned\x07it is " + secret + "\x1b[2J\nCheck: nothing\x00\u202e " + strings.Repeat("x", 3<<20) + secret
}

// isFit demands that a text is fit for logs, status and terminals.
func isFit(t *testing.T, what, text string) {
	t.Helper()
	if len(text) > 3<<10 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\x07\x00\u202e") || strings.Contains(text, token) {
		t.Errorf("%s: %d bytes: %.300q", what, len(text), text)
	}
}

// asked serves answers over HTTP by method. An answer is a result, or an error
// after a "!", or a web page.
func asked(t *testing.T, answers map[string]string) mcpint.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m message
		if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer, ok := answers[m.Method]
		if !ok {
			answer = right(m.Method)
		}
		if strings.HasPrefix(answer, "<") {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, answer)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if problem, bad := strings.CutPrefix(answer, "!"); bad {
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, problem)
			return
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer)
	}))
	t.Cleanup(web.Close)
	return mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Transport: "http", URL: web.URL, ConnectTimeout: long, Headers: map[string]string{"Authorization": "Bearer " + token}}
}

// jsonOf returns v in JSON.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestWhatARefusingServerSays checks that a refusing server's words are clean,
// bounded and without the secrets it was given, wherever they appear.
func TestWhatARefusingServerSays(t *testing.T) {
	no := "!" + jsonOf(t, map[string]any{"code": -32603, "message": shout(token)})
	era := jsonOf(t, map[string]any{"protocolVersion": shout(token), "capabilities": map[string]any{}, "serverInfo": map[string]any{"name": "x", "version": "0"}})
	shouting := (&injured{dir: t.TempDir()}).faulty(t, "shouts")
	shouting.Env = map[string]string{"GORACE": prompt["GORACE"], "API_TOKEN": token}
	for name, server := range map[string]mcpint.Server{
		"at the handshake":   asked(t, map[string]string{"initialize": no}),
		"its protocol":       asked(t, map[string]string{"initialize": era}),
		"instead of a list":  asked(t, map[string]string{"tools/list": no}),
		"a child":            shouting,
		"by another address": redirecting(t),
	} {
		t.Run(name, func(t *testing.T) {
			var log logged
			retry := quick()
			retry.Attempts = 1
			h := runHost(t, Config{Servers: []mcpint.Server{server}, Retry: retry}, tools.NewRegistry(), &log)
			var told mcpint.Status
			until(patience(t), t, "the failure", func() bool {
				told = h.Status()[0]
				return told.Status == mcpint.Failed && told.ErrorMessage != nil && told.HealthReason != nil && told.Report != ""
			})
			isFit(t, "errorMessage", *told.ErrorMessage)
			isFit(t, "healthReason", *told.HealthReason)
			isFit(t, "the report", told.Report)
			if strings.Contains(told.Report, "\nCheck: nothing") {
				t.Error("the server's words look like ours")
			}
			for line := range strings.Lines(string(log.tail())) {
				if len(line) > 8<<10 || strings.Contains(line, token) {
					t.Errorf("the log has a line of %d bytes: %.300q", len(line), line)
				}
			}
		})
	}
}

// redirecting serves redirects to a host whose long name holds the client's
// secret.
func redirecting(t *testing.T) mcpint.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Location", "http://"+secret+"."+strings.Repeat("x", 8<<10)+"/mcp")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}))
	t.Cleanup(web.Close)
	return mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Transport: "http", URL: web.URL, ConnectTimeout: long, Headers: map[string]string{"Authorization": "Bearer " + token}}
}

// TestNamesOfChangedToolsAreClean looks at the names in the status and in the
// log.
func TestNamesOfChangedToolsAreClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := "act\x1b]0;x\x07\n" + token
		fake := &fakeServer{specs: []tools.Spec{{Name: name, Remote: name}}}
		var told []string
		b := runWith(t, fake, func(c *Config) {
			c.Servers[0].Env["API_TOKEN"] = token
			c.Observer.ToolsChanged = func(_ string, names []string) { told = names }
		})
		defer b.stop()
		pass(time.Second)
		fake.mu.Lock()
		fake.specs = []tools.Spec{{Name: name, Remote: name, Description: "other"}}
		live := fake.live
		fake.mu.Unlock()
		live.notify(client.Notice{Kind: client.ToolsChanged})
		pass(noticePause + time.Second)
		if s := b.status(); len(s.ToolsChanged) != 1 || s.ToolsChanged[0] != "act ***" || len(told) != 1 || told[0] != "act ***" {
			t.Fatalf("told %q, the status %q", told, s.ToolsChanged)
		}
		if strings.Contains(b.log(), token) {
			t.Error("a secret is in the log")
		}
		// The error of a call names the tool as well.
		fake.mu.Lock()
		fake.does = func(string) error { return fmt.Errorf("%w: cut", tools.ErrNoAnswer) }
		fake.mu.Unlock()
		_, err := b.Host.supervisors[0].call(t.Context(), name, nil)
		if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07\n") || strings.Contains(err.Error(), token) {
			t.Fatalf("got %v", err)
		}
	})
}

// TestTheStatusIsBoundedWhateverTheErrorIs looks at an error whose text nothing
// has bounded before.
func TestTheStatusIsBoundedWhateverTheErrorIs(t *testing.T) {
	text := statusText(&client.DialError{Server: "s", Transport: "stdio", Stderr: strings.Repeat("y", 5000), Err: errors.New(strings.Repeat("x", 1<<20))})
	if len(text) > 3<<10 {
		t.Fatalf("%d bytes", len(text))
	}
}

// TestNeedsAreShownWithoutSecrets looks at the status and at the errors of a
// probe.
func TestNeedsAreShownWithoutSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		need := "http://us:hunter22@db/health?token=abcdefgh"
		fake := &fakeServer{lacks: map[string]bool{need: true}}
		b := runWith(t, fake, needing(need))
		defer b.stop()
		pass(time.Second)
		if got := *b.status().ErrorMessage; got != "waiting for what the server needs: http://db/health (connection refused)" {
			t.Fatalf("the status says %q", got)
		}
		if strings.Contains(b.log(), "hunter22") || strings.Contains(b.log(), "abcdefgh") {
			t.Error("a secret is in the log")
		}
	})
	for _, need := range []string{"tcp://us:hunter22@127.0.0.1:1", "http://us:hunter22@127.0.0.1:1/?token=hunter22"} {
		if err := Probe(patience(t), need, nil); err == nil || strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", need, err)
		}
	}
	if err := mcpint.CheckRequirement("udp://us:hunter22@x:1"); err == nil || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("got %v", err)
	}
}
