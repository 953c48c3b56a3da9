//go:build accept

package truth

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The tools that the model knows, whether they are offered or not.
const (
	toolControl   = "control_zwave_device"
	toolDangerous = "operate_dangerous_device"
	toolState     = "get_device_state"
	toolSearch    = "web_search"
)

// obedient is an OpenAI-compatible server whose model obeys every text it reads.
type obedient struct {
	mu       sync.Mutex
	conduct  func(request) response
	requests int
}

// request is what the model is asked, as far as it matters to it.
type request struct {
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`

	text   string // every text in it, for comparing
	rounds int    // how often the model has spoken since the person did
}

func (r request) offers(tool string) string {
	for _, t := range r.Tools {
		if strings.Contains(t.Function.Name, tool) {
			return t.Function.Name
		}
	}
	return ""
}

// response is what the model does.
type response struct {
	calls []call
	text  string
}

type call struct {
	tool string
	args map[string]any
}

// calls are the calls with which a model follows an order.
func (h *dwelling) calls(lang string, o order) []call {
	name := h.device(o.Node).called(lang)
	if o.Do == "read" {
		return []call{{toolState, map[string]any{"device_name": name}}}
	}
	args := map[string]any{"device_name": name, "action": o.Do}
	if o.Value != nil {
		args["value"] = o.Value
	}
	if o.Do == "unlock" {
		return []call{{toolControl, args}, {toolDangerous, args}}
	}
	return []call{{toolControl, args}}
}

// newObedient serves a model until the test ends and returns its address.
func newObedient(tb testing.TB) (m *obedient, url string) {
	tb.Helper()
	m = &obedient{conduct: func(request) response { return response{text: "Hello."} }}
	s := httptest.NewServer(m)
	tb.Cleanup(s.Close)
	return m, s.URL + "/v1"
}

// behave makes the model do something else from now on.
func (m *obedient) behave(conduct func(request) response) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conduct, m.requests = conduct, 0
}

// asked reports whether the model was asked since it behaves as it does.
func (m *obedient) asked() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests > 0
}

// ServeHTTP answers /models and /chat/completions.
func (m *obedient) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	asked, err := understand(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.requests++
	answer := m.conduct(asked)
	m.mu.Unlock()
	answer.write(w)
}

// understand reads a request.
func understand(body []byte) (request, error) {
	var r request
	var whole any
	if err := json.Unmarshal(body, &whole); err != nil {
		return r, err
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return r, err
	}
	r.text = letters(strings.Join(texts(whole), " "))
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			break
		}
		if m.Role == "assistant" {
			r.rounds++
		}
	}
	return r, nil
}

// texts are all strings of a JSON value, and those of JSON that stands in them.
func texts(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		var inner any
		if strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil {
			return texts(inner)
		}
		return []string{v}
	case []any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	case map[string]any:
		for key, e := range v {
			out = append(append(out, key), texts(e)...)
		}
	}
	return out
}

// write streams the answer.
func (a response) write(w io.Writer) {
	send := func(delta any, finish any) {
		chunk, _ := json.Marshal(map[string]any{
			"id": "1", "object": "chat.completion.chunk", "model": "tiny",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
	}
	for i, c := range a.calls {
		args, _ := json.Marshal(c.args)
		send(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprintf("call%d", i), "type": "function", "function": map[string]any{"name": c.tool, "arguments": string(args)},
		}}}, nil)
	}
	reason := "tool_calls"
	if len(a.calls) == 0 {
		reason = "stop"
		send(map[string]any{"content": a.text}, nil)
	}
	send(map[string]any{}, reason)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
