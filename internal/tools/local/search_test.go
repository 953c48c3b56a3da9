package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/tools"
)

// The answers are in the providers' own shapes.
const (
	searxngAnswer = `{"query":"x","number_of_results":2,"results":[
		{"title":"Lisbon &amp; more","url":"https://en.example.org/Lisbon","content":"The <b>capital</b> of\n Portugal.","engine":"a","score":1.0},
		{"title":"Second","url":"javascript:alert(1)","content":"<script>x</script>two"}],"answers":[],"infoboxes":[]}`
	googleAnswer = `{"kind":"customsearch#search","items":[{"title":"Lisbon","link":"https://l.example.org","snippet":"The capital of Portugal.","htmlSnippet":"<b>x</b>"}]}`
	duckAnswer   = `{"Heading":"Lisbon","AbstractText":"Lisbon is the capital of Portugal.","AbstractURL":"https://d.example.org","Answer":"","Definition":"",
		"RelatedTopics":[{"Text":"Porto, a city","FirstURL":"https://p.example.org"},{"Name":"More","Topics":[{"Text":"Faro, a city","FirstURL":"https://f.example.org"}]}]}`
	duckObject = `{"Heading":"","AbstractText":"","Answer":{"from":"calculator"},"RelatedTopics":[]}`
)

// web starts a provider and returns the search tool that asks it.
func web(t *testing.T, provider string, handle http.HandlerFunc) tools.Tool {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	cfg := Default()
	cfg.Search = Search{Provider: provider, URL: server.URL + "/", EngineID: "engine-1", Timeout: 30 * time.Second}
	byName, _ := kit(t, cfg, Deps{SearchKey: "the-secret-key", HTTP: server.Client().Transport})
	return byName["web_search"]
}

func TestSearchAsksEachProviderItsWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider, answer string
		path, query      string // what must be asked
		key              string
		want             string
	}{
		"searxng":              {"searxng", searxngAnswer, "/search", "format=json&q=capital+%26+Portugal", "", "1. Lisbon & more: The capital of Portugal.\n2. Second: x two"},
		"google":               {"google", googleAnswer, "/customsearch/v1", "cx=engine-1&num=2&q=capital+%26+Portugal", "the-secret-key", "1. Lisbon: The capital of Portugal."},
		"duckduckgo":           {"duckduckgo", duckAnswer, "/", "format=json&no_html=1&q=capital+%26+Portugal&skip_disambig=1&t=voice-gateway", "", "1. Lisbon: Lisbon is the capital of Portugal.\n2. Lisbon: Porto, a city"},
		"duckduckgo's objects": {"duckduckgo", duckObject, "/", "format=json&no_html=1&q=capital+%26+Portugal&skip_disambig=1&t=voice-gateway", "", "Nothing was found."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := web(t, c.provider, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != c.path || r.URL.RawQuery != c.query || r.Header.Get("X-Goog-Api-Key") != c.key {
					t.Errorf("asked %s with key %q", r.URL, r.Header.Get("X-Goog-Api-Key"))
				}
				fmt.Fprint(w, c.answer)
			})
			result := call(t, tool, `{"query":" capital &amp; Portugal\n","count":2}`)
			if result.Text != c.want || result.Failed || !result.Untrusted {
				t.Errorf("got %+v, want the untrusted text %q", result, c.want)
			}
			if strings.Contains(string(result.Data), "javascript:") {
				t.Errorf("a script is left in %s", result.Data)
			}
		})
	}
}

// TestSearchNotSetUpIsNotOffered checks that a model without a search does not lose
// a round, and its acts, to one that finds nothing.
func TestSearchNotSetUpIsNotOffered(t *testing.T) {
	t.Parallel()
	byName, _ := kit(t, Default(), Deps{})
	if _, offered := byName["web_search"]; offered {
		t.Error("a search without a provider is offered")
	}
	cfg := Default()
	cfg.Search.Provider = "duckduckgo"
	byName, _ = kit(t, cfg, Deps{})
	if spec := byName["web_search"].Spec(); spec.Risk != tools.Read || !spec.OpenWorld {
		t.Errorf("the spec is %+v", spec)
	}
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	tool := web(t, "searxng", func(w http.ResponseWriter, r *http.Request) {
		if n := len(r.URL.Query().Get("q")); n > maxQuery+4 {
			t.Errorf("the query has %d bytes", n)
		}
		var results []map[string]string
		for range 50 {
			results = append(results, map[string]string{"title": strings.Repeat("t ", 500), "url": "https://x/" + strings.Repeat("u", 600), "content": strings.Repeat("word ", 500)})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"results": results}); err != nil {
			t.Error(err)
		}
	})
	result := call(t, tool, `{"query":"`+strings.Repeat("long ", 200)+`","count":1000}`)
	if n := utf8.RuneCountInString(result.Text); result.Failed || n > maxFoundText+1 || n < 1000 {
		t.Errorf("the text has %d characters", n)
	}
	if len(result.Data) > 10_000 {
		t.Errorf("the data has %d bytes", len(result.Data))
	}
}

func TestSearchFailsWithoutSecretsOrStrangersWords(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("followed to another host with key %q", r.Header.Get("X-Goog-Api-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	otherHost := strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1)
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   string
	}{
		"forbidden":   {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "EVIL", http.StatusForbidden) }, "check the key"},
		"too many":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "try again later"},
		"broken":      {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "EVIL", http.StatusInternalServerError) }, "Internal Server Error"},
		"no JSON":     {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>EVIL") }, "no search result"},
		"huge":        {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("EVIL", maxBody)) }, "over 1048576 bytes"},
		"cut off":     {func(_ http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
		"other host":  {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, otherHost, http.StatusFound) }, "redirects to localhost"},
		"in a circle": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "circles"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := call(t, web(t, "google", c.handle), `{"query":"my private question"}`)
			if !result.Failed || !strings.Contains(result.Text, c.want) {
				t.Errorf("got %+v, want a failure with %q", result, c.want)
			}
			for _, secret := range []string{"the-secret-key", "EVIL", "private"} {
				if strings.Contains(result.Text, secret) {
					t.Errorf("%q is in %q", secret, result.Text)
				}
			}
		})
	}
}

func TestSearchThatHangsEnds(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	cfg := Default()
	cfg.Search = Search{Provider: "searxng", URL: server.URL, Timeout: 50 * time.Millisecond}
	byName, _ := kit(t, cfg, Deps{})
	if result := call(t, byName["web_search"], `{"query":"x"}`); !result.Failed || !strings.Contains(result.Text, "did not answer within 50ms") {
		t.Errorf("got %+v", result)
	}
	<-arrived

	cfg.Search.Timeout = 30 * time.Second
	byName, _ = kit(t, cfg, Deps{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := byName["web_search"].Call(ctx, json.RawMessage(`{"query":"x"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gave %v", err)
	}
}

// FuzzProviders: whatever a provider sends becomes bounded plain text or an error.
func FuzzProviders(f *testing.F) {
	for _, seed := range []string{searxngAnswer, googleAnswer, duckAnswer, duckObject, "", "[]", `{"results":[{"title":"&#0;<<b>>"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for name, p := range providers {
			if p.read == nil {
				continue
			}
			results, err := p.read(body)
			if err != nil {
				continue
			}
			result, err := present(results, 3)
			if err != nil || result.Text == "" || !result.Untrusted || utf8.RuneCountInString(result.Text) > maxFoundText+1 {
				t.Fatalf("%s: %+v, %v", name, result, err)
			}
			for _, r := range result.Text {
				if (unicode.IsControl(r) && r != '\n') || r == '<' {
					t.Fatalf("%s: %q holds %q", name, result.Text, r)
				}
			}
		}
	})
}
