//go:build oracle

package oracle

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// gateway is a running voice-gateway before a simulated house, without a sound card and
// without a language model.
type gateway struct {
	url, broker string
	env         []string
	session     string // of MCP
	normal      normal
}

// startGateway starts one and waits until it knows its house.
func startGateway(t *testing.T) *gateway {
	t.Helper()
	broker, addr, state := rig.Mosquitto(t), fake.FreeAddr(t), t.TempDir()
	rig.StartHouse(t, broker)
	g := &gateway{url: "http://" + addr, broker: broker}
	g.env = rig.Environ(t, "VOICE_GATEWAY_MQTT_BROKER="+broker, "VOICE_GATEWAY_HTTP_LISTEN="+addr, "VOICE_GATEWAY_GATEWAY_ID=test",
		"VOICE_GATEWAY_AI_ENABLED=false", "VOICE_GATEWAY_GATEWAY_STATE_DIR="+state, "VOICE_GATEWAY_GATEWAY_UNITS=metric", "VOICE_GATEWAY_GATEWAY_AREA=Kitchen",
		"VOICE_GATEWAY_AUDIO_INPUT=no such microphone", "VOICE_GATEWAY_AUDIO_OUTPUT=no such speaker", "VOICE_GATEWAY_TOOLS_VOLUME_BACKEND=software", "TZ=UTC")
	g.normal.known = []string{g.url, "<gateway>", addr, "<gateway>", broker, "<broker>", strings.TrimPrefix(broker, "mqtt://"), "<broker>", state, "<state>", bin, "<bin>"}
	for _, variable := range g.env {
		if home, ok := strings.CutPrefix(variable, "HOME="); ok {
			g.normal.known = append(g.normal.known, home, "<home>")
		}
	}
	p := rig.Start(t, g.env, filepath.Join(bin, "voice-gateway"), "run")
	rig.Eventually(t, "the gateway knows the house", func() bool {
		var h struct {
			Entities []struct {
				Name      string
				State     any
				Reachable *bool
			}
		}
		return rig.SendJSON(t.Context(), http.MethodGet, g.url+"/api/home", nil, &h) == nil && len(h.Entities) > 10
	})
	rig.Eventually(t, "a lamp obeys", func() bool {
		var rec struct{ Outcome string }
		err := rig.SendJSON(t.Context(), http.MethodPost, g.url+"/api/ask", object{"text": "turn off the kitchen light"}, &rec)
		return err == nil && rec.Outcome == "done"
	})
	rig.Eventually(t, "it knows that it has neither a speaker nor a microphone", func() bool {
		log := p.Log.String()
		return strings.Contains(log, `msg="no speaker"`) && strings.Contains(log, `msg="no microphone"`)
	})
	return g
}

// request is one request of the table. {id} of its path is the last turn's id, and
// {session} of its headers the MCP session.
type request struct {
	route, path, body string
	headers           []string
	loose             bool // its body hangs on the moment
}

// requests are sent one after the other, at least one to every route.
var requests = []request{
	{route: "GET /healthz"},
	{route: "GET /readyz"},
	{route: "GET /metrics"},
	{route: "GET /openapi.yaml"},
	{route: "GET /page/{file}", path: "/page/main.js"},
	{route: "GET /page/{file}", path: "/page/nothing.js"},
	{route: "GET /login"},
	{route: "POST /login", body: `{"token":"wrong"}`},
	{route: "POST /login", body: `token=wrong`, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}},
	{route: "POST /logout", body: `{}`},
	{route: "GET /api/gateway"},
	{route: "GET /mcp/servers"},
	{route: "GET /mcp/servers/{id}/status", path: "/mcp/servers/zwave/status"},
	{route: "GET /mcp/servers/{id}/status", path: "/mcp/servers/missing/status"},
	{route: "GET /mcp/servers/{id}/stderr", path: "/mcp/servers/zwave/stderr", loose: true},
	{route: "GET /mcp/servers/{id}/stderr", path: "/mcp/servers/missing/stderr"},
	{route: "POST /mcp/servers/{id}/retry", path: "/mcp/servers/zwave/retry", body: `{}`},
	{route: "POST /mcp/servers/{id}/retry", path: "/mcp/servers/missing/retry", body: `{}`},
	{route: "POST /mcp/servers/{id}/accept", path: "/mcp/servers/zwave/accept", body: `{}`},
	{route: "POST /mcp/servers/{id}/accept", path: "/mcp/servers/missing/accept", body: `{}`},
	{route: "POST /mcp/servers/retry-all", body: `{}`},
	{route: "POST /mcp/servers/retry-all", body: `x`, headers: []string{"Content-Type", "text/plain"}},
	{route: "POST /mcp", body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"oracle","version":"1"}}}`, headers: []string{"Accept", "application/json, text/event-stream"}},
	{route: "POST /mcp", body: `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, headers: []string{"Accept", "application/json, text/event-stream"}},
	{route: "POST /mcp", body: `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, headers: []string{"Accept", "application/json, text/event-stream", "Mcp-Session-Id", "{session}"}},
	{route: "POST /mcp", body: `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_server_status","arguments":{"server":"zwave"}}}`, headers: []string{"Accept", "application/json, text/event-stream", "Mcp-Session-Id", "{session}"}},
	{route: "DELETE /mcp", headers: []string{"Mcp-Session-Id", "{session}"}},
	{route: "POST /mcp", body: `nonsense`, headers: []string{"Accept", "application/json, text/event-stream"}},
	{route: "GET /mcp", headers: []string{"Mcp-Session-Id", "invented", "Accept", "text/event-stream"}},
	{route: "DELETE /mcp", headers: []string{"Mcp-Session-Id", "invented"}},
	{route: "POST /api/ask", body: `{"text":"turn on the kitchen light"}`},
	{route: "POST /api/ask", body: `{"text":"turn on the kitchen light","dry_run":true,"area":"Kitchen"}`},
	{route: "POST /api/ask", body: `{"text":"unlock the front door"}`},
	{route: "POST /api/ask", body: `{"text":"turn on the nonsense"}`},
	{route: "POST /api/ask", body: `{"text":"set a timer for ten minutes"}`},
	{route: "POST /api/ask", body: `{"text":"tell me a story about the sea"}`},
	{route: "POST /api/ask", body: `{"text":""}`},
	{route: "POST /api/ask", body: `{"words":"turn on the kitchen light"}`},
	{route: "POST /api/ask", body: `{"text":7}`},
	{route: "POST /api/ask", body: `nonsense`},
	{route: "POST /api/ask", body: `{"text":"turn on the kitchen light"}`, headers: []string{"Content-Type", "text/plain"}},
	{route: "POST /api/ask", body: `{"text":"` + strings.Repeat("x", 70<<10) + `"}`},
	{route: "POST /api/ask", body: `{"text":"turn on the kitchen light"}`, headers: []string{"Origin", "http://elsewhere.example"}},
	{route: "POST /api/control", body: `{"thing":"Kitchen Light","do":"on"}`},
	{route: "POST /api/control", body: `{"thing":"Kitchen Light","do":"dance"}`},
	{route: "POST /api/control", body: `{"thing":"Nothing","do":"on"}`},
	{route: "POST /api/arrangement", body: `{"rooms":["Kitchen"],"hidden":[]}`},
	{route: "POST /api/arrangement", body: `{"rooms":[""]}`},
	{route: "GET /api/examples"},
	{route: "POST /api/alarms/seen", body: `{"things":["zw-1"]}`},
	{route: "POST /api/alarms/seen", body: `{"things":7}`},
	{route: "POST /api/say", body: `{"text":"Dinner is ready."}`},
	{route: "POST /api/say", body: `{"text":""}`},
	{route: "POST /api/listen", body: `{}`},
	{route: "POST /api/listen", body: `{"now":true}`},
	{route: "POST /api/stop", body: `{}`},
	{route: "GET /api/mute"},
	{route: "POST /api/mute", body: `{"on":true}`},
	{route: "GET /api/mute"},
	{route: "POST /api/mute", body: `{"on":false}`},
	{route: "POST /api/mute", body: `{}`},
	{route: "POST /api/mute", body: `{"on":"yes"}`},
	{route: "GET /api/volume"},
	{route: "POST /api/volume", body: `{"level":40}`},
	{route: "POST /api/volume", body: `{"level":101}`},
	{route: "GET /api/devices"},
	{route: "GET /api/turns"},
	{route: "GET /api/turns", path: "/api/turns?limit=nonsense"},
	{route: "GET /api/tasks"},
	{route: "GET /api/home"},
	{route: "GET /api/arrangement"},
	{route: "POST /api/ask", body: `{"text":"turn on the kitchen light"}`},
	{route: "POST /api/turns/{id}/wrong", body: `{"should":"turn off the kitchen light"}`},
	{route: "POST /api/turns/{id}/wrong", path: "/api/turns/nothing/wrong", body: `{}`},
	{route: "POST /api/turns/{id}/remember", body: `{}`},
	{route: "POST /api/turns/{id}/remember", path: "/api/turns/nothing/remember", body: `{}`},
	{route: "POST /api/turns/{id}/replay", body: `{}`},
	{route: "POST /api/turns/{id}/replay", path: "/api/turns/nothing/replay", body: `{}`},
	{route: "GET /api/marks"},
	{route: "GET /api/marks/{id}"},
	{route: "GET /api/marks/{id}", path: "/api/marks/nothing"},
	{route: "DELETE /api/marks/{id}"},
	{route: "DELETE /api/marks/{id}", path: "/api/marks/nothing"},
	{route: "GET /api/wordings"},
	{route: "PUT /api/wordings/{id}", path: "/api/wordings/nothing", body: `{"text":"make it nice"}`},
	{route: "PUT /api/wordings/{id}", path: "/api/wordings/nothing", body: `{}`},
	{route: "DELETE /api/wordings/{id}", path: "/api/wordings/nothing"},
	{route: "GET /api/wakes"},
	{route: "GET /api/rehearsal"},
	{route: "POST /api/rehearsal", body: `{"nonsense":1}`},
	{route: "GET /api/timers"},
	{route: "POST /api/timers", body: `{"action":"start","seconds":600,"name":"tea"}`},
	{route: "POST /api/timers", body: `{"action":"dance"}`},
	{route: "POST /api/timers", body: `{"action":"start","seconds":-1}`},
	{route: "POST /api/timers", body: `{"action":"start","seconds":600,"text":"turn off the kitchen light"}`},
	{route: "POST /api/timers", body: `{"action":"start","seconds":600,"text":"unlock the front door"}`},
	{route: "DELETE /api/timers", path: "/api/timers?timer=timer-2"},
	{route: "DELETE /api/timers", path: "/api/timers?all=1"},
	{route: "DELETE /api/timers", path: "/api/timers?timer=nothing"},
	{route: "DELETE /api/timers"},
	{route: "GET /api/events"},
	{route: "GET /"},
	{route: "GET /nowhere"},
	{route: "PUT /api/ask", body: `{}`},
	{route: "GET /api/ask"},
}

// answerOf sends a request and returns what is kept of its answer.
func (g *gateway) answerOf(t *testing.T, r request, turn string) object {
	t.Helper()
	method, path, _ := strings.Cut(r.route, " ")
	if r.path != "" {
		path = r.path
	}
	ctx, cancel := context.WithTimeout(t.Context(), rig.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, g.url+strings.ReplaceAll(path, "{id}", turn), strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(r.headers); i += 2 {
		req.Header.Set(r.headers[i], strings.ReplaceAll(r.headers[i+1], "{session}", g.session))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	g.session = cmp.Or(resp.Header.Get("Mcp-Session-Id"), g.session)
	headers := object{}
	for name := range resp.Header {
		if !slices.Contains([]string{"Date", "Content-Length", "Retry-After", "Etag", "Mcp-Session-Id"}, name) {
			headers[name] = resp.Header.Get(name)
		}
	}
	entry := object{"status": resp.StatusCode, "headers": headers}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") && method == http.MethodGet {
		return entry // what comes in it hangs on the moment
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.loose {
		return entry
	}
	switch content := resp.Header.Get("Content-Type"); {
	case r.route == "GET /metrics":
		entry["body"] = shape(string(body))
	case strings.HasPrefix(content, "text/html"), strings.Contains(content, "javascript"), strings.Contains(content, "yaml"):
		entry["sum"] = fmt.Sprintf("%x", sha256.Sum256(body))
	default:
		entry["body"] = g.normal.body(string(body))
	}
	return entry
}

var series = regexp.MustCompile(`^# (HELP|TYPE) `)

// shape keeps the names, kinds and explanations of metrics, whose values hang on the moment.
func shape(text string) (lines []string) {
	for _, line := range split(text) {
		if series.MatchString(line) && !strings.Contains(line, " go_") && !strings.Contains(line, " process_") {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestHTTP sends good and bad requests to every route of the interface's own description.
func TestHTTP(t *testing.T) {
	t.Parallel()
	entries, g := open(t, "http"), startGateway(t)
	asked := map[string]bool{}
	counts := map[string]int{}
	turn := "none"
	for _, r := range requests {
		entry := g.answerOf(t, r, turn)
		asked[r.route] = true
		name := r.route + " " + r.path + " " + short(r.body) + strings.Join(r.headers, " ")
		if counts[name]++; counts[name] > 1 {
			name += fmt.Sprintf(" (%d)", counts[name])
		}
		entries.put(t, name, entry)
		if r.route == "POST /api/ask" && entry["status"] == http.StatusOK {
			var list []struct{ ID string }
			if err := rig.SendJSON(t.Context(), http.MethodGet, g.url+"/api/turns", nil, &list); err != nil || len(list) == 0 {
				t.Fatalf("no turns: %v", err)
			}
			turn = list[0].ID
		}
	}
	for _, route := range g.routes(t) {
		if !asked[route] {
			t.Errorf("no request of the oracle goes to %s; add some to the table in e2e/oracle/gateway_test.go", route)
		}
	}
}

// routes are the routes of the gateway's own table, and those that it describes.
func (g *gateway) routes(t *testing.T) (all []string) {
	t.Helper()
	var about struct{ Routes []string }
	if err := rig.SendJSON(t.Context(), http.MethodGet, g.url+"/api/gateway", nil, &about); err != nil {
		t.Fatal(err)
	}
	if len(about.Routes) < 20 {
		t.Fatalf("the gateway has %d routes only", len(about.Routes))
	}
	for _, pattern := range about.Routes {
		all = append(all, strings.TrimSuffix(pattern, "{$}"))
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+"/openapi.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var described struct {
		Paths map[string]map[string]yaml.Node
	}
	if err := yaml.NewDecoder(resp.Body).Decode(&described); err != nil {
		t.Fatal(err)
	}
	for path, methods := range described.Paths {
		for method := range methods {
			if method != "parameters" && method != "description" {
				all = append(all, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// short keeps the beginning of a long text.
func short(text string) string {
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}

// orders are MQTT commands by verb: good ones, and bad ones of every kind. ID stands for an
// id of its own.
var orders = map[string][]string{
	"ask": {
		`{"id":"ID","text":"turn on the kitchen light"}`, `{"id":"ID","text":"turn off the kitchen light","area":"Kitchen"}`, `{"id":"ID","text":"unlock the front door"}`,
		`{"id":"ID","text":"what time"}`, `{"id":"ID"}`, `{"id":"ID","text":""}`, `{"text":"turn on the kitchen light"}`, `{"id":"ID","text":"turn on the kitchen light","level":3}`,
		`{"id":"ID","text":"turn on the kitchen light","time":"2020-01-01T00:00:00Z"}`, `{"id":"ID","text":"turn on the kitchen light","time":"soon"}`,
		`{"id":"ID","text":"turn on the kitchen light","time":"2199-01-01T00:00:00Z"}`,
	},
	"control": {`{"id":"ID","thing":"Kitchen Light","do":"off"}`, `{"id":"ID","thing":"Kitchen Light"}`, `{"id":"ID","thing":7,"do":"on"}`},
	"say":     {`{"id":"ID","text":"Dinner is ready."}`, `{"id":"ID"}`, `{"id":"ID","text":7}`},
	"listen":  {`{"id":"ID"}`, `{}`, `{"id":"ID","text":"x"}`},
	"stop":    {`{"id":"ID"}`, `{}`},
	"mute":    {`{"id":"ID","on":true}`, `{"id":"ID","on":false}`, `{"id":"ID"}`, `{"id":"ID","on":"yes"}`},
	"volume":  {`{"id":"ID","level":30}`, `{"id":"ID","level":101}`, `{"id":"ID","level":-1}`, `{"id":"ID"}`},
	"timer": {
		`{"id":"ID","action":"start","seconds":600,"name":"tea"}`, `{"id":"ID","action":"pause","timer":"tea"}`, `{"id":"ID","action":"resume","timer":"tea"}`,
		`{"id":"ID","action":"add","timer":"tea","seconds":60}`, `{"id":"ID","action":"snooze","timer":"tea"}`, `{"id":"ID","action":"stop"}`, `{"id":"ID","action":"cancel","timer":"tea"}`,
		`{"id":"ID","action":"start","seconds":600,"text":"unlock the front door"}`, `{"id":"ID","action":"dance"}`, `{"id":"ID"}`, `{"id":"ID","action":"cancel","timer":"nothing"}`,
	},
	"retry": {`{"id":"ID"}`, `{}`},
	"dance": {`{"id":"ID"}`, ``},
	"error": nil,
}

// everywhere are payloads that are bad whatever the verb.
var everywhere = []string{`garbage`, ``, `[]`, `{"id":"ID"} {"id":"ID"}`, "\xff\xfe", strings.Repeat("x", 17<<10)}

// expected is how the gateway lists its verbs.
var expected = regexp.MustCompile(`expected ([a-z, ]+) or ([a-z]+)`)

// TestMQTT sends good and bad commands of every verb.
func TestMQTT(t *testing.T) {
	t.Parallel()
	entries, g := open(t, "mqtt"), startGateway(t)
	var mu sync.Mutex
	var heard []object
	stranger := rig.Subscribe(t, g.broker, func(topic string, payload []byte, retained bool) {
		mu.Lock()
		defer mu.Unlock()
		what, ours := strings.CutPrefix(topic, "voice/test/")
		if ours && slices.Contains([]string{"cmd/error", "turn", "reply"}, what) && !retained {
			var v object
			if json.Unmarshal(payload, &v) != nil {
				v = object{"payload": string(payload)}
			}
			heard = append(heard, object{"topic": what, "message": v})
		}
	}, "voice/#")
	send := func(verb, payload string) {
		if err := stranger.Publish(t.Context(), "voice/test/cmd/"+verb, []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	// about takes the messages that hold a word and forgets all.
	about := func(id string) (all []any) {
		mu.Lock()
		defer mu.Unlock()
		for _, h := range heard {
			text, err := plain(h)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(text, `"`+id+`"`) || h["topic"] == "cmd/error" && !strings.Contains(text, `"id":"mark`) {
				all = append(all, g.normal.body(strings.ReplaceAll(text, `"`+id+`"`, `"ID"`)))
			}
		}
		heard = nil
		slices.SortFunc(all, func(a, b any) int {
			left, _ := plain(a)
			right, _ := plain(b)
			return strings.Compare(left, right)
		})
		return all
	}
	has := func(topic, id string) bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.ContainsFunc(heard, func(h object) bool {
			m := h["message"].(object)
			return h["topic"] == topic && (m["id"] == id || m["turn"] == id)
		})
	}
	verbs, n := sortedVerbs(), 0
	for _, verb := range verbs {
		for i, payload := range payloadsOf(verb) {
			n++
			id, mark := fmt.Sprintf("order-%d", n), fmt.Sprintf("mark-%d", n)
			payload := strings.ReplaceAll(payload, "ID", id)
			send(verb, payload)
			if verb == "ask" && i < 4 {
				rig.Eventually(t, "the turn of "+payload+" is told", func() bool { return has("turn", id) && has("reply", id) })
			}
			// What can only fail, as there are no such speaker and timer, is done after what stood
			// in its line.
			send("say", `{"id":"`+mark+`","text":"x"}`)
			send("timer", `{"id":"`+mark+`v","action":"cancel","timer":"no such timer"}`)
			rig.Eventually(t, "the commands after "+verb+" are refused", func() bool { return has("cmd/error", mark) && has("cmd/error", mark+"v") })
			entry := object{"told": about(id)}
			var state any
			for _, route := range map[string][]string{"timer": {"/api/timers"}, "mute": {"/api/mute"}}[verb] {
				if err := rig.SendJSON(t.Context(), http.MethodGet, g.url+route, nil, &state); err != nil {
					t.Fatal(err)
				}
				text, err := plain(state)
				if err != nil {
					t.Fatal(err)
				}
				entry["state"] = g.normal.body(text)
			}
			entries.put(t, fmt.Sprintf("%s %02d %s", verb, i+1, short(strings.ReplaceAll(fmt.Sprintf("%q", payload), id, "ID"))), entry)
		}
	}
	send("ask", `{"id":"twice","text":"turn on the kitchen light"}`)
	send("ask", `{"id":"twice","text":"turn on the kitchen light"}`)
	rig.Eventually(t, "the second is refused", func() bool { return has("cmd/error", "twice") && has("turn", "twice") && has("reply", "twice") })
	entries.put(t, "an id that was used before", about("twice"))

	send("nothing of this kind", `{"id":"verbs"}`)
	rig.Eventually(t, "the verbs are listed", func() bool { return has("cmd/error", "verbs") })
	text, err := plain(about("verbs"))
	if err != nil {
		t.Fatal(err)
	}
	listed := expected.FindStringSubmatch(text)
	if listed == nil {
		t.Fatalf("the gateway does not list its verbs: %s", text)
	}
	for _, verb := range append(strings.Split(listed[1], ", "), listed[2]) {
		if orders[verb] == nil {
			t.Errorf("no command of the oracle has the verb %q; add some to the table in e2e/oracle/gateway_test.go", verb)
		}
	}
}

// payloadsOf are the payloads of a verb: its own, the first of them with an id that is too
// long, and those that are bad for every verb.
func payloadsOf(verb string) []string {
	all := slices.Clone(orders[verb])
	if len(all) > 0 {
		all = append(all, strings.ReplaceAll(all[0], "ID", strings.Repeat("x", 200)))
	}
	return append(all, everywhere...)
}

func sortedVerbs() (verbs []string) {
	for verb := range orders {
		verbs = append(verbs, verb)
	}
	slices.Sort(verbs)
	return verbs
}

// leftOut are commands that are not run without arguments, and why.
var leftOut = map[string]string{
	"voice-gateway":              "it is the daemon",
	"voice-gateway run":          "it is the daemon",
	"voice-gateway demo":         "it lasts long, and tells what it took",
	"voice-gateway listen":       "it goes on until somebody ends it",
	"voice-gateway wake-test":    "it needs a microphone",
	"voice-gateway setup":        "it looks for what this machine and its network have",
	"voice-gateway doctor":       "it tells what this machine has",
	"voice-gateway devices":      "it tells what this machine has",
	"voice-gateway models list":  "it tells what this machine has",
	"voice-gateway models pull":  "it fetches from the internet",
	"zwave-mcp-server":           "it goes on until somebody ends it",
	"zwave-mcp-server simulate":  "it goes on until somebody ends it",
	"voice-gateway help":         "it is --help",
	"zwave-mcp-server help":      "it is --help",
	"voice-gateway worker":       "it is run by the daemon alone",
	"voice-gateway config":       "it is --help",
	"voice-gateway config check": "it tells what this machine has",
	"voice-gateway rehearse":     "it needs a recogniser",
	"voice-gateway models":       "it is --help",
}

// deeds are commands with arguments, in this order, before a running gateway.
var deeds = [][]string{
	{"ask", "turn on the kitchen light"},
	{"ask", "--json", "turn off the kitchen light"},
	{"ask", "--dry-run", "unlock the front door"},
	{"ask"},
	{"ask", ""},
	{"ask", "tell me a story about the sea"},
	{"home"},
	{"home", "--json"},
	{"turns"},
	{"turns", "--json"},
	{"turns", "--tasks"},
	{"why"},
	{"why", "nothing"},
	{"replay", "nothing"},
	{"wrong", "nothing"},
	{"remember", "nothing"},
	{"marks"},
	{"wordings"},
	{"servers"},
	{"servers", "--json"},
	{"servers", "retry", "nobody"},
	{"servers", "retry", "zwave"},
	{"timers"},
	{"timers", "start", "10m"},
	{"timers", "cancel", "nothing"},
	{"volume"},
	{"volume", "30"},
	{"volume", "101"},
	{"mute"},
	{"mute", "on"},
	{"mute", "off"},
	{"mute", "perhaps"},
	{"say", "Dinner is ready."},
	{"stop"},
	{"wakes"},
	{"config", "show"},
	{"hear"},
	{"hear", "nothing.wav"},
	{"match", "--home", "nothing.json"},
	{"models", "verify", "nothing"},
	{"nonsense"},
	{"--version"},
}

// TestCommands asks every command of both programs for help, runs it without arguments
// where nothing is there to be talked to, with a flag that it does not have, and those with
// arguments before a running gateway.
func TestCommands(t *testing.T) {
	t.Parallel()
	entries, g := open(t, "commands"), startGateway(t)
	alone := rig.Environ(t, "VOICE_GATEWAY_HTTP_LISTEN=127.0.0.1:9", "VOICE_GATEWAY_MQTT_BROKER=mqtt://127.0.0.1:9", "VOICE_GATEWAY_AI_ENABLED=false", "TZ=UTC")
	for _, program := range []string{"voice-gateway", "zwave-mcp-server"} {
		for _, path := range g.commands(t, alone, program) {
			name := strings.Join(append([]string{program}, path...), " ")
			entries.put(t, name+" --help", g.run(t, alone, program, append(slices.Clone(path), "--help")...))
			entries.put(t, name+" --nonsense", g.run(t, alone, program, append(slices.Clone(path), "--nonsense")...))
			if leftOut[name] == "" && !slices.Contains(path, "completion") { // which a library makes of the commands
				entries.put(t, name, g.run(t, alone, program, path...))
			}
		}
	}
	for _, args := range deeds {
		entries.put(t, "before a gateway: "+strings.Join(args, " "), g.run(t, g.env, "voice-gateway", args...))
	}
}

// run runs a program and returns what it says.
func (g *gateway) run(t *testing.T, env []string, program string, args ...string) object {
	t.Helper()
	stdout, stderr, status := rig.Run(t, env, filepath.Join(bin, program), args...)
	g.normal.ids = map[string]string{}
	g.normal.exact = slices.Contains(args, "--help") || slices.Contains(args, "config")
	defer func() { g.normal.exact = false }()
	out := g.normal.body(stdout)
	var logged []string
	for _, line := range split(stderr) {
		logged = append(logged, g.normal.of(line))
	}
	return object{"stdout": out, "stderr": logged, "status": status}
}

// commands lists the commands of a program by its own help, the program itself first.
func (g *gateway) commands(t *testing.T, env []string, program string) (all [][]string) {
	t.Helper()
	var look func(path []string)
	look = func(path []string) {
		all = append(all, path)
		stdout, stderr, _ := rig.Run(t, env, filepath.Join(bin, program), append(slices.Clone(path), "--help")...)
		_, list, _ := strings.Cut(stdout+stderr, "Available Commands:\n")
		list, _, _ = strings.Cut(list, "\n\n")
		for _, line := range split(list) {
			if name := strings.Fields(line)[0]; name != "help" {
				look(append(slices.Clone(path), name))
			}
		}
	}
	look(nil)
	if len(all) < 3 {
		t.Fatalf("%s lists %d commands only", program, len(all))
	}
	return all
}
