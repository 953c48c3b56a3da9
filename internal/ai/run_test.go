package ai

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

func TestModelIsFoundByRun(t *testing.T) {
	t.Parallel()
	warmed := make(chan struct{}, 2)
	warm := func(w http.ResponseWriter, r *http.Request) {
		says("Hi")(w, r)
		warmed <- struct{}{}
	}
	s := serve(t, warm, warm, says("Hello."))
	cfg := testConfig(s.URL + "/v1")
	cfg.Profile, cfg.Model = "ollama", ""
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	m, err := NewOpenAI(cfg, "", transport)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(cfg, m, &box{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if ok, why := a.Ready(); ok || why == "" {
		t.Errorf("before Run: %v, %q", ok, why)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	<-a.checked
	if ok, why := a.Ready(); !ok || why != "small:latest" {
		t.Errorf("Ready says %v, %q, want the first model that converses", ok, why)
	}
	<-warmed
	<-warmed // the script continues with the reply
	for i, tools := range []int{3, 5} {
		if r := s.requests()[i]; r.Model != "small:latest" || r.MaxTokens != 1 || len(r.Tools) != tools {
			t.Errorf("the warming request is %+v", r)
		}
	}
	if h := hear(ctx, a, dialogue.Prompt{Text: "x"}); h.err != nil || !slices.Equal(h.sentences, []string{"Hello."}) {
		t.Errorf("said %q, %v", h.sentences, h.err)
	}
	if got := s.header[2].Get("Authorization"); got != "" {
		t.Errorf("without a key %q was sent", got)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run ended with %v", err)
	}
}

func TestModelsThatAreNotThere(t *testing.T) {
	t.Parallel()
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }))
	t.Cleanup(pages.Close)
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"nomic-embed-text"}]}`) }))
	t.Cleanup(empty.Close)
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(locked.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	full := serve(t)
	for name, c := range map[string]struct {
		url, profile, model string
		ready               bool
		why                 string
	}{
		"nobody":              {gone.URL, "ollama", "", false, "connection refused"},
		"no model":            {empty.URL, "ollama", "", false, "ollama pull"},
		"another model":       {full.URL, "ollama", "huge", false, "ollama pull huge"},
		"latest":              {full.URL, "ollama", "small", true, "small"},
		"unlisted":            {full.URL, "custom", "hidden", true, "hidden"},
		"no listing":          {pages.URL, "custom", "small", true, "small"},
		"no listing, no name": {pages.URL, "custom", "", false, "404"},
		"wrong key":           {locked.URL, "custom", "small", false, "401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(c.url + "/v1")
			cfg.Profile, cfg.Model = c.profile, c.model
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			m, err := NewOpenAI(cfg, "key", transport)
			if err != nil {
				t.Fatal(err)
			}
			a, err := New(cfg, m, &box{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			a.settle(a.look(t.Context()))
			if ok, why := a.Ready(); ok != c.ready || !strings.Contains(why, c.why) {
				t.Errorf("Ready says %v, %q, want %v, %q", ok, why, c.ready, c.why)
			}
		})
	}
}

func TestRequestsFitTheProvider(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][2]int{"gpt-4o-mini": {50, 0}, "gpt-5-mini": {0, 50}, "o3": {0, 50}, "llama3.2": {50, 0}} {
		r := chatRequest(Request{Model: model, MaxTokens: 50, Temperature: 0.2, Tools: []tools.Spec{{Name: "x"}}})
		older := r.MaxTokens //nolint:staticcheck // It is what must be sent.
		if older != want[0] || r.MaxCompletionTokens != want[1] || (r.Temperature == 0) != (want[0] == 0) {
			t.Errorf("%s: max_tokens %d, max_completion_tokens %d, temperature %v", model, older, r.MaxCompletionTokens, r.Temperature)
		}
		if p, ok := r.Tools[0].Function.Parameters.(json.RawMessage); !ok || !json.Valid(p) {
			t.Errorf("%s: a tool without a schema has %v", model, r.Tools[0].Function.Parameters)
		}
	}
	var got http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		fmt.Fprint(w, `{"data":[]}`)
	}))
	t.Cleanup(s.Close)
	cfg := testConfig(s.URL)
	cfg.Profile = "anthropic"
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	m, err := NewOpenAI(cfg, "sk-key\n", transport)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Models(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got.Get("X-Api-Key") != "sk-key" || got.Get("Anthropic-Version") == "" || got.Get("Authorization") != "Bearer sk-key" {
		t.Errorf("sent %v", got)
	}
	if _, err := NewOpenAI(cfg, "two\nlines", nil); err == nil || strings.Contains(err.Error(), "two") {
		t.Errorf("a key of two lines gave %v", err)
	}
}

func TestValidateNamesTheKeyAndTheWayOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"enabled":     {func(c *Config) { c.Enabled = "yes" }, "auto, true, false"},
		"profile":     {func(c *Config) { c.Profile = "bard" }, "anthropic, custom, groq, ollama, openai"},
		"url":         {func(c *Config) { c.BaseURL = "localhost:11434" }, "ai.base_url"},
		"secret url":  {func(c *Config) { c.BaseURL = "http://me:pw@host/v1" }, "api_key_file"},
		"cloud model": {func(c *Config) { c.Profile = "openai" }, "ai.model"},
		"timeout":     {func(c *Config) { c.Timeout = 0 }, "ai.timeout"},
		"tokens":      {func(c *Config) { c.MaxTokens = 0 }, "ai.max_tokens"},
		"temperature": {func(c *Config) { c.Temperature = 3 }, "ai.temperature"},
		"no url":      {func(c *Config) { c.Profile, c.BaseURL = "custom", "" }, "ai.base_url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Default()
			c.change(&cfg)
			if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	cfg := Default()
	if err := cfg.Validate(); err != nil || cfg.Endpoint() != "http://127.0.0.1:11434/v1" {
		t.Errorf("the default: %v, %s", err, cfg.Endpoint())
	}
	cfg.Profile, cfg.Model = "groq", "x"
	if err := cfg.Validate(); err != nil || cfg.Endpoint() != "https://api.groq.com/openai/v1" {
		t.Errorf("groq: %v, %s", err, cfg.Endpoint())
	}
	cfg.BaseURL = "http://proxy:8080/v1/"
	if got := cfg.Endpoint(); got != "http://proxy:8080/v1" {
		t.Errorf("a proxy: %s", got)
	}
}
