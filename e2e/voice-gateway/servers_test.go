package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// servers is the answer about all MCP servers, decoded.
type servers struct {
	Overall string
	Servers []mcpint.Status
}

// server is the state of the daemon's one MCP server.
func server(t *testing.T, addr string) mcpint.Status {
	t.Helper()
	var list servers
	if err := get(t, addr, "/mcp/servers", &list); err != nil || len(list.Servers) != 1 {
		t.Fatalf("servers: %+v, %v", list, err)
	}
	return list.Servers[0]
}

// becomes waits for a state of the daemon's one MCP server.
func becomes(t *testing.T, addr string, state mcpint.State) mcpint.Status {
	t.Helper()
	var s mcpint.Status
	eventually(t, "the server is "+string(state), func() bool {
		s = server(t, addr)
		return s.Status == state
	})
	return s
}

// request sends one request and returns the answer with its body read.
func request(t *testing.T, method, addr, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
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

// described checks answers against the OpenAPI file the daemon itself serves.
func described(t *testing.T, addr string, answers map[string]string) {
	t.Helper()
	_, text := request(t, http.MethodGet, addr, "/openapi.yaml", "")
	var file any
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", file); err != nil {
		t.Fatal(err)
	}
	for schema, body := range answers {
		compiled, err := compiler.Compile("openapi.json#/components/schemas/" + schema)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v: %s", schema, err, body)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("the answer is not the %s that openapi.yaml describes: %v\n%s", schema, err, body)
		}
	}
}

// body is the body of a document of the daemon.
func body(t *testing.T, addr, path string) string {
	t.Helper()
	_, text := request(t, http.MethodGet, addr, path, "")
	return text
}

// events collects the daemon's event stream until the test ends.
func events(t *testing.T, addr string) func(kind string, words ...string) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/api/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("events: %+v, %v", resp, err)
	}
	var mu sync.Mutex
	var heard []string
	var reading sync.WaitGroup
	reading.Go(func() {
		kind := ""
		for lines := bufio.NewReader(resp.Body); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if k, ok := strings.CutPrefix(line, "event: "); ok {
				kind = strings.TrimSpace(k)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				mu.Lock()
				heard = append(heard, kind+" "+data)
				mu.Unlock()
			}
		}
	})
	t.Cleanup(func() { cancel(); _ = resp.Body.Close(); reading.Wait() })
	return func(kind string, words ...string) bool {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range heard {
			all := strings.HasPrefix(e, kind+" ")
			for _, w := range words {
				all = all && strings.Contains(e, w)
			}
			if all {
				return true
			}
		}
		return false
	}
}

// TestServersDuringAColdStart: the broker comes long after the gateway. All the while the
// status shows what is tried, when it is tried next and why it failed; then everything
// connects without help.
func TestServersDuringAColdStart(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	_, http, env := daemon(t, "mqtt://"+addr, "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=1s", "VOICE_GATEWAY_MCP_RETRY_SLOW_INTERVAL=1h",
		"VOICE_GATEWAY_MCP_RETRY_MAX_DELAY=1h", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_ARGS=--require-broker,100ms")
	heard := events(t, http)

	waiting := becomes(t, http, mcpint.Retrying)
	if waiting.NextRetryTime == nil || waiting.ErrorMessage == nil || waiting.MaxRetries != 2 || waiting.Health != mcpint.Dead {
		t.Errorf("while it waits: %+v", waiting)
	}
	if out, errs, status := command(t, env, "servers"); status != 0 || !strings.Contains(out, "zwave") || !strings.Contains(out, "disconnected") {
		t.Errorf("servers: status %d\n%s%s", status, out, errs)
	}
	described(t, http, map[string]string{"ServerList": body(t, http, "/mcp/servers"), "Readiness": body(t, http, "/readyz")})

	failed := becomes(t, http, mcpint.Failed)
	if failed.ErrorMessage == nil || !strings.Contains(*failed.ErrorMessage, "exit status 3") || !strings.Contains(*failed.ErrorMessage, "did not answer within") {
		t.Errorf("the child's own words are missing: %+v", failed)
	}
	if failed.RetryCount < 2 {
		t.Errorf("retries: %+v", failed)
	}
	eventually(t, "it is told when it goes on", func() bool { return server(t, http).NextRetryTime != nil })
	line := regexp.MustCompile(`zwave \* +failed .* in [0-9]+ s .*exit status 3`)
	eventually(t, "the command tells it as well", func() bool {
		out, _, _ := command(t, env, "servers")
		return line.MatchString(out) && strings.Contains(out, "did not answer within")
	})
	described(t, http, map[string]string{"Server": body(t, http, "/mcp/servers/zwave/status")})

	mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	becomes(t, http, mcpint.Connected)
	out, _, _ := command(t, env, "servers", "--json")
	var list servers
	if err := json.Unmarshal([]byte(out), &list); err != nil || list.Overall != "full" || list.Servers[0].Tools == nil || list.Servers[0].PID == nil {
		t.Errorf("servers --json: %v\n%s", err, out)
	}
	for _, status := range []string{"retrying", "failed", "connected"} {
		eventually(t, "the stream tells that it is "+status, func() bool { return heard("server", `"id":"zwave"`, `"status":"`+status+`"`) })
	}
	theHouseIsShown(t, http, env, heard)
}

// theHouseIsShown looks at everything that shows a house while something is done in it.
func theHouseIsShown(t *testing.T, http string, env []string, heard func(kind string, words ...string) bool) {
	t.Helper()
	var r record.Record
	eventually(t, "the light obeys", func() bool {
		var err error
		r, err = tryAsk(t, http, "turn on the kitchen light")
		return err == nil && confirmed(r)
	})
	eventually(t, "the stream tells the turn and the device", func() bool {
		return heard("turn", r.ID, `"outcome":"done"`) && heard("device", `"device":"Kitchen Light"`, `"value":"on"`, `"confirmed":true`, r.ID)
	})
	described(t, http, map[string]string{"Home": body(t, http, "/api/home"), "Server": body(t, http, "/mcp/servers/zwave/status")})
	var turns []json.RawMessage
	if err := get(t, http, "/api/turns", &turns); err != nil {
		t.Fatal(err)
	}
	for _, record := range turns {
		described(t, http, map[string]string{"Turn": string(record)})
	}

	out, errs, status := command(t, env, "home")
	lamp := ""
	for line := range strings.Lines(out) {
		if strings.Contains(line, " Kitchen Light ") {
			lamp = strings.Join(strings.Fields(line), " ")
		}
	}
	if status != 0 || lamp != "Kitchen Kitchen Light light on yes zwave" {
		t.Errorf("home: status %d, %q\n%s%s", status, lamp, out, errs)
	}
	if out, _, status := command(t, env, "turns"); status != 0 || !strings.Contains(out, r.ID) || !strings.Contains(out, "The kitchen light is on.") {
		t.Errorf("turns: status %d\n%s", status, out)
	}
	out, _, status = command(t, env, "turns", "--json", "-n", "1")
	var last record.Record
	if err := json.Unmarshal([]byte(out), &last); err != nil || status != 0 || last.ID == "" {
		t.Errorf("turns --json: %v, status %d\n%s", err, status, out)
	}
	out, _, status = command(t, env, "why", r.ID)
	for _, words := range []string{r.ID, "turn on the kitchen light", "HassTurnOn", "control_zwave_device", "confirmed by the device", "reversible"} {
		if status != 0 || !strings.Contains(out, words) {
			t.Errorf("why does not tell %q, status %d:\n%s", words, status, out)
		}
	}
	if _, errs, status := command(t, env, "why", "t-nothing"); status != 1 || !strings.Contains(errs, "t-nothing") {
		t.Errorf("why about no turn: status %d, %s", status, errs)
	}
}

// gated is a Z-Wave server that cannot start until the gate is opened, and notes
// every start.
func gated(t *testing.T) (program string, open func(), starts func() int) {
	t.Helper()
	dir := t.TempDir()
	gate, log := filepath.Join(dir, "gate"), filepath.Join(dir, "starts")
	program = filepath.Join(dir, "gated-server")
	script := fmt.Sprintf("#!/bin/sh\necho start >>%q\n[ -e %q ] || { echo 'the gate is closed' >&2; exit 7; }\nexec %q \"$@\"\n", log, gate, filepath.Join(bin, "zwave-mcp-server"))
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	open = func() {
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	starts = func() int {
		data, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return bytes.Count(data, []byte("start"))
	}
	return program, open, starts
}

// TestARetryInMidWait: the next attempt is an hour away. Forcing it by command,
// by request and as an MCP tool connects at once.
func TestARetryInMidWait(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	program, open, starts := gated(t)
	_, addr, env := daemon(t, broker, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+program, "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=1h", "VOICE_GATEWAY_MCP_RETRY_MAX_DELAY=1h")
	becomes(t, addr, mcpint.Retrying)
	outside := outsider(t, addr)
	if text := outside("retry_server", "zwave"); !strings.Contains(text, "zwave is ") {
		t.Errorf("retry_server: %s", text)
	}
	eventually(t, "it was tried again", func() bool { return starts() == 2 && server(t, addr).Status == mcpint.Retrying })

	out, _, status := command(t, env, "servers", "retry", "zwave")
	if status != 1 || !strings.Contains(out, "retrying") || !strings.Contains(out, "the gate is closed") {
		t.Errorf("a retry that fails: status %d\n%s", status, out)
	}
	if resp, _ := request(t, http.MethodPost, addr, "/mcp/servers/zwave/retry", ""); resp.StatusCode != http.StatusAccepted {
		t.Errorf("retry: %s", resp.Status)
	}
	becomes(t, addr, mcpint.Retrying)
	open()
	if out, errs, status := command(t, env, "servers", "retry", "zwave"); status != 0 || !strings.Contains(out, "zwave is connected") {
		t.Errorf("a retry that connects: status %d\n%s%s", status, out, errs)
	}
	resp, text := request(t, http.MethodPost, addr, "/mcp/servers/zwave/retry", "{}")
	if resp.StatusCode != http.StatusOK {
		t.Errorf("retrying a connected one: %s", resp.Status)
	}
	described(t, addr, map[string]string{"Server": text})
	resp, text = request(t, http.MethodPost, addr, "/mcp/servers/retry-all", "{}")
	if resp.StatusCode != http.StatusAccepted {
		t.Errorf("retrying all: %s", resp.Status)
	}
	described(t, addr, map[string]string{"ServerList": text})
	if out, _, status := command(t, env, "servers", "retry", "--all"); status != 0 || !strings.Contains(out, "zwave is connected") {
		t.Errorf("retry --all: status %d\n%s", status, out)
	}
	if text := outside("list_servers", ""); !strings.Contains(text, "full") || !strings.Contains(text, "zwave is connected") {
		t.Errorf("list_servers: %s", text)
	}
	if _, errs, status := command(t, env, "servers", "retry", "music"); status != 1 || !strings.Contains(errs, `"music"`) || !strings.Contains(errs, "zwave") {
		t.Errorf("retry of no server: status %d, %s", status, errs)
	}
	wrongRequests(t, addr)
}

// TestARetryOfAServerThatHangs: the command says that it is still waiting while the
// attempt runs, and ends with the attempt's outcome.
func TestARetryOfAServerThatHangs(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "hanging-server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, addr, env := daemon(t, "mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+program,
		"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_CONNECT_TIMEOUT=6s", "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=1h", "VOICE_GATEWAY_MCP_RETRY_MAX_DELAY=1h")
	becomes(t, addr, mcpint.Retrying)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), "servers", "retry", "zwave")
	var out, errs safeBuffer
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it says that it waits", func() bool { return strings.Contains(errs.String(), "zwave is being tried") })
	if s := server(t, addr); s.Status != mcpint.Connecting {
		t.Errorf("it was told only when the server was %s", s.Status)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	if !strings.Contains(out.String(), "zwave did not connect: no answer to initialize within 6s") {
		t.Errorf("it said %q", out.String())
	}
}

// TestADeletedSessionIsBegunAnew: the session of the gateway with a server over HTTP is
// deleted behind its back. The next command is carried out all the same, in a new one.
func TestADeletedSessionIsBegunAnew(t *testing.T) {
	t.Parallel()
	broker, addr := mosquitto(t), fake.FreeAddr(t)
	simulate(t, broker)
	start(t, environ(t, "MQTT_BROKER_URL="+broker), filepath.Join(bin, "zwave-mcp-server"), "--http", addr)
	behind := &url.URL{Scheme: "http", Host: addr}
	var session atomic.Pointer[string]
	front := httputil.NewSingleHostReverseProxy(behind)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get("Mcp-Session-Id"); id != "" {
			session.Store(&id)
		}
		front.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { between.CloseClientConnections(); between.Close() })
	_, web, _ := daemon(t, broker, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_TRANSPORT=http", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_URL="+between.URL+"/mcp")
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, web, "turn on the kitchen light")) })
	first := *session.Load()
	if resp, _ := request(t, http.MethodDelete, addr, "/mcp", "", "Mcp-Session-Id", first); resp.StatusCode != http.StatusOK {
		t.Fatalf("deleting the session: %s", resp.Status)
	}
	if r := ask(t, web, "turn off the kitchen light"); !confirmed(r) {
		t.Errorf("the command after it: %q (%s)", r.Reply, r.Error)
	}
	if second := *session.Load(); second == first {
		t.Error("the session is the same")
	}
	if resp, _ := request(t, http.MethodPost, addr, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Mcp-Session-Id", first); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the first session: %s", resp.Status)
	}
}

// outsider is another MCP host at the daemon's /mcp.
func outsider(t *testing.T, addr string, options ...transport.StreamableHTTPCOption) func(tool, id string) string {
	t.Helper()
	c, err := client.NewStreamableHttpClient("http://"+addr+"/mcp", options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = "2025-11-25"
	if _, err := c.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return func(tool, id string) string {
		t.Helper()
		var call mcp.CallToolRequest
		call.Params.Name = tool
		if id != "" {
			call.Params.Arguments = map[string]any{"serverId": id}
		}
		result, err := c.CallTool(t.Context(), call)
		if err != nil || result.IsError || result.StructuredContent == nil {
			t.Fatalf("%s: %+v, %v", tool, result, err)
		}
		text, _ := result.Content[0].(mcp.TextContent)
		return text.Text
	}
}

// wrongRequests are refused in one form, at every door.
func wrongRequests(t *testing.T, addr string) {
	t.Helper()
	for name, tc := range map[string]struct {
		method, path string
		headers      []string
		status       int
	}{
		"unknown server":         {http.MethodGet, "/mcp/servers/music/status", nil, 404},
		"retry of no server":     {http.MethodPost, "/mcp/servers/music/retry", nil, 404},
		"wrong method":           {http.MethodGet, "/mcp/servers/zwave/retry", nil, 405},
		"wrong method, list":     {http.MethodPost, "/mcp/servers", nil, 405},
		"wrong method, /mcp":     {http.MethodPut, "/mcp", nil, 405},
		"a form":                 {http.MethodPost, "/mcp/servers/zwave/retry", []string{"Content-Type", "text/plain"}, 415},
		"a form to all":          {http.MethodPost, "/mcp/servers/retry-all", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		"a page of another site": {http.MethodPost, "/mcp", []string{"Origin", "http://evil.example"}, 403},
		"a rebound name":         {http.MethodPost, "/mcp", []string{"Host", "evil.example"}, 403},
		"events of another site": {http.MethodGet, "/api/events", []string{"Origin", "https://evil.example"}, 403},
		"no such session":        {http.MethodGet, "/mcp", []string{"Mcp-Session-Id", "x"}, 404},
	} {
		resp, text := request(t, tc.method, addr, tc.path, "{}", tc.headers...)
		if resp.StatusCode != tc.status || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s, %s: %s", name, resp.Status, resp.Header.Get("Content-Type"), text)
			continue
		}
		if tc.status == http.StatusMethodNotAllowed && resp.Header.Get("Allow") == "" {
			t.Errorf("%s: no Allow", name)
		}
		described(t, addr, map[string]string{"Problem": text})
	}
}

// TestOneAttemptWithoutRetries: DISABLE_RETRY means one attempt, even when the broker
// comes; a manual retry still works.
func TestOneAttemptWithoutRetries(t *testing.T) {
	t.Parallel()
	program, _, starts := gated(t)
	broker := fake.FreeAddr(t)
	c, addr, env := daemon(t, "mqtt://"+broker, "DISABLE_RETRY=true", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+program)
	s := becomes(t, addr, mcpint.Failed)
	if s.NextRetryTime != nil || s.RetryCount != 0 || s.ErrorMessage == nil {
		t.Errorf("it goes on: %+v", s)
	}
	eventually(t, "the log tells it", func() bool { return strings.Contains(c.stderr.String(), "MCP connection failed after 1 attempt") })
	mosquittoAt(t, broker)
	eventually(t, "the broker is there", func() bool {
		state, _ := readiness(t, addr, "mqtt")
		return state == "ready"
	})
	if n := starts(); n != 1 {
		t.Errorf("%d starts", n)
	}
	if out, _, status := command(t, env, "servers", "retry", "zwave"); status != 1 || !strings.Contains(out, "the gate is closed") {
		t.Errorf("retry: status %d\n%s", status, out)
	}
	if n := starts(); n != 2 {
		t.Errorf("%d starts after a forced one", n)
	}
}

// TestTheCommandShownForUnusedToolsWorks: a server that is not trusted is shown with how
// many of its tools are not used and with commands; the one for all of them, as it is shown,
// lets them be used from the next start on.
func TestTheCommandShownForUnusedToolsWorks(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	file := filepath.Join(t.TempDir(), "my gateway.yaml")
	if err := os.WriteFile(file, []byte("mcp:\n  servers:\n    zwave: {trust: none}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, addr, env := daemonWith(t, []string{"--config", file}, broker)
	s := becomes(t, addr, mcpint.Connected)
	if s.ToolsUnusedCount == 0 || s.Tools == nil || *s.Tools != 0 {
		t.Fatalf("a server without trust: %+v", s)
	}
	shown, _, status := command(t, env, "servers")
	count := fmt.Sprintf("%d tools are not used, because nothing of this server is called", s.ToolsUnusedCount)
	if status != 0 || !strings.Contains(shown, count) || !strings.Contains(shown, "trust read\n") {
		t.Errorf("servers: status %d\n%s", status, shown)
	}
	line := func(end string) string {
		for text := range strings.Lines(shown) {
			if text = strings.TrimSpace(text); strings.HasSuffix(text, end) {
				return text
			}
		}
		return "false"
	}
	sick, _, _ := command(t, env, "doctor", "--json")
	if !strings.Contains(sick, count) || !strings.Contains(sick, "mcp.servers.zwave.trust read") {
		t.Errorf("doctor: %s", sick)
	}
	paste := exec.CommandContext(t.Context(), "sh", "-c", line("trust act"))
	paste.Env = env
	if out, err := paste.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", paste.Args[2], err, out)
	}
	send(t, c.Process.Pid, syscall.SIGTERM)
	eventually(t, "the gateway has ended", c.wait)
	_, addr, _ = daemonWith(t, []string{"--config", file}, broker)
	if now := becomes(t, addr, mcpint.Connected); now.ToolsUnusedCount != 0 || now.Tools == nil || *now.Tools != s.ToolsUnusedCount {
		t.Errorf("afterwards %d of %d tools are not used: %+v", now.ToolsUnusedCount, s.ToolsUnusedCount, now)
	}
}

// TestNothingWithoutTheToken: beyond loopback every door but /healthz wants the
// token, and our own commands bring it.
func TestNothingWithoutTheToken(t *testing.T) {
	t.Parallel()
	const token = "a-secret-of-the-house"
	_, port, _ := strings.Cut(fake.FreeAddr(t), ":")
	addr := "127.0.0.1:" + port
	env := environ(t, "VOICE_GATEWAY_MQTT_BROKER=mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_HTTP_LISTEN=:"+port, "VOICE_GATEWAY_AI_ENABLED=false",
		"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND=/nowhere/server", "VOICE_GATEWAY_HTTP_TOKEN="+token)
	c := start(t, env, filepath.Join(bin, "voice-gateway"), "run")
	eventually(t, "the daemon answers", func() bool { return get(t, addr, "/healthz", new(any)) == nil })
	if resp, _ := request(t, http.MethodGet, addr, "/mcp/servers", "", "Authorization", "Bearer "+token); resp.StatusCode != http.StatusOK {
		t.Errorf("with the token: %s", resp.Status)
	}
	doors := map[string]string{ // that the address was right just now keeps it from being shut out for these guesses
		"/mcp/servers": "GET", "/metrics": "GET", "/readyz": "GET", "/api/turns": "GET", "/api/home": "GET", "/api/events": "GET",
		"/openapi.yaml": "GET", "/mcp": "POST", "/api/ask": "POST", "/api/say": "POST", "/mcp/servers/retry-all": "POST",
	}
	for path, method := range doors {
		for _, wrong := range []string{"", "Bearer", "Bearer wrong", "Basic " + token, "Bearer " + token + "x"} {
			if resp, text := request(t, method, addr, path, "{}", "Authorization", wrong); resp.StatusCode != http.StatusUnauthorized || strings.Contains(text, token) {
				t.Errorf("%s %s with %q: %s %s", method, path, wrong, resp.Status, text)
			}
		}
	}
	if text := outsider(t, addr, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))("list_servers", ""); !strings.Contains(text, "zwave") {
		t.Errorf("list_servers: %s", text)
	}
	if out, errs, status := command(t, env, "servers"); status != 0 || !strings.Contains(out, "zwave") {
		t.Errorf("servers: status %d\n%s%s", status, out, errs)
	}
	if strings.Contains(c.stderr.String(), token) {
		t.Error("the token is in the log")
	}
	if _, errs, status := command(t, append(env, "VOICE_GATEWAY_HTTP_TOKEN=wrong"), "servers"); status != 1 || !strings.Contains(errs, "token") {
		t.Errorf("servers with another token: status %d\n%s", status, errs)
	}
}
