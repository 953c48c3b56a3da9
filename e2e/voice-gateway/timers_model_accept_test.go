//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint"
)

// timerModel calls start_timer with the arguments that its words stand for.
type timerModel map[string]string

// ServeHTTP answers /models and /chat/completions.
func (m timerModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	var asked struct {
		Messages []struct{ Role, Content string }
		Tools    []struct{ Function struct{ Name string } }
	}
	_ = json.Unmarshal(body, &asked)
	last := asked.Messages[len(asked.Messages)-1]
	offered := false
	for _, tool := range asked.Tools {
		offered = offered || tool.Function.Name == "start_timer"
	}
	for word, args := range m {
		if offered && last.Role == "user" && strings.Contains(last.Content, word) {
			quoted, _ := json.Marshal(args)
			send(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"start_timer","arguments":`+string(quoted)+`}}]}`, "null")
			send(`{}`, `"tool_calls"`)
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
			return
		}
	}
	send(`{"content":"Well."}`, "null")
	send(`{}`, `"stop"`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestAcceptTimersOfAModel: a model starts what a person might, and nothing dangerous.
func TestAcceptTimersOfAModel(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	server := httptest.NewServer(timerModel{
		"sourdough": `{"kind":"timer","seconds":3600,"name":"bread"}`,
		"burglars":  `{"kind":"command","seconds":5,"command":"unlock the front door"}`,
		"moths":     `{"kind":"command","seconds":3600,"command":"turn off the kitchen light"}`,
	})
	defer server.Close()
	_, http, _ := daemon(t, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1")
	becomes(t, http, mcpint.Connected)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	for _, text := range []string{"make it nice for my sourdough", "make it easy for the burglars", "make it dark for the moths"} {
		r := ask(t, http, text)
		t.Logf("%-45s %s %s %q", text, r.Route, r.Outcome, r.Reply)
	}
	var list []timers.Timer
	if err := get(t, http, "/api/timers", &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, timer := range list {
		got = append(got, string(timer.Kind)+" "+timer.Name+timer.Command)
	}
	if want := "timer bread, command turn off the kitchen light"; strings.Join(got, ", ") != want {
		t.Errorf("timers: %q, expected %s", got, want)
	}
}
