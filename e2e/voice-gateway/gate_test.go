package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// boldModel calls a tool in every turn, with the same arguments whatever it is asked, and then
// claims that all is done.
type boldModel struct {
	tool  string
	calls []string // the arguments of each call, as JSON
}

// ServeHTTP answers /models and /chat/completions.
func (m boldModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	if strings.Contains(string(body), `"role":"tool"`) {
		send(`{"content":"The kitchen light is on. Everything is done."}`, "null")
		send(`{}`, `"stop"`)
	} else {
		for i, args := range m.calls {
			quoted, _ := json.Marshal(args)
			send(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":%q,"arguments":%s}}]}`, i, i, m.tool, quoted), "null")
		}
		send(`{}`, `"tool_calls"`)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestAModelsActsPassTheGate: the calls of a model are asked about, done, reported in one
// sentence and taken back like the acts of a sentence.
func TestAModelsActsPassTheGate(t *testing.T) {
	t.Parallel()
	switched := func(action string, names ...string) []string {
		var calls []string
		for _, name := range names {
			calls = append(calls, fmt.Sprintf(`{"device_name":%q,"action":%q}`, name, action))
		}
		return calls
	}
	lights := []string{"Kitchen Light", "Living Room Light", "Bedroom Lamp", "Hallway Light", "Office Light", "Attic Light", "Reading Lamp", "Mood Light"}
	for name, tt := range map[string]struct {
		language string
		calls    []string
		texts    []string
		want     []string // route, outcome, confirmed receipts, reply
	}{
		"ten devices": {
			"en", switched("on", append(slices.Clone(lights), "Coffee Machine", "Ceiling Fan")...),
			[]string{"make it a little cosier around here", "yes", "undo"},
			[]string{
				"model asked 0 That is 10 devices. Shall I go on?",
				"local done 10 10 devices are on.",
				"local done 10 10 devices are as they were.",
			},
		},
		"lights off, a garage door, a wrong name and a call twice": {
			"de", append(switched("off", append(slices.Clone(lights), "Kitchen Light", "Chandelier")...), switched("open", "Garage Door")...),
			[]string{"mach es hier ein wenig gemütlicher"},
			[]string{"model failed 8 8 Lichter sind aus. Garage Door zu öffnen ist hier abgeschaltet. Den Rest habe ich nicht getan."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			simulate(t, broker)
			server := httptest.NewServer(boldModel{"control_zwave_device", tt.calls})
			t.Cleanup(server.Close)
			_, http, _ := daemon(t, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1", "VOICE_GATEWAY_GATEWAY_LANGUAGE="+tt.language)
			becomes(t, http, mcpint.Connected)
			for i, text := range tt.texts {
				r := ask(t, http, text)
				got := fmt.Sprintf("%s %s %d %s", r.Route, r.Outcome, len(slices.DeleteFunc(r.Calls, func(c record.CallMade) bool { return c.Receipt == nil || !c.Receipt.Done() })), r.Reply)
				t.Logf("%s -> %s (%s)", text, got, r.Error)
				if got != tt.want[i] {
					t.Errorf("%q: %s\nexpected %s", text, got, tt.want[i])
				}
			}
		})
	}
}
