package ai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mind/dialogue"
)

// hangs waits until the client has gone.
func hangs(r *http.Request) { <-r.Context().Done() }

// TestEveryEnding is the table of REQUIREMENTS U3 and R: whatever the server does,
// the reply ends with a sentence to say, no act is left half done, and the key
// stays out of the error.
func TestEveryEnding(t *testing.T) {
	t.Parallel()
	status := func(code int, body string, header ...string) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	short := func(c *Config) { c.FirstTokenTimeout = time.Second }
	for name, c := range map[string]struct {
		steps  []step
		change func(*Config)
		kind   Kind
		text   string // in the error
		said   []string
		whole  bool // what was said is an answer
	}{
		"500":                     {steps: []step{status(500, `{"error":{"message":"out of memory"}}`)}, kind: Broken, text: "out of memory"},
		"502 page":                {steps: []step{status(502, "<html>bad gateway</html>")}, kind: Broken, text: "502"},
		"401":                     {steps: []step{status(401, `{"error":{"message":"Incorrect API key: sk-secret-key"}}`)}, kind: Denied, text: "Incorrect API key: …"},
		"a key at the cut":        {steps: []step{status(401, `{"error":{"message":"`+strings.Repeat("x", 289)+` sk-secret-key"}}`)}, kind: Denied, text: "xxx …"},
		"a key at the body's end": {steps: []step{status(401, strings.Repeat(" ", 4<<10-10)+"sk-secret-key")}, kind: Denied, text: ": …"},
		"a key at the cut inside": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hello. "), `{"error":{"message":"overloaded now `+strings.Repeat("sk-secret-key ", 50)+`","type":"x"}}`)
		}}, kind: Busy, text: "now … …", said: []string{"Hello."}},
		"404 model":    {steps: []step{status(404, `{"error":"model \"x\" not found, try pulling it first"}`)}, kind: Rejected, text: "try pulling"},
		"429":          {steps: []step{status(429, `{}`, "Retry-After", "30")}, kind: Busy, text: "429"},
		"429 for ever": {steps: []step{status(429, `{}`, "Retry-After", "0.01"), status(429, `{}`, "Retry-After", "0.01")}, kind: Busy},
		"no words":     {steps: []step{says("<think>hm</think> ** ")}, kind: Empty},
		"nothing":      {steps: []step{says("")}, kind: Empty},
		"web page": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>Welcome</html>")
		}}, kind: Malformed, text: "/v1"},
		"no JSON": {steps: []step{func(w http.ResponseWriter, _ *http.Request) { stream(w, content("Hello. "), "{nonsense") }}, kind: Malformed, said: []string{"Hello."}},
		"error inside": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hello. "), `{"error":{"message":"overloaded sk-secret-key","type":"x"}}`)
		}}, kind: Busy, text: "overloaded", said: []string{"Hello."}},
		"dropped": {steps: []step{func(w http.ResponseWriter, _ *http.Request) { stream(w, content("Hello. "), content("And th")) }}, kind: Dropped, said: []string{"Hello."}},
		"cut off": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hello. And th"))
			panic(http.ErrAbortHandler)
		}}, kind: Dropped, said: []string{"Hello."}},
		"half a call": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, callDelta(0, "a", "control", `{}`))
			panic(http.ErrAbortHandler)
		}}, kind: Dropped},
		"call too long": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, callDelta(0, "a", "control", `{}`), finish("length"), done)
		}}, kind: TooLong},
		"max tokens": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hello and then th"), finish("length"), done)
		}}, kind: TooLong},
		"max tokens after a sentence": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hello. And then th"), finish("length"), done)
		}}, whole: true, said: []string{"Hello."}},
		"max tokens in a call": {steps: []step{func(w http.ResponseWriter, _ *http.Request) {
			stream(w, content("Hello. And"), callDelta(0, "a", "control", `{}`), finish("length"), done)
		}}, kind: TooLong, said: []string{"Hello."}},
		"filtered":             {steps: []step{func(w http.ResponseWriter, _ *http.Request) { stream(w, finish("content_filter"), done) }}, kind: Filter},
		"silent":               {steps: []step{func(_ http.ResponseWriter, r *http.Request) { hangs(r) }}, change: short, kind: Silent},
		"silent after headers": {steps: []step{func(w http.ResponseWriter, r *http.Request) { stream(w); w.(http.Flusher).Flush(); hangs(r) }}, change: short, kind: Silent},
		"silent in the middle": {steps: []step{func(w http.ResponseWriter, r *http.Request) { stream(w, content("Hello. And")); hangs(r) }}, change: short, kind: Silent, said: []string{"Hello."}},
		"hangs after the end":  {steps: []step{func(w http.ResponseWriter, r *http.Request) { stream(w, content("Hello."), finish("stop")); hangs(r) }}, whole: true, said: []string{"Hello."}},
		"endless answer": {steps: []step{func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				stream(w, content("again and again and again "))
			}
		}}, kind: TooLong},
		"endless keep-alive": {steps: []step{func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, ": still loading\n\n")
				w.(http.Flusher).Flush()
			}
		}}, change: short, kind: ""}, // silence or too many bytes, whichever is first
		"endless line": {steps: []step{func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: ")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}}, kind: TooLong},
		"endless call": {steps: []step{func(w http.ResponseWriter, r *http.Request) {
			stream(w, callDelta(0, "a", "control", `{"x":"`))
			for r.Context().Err() == nil {
				stream(w, callDelta(0, "", "", strings.Repeat("y", 1<<16)))
			}
		}}, kind: TooLong, text: "the arguments of a call go on after 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &box{}
			change := c.change
			if change == nil {
				change = func(*Config) {}
			}
			h := hear(t.Context(), talk(t, serve(t, c.steps...), b, change), dialogue.Prompt{Text: "x"})
			if len(b.calls()) != 0 {
				t.Errorf("called %q", b.calls())
			}
			if name != "endless answer" && !slices.Equal(h.sentences, c.said) {
				t.Errorf("said %q, want %q", h.sentences, c.said)
			}
			if c.whole {
				if h.err != nil {
					t.Errorf("ended with %v", h.err)
				}
				return
			}
			e, ok := errors.AsType[*Error](h.err)
			if !ok || (c.kind != "" && e.Kind != c.kind) || !strings.Contains(e.Error(), c.text) {
				t.Fatalf("ended with %v, want %s with %q", h.err, c.kind, c.text)
			}
			if strings.Contains(e.Error(), "secret") {
				t.Errorf("the error is %q", e)
			}
		})
	}
}

func TestShortBusynessIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0.02")
		w.WriteHeader(http.StatusTooManyRequests)
	}, says("Hello."))
	if h := hear(t.Context(), talk(t, s, &box{}), dialogue.Prompt{Text: "x"}); h.err != nil || !slices.Equal(h.sentences, []string{"Hello."}) {
		t.Errorf("said %q, %v", h.sentences, h.err)
	}
}

func TestKeyStaysOnItsHost(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host was asked with %q", r.Header.Get("Authorization"))
	}))
	t.Cleanup(thief.Close)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, thief.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
	})
	h := hear(t.Context(), talk(t, s, &box{}), dialogue.Prompt{Text: "x"})
	if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != Rejected || !strings.Contains(e.Error(), "ai.base_url") {
		t.Errorf("ended with %v", h.err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := talk(t, s, &box{})
	s.Close()
	h := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
	if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != Unavailable {
		t.Errorf("ended with %v", h.err)
	}
	select {
	case <-a.poke:
	default:
		t.Error("the model that has gone is not looked for")
	}
}

func TestBargeInEndsTheRequest(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 2)
	endless := func(w http.ResponseWriter, r *http.Request) {
		stream(w, content("First sentence. Second"))
		hangs(r)
		gone <- struct{}{}
	}
	s := serve(t, endless, endless, says("Yes."))
	a := talk(t, s, &box{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got error
	for _, err := range a.Reply(ctx, dialogue.Prompt{Text: "one"}) {
		cancel()
		got = err
	}
	if !errors.Is(got, context.Canceled) {
		t.Errorf("the interrupted reply ended with %v", got)
	}
	<-gone
	for range a.Reply(t.Context(), dialogue.Prompt{Text: "two"}) {
		break
	}
	<-gone
	hear(t.Context(), a, dialogue.Prompt{Text: "three"})
	var texts []string
	for _, m := range s.requests()[2].Messages[1:] {
		text, _, _ := strings.Cut(m.Content, "\n")
		texts = append(texts, text)
	}
	if want := []string{"one", "First sentence.", "two", "First sentence.", "three"}; !slices.Equal(texts, want) {
		t.Errorf("the conversation is %q, want what was really said: %q", texts, want)
	}
}

// FuzzStream: whatever bytes a server sends, the reply ends, makes no call that
// was not whole, and says only what can be spoken.
func FuzzStream(f *testing.F) {
	f.Add("data: " + content("Hello. ") + "\n\ndata: " + finish("stop") + "\n\ndata: [DONE]\n\n")
	f.Add("data: " + callDelta(0, "a", "get_state", `{"n":`) + "\n\ndata: " + callDelta(0, "", "", `1}`) + "\n\ndata: " + finish("tool_calls") + "\n\n")
	f.Add(`data: {"error":{"message":"x"}}` + "\n\n")
	f.Add(": keep-alive\n\ndata: {\"choices\":[]}\n\n")
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":-5,"function":{"arguments":"x"}}]},"finish_reason":"weird"}]}` + "\n\n")
	f.Fuzz(func(t *testing.T, body string) {
		cfg := testConfig("http://model.example/v1")
		m, err := NewOpenAI(cfg, "", canned(body))
		if err != nil {
			t.Fatal(err)
		}
		b := &box{}
		h := hear(t.Context(), found(t, cfg, m, b), dialogue.Prompt{Text: "x"})
		if h.err == nil && len(h.sentences) == 0 {
			t.Fatal("neither a sentence nor an error")
		}
		for _, c := range b.calls() {
			if !strings.HasPrefix(c, "get_") && !strings.HasPrefix(c, "web_") {
				t.Fatalf("a question called %s", c)
			}
		}
	})
}

// canned is a transport that always answers with the same stream.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(string(c))),
	}, nil
}
