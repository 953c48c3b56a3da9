package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// ownServer plays Home Assistant's own MCP server: no sessions, no hints about its tools, and
// success for everything.
type ownServer struct {
	mu     sync.Mutex
	exists bool           // the integration is set up
	asked  map[string]int // by method of HTTP or of MCP
}

// ownServerToken is the token that it takes.
const ownServerToken = "Bearer a-long-lived-token"

func (s *ownServer) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

func (s *ownServer) setUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exists = true
}

func (s *ownServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Version string `json:"protocolVersion"`
		}
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &m)
	s.mu.Lock()
	s.asked[r.Method]++
	s.asked[m.Method]++
	exists := s.exists
	s.mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != ownServerToken:
		http.Error(w, "401: "+http.StatusText(http.StatusUnauthorized), http.StatusUnauthorized)
		return
	case r.Method != http.MethodPost:
		http.Error(w, "405: Method Not Allowed", http.StatusMethodNotAllowed)
		return
	case !exists:
		http.Error(w, "Model Context Protocol server is not configured", http.StatusNotFound)
		return
	case !strings.Contains(r.Header.Get("Accept"), "application/json"):
		http.Error(w, "Client must accept application/json", http.StatusBadRequest)
		return
	case len(m.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := ""
	switch m.Method {
	case "initialize":
		result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":false}},"serverInfo":{"name":"home-assistant","version":"1.26.0"}}`, m.Params.Version)
	case "tools/list":
		result = `{"tools":[{"name":"intent__HassTurnOn","description":"Turns on a device.","inputSchema":{"type":"object","properties":{"name":{"type":"string"},"domain":{"type":"array","items":{"type":"string"}}}}}]}`
	case "tools/call":
		result = `{"isError":false,"content":[{"type":"text","text":"{\"speech\":{},\"response_type\":\"action_done\",\"data\":{\"targets\":[],\"success\":[{\"name\":\"Kitchen Light\",\"type\":\"entity\",\"id\":\"light.kitchen\"}],\"failed\":[]}}"}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	if result == "" {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Invalid request parameters"}}`, m.ID)
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// switchModel is a model that calls one tool for whatever it is told, and then claims more than
// it knows.
func switchModel(t *testing.T, tool, args string) (url string) {
	t.Helper()
	server := httptest.NewServer(boldModel{tool, []string{args}})
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// besideModel starts a gateway with one server of others that needs a token, and a model.
func besideModel(t *testing.T, entry, token, model string) (http string, env []string) {
	t.Helper()
	dir := t.TempDir()
	file, config := filepath.Join(dir, "header"), filepath.Join(dir, "voice-gateway.yaml")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("mcp:\n  servers:\n    zwave: null\n    assist: {%s, header_file: {Authorization: %q}, trust: act}\n", entry, file)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, http, env = daemonWith(t, []string{"--config", config}, mosquitto(t), "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+model)
	return http, env
}

// checkClaim has the model act through the server of Home Assistant, and checks that its
// success is told as no more than that.
func checkClaim(t *testing.T, http string) record.Record {
	t.Helper()
	r := ask(t, http, "make it a little cosier in the kitchen")
	if r.Outcome != record.Asked {
		t.Errorf("it does not ask first: %s, %q, %q", r.Outcome, r.Reply, r.Error)
	}
	r = ask(t, http, "yes")
	t.Logf("said %q; outcome %s; calls %+v", r.Reply, r.Outcome, r.Calls)
	if r.Outcome != record.Accepted || r.Reply != "Assist is not sure that it is done." {
		t.Errorf("a claim is told as %s, %q", r.Outcome, r.Reply)
	}
	for _, c := range r.Calls {
		if c.Receipt == nil || c.Receipt.Done() {
			t.Errorf("the receipt of %s: %+v", c.Tool, c.Receipt)
		}
	}
	return r
}

// TestOwnServerOfHomeAssistant: the MCP server of Home Assistant itself is an ordinary one. While
// its integration is missing, the gateway says what to add; what it claims is never told as
// done; and it is not asked for what it does not know.
func TestOwnServerOfHomeAssistant(t *testing.T) {
	t.Parallel()
	own := &ownServer{asked: map[string]int{}}
	web := httptest.NewServer(own)
	t.Cleanup(web.Close)
	http, env := besideModel(t, fmt.Sprintf("transport: http, url: %q", web.URL+"/api/mcp/assist"), ownServerToken,
		switchModel(t, "intent__HassTurnOn", `{"name":"Kitchen Light","domain":["light"]}`))
	eventually(t, "it says what to add", func() bool {
		s := server(t, http)
		return s.ErrorMessage != nil && strings.Contains(*s.ErrorMessage, "add the integration Model Context Protocol Server")
	})
	own.setUp()
	if _, said, status := command(t, env, "servers", "retry", "assist"); status != 0 {
		t.Fatal(said)
	}
	becomes(t, http, mcpint.Connected)
	checkClaim(t, http)
	if own.count("server/discover") > 0 || own.count("tools/call") != 1 {
		t.Errorf("it was asked %v", own.asked)
	}
}

// TestOwnServerRefusesTheToken: a token that Home Assistant refuses is not tried in a loop.
func TestOwnServerRefusesTheToken(t *testing.T) {
	t.Parallel()
	own := &ownServer{asked: map[string]int{}, exists: true}
	web := httptest.NewServer(own)
	t.Cleanup(web.Close)
	http, _ := besideModel(t, fmt.Sprintf("transport: http, url: %q", web.URL+"/api/mcp"), "Bearer wrong", switchModel(t, "nothing", `{}`))
	var s mcpint.Status
	eventually(t, "it says that the token is refused", func() bool {
		s = server(t, http)
		return s.ErrorMessage != nil && strings.Contains(*s.ErrorMessage, "401") && s.NextRetryTime != nil
	})
	if wait := s.NextRetryTime.Sub(*s.LastRetryTime); wait.Minutes() < 4 || own.count("initialize") != 1 {
		t.Errorf("it was tried %d times, and again after %v", own.count("initialize"), wait)
	}
}
