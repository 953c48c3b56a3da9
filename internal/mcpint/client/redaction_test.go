package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"voicegateway/internal/ground/secret"
	"voicegateway/internal/mcpint"
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
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
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
	return mcpint.Server{ID: "s", Transport: "http", URL: web.URL, ConnectTimeout: 40 * time.Second, Headers: map[string]string{"Authorization": "Bearer " + token}}
}

// webDialled connects to a server until the end of the test.
func webDialled(t *testing.T, s mcpint.Server) Session {
	t.Helper()
	session, err := Dial(patience(t), s, Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
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

// TestARefusedCallIsBounded looks at the text of a refusal, which goes to the
// language model.
func TestARefusedCallIsBounded(t *testing.T) {
	no := "!" + jsonOf(t, map[string]any{"code": -32602, "message": shout(token)})
	session := webDialled(t, asked(t, map[string]string{"tools/call": no}))
	r, err := session.CallTool(patience(t), "echo", nil)
	if err != nil || !r.Failed || !strings.Contains(r.Text, "it is ***") {
		t.Fatalf("got %.300q, %v", r.Text, err)
	}
	isFit(t, "the result", r.Text)
}

// TestAnUnreadableResultIsBounded looks at the JSON decoder's error, which can
// quote the server.
func TestAnUnreadableResultIsBounded(t *testing.T) {
	odd := jsonOf(t, map[string]any{"content": []any{map[string]any{"type": strings.Repeat("x", 3<<20)}}})
	session := webDialled(t, asked(t, map[string]string{"tools/call": odd}))
	r, err := session.CallTool(patience(t), "echo", nil)
	if err != nil || len(r.Text) > maxResult+200 {
		t.Fatalf("got %d bytes, %v", len(r.Text), err)
	}
}

func TestAServersVersionIsBounded(t *testing.T) {
	hello := jsonOf(t, map[string]any{
		"protocolVersion": handshakeVersion, "capabilities": map[string]any{"tools": map[string]any{}},
		"serverInfo": map[string]any{"name": "x", "version": "1.2\x1b[31m" + token + strings.Repeat("\u20ac", 1<<20)},
	})
	session := webDialled(t, asked(t, map[string]string{"initialize": hello}))
	version := session.(Identified).ServerVersion()
	if len(version) > 110 || !strings.HasPrefix(version, "1.2***\u20ac") {
		t.Fatalf("%d bytes: %.200q", len(version), version)
	}
	isFit(t, "the version", version)
}

func TestSecrets(t *testing.T) {
	tests := map[string]struct {
		server mcpint.Server
		text   string
		want   string
	}{
		"an empty token":        {mcpint.Server{Headers: map[string]string{"Authorization": "Bearer "}}, "no answer", "no answer"},
		"a short token":         {mcpint.Server{Headers: map[string]string{"Authorization": "Bearer an"}}, "no answer: Bearer an", "no answer: ***"},
		"a lower-case scheme":   {mcpint.Server{Headers: map[string]string{"Authorization": "bearer abcdef"}}, "got abcdef", "got ***"},
		"basic":                 {mcpint.Server{Headers: map[string]string{"Authorization": "Basic dXNlcjpwdw=="}}, "got dXNlcjpwdw==", "got ***"},
		"in an address":         {mcpint.Server{Env: map[string]string{"MQTT_BROKER_URL": "mqtt://house:hunter22@broker:1883"}}, "login house:hunter22 at mqtt://house:hunter22@broker:1883", "login house:*** at ***"},
		"in part":               {mcpint.Server{Env: map[string]string{"MQTT_BROKER_URL": "mqtt://house:hunter22@broker:1883"}}, "at mqtt://house:hunter22@broker", "at mqtt://house:***@broker"},
		"any variable":          {mcpint.Server{Env: map[string]string{"ROOM": "workshop", "MODE": "fast"}}, "workshop fast", "*** fast"},
		"any header":            {mcpint.Server{Headers: map[string]string{"X-House": "mansion-7"}}, "mansion-7", "***"},
		"any query":             {mcpint.Server{URL: "http://x/mcp?house=mansion-7"}, "mansion-7", "***"},
		"an argument":           {mcpint.Server{Args: []string{"--token", "abcdefgh", "--room", "workshop"}}, "abcdefgh workshop", "*** workshop"},
		"a short argument":      {mcpint.Server{Args: []string{"--key", "room"}}, "room", "room"},
		"a file that is there":  {mcpint.Server{Env: map[string]string{"API_KEY_FILE": "/etc/passwd"}}, "/etc/passwd", "/etc/passwd"},
		"a file that is not":    {mcpint.Server{Env: map[string]string{"STORE": "/nowhere/at/all"}}, "/nowhere/at/all", "***"},
		"what the gateway says": {mcpint.Server{Env: map[string]string{"ROOM": "workshop"}, Secrets: secret.Of("hunter22")}, "workshop hunter22", "workshop ***"},
		"escaped":               {mcpint.Server{Env: map[string]string{"U": "mqtt://house:hunt%2Fer%40@broker"}}, "hunt/er@ hunt%2Fer%40", "*** ***"},
		"in several":            {mcpint.Server{Env: map[string]string{"U": "tcp://a:pw-one@x:1,tcp://b:pw-t@wo@y:2"}}, "pw-one pw-t@wo", "*** ***"},
		"a short one":           {mcpint.Server{Env: map[string]string{"U": "mqtt://a:pw@broker"}}, "pwd", "pwd"},
		"in our own":            {mcpint.Server{URL: "http://us:hunter22@x/mcp?token=abcdefgh&room=kitchen"}, "hunter22 abcdefgh kitchen", "*** *** kitchen"},
		"an address without":    {mcpint.Server{Env: map[string]string{"U": "mqtt://broker:1883/path@x"}}, "broker 1883", "broker 1883"},
		"no address with an @":  {mcpint.Server{Env: map[string]string{"U": "mail house:hall@example"}}, "hall", "hall"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := SecretsOf(tt.server).RedactTail([]byte(tt.text)); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAnAnnouncedResourceHasAShortName exists because 256 notices with addresses
// of megabytes would fill the memory.
func TestAnAnnouncedResourceHasAShortName(t *testing.T) {
	server := child(t, "s", "long-uris")
	got := make(chan Notice, 10)
	session, err := Dial(patience(t), server, Options{Notify: func(n Notice) { got <- n }})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.CallTool(patience(t), "echo", nil); err != nil {
		t.Fatal(err)
	}
	if n := <-got; n.URI != "test://short" {
		t.Fatalf("announced was an address of %d bytes", len(n.URI))
	}
	uris, err := session.(Resourceful).ListResources(patience(t))
	if err != nil || len(uris) != MaxTools {
		t.Fatalf("%d resources, %v", len(uris), err)
	}
	for _, uri := range uris {
		if len(uri) > 2<<10 {
			t.Fatalf("listed was an address of %d bytes", len(uri))
		}
	}
}

// TestAPageForACallMayComeAfterIt checks that a call answered by a web page
// counts as sent: whatever sent the page may have passed the call on to the
// server.
func TestAPageForACallMayComeAfterIt(t *testing.T) {
	session := webDialled(t, asked(t, map[string]string{"tools/call": "<html>"}))
	_, err := session.CallTool(patience(t), "echo", nil)
	if !errors.Is(err, tools.ErrNoAnswer) || errors.Is(err, tools.ErrNotConnected) || !strings.Contains(err.Error(), "web page") {
		t.Fatalf("got %v", err)
	}
}

func FuzzRedactLine(f *testing.F) {
	for _, text := range []string{"", "\x1b[31mred\x1b[0m", "a\xff\n\nb", strings.Repeat("\u20ac", 3000), "pass hun\x00ter22", strings.Repeat("\x1b[0m", 20000) + "hunter22"} {
		f.Add(text, 100)
	}
	f.Add("a correct\nhorse", 50)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = 4 + limit&0xfff
		got := secret.Of("hunter22", "correct horse").RedactLine(text, limit)
		if !utf8.ValidString(got) || len(got) > limit+len("\u2026") || strings.ContainsAny(got, "\x1b\x00\r\n") || strings.Contains(got, "hunter22") || strings.Contains(got, "correct horse") {
			t.Fatalf("unfit: %q", got)
		}
	})
}

// TestErrorsKeepTheirKind checks that redaction changes only the words of an
// error.
func TestErrorsKeepTheirKind(t *testing.T) {
	plain := errors.New("plain")
	if got := Secrets(nil).RedactError(plain); got != plain { //nolint:errorlint // it is the same one
		t.Errorf("a fit error became %v", got)
	}
	if Secrets(nil).RedactError(nil) != nil {
		t.Error("nothing became an error")
	}
	loud := fmt.Errorf("\x1b[31mred\x1b[0m: %w", &url.Error{Op: "Post", URL: "http://x", Err: &HTTPError{Status: 503}})
	got := Secrets(nil).RedactError(loud)
	if inner, ok := errors.AsType[*HTTPError](got); !ok || inner.Status != 503 || strings.Contains(got.Error(), "\x1b") {
		t.Errorf("got %q", got)
	}
	huge := Secrets(nil).RedactError(fmt.Errorf("%w: %s", io.EOF, strings.Repeat("x", 1<<20)))
	if len(huge.Error()) > 3<<10 {
		t.Errorf("%d bytes", len(huge.Error()))
	}
}

// right returns the correct answer to a request.
func right(method string) string {
	switch method {
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"faulty","version":"0"}}`
	case "tools/list":
		return `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		return `{"content":[{"type":"text","text":"ok"}]}`
	default:
		return `{}`
	}
}

func TestRedactTail(t *testing.T) {
	secrets := SecretsOf(mcpint.Server{
		Env:     map[string]string{"MQTT_PASSWORD": "hunter22", "MQTT_USERNAME": "house", "API_KEY": "x"},
		Headers: map[string]string{"Authorization": "Bearer abcdef"},
	})
	tests := map[string]struct{ raw, want string }{
		"plain":     {"one\ntwo\n", "one\ntwo"},
		"colours":   {"\x1b[1;31mERROR\x1b[0m bad\x1b]0;title\x07", "ERROR bad"},
		"controls":  {"a\x00b\rc\td\u202e", "abc d"},
		"no UTF-8":  {"a\xffb", "a\uFFFDb"},
		"blanks":    {"\n\n a \n\n", " a"},
		"secrets":   {"login house:hunter22 token abcdef x", "login house:*** token *** x"},
		"too many":  {strings.Repeat("line\n", 50) + "end", strings.Repeat("line\n", 11) + "end"},
		"nothing":   {"", ""},
		"long line": {strings.Repeat("a", 5000) + "end", "…" + strings.Repeat("a", 2<<10-3) + "end"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := secrets.RedactTail([]byte(tt.raw)); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzRedactTail(f *testing.F) {
	for _, raw := range []string{"", "\x1b[31mred\x1b[0m", "\x1b]0;a\x07b", "a\xff\xfe\n\n", strings.Repeat("\u20ac", 3000), "pass hunter22\x1b[0mhunter22"} {
		f.Add([]byte(raw))
	}
	f.Add([]byte("hun\x00ter22"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := secret.Of("hunter22").RedactTail(raw)
		if !utf8.ValidString(got) || len(got) > 2<<10+8 || strings.ContainsAny(got, "\x1b\x00\r") || strings.Contains(got, "hunter22") {
			t.Fatalf("unfit for a log: %q", got)
		}
	})
}
