package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/metrics"
	"voicegateway/internal/ear"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// assembled is a gateway with all its parts, before any has started.
func assembled(t *testing.T) *Gateway {
	t.Helper()
	cfg := Default()
	cfg.Gateway.StateDir = t.TempDir()
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway", Version: "v9"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ask sends a request to the gateway's HTTP interface.
func (g *Gateway) ask(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8765"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	g.http.ServeHTTP(w, r)
	return w
}

// TestToolsOfTheTable checks that MCP offers what the table of operations says, and nothing
// else.
func TestToolsOfTheTable(t *testing.T) {
	g := assembled(t)
	var offered, table []string
	for _, tool := range ownTools(g.serverList(g.mcp), g.timers) {
		offered = append(offered, tool.Spec().Name)
	}
	for _, row := range doors.Table {
		if tool := row.Describe().Tool; tool != "" {
			table = append(table, tool)
		}
	}
	slices.Sort(offered)
	slices.Sort(table)
	if !slices.Equal(offered, table) {
		t.Errorf("offered %q, and the table says %q", offered, table)
	}
}

// The OpenAPI file describes every route the assembled gateway answers; the page
// and its files are for people.
func TestTheWholeInterfaceIsDescribed(t *testing.T) {
	g := assembled(t)
	var file struct {
		Paths map[string]map[string]any `yaml:"paths"`
	}
	if err := yaml.Unmarshal(g.ask(t, http.MethodGet, "/openapi.yaml", "").Body.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, methods := range file.Paths {
		for method := range methods {
			if method != "parameters" && method != "description" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, pattern := range g.http.Patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		page := path == "/{$}" || !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/mcp") && strings.HasSuffix(path, "/")
		if !page && !slices.Contains(described, pattern) {
			t.Errorf("%s is not in openapi.yaml", pattern)
		}
	}
	for _, d := range described {
		if !slices.Contains(g.http.Patterns(), d) {
			t.Errorf("openapi.yaml describes %s, which is not answered", d)
		}
	}
}

// The server's object in the OpenAPI file has exactly the names the gateway answers
// with.
func TestTheServersObjectIsDescribed(t *testing.T) {
	g := assembled(t)
	var file struct {
		Components struct {
			Schemas map[string]struct {
				Required   []string       `yaml:"required"`
				Properties map[string]any `yaml:"properties"`
			} `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(g.ask(t, http.MethodGet, "/openapi.yaml", "").Body.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(g.ask(t, http.MethodGet, "/mcp/servers/zwave/status", "").Body.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	schema := file.Components.Schemas["Server"]
	answered := slices.Sorted(maps.Keys(object))
	if described := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(described, answered) {
		t.Errorf("described: %q\nanswered:  %q", described, answered)
	}
	if required := slices.Sorted(slices.Values(schema.Required)); !slices.Equal(required, answered) {
		t.Errorf("required: %q\nanswered: %q", required, answered)
	}
}

// M7's tools, and those that list and change timers, are offered to the model with the risk and the
// hints they have, and at /mcp with the same names.
func TestTheServersToolsAreOfferedTwice(t *testing.T) {
	g := assembled(t)
	want := map[string]tools.Risk{
		"list_servers": tools.Read, "get_server_status": tools.Read, "retry_server": tools.Reversible, "retry_all_servers": tools.Reversible,
		"list_timers": tools.Read, "change_timer": tools.Reversible,
	}
	for name, risk := range want {
		spec, ok := g.tools.Lookup(tools.Call{Tool: name})
		if !ok || spec.Risk != risk || spec.Title == "" || spec.Description == "" || spec.Idempotent == (name == "change_timer") {
			t.Errorf("%s for the model: %v %+v", name, ok, spec)
		}
	}
	hello := g.ask(t, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:8765/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Mcp-Session-Id", hello.Header().Get("Mcp-Session-Id"))
	w := httptest.NewRecorder()
	g.http.ServeHTTP(w, r)
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string
				Description string
				Annotations map[string]any
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if len(answer.Result.Tools) != len(want) {
		t.Errorf("%d tools at /mcp: %s", len(answer.Result.Tools), w.Body)
	}
	for _, tool := range answer.Result.Tools {
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := tool.Annotations[hint].(bool); !ok {
				t.Errorf("%s has no %s", tool.Name, hint)
			}
		}
		if read := tool.Annotations["readOnlyHint"]; read != (want[tool.Name] == tools.Read) || tool.Annotations["destructiveHint"] != false {
			t.Errorf("%s: %v", tool.Name, tool.Annotations)
		}
	}
}

// The tools' answers before anything was tried, and about a server that is not
// configured.
func TestTheServersToolsAnswer(t *testing.T) {
	g := assembled(t)
	for name, tc := range map[string]struct {
		tool, args, text string
		failed           bool
	}{
		"all":          {"list_servers", `{}`, "together: disconnected", false},
		"one":          {"get_server_status", `{"serverId":"zwave"}`, "zwave is disconnected", false},
		"snake case":   {"get_server_status", `{"server_id":"zwave"}`, "zwave is disconnected", false},
		"retry":        {"retry_server", `{"serverId":"zwave"}`, "zwave is disconnected", false},
		"retry all":    {"retry_all_servers", ``, "zwave is disconnected", false},
		"unknown":      {"get_server_status", `{"serverId":"music"}`, "list_servers", true},
		"retry, none":  {"retry_server", `{"serverId":"music"}`, "configured are: zwave", true},
		"no argument":  {"retry_server", `{}`, "serverId", true},
		"bad argument": {"retry_server", `{"serverId":{"id":7}}`, "serverId", true},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := g.tools.Call(t.Context(), tools.Call{Tool: tc.tool, Args: json.RawMessage(tc.args)})
			if err != nil || result.Failed != tc.failed || !strings.Contains(result.Text, tc.text) {
				t.Errorf("%+v, %v", result, err)
			}
			if !tc.failed && !json.Valid(result.Data) {
				t.Errorf("data %s", result.Data)
			}
		})
	}
}

// Every word that the parts use for a state or an outcome has a series: the metrics have
// a list of these words of their own.
func TestMetricsKnowTheWords(t *testing.T) {
	now := metrics.Snapshot{}
	m := metrics.New("v")
	for _, outcome := range mcpint.CallOutcomes() {
		m.Call("zwave", outcome, 0)
	}
	for _, to := range mcpint.BreakerStates() {
		m.Breaker("zwave", to)
	}
	for _, source := range []record.Source{record.FromMic, record.FromFile, record.FromMQTT, record.FromHTTP, record.FromCLI} {
		for _, route := range []record.Route{record.RouteLocal, record.RouteModel, record.RouteNone, record.RouteRefused} {
			for _, outcome := range []record.Outcome{record.Done, record.Failed, record.Asked, record.Ignored, record.Interrupted} {
				m.Turn(record.Record{Source: source, Route: route, Verdict: record.Verdict{Outcome: outcome}})
			}
		}
	}
	for _, state := range mcpint.States() {
		for _, health := range mcpint.Healths() {
			now = metrics.Snapshot{Overall: "full", Servers: []mcpint.Status{{ID: "x", Status: state, Health: health, Breaker: mcpint.BreakerOpen}}}
			text := scraped(t, m, now)
			for _, line := range []string{`status{server="x",state="` + string(state) + `"} 1`, `health{server="x",state="` + string(health) + `"} 1`} {
				if !strings.Contains(text, line) {
					t.Errorf("no line %s", line)
				}
			}
		}
	}
	if strings.Contains(scraped(t, m, now), `"other"`) {
		t.Error("a word counts as other")
	}
}

func scraped(t *testing.T, m *metrics.Metrics, now metrics.Snapshot) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(func() metrics.Snapshot { return now }).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A turn is counted, and published on the stream together with what its devices
// reported.
func TestATurnIsCountedAndTold(t *testing.T) {
	g := assembled(t)
	ms := 120.0
	g.observer.StateChanged(ear.Thinking)
	g.observer.TurnEnded(record.Record{
		ID: "t-1", Source: record.FromMic, Route: record.RouteLocal, Timings: record.Timings{FirstPublish: &ms},
		Verdict: record.Verdict{Outcome: record.Done, Calls: []record.CallMade{{Tool: "x", Receipt: &record.Receipt{Device: "Lamp", Property: "on_off", Value: "on", Outcome: tools.Confirmed}}}},
	})
	text := g.ask(t, http.MethodGet, "/metrics", "").Body.String()
	for _, line := range []string{
		`voice_gateway_turns_total{outcome="done",route="local",source="mic"} 1`,
		`voice_gateway_turn_seconds_bucket{stage="first_publish",le="0.15"} 1`,
		`voice_gateway_build_info{version="v9"} 1`,
		`voice_gateway_mcp_overall{state="disconnected"} 1`,
		`voice_gateway_mcp_server_status{server="zwave",state="disconnected"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	events := g.stream.Standing(g.journal.state())
	if state, err := json.Marshal(events[0].Body); err != nil || len(events) != 3 || string(state) != `{"state":"thinking","recorder":"off"}` {
		t.Errorf("how things stand: %+v", events)
	}
	turns := g.ask(t, http.MethodGet, "/api/turns", "").Body.Bytes()
	if !bytes.Contains(turns, []byte(`"id":"t-1"`)) {
		t.Errorf("turns: %s", turns)
	}
}

// TestControlBeforeTheHouseIsKnown: an act comes too early, and nobody is told that the thing
// does not exist.
func TestControlBeforeTheHouseIsKnown(t *testing.T) {
	g := assembled(t)
	const lamp = `{"thing":"Attic Lamp","do":"on"}`
	if w := g.ask(t, http.MethodPost, "/api/control", lamp); w.Code != http.StatusServiceUnavailable {
		t.Errorf("before: %d %s", w.Code, w.Body)
	}
	g.house.Tell("zwave", []byte(`{"areas":[{"name":"Attic"}],"entities":[{"id":"light.1","name":"Attic Lamp","domain":"light","areas":["Attic"],"control":{"tool":"c","id":"1"}},{"id":"light.2","name":"Twin","domain":"light"},{"id":"light.3","name":"Twin","domain":"light"}]}`))
	for body, want := range map[string]int{lamp: http.StatusOK, `{"thing":"light.1","do":"dance"}`: http.StatusBadRequest, `{"thing":"Twin","do":"on"}`: http.StatusBadRequest, `{"thing":"Cellar Lamp","do":"on"}`: http.StatusNotFound} {
		if w := g.ask(t, http.MethodPost, "/api/control", body); w.Code != want {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
