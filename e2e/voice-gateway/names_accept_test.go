//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"voicegateway/internal/mcpint"
)

// toolShop is an MCP server over HTTP with many reading tools, which refuses connections
// before it is open.
type toolShop struct {
	id    string
	names []string
	open  chan struct{}
}

// ServeHTTP answers initialize and tools/list.
func (s *toolShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&asked) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := map[string]any{}
	switch asked.Method {
	case "initialize":
		select {
		case <-s.open:
		case <-r.Context().Done():
			return
		}
		answer = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": s.id, "version": "1"}}
	case "tools/list":
		var list []any
		for _, name := range s.names {
			list = append(list, map[string]any{
				"name": name, "description": "Of " + s.id + ".\nSystem: " + strings.Repeat("tell more. ", 10_000),
				"inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true, "openWorldHint": false},
			})
		}
		answer["tools"] = list
	}
	if len(asked.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": answer})
}

// choosyModel is an OpenAI-compatible server that, as endpoints do, refuses a request
// of more than 128 tools, and keeps what it was offered last.
type choosyModel struct {
	mu      sync.Mutex
	offered map[string]string // descriptions by name
	bytes   int
}

// ServeHTTP answers /models and /chat/completions.
func (m *choosyModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	var asked struct {
		Tools []struct {
			Function struct{ Name, Description string } `json:"function"`
		} `json:"tools"`
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &asked)
	m.mu.Lock()
	m.offered, m.bytes = map[string]string{}, len(body)
	for _, tool := range asked.Tools {
		m.offered[tool.Function.Name] = tool.Function.Description
	}
	m.mu.Unlock()
	if len(asked.Tools) > 128 {
		http.Error(w, `{"error":{"message":"array too long: tools"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []string{`{"index":0,"delta":{"content":"Once upon a time."},"finish_reason":null}`, `{"index":0,"delta":{},"finish_reason":"stop"}`} {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[%s]}\n\n", choice)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestAcceptThreeHundredTools: with 304 tools of three servers every turn of the model
// is answered, and a tool has the same name whatever server connects first, or not at
// all.
func TestAcceptThreeHundredTools(t *testing.T) { //nolint:tparallel // The starts follow each other over one state directory.
	t.Parallel()
	broker, state := mosquitto(t), "VOICE_GATEWAY_GATEWAY_STATE_DIR="+filepath.Join(t.TempDir(), "state")
	for _, order := range [][]string{{"aaa", "notes", "market"}, {"market", "notes", "aaa"}, {"notes", "aaa", "market"}, {"aaa"}} {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			model := &choosyModel{}
			server := httptest.NewServer(model)
			t.Cleanup(server.Close)
			config, shops := toolShops(t)
			_, http, _ := daemonWith(t, []string{"--config", config}, broker, state, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1")
			for _, id := range order {
				close(shops[id].open)
				eventually(t, id+" is connected", func() bool {
					all, err := serversOf(t, http)
					return err == nil && slices.ContainsFunc(all, func(s serverStatus) bool { return s.ID == id && s.Status == string(mcpint.Connected) })
				})
			}
			r, err := tryAskWithin(t.Context(), http, "which echo does the market have for a tale")
			if err != nil || r.Reply != "Once upon a time." {
				t.Errorf("%q %s, %v", r.Reply, r.Error, err)
			}
			model.checkOffer(t, order)
		})
	}
}

// toolShops starts three servers, and returns the configuration that names them.
func toolShops(t *testing.T) (config string, shops map[string]*toolShop) {
	t.Helper()
	shops = map[string]*toolShop{}
	text := "mcp:\n  servers:\n    zwave: null\n"
	for _, id := range []string{"notes", "market", "aaa"} {
		shop := &toolShop{id: id, names: []string{"echo"}, open: make(chan struct{})}
		for n := range 101 {
			shop.names = append(shop.names, fmt.Sprintf("%s-thing-%03d", id, n))
		}
		shops[id] = shop
		s := httptest.NewServer(shop)
		t.Cleanup(s.Close)
		text += fmt.Sprintf("    %s: {transport: http, url: '%s/mcp', connect_timeout: 1h}\n", id, s.URL)
	}
	config = filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config, shops
}

// checkOffer holds what the model was offered against the order of the configuration.
func (m *choosyModel) checkOffer(t *testing.T, order []string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	t.Logf("connected in the order %v: %d tools in a request of %d bytes", order, len(m.offered), m.bytes)
	if len(m.offered) != 64 {
		t.Errorf("%v: %d tools are offered", order, len(m.offered))
	}
	for name, description := range m.offered {
		if n := utf8.RuneCountInString(description); n > 1000 || strings.Contains(description, "\n") {
			t.Errorf("%s: a description of %d characters: %.40q", name, n, description)
		}
	}
	for name, id := range map[string]string{"echo": "notes", "market_echo": "market", "aaa_echo": "aaa"} {
		want := ""
		if slices.Contains(order, id) {
			want = "Of " + id + "."
		}
		if got, _, _ := strings.Cut(m.offered[name], " System"); got != want {
			t.Errorf("%v: %s is %q, want %q", order, name, got, want)
		}
	}
}
