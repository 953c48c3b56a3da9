package e2e

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
)

// garden is where secrets are planted: each place has one of its own.
type garden map[string]string

// plant returns the secret of a place.
func (g garden) plant(place string) string {
	sum := sha256.Sum256([]byte(place))
	g[place] = "violet-" + hex.EncodeToString(sum[:6])
	return g[place]
}

// file returns a file with the secret of a place.
func (g garden) file(t *testing.T, place string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(g.plant(place)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// grownIn lists the places whose secrets stand in a text.
func (g garden) grownIn(text string) (places []string) {
	for _, place := range slices.Sorted(maps.Keys(g)) {
		if strings.Contains(text, g[place]) {
			places = append(places, place)
		}
	}
	return places
}

// echo answers every request with everything in it: headers, address, body.
type echo struct {
	mu   sync.Mutex
	told int // requests
}

// ServeHTTP refuses with everything it knows.
func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.told++
	e.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "no: " + echoed(r), "type": "invalid_request_error"}})
}

func echoed(r *http.Request) string {
	text := r.URL.String()
	for _, name := range slices.Sorted(maps.Keys(r.Header)) { // what authorises stands near the beginning, where nothing is cut off
		text += " " + name + "=" + strings.Join(r.Header[name], ",")
	}
	if user, password, ok := r.BasicAuth(); ok {
		text += " " + user + ":" + password
	}
	return text
}

func (e *echo) asked() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.told > 0
}

// echoingServer is an MCP server over HTTP whose tool returns how it was reached.
func echoingServer(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any = map[string]any{}
	switch m.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "web", "version": echoed(r)}}
	case "tools/list":
		result = map[string]any{"tools": []any{tellingTool("how_reached", "Tells: "+echoed(r))}}
	case "tools/call":
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": echoed(r)}}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

// tellingTool is a tool that reads, and says a text wherever it can.
func tellingTool(name, text string) map[string]any {
	return map[string]any{
		"name": name, "title": text, "description": text, "annotations": map[string]any{"readOnlyHint": true, "openWorldHint": false, "title": text},
		"inputSchema":  map[string]any{"type": "object", "description": text, "properties": map[string]any{"a": map[string]any{"type": "string", "enum": []string{text}}}},
		"outputSchema": map[string]any{"type": "object", "description": text},
	}
}

// raw is a value in JSON.
func raw(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// babbler is a server that tells its whole environment and its arguments wherever a
// server can tell anything.
func babbler(t *testing.T, dies bool) fake.Puppet {
	t.Helper()
	const all = "<ENVIRON>"
	return fake.Puppet{
		Stderr: all, Dies: dies,
		Hello: raw(t, map[string]any{
			"protocolVersion": "2025-11-25", "instructions": all, "serverInfo": map[string]any{"name": all, "version": all},
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": true}, "resources": map[string]any{}},
		}),
		Tools: []json.RawMessage{raw(t, tellingTool("tell_all", all)), raw(t, tellingTool("fail_all", all)), raw(t, tellingTool("change_all", "once "+all)), raw(t, tellingTool(all, all))},
		Then:  []json.RawMessage{raw(t, tellingTool("tell_all", all)), raw(t, tellingTool("fail_all", all)), raw(t, tellingTool("change_all", "now "+all)), raw(t, tellingTool("later", all))},
		Results: map[string]json.RawMessage{"tell_all": raw(t, map[string]any{
			"content":           []any{map[string]any{"type": "text", "text": all}},
			"structuredContent": map[string]any{"device": all, "property": "on_off", "outcome": "confirmed", "value": all, "message": all, all: 1},
		})},
		Errors:    map[string]string{"fail_all": all},
		Resources: map[string]string{"notes://home": `{"areas":[{"name":"<ENVIRON>"}],"entities":[]}`},
		Sends: []json.RawMessage{
			raw(t, map[string]any{"jsonrpc": "2.0", "method": "notifications/message", "params": map[string]any{"level": "error", "data": all}}),
			raw(t, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": map[string]any{"systemPrompt": all}}),
		},
	}
}

// entry is a server of the configuration. JSON is YAML, too.
func entry(t *testing.T, settings map[string]any) string { t.Helper(); return string(raw(t, settings)) }

// gossip is the model's server: it calls every tool that tells something, repeats what it
// reads, and keeps all of it. One sentence it refuses, with the key.
type gossip struct {
	mu     sync.Mutex
	bodies []string
}

// ServeHTTP answers /models and /chat/completions.
func (m *gossip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.bodies = append(m.bodies, string(body))
	m.mu.Unlock()
	if strings.Contains(string(body), "tell me a secret") {
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "wrong key " + echoed(r)}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta any, finish any) {
		chunk, _ := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "model": "tiny", "choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	_ = json.Unmarshal(body, &asked)
	said := ""
	for _, message := range asked.Messages {
		if message.Role == "tool" {
			said += " " + message.Content
		}
	}
	if said != "" || !strings.Contains(string(body), "violet book") {
		send(map[string]any{"content": "It says this." + said[:min(len(said), 200)]}, nil)
		send(map[string]any{}, "stop")
	} else {
		for i, tool := range []string{"web_search", "tell_all", "fail_all", "how_reached", "list_servers", "get_server_status"} {
			args := map[string]string{"get_server_status": `{"serverId":"dying"}`, "web_search": `{"query":"what does the violet book say"}`}[tool]
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": "c" + strconv.Itoa(i), "type": "function", "function": map[string]any{"name": tool, "arguments": cmp.Or(args, "{}")}}}}, nil)
		}
		send(map[string]any{}, "tool_calls")
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (m *gossip) heard() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.bodies, "\n")
}

// TestSecretsAreShownNowhere plants a secret in every place where one may stand, and
// looks for it in everything that the gateway shows, keeps or tells (REQUIREMENTS S7).
func TestSecretsAreShownNowhere(t *testing.T) {
	t.Parallel()
	g := garden{}
	voice, model := &echo{}, &gossip{}
	voices, models, web := httptest.NewServer(voice), httptest.NewServer(model), httptest.NewServer(http.HandlerFunc(echoingServer))
	refusing := httptest.NewServer(&echo{})
	for _, s := range []*httptest.Server{voices, models, web, refusing} {
		t.Cleanup(s.Close)
	}
	at := func(base, place string) string {
		return strings.Replace(base, "://", "://"+g.plant(place+" user")+":"+g.plant(place+" password")+"@", 1) + "/mcp?room=" + g.plant(place+" query") + "&token=" + g.plant(place+" token")
	}
	given := func(id string, dies bool) string {
		command, env := babbler(t, dies).Pull(t)
		maps.Copy(env, map[string]string{
			"API_TOKEN": g.plant(id + " env token"), "COLOUR": g.plant(id + " env"), "DSN": "postgres://me:" + g.plant(id+" env password") + "@db/house?x=" + g.plant(id+" env query"),
			"PEM": "first " + g.plant(id+" env line 1") + "\nsecond " + g.plant(id+" env line 2"), "ODD": `a"b<c>&` + g.plant(id+" env odd"),
		})
		return entry(t, map[string]any{
			"command": command, "env": env, "trust": "full", "retry": map[string]any{"attempts": 1, "base_delay": "1h", "max_delay": "1h", "slow_interval": "1h"},
			"args": []string{
				"--token", g.plant(id + " arg token"), "--api-key=" + g.plant(id+" arg key"), "--password", g.plant(id + " arg password"), at("http://h", id+" arg"),
				"--header", "X-House: " + g.plant(id+" arg header"), "Authorization: Bearer " + g.plant(id+" arg bearer"), "-e", "ROOM=" + g.plant(id+" arg variable"),
				"SECRET=" + g.plant(id+" arg assigned"),
			},
		})
	}
	reached := func(id, base string) string {
		return entry(t, map[string]any{
			"transport": "http", "url": at(base, id), "trust": "full", "retry": map[string]any{"attempts": 1},
			"headers": map[string]any{"Authorization": "Bearer " + g.plant(id+" bearer"), "X-House": g.plant(id + " header")},
		})
	}
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": g["access token"], "token_type": "bearer", "expires_in": 3600})
	}))
	t.Cleanup(tokens.Close)
	g.plant("access token")
	admitted := func(id, base, place string) string {
		return entry(t, map[string]any{
			"transport": "http", "url": base + "/mcp", "trust": "full", "retry": map[string]any{"attempts": 1},
			"auth": map[string]any{"client_id": "house", "client_secret_file": g.file(t, id+" client secret"), "token_url": at(place, id+" tokens")},
		})
	}
	config := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	text := fmt.Sprintf(`
ai: {api_key_file: %s}
stt: {engines: [openai], openai: {base_url: %q, api_key_file: %s}}
tts: {engines: [openai], openai: {base_url: %q, api_key_file: %s}}
mqtt: {username: house, password_file: %s}
http: {token_file: %s}
tools: {search: {provider: searxng, url: %q, timeout: 1s}}
mcp:
  servers:
    zwave: {env: {COLOUR: %s}}
    babbling: %s
    dying: %s
    web: %s
    refusing: %s
    admitted: %s
    shut: %s
    waiting: %s
`, g.file(t, "ai.api_key"), voices.URL+"/v1", g.file(t, "stt key"), voices.URL+"/v1", g.file(t, "tts key"), g.file(t, "mqtt.password"), g.file(t, "http.token"),
		voices.URL, g.plant("zwave env"), given("babbling", false), given("dying", true), reached("web", web.URL), reached("refusing", refusing.URL),
		admitted("admitted", web.URL, tokens.URL), admitted("shut", web.URL, refusing.URL),
		entry(t, map[string]any{"command": "/bin/false", "requires": []string{at("http://127.0.0.1:9", "requires")}, "requires_timeout": "1h"}))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	broker := mosquitto(t)
	simulate(t, broker)
	all := listen(t, broker, "#")
	// Values of our own environment must not be shown either.
	c, addr, env := daemonWith(t, []string{"--verbose", "--config", config}, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+models.URL+"/v1",
		"OPENAI_API_KEY="+g.plant("our environment"), "VOICE_GATEWAY_TOOLS_SEARCH_KEY="+g.plant("tools.search.key"), "AWS_SESSION="+g.plant("our environment, unnamed"))

	read := func(path string) string {
		_, answer := request(t, http.MethodGet, addr, path, "", "Authorization", "Bearer "+g["http.token"])
		return answer
	}
	run := func(args ...string) string {
		out, errs, _ := command(t, env, append(args, "--config", config)...)
		return out + errs
	}
	shown := map[string]func() string{"log": c.stderr.String, "model": model.heard}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/mcp/servers", "/mcp/servers/babbling/status", "/mcp/servers/dying/status", "/mcp/servers/web/status", "/mcp/servers/refusing/status", "/mcp/servers/admitted/status", "/mcp/servers/shut/status", "/api/turns", "/api/home"} {
		shown[path] = func() string { return read(path) }
	}
	for _, args := range [][]string{{"config", "show"}, {"config", "check"}, {"servers"}, {"servers", "--json"}, {"servers", "retry", "dying"}, {"turns"}, {"turns", "--json"}, {"why"}, {"home"}, {"say", "hello"}} {
		shown[strings.Join(args, " ")] = func() string { return run(args...) }
	}
	eventually(t, "every server has said what it says", func() bool {
		var list servers
		if json.Unmarshal([]byte(read("/mcp/servers")), &list) != nil {
			return false
		}
		states := map[string]string{}
		for _, s := range list.Servers {
			states[s.ID] = string(s.Status)
		}
		return states["zwave"] == "connected" && states["babbling"] == "connected" && states["web"] == "connected" && states["dying"] == "failed" && states["refusing"] == "failed" && states["admitted"] == "connected" && states["shut"] == "failed"
	})
	for _, sentence := range []string{"what does the violet book say", "tell me a secret", "turn on the kitchen light", "why is " + g["babbling env"] + " blue"} {
		shown["ask "+sentence] = func() string { return run("ask", "--json", sentence) }
		t.Logf("%s: %s", sentence, g.checked(t, "ask "+sentence, shown["ask "+sentence]()))
		delete(shown, "ask "+sentence)
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		g.checked(t, name, shown[name]())
	}
	g.checked(t, "log", c.stderr.String())
	all.mu.Lock()
	for topic, payloads := range all.heard {
		g.checked(t, "MQTT "+topic, strings.Join(payloads, "\n"))
	}
	all.mu.Unlock()
	g.checkState(t, env)
	checkChildren(t, g, c.Process.Pid)

	// All this proves something only if secrets were really passed on.
	for name, text := range map[string]string{"log": c.stderr.String(), "model": model.heard(), "the dying server": read("/mcp/servers/dying/status"), "the refusing server": read("/mcp/servers/refusing/status"), "the admitted server": read("/mcp/servers/admitted/status")} {
		if !strings.Contains(text, "***") {
			t.Errorf("%s: nothing was hidden in %d bytes: %.2000s", name, len(text), text)
		}
	}
	if !voice.asked() {
		t.Error("nobody asked for speech or for a search")
	}
	t.Logf("%d secrets planted", len(g))
}

// checked checks that a text holds no secret, and returns it.
func (g garden) checked(t *testing.T, name, text string) string {
	t.Helper()
	if places := g.grownIn(text); places != nil {
		t.Errorf("%s shows secrets of: %s", name, strings.Join(places, ", "))
		at := strings.Index(text, g[places[0]])
		t.Logf("%s: …%s…", name, text[max(0, at-200):min(len(text), at+200)])
	}
	if decoded := unescaped(text); decoded != text && g.grownIn(decoded) != nil {
		t.Errorf("%s shows secrets in escapes: %v", name, g.grownIn(decoded))
	}
	return text
}

// unescaped is a text with the base64 words in it decoded.
func unescaped(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", r)
	})
	var b strings.Builder
	for _, w := range words {
		if decoded, err := base64.StdEncoding.DecodeString(w); err == nil && len(w) > 16 {
			b.Write(decoded)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// checkState looks into everything that the gateway keeps.
func (g garden) checkState(t *testing.T, env []string) {
	t.Helper()
	home := ""
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = value
		}
	}
	files := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		g.checked(t, path, string(data))
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files of state, %v", files, err)
	}
}

// checkChildren looks at the environments of our workers and of the servers: our own
// variables stay with us, and a variable of one server does not reach the others.
func checkChildren(t *testing.T, g garden, parent int) {
	t.Helper()
	workers, others := 0, 0
	for _, pid := range childrenOf(t, parent) {
		environ, _ := os.ReadFile(filepath.Join("/proc", pid, "environ"))
		line, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
		worker := strings.Contains(string(line), "\x00worker\x00")
		allowed := func(place string) bool {
			return !worker && !strings.HasPrefix(place, "our environment") && !strings.HasPrefix(place, "tools.")
		}
		if worker {
			workers++
		} else {
			others++
		}
		for _, place := range g.grownIn(string(environ)) {
			if !allowed(place) {
				t.Errorf("%.100q has the secret of %s in its environment", line, place)
			}
		}
		if strings.Contains(string(environ), "OPENAI_API_KEY") || strings.Contains(string(environ), "VOICE_GATEWAY_") {
			t.Errorf("%.100q has our environment", line)
		}
	}
	if workers == 0 || others < 2 {
		t.Errorf("%d workers and %d servers run", workers, others)
	}
}

// childrenOf lists the processes that a process has started.
func childrenOf(t *testing.T, parent int) (pids []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		after := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(after) > 1 && after[1] == strconv.Itoa(parent) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// TestABrokenConfigurationIsToldWithoutSecrets looks at the errors of configurations
// in which something is wrong beside a secret, or with it.
func TestABrokenConfigurationIsToldWithoutSecrets(t *testing.T) {
	t.Parallel()
	const word, number = "violet-0123456789", "4711471147114711"
	tests := map[string]string{
		"a variable without quotes":  "mcp: {servers: {notes: {command: x, env: {ROOM: " + number + "}}}}",
		"a header without quotes":    "mcp: {servers: {notes: {transport: http, url: 'http://h', headers: {X-House: " + number + "}}}}",
		"an argument without quotes": "mcp: {servers: {notes: {command: x, args: [--token, " + number + "]}}}",
		"a need":                     "mcp: {servers: {notes: {command: x, requires: ['udp://" + word + ":" + word + "@h/?x=" + word + "']}}}",
		"a server without a command": "mcp: {servers: {notes: {transport: stdio, args: [--token, " + word + "], env: {A: " + word + "}}}}",
		"an address of a server":     "mcp: {servers: {notes: {transport: http, url: 'http://u:" + word + "@h ost:x/?x=" + word + "', call_timeout: 0s}}}",
		"of the model":               "ai: {base_url: 'ftp://h/v1?key=" + word + "'}",
		"of the model, with a user":  "ai: {base_url: 'ftp://u:" + word + "@h/v1'}",
		"of the broker":              "mqtt: {broker: 'gopher://me:" + word + "@h'}",
		"of the broker, no address":  "mqtt: {broker: 'mqtt://me:" + word + "/x@h o'}",
		"of speech":                  "stt: {engines: [openai], openai: {base_url: 'ftp://u:" + word + "@h/?k=" + word + "'}}",
		"of a recogniser":            "stt: {engines: [wyoming], wyoming: {uri: 'ftp://u:" + word + "@h/?k=" + word + "'}}",
		"of a voice":                 "tts: {engines: [openai], openai: {base_url: 'ftp://u:" + word + "@h/?k=" + word + "'}}",
		"of another voice":           "tts: {engines: [wyoming], wyoming: {uri: 'ftp://u:" + word + "@h/?k=" + word + "'}}",
		"of a wake word":             "wake: {engine: wyoming, wyoming: {uri: 'ftp://u:" + word + "@h/?k=" + word + "'}}",
		"of a search":                "tools: {search: {provider: searxng, url: 'ftp://u:" + word + "@h/?k=" + word + "'}}",
		"a password that is a key":   "mqtt: {password: " + word + "}",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "voice-gateway.yaml")
			if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := environ(t)
			for _, args := range [][]string{{"config", "check"}, {"config", "show"}, {"ask", "what time is it"}} {
				out, errs, status := command(t, env, append(args, "--config", path)...)
				if said := out + errs; strings.Contains(said, word) || strings.Contains(said, number) {
					t.Errorf("%v shows it: %s", args, said)
				}
				if args[1] == "check" && status == 0 {
					t.Errorf("%v finds nothing wrong: %s", args, out)
				}
			}
		})
	}
}
