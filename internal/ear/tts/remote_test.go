package tts

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
)

// speaking answers every text with a sound of two samples.
func speaking(t *testing.T, w http.ResponseWriter, r *http.Request) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil || !strings.Contains(string(body), `"input":"Hello there."`) || !strings.Contains(string(body), `"voice":"nova"`) || r.Header.Get("Authorization") != "Bearer sk-1" {
		t.Errorf("asked %s with %q, %v", body, r.Header.Get("Authorization"), err)
	}
	var wav bytes.Buffer
	if err := audio.WriteWAV(&wav, audio.Clip{Rate: 24000, Samples: []int16{1, 2}}); err != nil {
		t.Error(err)
	}
	_, _ = w.Write(wav.Bytes())
}

// TestSpeechFromAServer: a sentence that a server cannot say is said by the next
// engine.
func TestSpeechFromAServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		rate  audio.Rate // of the engine that spoke
	}{
		"speaks":    {func(w http.ResponseWriter, r *http.Request) { speaking(t, w, r) }, 24000},
		"fails":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, 22050},
		"hangs":     {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, 22050},
		"is silent": {func(http.ResponseWriter, *http.Request) {}, 22050},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.serve)
			t.Cleanup(func() { http.DefaultTransport.(*http.Transport).CloseIdleConnections(); server.Close() })
			cfg := Default()
			cfg.Engines, cfg.Timeout = []string{"openai", "wyoming"}, time.Minute
			if name == "hangs" {
				cfg.Timeout = time.Second
			}
			cfg.OpenAI = OpenAI{BaseURL: server.URL + "/v1", Voice: "nova", Key: "sk-1"}
			cfg.Wyoming.URI = wyomingVoice(t)
			v, err := New(cfg, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			clip, err := v.Synthesize(t.Context(), "Hello there.")
			if err != nil || clip.Rate != tt.rate || len(clip.Samples) != 2 {
				t.Errorf("%d samples at %d, %v", len(clip.Samples), clip.Rate, err)
			}
		})
	}
}

func wyomingVoice(t *testing.T) string {
	t.Helper()
	return fake.Wyoming(t, func(p *fake.Peer) {
		if e, _, ok := p.Until("synthesize"); ok && string(e.Data) != `{"text":"Hello there."}` {
			t.Errorf("asked to say %s", e.Data)
		}
		form := map[string]int{"rate": 22050, "width": 2, "channels": 1}
		p.Send("audio-start", form, nil)
		p.Send("audio-chunk", form, []byte{1, 0, 2, 0})
		p.Send("audio-stop", nil, nil)
	})
}

func TestServersAreChecked(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Config){
		"tts.openai.base_url": func(c *Config) { c.Engines = []string{"openai"} },
		"tts.wyoming.uri":     func(c *Config) { c.Engines = []string{"espeak", "wyoming"} },
		"not supported":       func(c *Config) { c.Wyoming.URI = "stdio://" },
	} {
		cfg := Default()
		change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	cfg := Default()
	cfg.Engines, cfg.OpenAI.BaseURL, cfg.OpenAI.Key = []string{"openai"}, "http://x/v1", "a b"
	if _, err := New(cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "tts.openai.api_key") {
		t.Errorf("a key with a space: %v", err)
	}
}
