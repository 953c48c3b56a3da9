package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// scriptedModel is an OpenAI-compatible server that acts once and then promises
// more than it did.
type scriptedModel struct {
	mu       sync.Mutex
	requests []string
}

// ServeHTTP answers /models and /chat/completions.
func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	if !strings.Contains(string(body), `"max_tokens":1,`) { // without a question: the model is warmed
		m.mu.Lock()
		m.requests = append(m.requests, string(body))
		m.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	switch {
	case strings.Contains(string(body), `"role":"tool"`):
		send(`{"content":"Everything is lovely now, and I fed the cat."}`, "null")
		send(`{}`, `"stop"`)
	case strings.Contains(string(body), `control_zwave_device`):
		args, _ := json.Marshal(`{"device_name":"Kitchen Light","action":"on"}`)
		send(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"control_zwave_device","arguments":""}}]}`, "null")
		send(`{"tool_calls":[{"index":0,"function":{"arguments":`+string(args)+`}}]}`, "null")
		send(`{}`, `"tool_calls"`)
	default:
		send(`{"content":"Blue light scatters "}`, "null")
		send(`{"content":"most."}`, "null")
		send(`{}`, `"stop"`)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (m *scriptedModel) saw() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.requests...)
}

// TestTheModelActsThroughTheSameReceipts: a text that no sentence fits goes to the model.
// What the user hears about the device is the device's report, and a question is offered
// no tool that changes anything.
func TestTheModelActsThroughTheSameReceipts(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	model := &scriptedModel{}
	server := httptest.NewServer(model)
	defer server.Close()
	_, http, env := daemon(t, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1")
	becomes(t, http, mcpint.Connected) // a model takes the tools that are there
	ask := func(text string) record.Record {
		t.Helper()
		out, errs, _ := command(t, env, "ask", "--json", text)
		var r record.Record
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%v: %s %s", err, out, errs)
		}
		return r
	}

	r := ask("why is the sky blue")
	if r.Route != record.RouteModel || r.Outcome != record.Done || r.Reply != "Blue light scatters most." || len(r.Calls) > 0 {
		t.Errorf("the question: %+v", r)
	}
	for _, body := range model.saw() {
		if strings.Contains(body, "control_zwave_device") {
			t.Error("a question was offered a tool that acts")
		}
	}

	r = ask("make it a little cosier around here")
	if r.Route != record.RouteModel || r.Outcome != record.Done {
		t.Errorf("the wish: %+v", r)
	}
	if len(r.Calls) != 1 || r.Calls[0].Receipt == nil || !r.Calls[0].Receipt.Done() || r.Timings.FirstPublish == nil {
		t.Fatalf("its calls: %+v", r.Calls)
	}
	if r.Reply != "The kitchen light is on." {
		t.Errorf("said %q, expected what the device reports and no promise", r.Reply)
	}

	before := len(model.saw())
	if r = ask("turn off the kitchen light"); r.Route != record.RouteLocal || r.Outcome != record.Done || len(model.saw()) != before {
		t.Errorf("a home command went to the model: %+v", r)
	}
}
