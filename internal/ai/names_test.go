package ai

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

// modelAt makes a server that can be changed, at first one that hangs up, and an assistant that has not looked for
// its model yet.
func modelAt(t *testing.T, change func(*Config)) (a *Assistant, answers *atomic.Value) {
	t.Helper()
	answers = &atomic.Value{}
	answers.Store(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers.Load().(http.HandlerFunc)(w, r)
	}))
	cfg := testConfig(server.URL + "/v1")
	cfg.Profile, cfg.Model = "ollama", ""
	change(&cfg)
	transport := &http.Transport{}
	t.Cleanup(func() { transport.CloseIdleConnections(); server.Close() })
	m, err := NewOpenAI(cfg, "", transport)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = New(cfg, m, &box{}, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	a.settle(a.look(t.Context()))
	close(a.checked)
	return a, answers
}

// up is a server that works.
func up(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, `{"data":[{"id":"small"}]}`)
		return
	}
	says("It is noon.")(w, r)
}

// TestEveryFailureIsNamed checks that each kind of failure has a sentence.
func TestEveryFailureIsNamed(t *testing.T) {
	t.Parallel()
	a := talk(t, serve(t), &box{})
	for kind, failure := range failures {
		failed, ok := errors.AsType[*dialogue.ModelError](a.none(&Error{Kind: kind}))
		if !ok || failed.Failure != failure || failure == "" {
			t.Errorf("%s is told as %+v", kind, failed)
		}
	}
}

// TestAModelThatIsDownIsNamed checks who hears that the model does not answer: not a
// house that has none.
func TestAModelThatIsDownIsNamed(t *testing.T) {
	t.Parallel()
	locked := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	other := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"data":[]}`) })
	for name, c := range map[string]struct {
		change func(*Config)
		answer http.HandlerFunc // nil: nothing that makes sense
		want   dialogue.Failure
	}{
		"set up, down":      {func(c *Config) { c.Model = "small" }, nil, dialogue.Unreachable},
		"demanded, down":    {func(c *Config) { c.Enabled = "true" }, nil, dialogue.Unreachable},
		"set up, locked":    {func(c *Config) { c.Model = "small" }, locked, dialogue.KeyRefused},
		"set up, not there": {func(c *Config) { c.Model = "small" }, other, dialogue.Misconfigured},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, answers := modelAt(t, c.change)
			if c.answer != nil {
				answers.Store(c.answer)
			}
			h := hear(t.Context(), a, dialogue.Prompt{Text: "x"})
			if failed, ok := errors.AsType[*dialogue.ModelError](h.err); !ok || failed.Failure != c.want || errors.Is(h.err, dialogue.ErrNoModel) {
				t.Errorf("ended with %v, want %s", h.err, c.want)
			}
		})
	}
	cfg := Default()
	if cfg.named() {
		t.Error("the defaults alone count as a model that is set up")
	}
	cfg.Enabled, cfg.Model = "false", "small"
	if cfg.named() {
		t.Error("a model that is switched off counts as set up")
	}
}

// TestAnAddressTellsItsProfile: the address of one provider behind the name of another is
// found, and an address that is no provider's is left alone.
func TestAnAddressTellsItsProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ profile, url, other string }{
		{"ollama", localOllama, ""},
		{"ollama", "http://192.168.1.7:11434/v1", ""},
		{"openai", localOllama, "ollama"},
		{"openai", "http://localhost:11434/v1", "ollama"},
		{"groq", "http://192.168.1.7:11434/v1", "ollama"},
		{"ollama", "https://api.openai.com/v1", "openai"},
		{"openai", "https://api.anthropic.com/v1", "anthropic"},
		{"anthropic", "https://api.groq.com/openai/v1", "groq"},
		{"openai", "https://api.openai.com/v1", ""},
		{"openai", "http://192.168.1.7:8080/v1", ""},
		{"openai", "", ""},
		{"custom", localOllama, ""},
	} {
		if got := (Config{Profile: c.profile, BaseURL: c.url}).OtherProfile(); got != c.other {
			t.Errorf("%s at %q: it is taken for %q, expected %q", c.profile, c.url, got, c.other)
		}
	}
}

// TestAModelThatIsBackAnswersTheNextQuestion checks that the user need not ask twice, and
// that the sentence about a model that answered once and is gone names it.
func TestAModelThatIsBackAnswersTheNextQuestion(t *testing.T) {
	t.Parallel()
	a, answers := modelAt(t, func(*Config) {})
	down := answers.Load()
	ask := func() heard { return hear(t.Context(), a, dialogue.Prompt{Text: "x"}) }
	if h := ask(); h.err == nil {
		t.Fatal("a model that is down answers")
	}
	answers.Store(http.HandlerFunc(up))
	if h := ask(); h.err != nil || !slices.Equal(h.sentences, []string{"It is noon."}) {
		t.Errorf("back: said %q, %v", h.sentences, h.err)
	}
	answers.Store(down)
	h := ask()
	if failed, ok := errors.AsType[*dialogue.ModelError](h.err); !ok || errors.Is(h.err, dialogue.ErrNoModel) {
		t.Errorf("down again: %v, %+v", h.err, failed)
	}
	answers.Store(http.HandlerFunc(up))
	if h := ask(); h.err != nil {
		t.Errorf("back again: %v", h.err)
	}
}
