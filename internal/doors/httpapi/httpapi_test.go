package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/audio"
	"voicegateway/internal/doors"
	"voicegateway/internal/ear"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gateway is a double of all parts behind the server.
type gateway struct {
	parts []doors.Part
	ask   func(ctx context.Context, r doors.AskRequest) (record.Record, error)
	mu    sync.Mutex
	said  []string
	mute  bool

	volume int
}

func (g *gateway) Readiness() doors.Readiness { return doors.Readiness{MCP: "partial", Parts: g.parts} }

func (g *gateway) Ask(ctx context.Context, r doors.AskRequest) (record.Record, error) {
	return g.ask(ctx, r)
}

func (g *gateway) Control(_ context.Context, r doors.ControlRequest) (record.Record, error) {
	wanted := record.Control{Thing: r.Thing, Do: r.Do, Value: r.Value}
	rec := record.Record{ID: "t-1", Source: r.Source, Control: &wanted, Verdict: record.Verdict{Outcome: record.Done, Reply: "The lamp is on."}}
	receipt := record.Receipt{Device: "Lamp", Property: "on_off", Value: "on", ValueLevel: 40.0, Outcome: tools.Confirmed}
	switch r.Thing {
	case "nothing":
		return rec, doors.Refuse(doors.ErrNotFound, "the house has no such thing")
	case "stone":
		return rec, doors.Refuse(doors.ErrMisasked, "it can only be read")
	case "dead":
		receipt.Outcome, rec.Outcome, rec.Reply, rec.Error = tools.NoAnswer, record.Failed, "I can't reach the lamp.", "no answer"
	}
	rec.Calls = []record.CallMade{{Tool: "control", Receipt: &receipt}}
	return rec, nil
}

func (g *gateway) Say(_ context.Context, text string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = append(g.said, text)
	return nil
}

func (g *gateway) List() mcpint.StatusList {
	return mcpint.ListOf([]mcpint.Status{{ID: "zwave", Status: mcpint.Connected}})
}

func (g *gateway) Status(id string) (mcpint.Status, error) {
	if id != "zwave" {
		return mcpint.Status{}, doors.ErrNotFound
	}
	return mcpint.Status{ID: id}, nil
}

func (g *gateway) Retry(_ context.Context, id string) (mcpint.Status, bool, error) {
	switch id {
	case "zwave":
		return mcpint.Status{ID: id, Status: mcpint.Connected}, true, nil
	case "music":
		return mcpint.Status{ID: id, Status: mcpint.Connecting}, false, nil
	}
	return mcpint.Status{}, false, doors.ErrNotFound
}

func (g *gateway) Accept(id, tool string) (mcpint.Status, error) {
	if id != "zwave" || tool == "gone" {
		return mcpint.Status{}, doors.ErrNotFound
	}
	return mcpint.Status{ID: id, ToolsUnused: []mcpint.UnusedTool{}}, nil
}

func (g *gateway) Stderr(id string) (string, error) {
	switch id {
	case "zwave":
		return "one\n<two>", nil
	case "music":
		return "", nil
	}
	return "", doors.ErrNotFound
}

func (g *gateway) Volume(context.Context) (doors.Level, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return doors.Level{Percent: g.volume}, nil
}

func (g *gateway) SetVolume(_ context.Context, percent int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.volume = percent
	return nil
}

// shown is a double of the page, which says what it was asked for.
type shown struct{}

func (shown) Main(w http.ResponseWriter, guarded bool) {
	fmt.Fprintf(w, "the page, guarded %t", guarded)
}

func (shown) Login(w http.ResponseWriter, trouble LoginTrouble) {
	fmt.Fprintf(w, "log in, %q", trouble)
}

func (shown) File(w http.ResponseWriter, _ *http.Request, name string) bool {
	_, _ = io.WriteString(w, name)
	return name == "main.js"
}

func (g *gateway) RetryAll(context.Context) (mcpint.StatusList, error) { return g.List(), nil }

func (g *gateway) Turns(limit int) []record.Record { return make([]record.Record, limit) }

func (g *gateway) Tasks() []record.Task { return []record.Task{} }

func (g *gateway) Listen(context.Context) error {
	return fmt.Errorf("the microphone is muted: %w", doors.ErrConflict)
}

func (g *gateway) Hold(_ context.Context, b ear.Button) error {
	if b == ear.ButtonDown {
		return fmt.Errorf("the microphone is muted: %w", doors.ErrConflict)
	}
	return nil
}

func (g *gateway) Stop(context.Context) error { return nil }

func (g *gateway) Mute(_ context.Context, on bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mute = on
	return nil
}

func (g *gateway) Muted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mute
}

func (g *gateway) Devices(context.Context) (audio.Equipment, error) {
	return audio.Equipment{Devices: []audio.Device{{Name: "microphone"}}}, nil
}

func (g *gateway) Home(context.Context) (home.Snapshot, error) {
	return home.Snapshot{}, fmt.Errorf("no house yet: %w", doors.ErrUnavailable)
}

func newServer(t *testing.T, cfg Config, g *gateway, handlers map[string]http.Handler) *Server {
	t.Helper()
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	deps := Deps{
		Parts: doors.Parts{Health: g, Asker: g, Controller: g, Sayer: g, Servers: g, Turns: g, Home: g, Ear: g, Timers: &book{}, Volume: g, About: &doors.About{ID: "kitchen", Language: "de"}},
		Page:  shown{}, Events: NewFeed(nil, slog.New(slog.DiscardHandler)), Handlers: handlers,
	}
	s, err := New(cfg, deps, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8765"+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// answered checks the status, and that errors have the form of a problem, and
// returns the body.
func answered(t *testing.T, s *Server, r *http.Request, status int) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	body := w.Body.String()
	if w.Code != status {
		t.Errorf("%s %s: status %d, want %d: %s", r.Method, r.URL.Path, w.Code, status, body)
	}
	kind, want := w.Header().Get("Content-Type"), "application/json"
	if w.Code >= 400 && w.Code != http.StatusServiceUnavailable || strings.Contains(body, "about:blank") {
		want = "application/problem+json"
		var p problem
		if err := json.Unmarshal([]byte(body), &p); err != nil || p.Status != w.Code || p.Title == "" || p.Detail == "" {
			t.Errorf("%s %s: not a problem: %s", r.Method, r.URL.Path, body)
		}
	}
	if kind != want {
		t.Errorf("%s %s: content type %q, want %q", r.Method, r.URL.Path, kind, want)
	}
	return body
}

func TestRoutes(t *testing.T) {
	turns := func(n int) string {
		list, err := json.Marshal(make([]record.Record, n))
		if err != nil {
			t.Fatal(err)
		}
		return string(list)
	}
	g := &gateway{ask: func(_ context.Context, r doors.AskRequest) (record.Record, error) {
		return record.Record{Area: r.Area, Verdict: record.Verdict{Reply: strings.TrimSpace(r.Text + " " + string(r.Source)), Risk: fmt.Sprint("dry ", r.DryRun)}}, nil
	}}
	s := newServer(t, Config{}, g, map[string]http.Handler{
		"GET /metrics": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "metrics")
		}),
	})
	for name, tc := range map[string]struct {
		r      *http.Request
		status int
		want   string
	}{
		"alive":             {request("GET", "/healthz", ""), 200, `{"status":"ok"}`},
		"ask":               {request("POST", "/api/ask", `{"text":" turn on <it> ","area":"Den","dry_run":true}`), 200, `"risk":"dry true","reply":"turn on <it>"`},
		"say":               {request("POST", "/api/say", `{"text":"hello"}`), 202, `{"text":"hello"}`},
		"turns":             {request("GET", "/api/turns", ""), 200, turns(20)},
		"turns, some":       {request("GET", "/api/turns?limit=3", ""), 200, turns(3)},
		"turns, too many":   {request("GET", "/api/turns?limit=100000", ""), 400, "from 1 to 200"},
		"listen, muted":     {request("POST", "/api/listen", "{}"), 409, "muted"},
		"hold, muted":       {request("POST", "/api/hold", `{"button":"down"}`), 409, "muted"},
		"let go":            {request("POST", "/api/hold", `{"button":"up"}`), 202, `{"button":"up"}`},
		"hold what":         {request("POST", "/api/hold", `{}`), 400, "down, held or up"},
		"stop":              {request("POST", "/api/stop", ""), 202, `{"stopped":true}`},
		"is it muted":       {request("GET", "/api/mute", ""), 200, `{"muted":`},
		"mute":              {request("POST", "/api/mute", `{"on":true}`), 200, `{"muted":true}`},
		"how loud":          {request("GET", "/api/volume", ""), 200, `{"level":0,"muted":false}`},
		"too loud":          {request("POST", "/api/volume", `{"level":101}`), 400, "from 0 to 100"},
		"as loud as what":   {request("POST", "/api/volume", `{}`), 400, "from 0 to 100"},
		"its last words":    {request("GET", "/mcp/servers/zwave/stderr", ""), 200, `{"lines":["one","<two>"]}`},
		"it said nothing":   {request("GET", "/mcp/servers/music/stderr", ""), 200, `{"lines":[]}`},
		"nobody's words":    {request("GET", "/mcp/servers/nobody/stderr", ""), 404, "nobody"},
		"which gateway":     {request("GET", "/api/gateway", ""), 200, `{"id":"kitchen","area":"","language":"de","version":"","now":"`},
		"what it can do":    {request("GET", "/api/gateway", ""), 200, `"POST /api/ask"`},
		"ask, by nobody":    {request("POST", "/api/ask", `{"text":"hi","source":"mic"}`), 400, "source"},
		"ask, by the page":  {request("POST", "/api/ask", `{"text":"hi","source":"page"}`), 200, `"reply":"hi page"`},
		"mute what":         {request("POST", "/api/mute", `{}`), 400, `\"on\" is missing`},
		"mute loudly":       {request("POST", "/api/mute", `{"on":1}`), 400, "JSON object"},
		"devices":           {request("GET", "/api/devices", ""), 200, `{"devices":[{"name":"microphone",`},
		"meter, much":       {request("GET", "/api/events?meter=9", ""), 400, "0 or 1"},
		"no house yet":      {request("GET", "/api/home", ""), 503, "no house yet"},
		"servers":           {request("GET", "/mcp/servers", ""), 200, `{"overall":"full","servers":[{"id":"zwave","transport":"","essential":false,"status":"connected",`},
		"a server":          {request("GET", "/mcp/servers/zwave/status", ""), 200, `{"id":"zwave",`},
		"no such server":    {request("GET", "/mcp/servers/x/status", ""), 404, `MCP server \"x\"`},
		"retry, connected":  {request("POST", "/mcp/servers/zwave/retry", ""), 200, "connected"},
		"retry":             {request("POST", "/mcp/servers/music/retry", "{}"), 202, "connecting"},
		"retry, none such":  {request("POST", "/mcp/servers/x/retry", "{}"), 404, `MCP server \"x\"`},
		"retry, bare":       {request("POST", "/mcp/servers/music/retry", "", "Content-Type", ""), 202, "connecting"},
		"retry, of a form":  {request("POST", "/mcp/servers/music/retry", "", "Content-Type", "text/plain"), 415, "application/json"},
		"retry, untyped":    {request("POST", "/mcp/servers/music/retry", "{}", "Content-Type", ""), 415, "application/json"},
		"retry all, bare":   {request("POST", "/mcp/servers/retry-all", "", "Content-Type", ""), 202, `"overall":"full"`},
		"retry all":         {request("POST", "/mcp/servers/retry-all", "{}"), 202, `"overall":"full"`},
		"another's route":   {request("GET", "/metrics", ""), 200, "metrics"},
		"no such route":     {request("GET", "/nothing", ""), 404, "nothing at /nothing"},
		"wrong method":      {request("GET", "/api/ask", ""), 405, "/api/ask takes POST"},
		"wrong method, get": {request("DELETE", "/mcp/servers", "{}"), 405, "takes GET, HEAD"},
		"no content type":   {request("POST", "/api/ask", `{"text":"x"}`, "Content-Type", ""), 415, "application/json"},
		"a form":            {request("POST", "/api/ask", `{"text":"x"}`, "Content-Type", "text/plain"), 415, "application/json"},
		"with a charset":    {request("POST", "/api/say", `{"text":"x"}`, "Content-Type", "application/json; charset=utf-8"), 202, "x"},
		"not JSON":          {request("POST", "/api/ask", `text=x`), 400, "not the JSON object"},
		"empty":             {request("POST", "/api/ask", ``), 400, "not the JSON object"},
		"two objects":       {request("POST", "/api/ask", `{"text":"x"}{}`), 400, "something follows"},
		"unknown field":     {request("POST", "/api/ask", `{"text":"x","dryrun":true}`), 400, `unknown field \"dryrun\"`},
		"wrong type":        {request("POST", "/api/ask", `{"text":1}`), 400, "text"},
		"no text":           {request("POST", "/api/ask", `{"text":"  "}`), 400, "missing or empty"},
		"long text":         {request("POST", "/api/ask", `{"text":"`+strings.Repeat("x", doors.MaxText+1)+`"}`), 400, "over 2000 bytes"},
		"large body":        {request("POST", "/api/ask", `{"text":"`+strings.Repeat("x", maxBody)+`"}`), 413, "over 16384 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			if body := answered(t, s, tc.r, tc.status); !strings.Contains(body, tc.want) {
				t.Errorf("answer %s, want %s", body, tc.want)
			}
		})
	}
}

func TestReadiness(t *testing.T) {
	for name, tc := range map[string]struct {
		parts  []doors.Part
		status int
	}{
		"none":               {nil, 200},
		"all ready":          {[]doors.Part{{Name: "turns", State: doors.PartReady, Required: true}}, 200},
		"required, degraded": {[]doors.Part{{Name: "turns", State: doors.PartDegraded, Required: true, Why: "no wake word model"}}, 200},
		"required, starting": {[]doors.Part{{Name: "turns", State: doors.PartStarting, Required: true}}, 503},
		"required, failed":   {[]doors.Part{{Name: "mqtt", State: doors.PartReady}, {Name: "turns", State: doors.PartFailed, Required: true}}, 503},
		"optional, failed":   {[]doors.Part{{Name: "mqtt", State: doors.PartFailed, Why: "connection refused"}}, 200},
	} {
		s := newServer(t, Config{}, &gateway{parts: tc.parts}, nil)
		var got doors.Readiness
		if err := json.Unmarshal([]byte(answered(t, s, request("GET", "/readyz", ""), tc.status)), &got); err != nil {
			t.Fatal(err)
		}
		if got.Ready != (tc.status == 200) || len(got.Parts) != len(tc.parts) || got.MCP != "partial" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDoor(t *testing.T) {
	const token = "s3cret-of-the-house"
	local, open := Config{}, Config{Listen: "0.0.0.0:8765", Token: token, Hosts: []string{"pi.lan"}}
	auth := func(h ...string) []string { return append(h, "Authorization", "Bearer "+token) }
	for name, tc := range map[string]struct {
		cfg     Config
		headers []string
		status  int
	}{
		"local":                          {local, nil, 200},
		"local, by name":                 {local, []string{"Host", "localhost:8765"}, 200},
		"local, version 6":               {local, []string{"Host", "[::1]:8765"}, 200},
		"rebound name":                   {local, []string{"Host", "evil.example:8765"}, 403},
		"local, foreign address as host": {local, []string{"Host", "192.168.1.5:8765"}, 403},
		"no host":                        {local, []string{"Host", ""}, 403},
		"own page":                       {local, []string{"Origin", "http://127.0.0.1:8765"}, 200},
		"other site":                     {local, []string{"Origin", "https://evil.example"}, 403},
		"other port":                     {local, []string{"Origin", "http://127.0.0.1:9999"}, 403},
		"sandboxed page":                 {local, []string{"Origin", "null"}, 403},
		"open without token":             {open, nil, 401},
		"open with token":                {open, auth(), 200},
		"open, any case":                 {open, []string{"Authorization", "bearer " + token}, 200},
		"open, wrong token":              {open, []string{"Authorization", "Bearer s3cret-of-the-hous"}, 401},
		"open, wrong scheme":             {open, []string{"Authorization", "Basic " + token}, 401},
		"open, by address":               {open, auth("Host", "192.168.1.5:8765"), 200},
		"open, by its name":              {open, auth("Host", "PI.lan.:8765"), 200},
		"open, by another name":          {open, auth("Host", "evil.example"), 403},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, tc.cfg, &gateway{}, map[string]http.Handler{"GET /other": http.NotFoundHandler()})
			body := answered(t, s, request("GET", "/mcp/servers", "", tc.headers...), tc.status)
			if strings.Contains(body, token) {
				t.Error("the token is in the answer")
			}
			if tc.status != 200 { // the checks apply to the routes of other parts as well
				answered(t, s, request("GET", "/other", "", tc.headers...), tc.status)
			}
		})
	}
	s := newServer(t, open, &gateway{}, nil)
	answered(t, s, request("GET", "/healthz", ""), 200)
	answered(t, s, request("GET", "/readyz", ""), 401)
}

func TestNewRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		cfg      Config
		handlers map[string]http.Handler
		want     string
	}{
		"open without a token": {Config{Listen: ":8765"}, nil, "http.token_file"},
		"no port":              {Config{Listen: "localhost", Token: "x"}, nil, "expected host:port"},
		"a route twice":        {Config{Listen: "127.0.0.1:0"}, map[string]http.Handler{"GET /healthz": http.NotFoundHandler()}, "GET /healthz"},
	} {
		_, err := New(tc.cfg, Deps{Handlers: tc.handlers}, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDependencyErrors(t *testing.T) {
	for status, err := range map[int]error{
		404: doors.ErrNotFound,
		429: fmt.Errorf("60 commands a minute: %w", doors.ErrBusy),
		503: doors.ErrUnavailable,
		504: fmt.Errorf("turn: %w", context.DeadlineExceeded),
		500: errors.New("broken"),
	} {
		s := newServer(t, Config{}, &gateway{ask: func(context.Context, doors.AskRequest) (record.Record, error) { return record.Record{}, err }}, nil)
		answered(t, s, request("POST", "/api/ask", `{"text":"x"}`), status)
	}
	s := newServer(t, Config{}, &gateway{ask: func(context.Context, doors.AskRequest) (record.Record, error) {
		return record.Record{Intent: &record.Intent{Slots: map[string]any{"no JSON": make(chan int)}}}, nil
	}}, nil)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, request("POST", "/api/ask", `{"text":"x"}`))
	if w.Code != 500 {
		t.Errorf("a record that is no JSON: %d", w.Code)
	}
	bare, err := New(Config{Listen: "127.0.0.1:0"}, Deps{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	answered(t, bare, request("POST", "/api/ask", `{"text":"x"}`), 503)
}

func running(t *testing.T, s *Server) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// TestRunStopsWithRequestsUnderWay checks that a stop cancels running requests
// and does not wait for a silent client.
func TestRunStopsWithRequestsUnderWay(t *testing.T) {
	asked := make(chan struct{})
	s := newServer(t, Config{}, &gateway{ask: func(ctx context.Context, _ doors.AskRequest) (record.Record, error) {
		close(asked)
		<-ctx.Done()
		return record.Record{}, ctx.Err()
	}}, nil)
	stop := running(t, s)
	silent, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	status := make(chan int, 1)
	go func() {
		r, err := client.Post("http://"+s.Addr()+"/api/ask", "application/json", strings.NewReader(`{"text":"x"}`))
		if err != nil {
			status <- 0
			return
		}
		_ = r.Body.Close()
		status <- r.StatusCode
	}()
	<-asked
	stop()
	if got := <-status; got != 503 {
		t.Errorf("status %d", got)
	}
}

func TestPortInUseNamesTheKey(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	s := newServer(t, Config{Listen: l.Addr().String()}, &gateway{}, nil)
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "change http.listen") {
		t.Errorf("error %v", err)
	}
}
