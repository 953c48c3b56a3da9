package ai

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

// sends answers with a body as it stands.
func sends(contentType, body string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

// events joins chunks to a stream.
func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

const (
	eventStream = "text/event-stream"
	plainJSON   = "application/json"
)

// TestEveryServersAnswerIsUnderstood checks answers as the servers of this world
// send them; each says the same sentence.
func TestEveryServersAnswerIsUnderstood(t *testing.T) {
	t.Parallel()
	hello := content("It is ") + "|" + content("noon.")
	chunks := strings.Split(hello, "|")
	for name, step := range map[string]step{
		"the usual":                 sends(eventStream, events(append(chunks, finish("stop"), done)...)),
		"no reason of the end":      sends(eventStream, events(append(chunks, done)...)),
		"no DONE":                   sends(eventStream, events(append(chunks, finish("stop"))...)),
		"neither":                   sends(eventStream, events(chunks...)),
		"empty reasons":             sends(eventStream, events(strings.ReplaceAll(chunks[0], `null}`, `""}`), chunks[1], finish("stop"), done)),
		"a reason of its own":       sends(eventStream, events(append(chunks, finish("eos_token"), done)...)),
		"the end in capitals":       sends(eventStream, events(append(chunks, finish("STOP"), done)...)),
		"other line ends":           sends(eventStream, strings.ReplaceAll(events(append(chunks, finish("stop"), done)...), "\n", "\r\n")),
		"old line ends":             sends(eventStream, strings.ReplaceAll(events(append(chunks, finish("stop"), done)...), "\n", "\r")),
		"no empty lines":            sends(eventStream, strings.ReplaceAll(events(append(chunks, finish("stop"), done)...), "\n\n", "\n")),
		"no spaces":                 sends(eventStream, strings.ReplaceAll(events(append(chunks, finish("stop"), done)...), "data: ", "data:")),
		"comments":                  sends(eventStream, ": OPENROUTER PROCESSING\n\n"+events(chunks[0])+":\n\n"+events(chunks[1], finish("stop"), done)),
		"names and numbers":         sends(eventStream, "retry: 100\nid: 1\nevent: chunk\n"+events(append(chunks, finish("stop"), done)...)),
		"a mark at the beginning":   sends(eventStream, "\ufeff"+events(append(chunks, finish("stop"), done)...)),
		"an event of several lines": sends(eventStream, "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"It is noon.\"}}]}\n\n"+events(finish("stop"), done)),
		"lines of JSON":             sends("application/x-ndjson", strings.Join(append(chunks, finish("stop")), "\n")+"\n"),
		"the wrong kind":            sends(plainJSON, events(append(chunks, finish("stop"), done)...)),
		"no kind":                   sends("", events(append(chunks, finish("stop"), done)...)),
		"a plain answer":            sends(plainJSON, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"It is noon."},"finish_reason":"stop"}],"usage":{}}`),
		"a plain answer in lines":   sends(plainJSON, "{\n\"object\": \"chat.completion\",\n\n\"choices\": [\n{\"message\":\n{\"content\": \"It is noon.\"},\n\"finish_reason\": \"stop\"\n}\n]\n}\n"),
		"a plain answer, no reason": sends(plainJSON, `{"object":"chat.completion","choices":[{"message":{"content":"It is noon"}}]}`),
		"a plain answer in parts":   sends(plainJSON, `{"choices":[{"message":{"content":[{"type":"text","text":"It is "},{"type":"text","text":"noon."}]},"finish_reason":"stop"}]}`),
		"a plain answer as event":   sends(eventStream, events(`{"choices":[{"message":{"content":"It is noon."},"finish_reason":"stop"}]}`, done)),
		"the whole once more":       sends(eventStream, events(append(chunks, `{"choices":[{"message":{"content":"It is noon."},"finish_reason":"stop"}]}`, done)...)),
		"parts":                     sends(eventStream, events(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"It is "},"noon."]}}]}`, finish("stop"), done)),
		"one part":                  sends(eventStream, events(`{"choices":[{"delta":{"content":{"type":"text","text":"It is noon."}}}]}`, finish("stop"), done)),
		"reasoning_content":         sends(eventStream, events(append([]string{`{"choices":[{"delta":{"reasoning_content":"Hm, what now?","content":null}}]}`}, append(chunks, finish("stop"), done)...)...)),
		"reasoning":                 sends(eventStream, events(append([]string{`{"choices":[{"delta":{"reasoning":"Hm.","reasoning_details":[{"type":"x","text":"Hm."}],"content":""}}]}`}, append(chunks, finish("stop"), done)...)...)),
		"thinking":                  sends(eventStream, events(append([]string{`{"choices":[{"delta":{"thinking":"Hm. Yes."}}]}`}, append(chunks, finish("stop"), done)...)...)),
		"reasoning as an object":    sends(eventStream, events(append([]string{`{"choices":[{"delta":{"reasoning_content":{"text":"Hm."}}}]}`}, append(chunks, finish("stop"), done)...)...)),
		"roles and figures":         sends(eventStream, events(`{"choices":[{"delta":{"role":"assistant"}}]}`, `{"choices":[],"prompt_filter_results":[]}`, chunks[0], `{"choices":null}`, chunks[1], finish("stop"), `{"choices":[],"usage":{"total_tokens":3}}`, done)),
		"figures of other types":    sends(eventStream, events(`{"created":1.5,"id":7,"choices":[{"index":"0","logprobs":[],"delta":{"content":"It is noon."},"content_filter_results":[]}]}`, finish("stop"), done)),
		"another answer beside it":  sends(eventStream, events(chunks[0], `{"choices":[{"index":1,"delta":{"content":"midnight"}}]}`, chunks[1], finish("stop"), done)),
		"messages for deltas":       sends(eventStream, events(`{"object":"chat.completion.chunk","choices":[{"message":{"content":"It is "}}]}`, `{"object":"chat.completion.chunk","choices":[{"message":{"content":"noon."}}]}`, finish("stop"), done)),
		"older completions":         sends(eventStream, events(`{"choices":[{"text":"It is noon.","index":0,"finish_reason":"stop"}]}`, done)),
		"a refusal":                 sends(eventStream, events(`{"choices":[{"delta":{"refusal":"It is noon."}}]}`, finish("stop"), done)),
		"after the end":             sends(eventStream, events(append(chunks, finish("stop"), done)...)+"data: {rubbish\n\n"),
		"cut after whole sentences": sends(eventStream, events(content("It is noon. And th"), finish("length"), done)),
		"a null error":              sends(eventStream, events(`{"error":null,"choices":[{"delta":{"content":"It is noon."}}]}`, finish("stop"), done)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hear(t.Context(), talk(t, serve(t, step), &box{}), dialogue.Prompt{Text: "x"})
			if h.err != nil || strings.TrimSuffix(strings.Join(h.sentences, " "), ".") != "It is noon" {
				t.Errorf("said %q, %v", h.sentences, h.err)
			}
		})
	}
}

// TestEveryServersCallIsUnderstood checks calls as the servers of this world send
// them; each asks for the same.
func TestEveryServersCallIsUnderstood(t *testing.T) {
	t.Parallel()
	delta := func(inner string) string { return `{"choices":[{"delta":` + inner + `}]}` }
	one := []string{`get_state{"n":1}`}
	two := []string{`get_state{"n":1}`, `get_state{"n":2}`}
	for name, c := range map[string]struct {
		events []string
		want   []string
	}{
		"an object":           {[]string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_state","arguments":{"n":1}}}]}`)}, one},
		"no reason":           {[]string{callDelta(0, "a", "get_state", `{"n":1}`), done}, one},
		"stop":                {[]string{callDelta(0, "a", "get_state", `{"n":1}`), finish("stop")}, one},
		"function_call":       {[]string{callDelta(0, "a", "get_state", `{"n":1}`), finish("function_call")}, one},
		"the old way":         {[]string{delta(`{"function_call":{"name":"get_state","arguments":""}}`), delta(`{"function_call":{"arguments":"{\"n\":"}}`), delta(`{"function_call":{"arguments":"1}"}}`)}, one},
		"no index, no id":     {[]string{delta(`{"tool_calls":[{"function":{"name":"get_state","arguments":"{\"n\":"}}]}`), delta(`{"tool_calls":[{"function":{"arguments":"1}"}}]}`)}, one},
		"the name each time":  {[]string{delta(`{"tool_calls":[{"function":{"name":"get_state","arguments":"{\"n\":"}}]}`), delta(`{"tool_calls":[{"function":{"name":"get_state","arguments":"1}"}}]}`)}, one},
		"all each time":       {[]string{callDelta(0, "a", "get_state", `{"n"`), callDelta(0, "a", "get_state", `{"n":1`), callDelta(0, "a", "get_state", `{"n":1}`)}, one},
		"the same again":      {[]string{callDelta(0, "a", "get_state", `{"n":1}`), callDelta(0, "a", "get_state", `{"n":1}`)}, one},
		"the same, no id":     {[]string{callDelta(0, "", "get_state", `{"n":1}`), callDelta(0, "", "get_state", `{"n":1}`)}, one},
		"an empty one first":  {[]string{callDelta(0, "a", "get_state", `{}`), callDelta(0, "", "", `{"n":1}`)}, one},
		"null first":          {[]string{delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_state","arguments":null}}]}`), callDelta(0, "", "", `{"n":1}`)}, one},
		"index 0, no ids":     {[]string{callDelta(0, "", "get_state", `{"n":1}`), callDelta(0, "", "get_state", `{"n":2}`)}, two},
		"index as a text":     {[]string{delta(`{"tool_calls":[{"index":"0","id":1,"function":{"name":"get_state","arguments":"{\"n\":"}}]}`), delta(`{"tool_calls":[{"index":"0","function":{"arguments":"1}"}}]}`)}, one},
		"no list":             {[]string{delta(`{"tool_calls":{"id":"a","function":{"name":"get_state","arguments":"{\"n\":1}"}}}`)}, one},
		"no function":         {[]string{delta(`{"tool_calls":[{"id":"a","name":"get_state","args":{"n":1}}]}`)}, one},
		"a plain answer":      {[]string{`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"get_state","arguments":"{\"n\":1}"}},{"id":"b","type":"function","function":{"name":"get_state","arguments":"{\"n\":2}"}}]},"finish_reason":"tool_calls"}]}`}, two},
		"the whole once more": {[]string{callDelta(0, "a", "get_state", `{"n":1}`), `{"choices":[{"message":{"tool_calls":[{"id":"z","function":{"name":"get_state","arguments":"{\"n\":1}"}}]},"finish_reason":"tool_calls"}]}`}, one},
		"null calls":          {[]string{delta(`{"content":null,"tool_calls":null,"function_call":null}`), callDelta(0, "a", "get_state", `{"n":1}`)}, one},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(c.events, done) && !strings.Contains(c.events[len(c.events)-1], "finish_reason") {
				c.events = append(c.events, finish("tool_calls"), done)
			}
			b := &box{}
			h := hear(t.Context(), talk(t, serve(t, sends(eventStream, events(c.events...)), says("So it is.")), b), dialogue.Prompt{Text: "x"})
			got := b.calls()
			slices.Sort(got)
			if h.err != nil || !slices.Equal(got, c.want) {
				t.Errorf("called %q, %v, want %q", got, h.err, c.want)
			}
		})
	}
}

// TestEveryServersFaultHasAName checks refusals and faults as servers word them.
func TestEveryServersFaultHasAName(t *testing.T) {
	t.Parallel()
	status := func(code int, body string) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		step step
		kind Kind
	}{
		"403":                     {status(403, `{"error":{"message":"Country not supported"}}`), Denied},
		"402":                     {status(402, `{"error":{"message":"Insufficient Balance"}}`), Quota},
		"429, no quota":           {status(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), Quota},
		"429":                     {status(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`), Busy},
		"503":                     {status(503, `{"error":{"message":"Loading model","type":"unavailable_error"}}`), Busy},
		"529":                     {status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), Busy},
		"408":                     {status(408, ``), Silent},
		"504":                     {status(504, `<html>gateway time-out</html>`), Silent},
		"413":                     {status(413, `{"error":{"message":"too large"}}`), Oversized},
		"400, too long":           {status(400, `{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`), Oversized},
		"400, llama.cpp":          {status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), Oversized},
		"400, vLLM":               {status(400, `{"object":"error","message":"This model's maximum context length is 4096 tokens","type":"BadRequestError","code":400}`), Oversized},
		"400, filtered":           {status(400, `{"error":{"code":"content_filter","message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy"}}`), Filter},
		"400":                     {status(400, `{"error":{"message":"messages: at least one is required"}}`), Rejected},
		"404":                     {status(404, `{"error":{"message":"model 'x' not found","code":"model_not_found"}}`), Rejected},
		"422":                     {status(422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`), Rejected},
		"500":                     {status(500, `oops`), Broken},
		"200, an error":           {sends(plainJSON, `{"error":{"message":"Incorrect API key","code":"invalid_api_key"}}`), Denied},
		"200, an error as a text": {sends(plainJSON, `{"error":"something broke"}`), Broken},
		"200, quota":              {sends(eventStream, events(`{"error":{"message":"no","code":"insufficient_quota"}}`)), Quota},
		"200, a number":           {sends(eventStream, events(`{"error":{"message":"Provider returned error","code":429}}`)), Busy},
		"200, a named event":      {sends(eventStream, "event: error\ndata: {\"message\":\"overloaded\",\"type\":\"overloaded_error\"}\n\n"), Busy},
		"200, vLLM":               {sends(eventStream, events(`{"object":"error","message":"maximum context length","code":400}`, done)), Oversized},
		"200, a detail":           {sends(plainJSON, `{"detail":"Not Found"}`), Broken},
		"200, given up":           {sends(eventStream, events(finish("error"), done)), Broken},
		"200, several":            {sends(plainJSON, `[{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}]`), Busy},
		"200, safety":             {sends(eventStream, events(finish("SAFETY"), done)), Filter},
		"200, a page":             {sends("text/plain", "<!DOCTYPE html><html>Login</html>"), Malformed},
		"200, words":              {sends("text/plain", "Hello there"), Malformed},
		"200, a number alone":     {sends(plainJSON, `42`), Malformed},
		"200, half an answer":     {sends(plainJSON, `{"choices":[{"message":{"content":"It is no`), Malformed},
		"200, nothing":            {sends(plainJSON, ``), Dropped},
		"200, no choice":          {sends(plainJSON, `{"choices":[]}`), Dropped},
		"200, only thoughts":      {sends(eventStream, events(`{"choices":[{"delta":{"reasoning":"Hm."}}]}`, finish("stop"), done)), Empty},
		"only DONE":               {sends(eventStream, events(done)), Empty},
		"half a call":             {sends(eventStream, events(callDelta(0, "a", "control", `{}`), finish("length"), done)), TooLong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &box{}
			h := hear(t.Context(), talk(t, serve(t, c.step), b), dialogue.Prompt{Text: "x", MayAct: true})
			e, ok := errors.AsType[*Error](h.err)
			if !ok || e.Kind != c.kind || len(b.calls()) > 0 || len(h.sentences) > 0 {
				t.Errorf("ended with %v, want %s; said %q, called %q", h.err, c.kind, h.sentences, b.calls())
			}
		})
	}
}

// TestServersThatTakeLessAreAskedForLess checks servers that refuse a part of the
// request: they are asked again without it, and the next time at once.
func TestServersThatTakeLessAreAskedForLess(t *testing.T) {
	t.Parallel()
	refuses := func(code int, said string) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"error":{"message":"`+said+`"}}`)
		}
	}
	for said, c := range map[string]struct {
		tools  bool // are offered the second time
		newer  bool // the newer names are used the second time
		failed bool // there is no second time
	}{
		"registry.ollama.ai/library/gemma3:4b does not support tools":                                                     {newer: false},
		"No endpoints found that support tool use.":                                                                       {},
		"auto tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set":                            {},
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.":      {tools: true, newer: true},
		"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.": {tools: true, newer: true},
		"tools[0].function.parameters: schema is not supported":                                                           {tools: true},
		"no": {failed: true},
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			s := serve(t, refuses(400, said), says("It is noon."), says("It is noon."))
			a := talk(t, s, &box{})
			h := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
			if c.failed {
				if len(s.requests()) != 1 || h.err == nil {
					t.Errorf("asked %d times, %v", len(s.requests()), h.err)
				}
				return
			}
			again := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
			all := s.requests()
			if h.err != nil || again.err != nil || len(all) != 3 {
				t.Fatalf("asked %d times, %v, %v", len(all), h.err, again.err)
			}
			for _, r := range all[1:] {
				if (len(r.Tools) > 0) != c.tools || (r.MaxCompletionTokens > 0) != c.newer || (r.MaxTokens > 0) == c.newer || (r.Temperature > 0) == c.newer {
					t.Errorf("asked with %d tools, max_tokens %d, max_completion_tokens %d, temperature %v", len(r.Tools), r.MaxTokens, r.MaxCompletionTokens, r.Temperature)
				}
			}
		})
	}
}
