package host

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/tools"
)

// webFault is a row of the table for servers over HTTP.
type webFault struct {
	wrong  func(w http.ResponseWriter, r *http.Request, method string) bool // answers a request wrongly, or returns false
	url    func(url string) string
	set    func(s *mcpint.Server)
	hurt   func(t *testing.T, web *injuredWeb) error // nil: it shows before there is a connection
	says   string
	state  mcpint.State
	stays  bool // the session goes on
	once   bool // one attempt is enough to see it, because each takes a while
	heavy  bool // too much work for the race detector: run as an acceptance test
	verify func(t *testing.T, web *injuredWeb)
}

// injuredWeb is a host with a good server over HTTP, and in front of it a handler
// that goes wrong.
type injuredWeb struct {
	*Host
	reg      *tools.Registry
	front    *httptest.Server
	good     http.Handler
	broken   atomic.Pointer[webFault]
	sessions atomic.Int32 // handshakes that the good server was asked for
	first    atomic.Pointer[string]
}

// answerWith answers every request of a method wrongly; "" stands for every
// method.
func answerWith(method string, status int, kind, body string, header ...string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, r *http.Request, m string) bool {
		if r.Method != http.MethodPost || method != "" && m != method {
			return false
		}
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return true
	}
}

const (
	plain  = "text/plain"
	asJSON = "application/json"
)

// cut breaks the connection off after some of the answer.
func cut(method, kind, part string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, _ *http.Request, m string) bool {
		if m != method {
			return false
		}
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, part)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// silent never answers a method.
func silent(method string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(_ http.ResponseWriter, r *http.Request, m string) bool {
		if r.Method != http.MethodPost || method != "" && m != method {
			return false
		}
		<-r.Context().Done()
		return true
	}
}

// endlessly answers a method with a body that never ends.
func endlessly(method, kind, head, part string) func(http.ResponseWriter, *http.Request, string) bool {
	return func(w http.ResponseWriter, r *http.Request, m string) bool {
		if m != method {
			return false
		}
		w.Header().Set("Content-Type", kind)
		_, err := io.WriteString(w, head)
		for err == nil && r.Context().Err() == nil {
			_, err = io.WriteString(w, part)
		}
		return true
	}
}

func calledWeb(limit time.Duration) func(*testing.T, *injuredWeb) error {
	return func(t *testing.T, web *injuredWeb) error {
		t.Helper()
		r, err := web.call(t, limit)
		if err == nil && r.Failed {
			err = errors.New(r.Text)
		}
		return err
	}
}

func (web *injuredWeb) call(t *testing.T, limit time.Duration) (tools.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return web.reg.Call(ctx, tools.Call{Server: "s", Tool: "dim", Args: json.RawMessage(`{"level":7}`)})
}

func hasty(s *mcpint.Server) { s.ConnectTimeout = 3 * time.Second }

const (
	handshake = "initialize"
	toolCall  = "tools/call"
)

// webFaultTable is the matrix for servers over HTTP.
var webFaultTable = map[string]webFault{
	// Faults that show before there is a connection.
	"401":                 {wrong: answerWith(handshake, 401, plain, "who are you"), says: "401", state: mcpint.Failed},
	"403":                 {wrong: answerWith(handshake, 403, plain, "go away"), says: "403", state: mcpint.Failed},
	"404":                 {wrong: answerWith(handshake, 404, plain, "nothing"), says: "404", state: mcpint.Failed},
	"405":                 {wrong: answerWith(handshake, 405, plain, ""), says: "405", state: mcpint.Failed},
	"429":                 {wrong: answerWith(handshake, 429, plain, "", "Retry-After", "1"), says: "429", state: mcpint.Failed},
	"500":                 {wrong: answerWith(handshake, 500, plain, "oh no"), says: "500", state: mcpint.Failed},
	"503":                 {wrong: answerWith(handshake, 503, plain, "starting"), says: "503", state: mcpint.Failed},
	"a web page":          {wrong: answerWith(handshake, 200, "text/html", "<html>log in"), says: "web page", state: mcpint.Failed},
	"an empty answer":     {wrong: answerWith(handshake, 204, plain, ""), says: "http server 's' failed", state: mcpint.Failed},
	"half an answer":      {wrong: cut(handshake, asJSON, `{"jsonrpc":"2.0","id":1,"res`), says: "before its answer was complete", state: mcpint.Failed},
	"not JSON":            {wrong: answerWith(handshake, 200, asJSON, "hello"), says: "what the server answers is not MCP", state: mcpint.Failed},
	"endless answer":      {wrong: endlessly(handshake, asJSON, "", strings.Repeat(" ", 1<<20)), says: "longer than", state: mcpint.Failed, once: true},
	"mute":                {wrong: silent(handshake), set: hasty, says: "no answer to initialize within 3s", state: mcpint.Failed, once: true},
	"another host":        {wrong: elsewhere, says: "redirects to http://", state: mcpint.Failed, verify: strangerUntouched},
	"in circles":          {wrong: circles, says: "redirects more than", state: mcpint.Failed},
	"a small bomb":        {wrong: bomb, says: "longer than", state: mcpint.Failed, once: true, heavy: true},
	"nobody listens":      {url: func(string) string { return "http://127.0.0.1:1/mcp" }, says: "nothing listens at 127.0.0.1:1 (connection refused)", state: mcpint.Failed, stays: true},
	"TLS where is none":   {url: func(u string) string { return strings.Replace(u, "http:", "https:", 1) }, says: "TLS", state: mcpint.Failed, stays: true},
	"list refused":        {wrong: answerWith("tools/list", 500, plain, "oh no"), says: "500", state: mcpint.Failed},
	"list mute":           {wrong: silent("tools/list"), set: hasty, says: "the server did not answer tools/list within ", state: mcpint.Failed, once: true},
	"cut after handshake": {wrong: cut("tools/list", asJSON, "{"), says: "http server 's' failed", state: mcpint.Failed},

	// Faults during a call.
	"session forgotten":    {wrong: forgets, hurt: calledWeb(long), says: ""},
	"token run out":        {wrong: answerWith(toolCall, 401, plain, ""), hurt: calledWeb(long), says: "401"},
	"too many calls":       {wrong: answerWith(toolCall, 429, plain, ""), hurt: calledWeb(long), says: "429", stays: true, state: mcpint.Connected},
	"500 in a call":        {wrong: answerWith(toolCall, 500, plain, "oh no"), hurt: calledWeb(long), says: "500", stays: true, state: mcpint.Connected},
	"a page in a call":     {wrong: answerWith(toolCall, 200, "text/html", "<html>"), hurt: calledWeb(long), says: "web page"},
	"cut in a call":        {wrong: cut(toolCall, asJSON, `{"jsonrpc":"2.0",`), hurt: calledWeb(long), says: "no answer"},
	"cut stream in a call": {wrong: cut(toolCall, "text/event-stream", ": hello\n\n"), hurt: calledWeb(5 * time.Second), says: "ended its stream without an answer", state: mcpint.Connected, stays: true},
	"mute in a call":       {wrong: silent(toolCall), hurt: calledWeb(time.Second), says: "the server did not answer within ", state: mcpint.Connected, stays: true},
	"endless call":         {wrong: endlessly(toolCall, asJSON, "", strings.Repeat(" ", 1<<20)), hurt: calledWeb(long), says: "longer than", heavy: true},
	"endless lines":        {wrong: endlessly(toolCall, asJSON, `{"result":[`, strings.Repeat("1,\n", 1<<18)), hurt: calledWeb(long), says: "longer than", heavy: true},
	"endless event":        {wrong: endlessly(toolCall, "text/event-stream", "event: message\n", "data: "+strings.Repeat("x", 1<<20)+"\n"), hurt: calledWeb(long), says: "longer than", heavy: true},
	"endless heartbeats":   {wrong: endlessly(toolCall, "text/event-stream", "", ": alive\n\n"), hurt: calledWeb(long), says: "the server sends too much: over 20000 messages"},
	"server restarted":     {wrong: forgets, hurt: restarted, says: ""},
}

// TestWebFaults is TestFaults over HTTP.
func TestWebFaults(t *testing.T) { injectWebFaults(t, false) }

func injectWebFaults(t *testing.T, heavy bool) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	t.Run("each", func(t *testing.T) {
		for name, f := range webFaultTable {
			if f.heavy && !heavy {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				line := f.inject(t)
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, name+"\t"+line)
			})
		}
	})
	t.Logf("none needed a person:\n%s", tableOf("fault over HTTP\tdetected after\tstate\trecovered after\tsessions", lines))
}

func (f webFault) inject(t *testing.T) string {
	t.Helper()
	web := f.start(t)
	ctx := patience(t)
	began := time.Now()
	news := ""
	var told mcpint.Status
	if f.hurt == nil {
		until(ctx, t, fmt.Sprintf("the state %s", f.state), func() bool {
			told = web.Status()[0]
			return told.Status == f.state && told.NextRetryTime != nil && told.ErrorMessage != nil
		})
		news = *told.ErrorMessage
	} else {
		until(ctx, t, "a connection to hurt", func() bool { return web.Status()[0].Status == mcpint.Connected })
		web.broken.Store(&f)
		began = time.Now()
		if err := f.hurt(t, web); err != nil {
			news = err.Error()
		}
		told = web.Status()[0]
	}
	detected := time.Since(began)
	if f.says != "" && !strings.Contains(news, f.says) || f.says == "" && news != "" {
		t.Errorf("it is told as %q, expected %q", news, f.says)
	}
	plainWords(t, news)
	if f.state != "" && told.Status != f.state {
		t.Errorf("the state is %s, expected %s", told.Status, f.state)
	}
	if f.verify != nil {
		f.verify(t, web)
	}
	if f.url != nil {
		return fmt.Sprintf("%s\t%s\t\t", detected.Round(time.Millisecond), told.Status)
	}
	web.broken.Store(nil)
	begin := time.Now()
	until(patience(t), t, "a connection after the fault", func() bool { return web.Status()[0].Status == mcpint.Connected })
	took := time.Since(begin)
	if r, err := web.call(t, time.Minute); err != nil || r.Text != "Level 7." {
		t.Errorf("after it: %q, %v", r.Text, err)
	}
	if n := web.sessions.Load(); f.stays && n != 1 {
		t.Errorf("%d sessions, though the first one goes on", n)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d", detected.Round(time.Millisecond), told.Status, took.Round(time.Millisecond), web.sessions.Load())
}

// start runs a host with a good server behind the front that goes wrong.
func (f webFault) start(t *testing.T) *injuredWeb {
	t.Helper()
	good, err := serve.NewEndpoint(served(), quiet())
	if err != nil {
		t.Fatal(err)
	}
	web := &injuredWeb{good: good, reg: tools.NewRegistry()}
	web.front = httptest.NewUnstartedServer(web)
	web.front.Config.ErrorLog = nil
	web.front.Start()
	t.Cleanup(web.front.Close)
	if f.hurt == nil {
		web.broken.Store(&f)
	}
	s := mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Transport: "http", URL: web.front.URL + "/mcp", ConnectTimeout: long, Headers: map[string]string{"Authorization": "Bearer very-secret"}}
	if f.url != nil {
		s.URL = f.url(s.URL)
	}
	if f.set != nil {
		f.set(&s)
	}
	// A busy machine may keep a healthy server from answering for a second.
	patient := time.Second
	if f.stays {
		patient = long
	}
	attempts := 2
	if f.once {
		attempts = 1
	}
	var log logged
	web.Host = runHost(t, Config{
		Servers: []mcpint.Server{s}, Retry: Retry{Enabled: true, Schedule: mcpint.Schedule{
			Attempts: attempts, BaseDelay: 20 * time.Millisecond, Multiplier: 2,
			MaxDelay: time.Second, SlowInterval: 300 * time.Millisecond,
		}},
		Health: HealthCheck{Interval: time.Hour, Timeout: patient},
	}, web.reg, &log)
	t.Cleanup(func() {
		if bytes.Contains(log.tail(), []byte("very-secret")) {
			t.Error("a secret is in the log")
		}
		if t.Failed() {
			t.Logf("the log:\n%s", log.tail())
		}
	})
	return web
}

// ServeHTTP answers requests wrongly where the fault says so, and passes the
// others on.
func (web *injuredWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var m message
	_ = json.Unmarshal(body, &m) // GET and DELETE have none
	if id := r.Header.Get(sessionKey); id != "" {
		web.first.CompareAndSwap(nil, &id)
	}
	if first := web.first.Load(); first != nil {
		r = r.WithContext(context.WithValue(r.Context(), firstSession{}, *first))
	}
	asked := m.Method
	if asked == "server/discover" {
		asked = handshake // a server that is broken is so in both eras
	}
	if f := web.broken.Load(); f != nil && f.wrong != nil && f.wrong(w, r, asked) {
		return
	}
	if m.Method == handshake {
		web.sessions.Add(1)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	web.good.ServeHTTP(w, r)
}

// elsewhere redirects to another host, which notes in a header of its own that it
// was asked.
func elsewhere(w http.ResponseWriter, r *http.Request, _ string) bool {
	if strings.HasPrefix(r.Host, "localhost") {
		strangers.Add(1)
		return true
	}
	_, port, _ := net.SplitHostPort(r.Host)
	http.Redirect(w, r, "http://localhost:"+port+"/mcp", http.StatusTemporaryRedirect)
	return true
}

// circles redirects to where the request came from.
func circles(w http.ResponseWriter, r *http.Request, _ string) bool {
	http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	return true
}

// bomb answers with a small compressed body that expands to a huge one.
func bomb(w http.ResponseWriter, r *http.Request, m string) bool {
	if m != handshake || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return false
	}
	w.Header().Set("Content-Type", asJSON)
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, err := io.WriteString(z, `{"result":"`)
	for range 256 {
		if err == nil {
			_, err = io.WriteString(z, strings.Repeat("x", 1<<20))
		}
	}
	return true
}

// strangers counts the requests that reached the other host of elsewhere.
var strangers atomic.Int32

func strangerUntouched(t *testing.T, _ *injuredWeb) {
	t.Helper()
	if n := strangers.Load(); n != 0 {
		t.Errorf("%d requests with our headers went to another host", n)
	}
}

// forgets answers 404 to every request of the first session, and serves later
// sessions.
func forgets(w http.ResponseWriter, r *http.Request, _ string) bool {
	if first, _ := r.Context().Value(firstSession{}).(string); first != r.Header.Get(sessionKey) {
		return false
	}
	http.Error(w, "no such session", http.StatusNotFound)
	return true
}

const sessionKey = "Mcp-Session-Id"

// firstSession is the key of the first session's id in a request's context.
type firstSession struct{}

// restarted breaks every connection off before the call; the server that answers
// afterwards knows no old session.
func restarted(t *testing.T, web *injuredWeb) error {
	t.Helper()
	web.front.CloseClientConnections()
	return calledWeb(long)(t, web)
}

// TestStoppingEndsACallOverHTTP stops a host in a call that the server never
// answers, and demands that it does not wait.
func TestStoppingEndsACallOverHTTP(t *testing.T) {
	web := &injuredWeb{reg: tools.NewRegistry()}
	var err error
	if web.good, err = serve.NewEndpoint(served(), quiet()); err != nil {
		t.Fatal(err)
	}
	calls := make(chan struct{}, 1)
	hush := silent(toolCall)
	web.broken.Store(&webFault{wrong: func(w http.ResponseWriter, r *http.Request, m string) bool {
		if m == toolCall {
			select {
			case calls <- struct{}{}:
			default:
			}
		}
		return hush(w, r, m)
	}})
	web.front = httptest.NewServer(web)
	defer web.front.Close()
	h, err := New(Config{Servers: []mcpint.Server{{ID: "s", Trust: mcpint.TrustFull, Transport: "http", URL: web.front.URL + "/mcp"}}, Retry: quick()}, web.reg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	if err := web.reg.Await(patience(t)); err != nil {
		t.Fatal(err)
	}
	called := make(chan error, 1)
	go func() {
		_, err := web.call(t, time.Hour)
		called <- err
	}()
	select {
	case <-calls:
	case err := <-called:
		t.Errorf("the call came back at once: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("the host ended with %v", err)
	}
	if err := <-called; err == nil {
		t.Error("the call was answered")
	}
}
