package ai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

// TestAMalformedCallHasItsOwnReason: a call that cannot be read, in whatever way its
// server passes it on, is not reported as a model that is out of reach or not set up.
func TestAMalformedCallHasItsOwnReason(t *testing.T) {
	t.Parallel()
	sends := func(status int, kind, body string) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	deltas := func(events ...string) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			stream(w, append(events, finish("tool_calls"), done)...)
		}
	}
	delta := func(calls string) string {
		return `{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":` + calls + `},"finish_reason":null}]}`
	}
	for name, one := range map[string]step{
		"refused by the server": sends(400, "application/json", `{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"{"}}`),
		"a fault of the server": sends(500, "application/json", `{"error":{"message":"error parsing tool call: raw='{\"a\"' err=unexpected end of JSON input","type":"api_error"}}`),
		"a fault in plain text": sends(500, "text/plain", `error parsing tool call: raw='{"a"' err=unexpected end of JSON input`),
		"a fault in the stream": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, `{"error":{"message":"error parsing tool call: raw='{'","type":"api_error"}}`)
		},
		"arguments cut short":         deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":"get_state","arguments":"{\"device_name\":"}}]`)),
		"arguments that are a number": deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":"get_state","arguments":7}}]`)),
		"arguments that are prose":    deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":"get_state","arguments":"the kitchen"}}]`)),
		"calls that are a text":       deltas(delta(`"get_state"`)),
		"a call that is a number":     deltas(delta(`[7]`)),
		"a call without a name":       deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"arguments":"{}"}}]`)),
		"a tool that does not exist":  deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":"fly","arguments":"{}"}}]`)),
		"a name that is a sentence":   deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":"look at the lamp!","arguments":"{}"}}]`)),
		"a name that is an object":    deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":{},"arguments":"{}"}}]`)),
		"arguments that do not fit":   deltas(delta(`[{"index":0,"id":"a","type":"function","function":{"name":"get_state","arguments":"[1,2]"}}]`)),
		"an unreadable piece":         deltas(`{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"get_`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hear(t.Context(), talk(t, serve(t, one, one, one, one), &box{}), dialogue.Prompt{Text: "how is the lamp"})
			failed, ok := errors.AsType[*dialogue.ModelError](h.err)
			want := dialogue.Miscalled
			if slices.Contains([]string{"calls that are a text", "a call that is a number", "an unreadable piece"}, name) {
				want = dialogue.Nonsense // there is no call in it
			}
			if !ok || failed.Failure != want || len(h.sentences) > 0 {
				t.Errorf("it failed with %v, and %q was said", fmt.Sprintf("%+v", h.err), h.sentences)
			}
		})
	}
}
