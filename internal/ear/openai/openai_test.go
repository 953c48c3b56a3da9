package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-very-secret"

// server starts a server and returns a client for it.
func server(t *testing.T, handle http.HandlerFunc) *openai.Client {
	t.Helper()
	s := httptest.NewServer(handle)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		s.CloseClientConnections()
		s.Close()
	})
	c, err := openai.New(openai.Config{BaseURL: s.URL + "/v1/", Model: "tiny", Key: key, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var utterance = openai.Utterance{
	Sound: audio.Clip{Rate: audio.SpeechRate, Samples: []int16{1, 2, 3}}, Language: "en", Prompt: "Kitchen Light.",
}

func TestTranscribe(t *testing.T) {
	t.Parallel()
	c := server(t, func(w http.ResponseWriter, r *http.Request) {
		file, head, err := r.FormFile("file")
		if err != nil {
			t.Error(err)
			return
		}
		clip, err := audio.ReadWAV(file)
		if err != nil || !slices.Equal(clip.Samples, utterance.Sound.Samples) || clip.Rate != audio.SpeechRate || !strings.HasSuffix(head.Filename, ".wav") {
			t.Errorf("%s: %+v, %v", head.Filename, clip, err)
		}
		got := fmt.Sprint(r.URL.Path, " ", r.FormValue("model"), " ", r.FormValue("language"), " ", r.FormValue("prompt"), " ", r.FormValue("response_format"), " ", r.Header.Get("Authorization"))
		if want := "/v1/audio/transcriptions tiny en Kitchen Light. verbose_json Bearer " + key; got != want {
			t.Errorf("asked %s, expected %s", got, want)
		}
		_, _ = io.WriteString(w, `{"text":" Turn on the light.","segments":[
			{"text":"Turn on","avg_logprob":-0.1,"no_speech_prob":0.3,"compression_ratio":0.9},
			{"text":"the light.","avg_logprob":-0.4,"no_speech_prob":0.1,"compression_ratio":1.1}]}`)
	})
	got, err := c.Transcribe(t.Context(), utterance)
	if want := (openai.Text{Text: " Turn on the light.", Measured: true, NoSpeech: 0.1, LogProb: -0.4, Compression: 1.1}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAServerWithoutMeasures: the server is asked in the plain form after a
// refusal, and the next time at once.
func TestAServerWithoutMeasures(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(w http.ResponseWriter){
		"refuses the form": func(w http.ResponseWriter) {
			http.Error(w, `{"error":{"message":"response_format 'verbose_json' is not compatible"}}`, http.StatusBadRequest)
		},
		"has another form": func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"text":"x","segments":[{"tokens":["a"]}]}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var forms []string
			c := server(t, func(w http.ResponseWriter, r *http.Request) {
				forms = append(forms, r.FormValue("response_format"))
				if r.FormValue("response_format") != "json" {
					refuse(w)
					return
				}
				_, _ = io.WriteString(w, `{"text":"lights on"}`)
			})
			for range 2 {
				if got, err := c.Transcribe(t.Context(), utterance); err != nil || got != (openai.Text{Text: "lights on"}) {
					t.Errorf("%+v, %v", got, err)
				}
			}
			if want := []string{"verbose_json", "json", "json"}; !slices.Equal(forms, want) {
				t.Errorf("asked for %q, expected %q", forms, want)
			}
		})
	}
}

// answer is one answer of a server.
func answer(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// cutOff sends less than it promises.
func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"te`)
}

// broken answers with bytes that are not HTTP, and the key so many bytes behind
// their beginning.
func broken(behind int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 "+strings.Repeat("x", behind)+key+"\r\n\r\n")
		_ = c.Close()
	}
}

// endless sends without end.
func endless(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, `{"text":"`)
	block := strings.Repeat("a", 1<<20)
	for range 20 {
		if _, err := io.WriteString(w, block); err != nil {
			return
		}
	}
}

func TestAServerThatFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"no key":                    {answer(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`), "does not accept our key (status 401): Incorrect API key provided: …"},
		"a key at the cut":          {answer(400, `{"error":{"message":"`+strings.Repeat("x", 290)+` `+key+`"}}`), "xxx …"},
		"a key at the body's end":   {answer(400, strings.Repeat(" ", 4<<10-10)+key), "(status 400): …"},
		"a key's beginning":         {answer(400, `{"error":{"message":"not `+key[:8]+`"}}`), "(status 400): not …"},
		"what any key begins with":  {answer(400, `{"error":{"message":"not `+key[:7]+`"}}`), "not sk-very"},
		"a key in a protocol error": {broken(213), "xxx…"},
		"unknown model":             {answer(404, `{"detail":"model tiny is not installed"}`), "does not accept the request (status 404): model tiny is not installed"},
		"a stumble":                 {answer(500, "boom\x00\n"+strings.Repeat("x", 9000)), "the server has a problem (status 500): boom x"},
		"busy for long":             {answer(429, `{"error":"slow down"}`, "Retry-After", "3600"), "the server is busy (status 429): slow down"},
		"a web page":                {answer(200, "<html>", "Content-Type", "text/html; charset=utf-8"), "a web page came back"},
		"garbage":                   {answer(200, "\xff\xfe\x00"), "not in the protocol"},
		"a list":                    {answer(200, "[]"), "not in the protocol"},
		"nothing":                   {answer(200, ""), "ended before the answer did"},
		"cut off":                   {cutOff, "ended before the answer did"},
		"endless":                   {endless, "over 16777216 bytes"},
		"another address":           {answer(307, "", "Location", "http://elsewhere.example/v1"), "redirects to another host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := server(t, tt.serve)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got, err := c.Transcribe(ctx, utterance)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), key[:8]) || len(err.Error()) > 500 {
				t.Errorf("%+v, %v; expected %q", got, err, tt.want)
			}
		})
	}
}

func TestAHangingServer(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	c := server(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client goes
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := c.Transcribe(ctx, utterance); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	c, err := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Transcribe(t.Context(), utterance); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
}

// TestASecondTry: a server that is busy for a moment is asked once more, never twice.
func TestASecondTry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failures int
		first    http.HandlerFunc
		asked    int
		ok       bool
	}{
		"a stumble":       {1, answer(503, ""), 2, true},
		"a short queue":   {1, answer(429, "", "Retry-After", "0.01"), 2, true},
		"twice":           {2, answer(500, ""), 2, false},
		"a long queue":    {1, answer(429, "", "Retry-After", "100"), 1, false},
		"a wrong request": {1, answer(403, ""), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			c := server(t, func(w http.ResponseWriter, r *http.Request) {
				if int(asked.Add(1)) <= tt.failures {
					tt.first(w, r)
					return
				}
				_, _ = io.WriteString(w, `{"text":"hi"}`)
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := c.Transcribe(ctx, utterance)
			if (err == nil) != tt.ok || int(asked.Load()) != tt.asked {
				t.Errorf("asked %d times, %v", asked.Load(), err)
			}
		})
	}
}

func TestSpeak(t *testing.T) {
	t.Parallel()
	var wav strings.Builder
	if err := audio.WriteWAV(&wav, audio.Clip{Rate: 22050, Samples: []int16{5, 6}}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		rate  audio.Rate
		want  []int16
		err   string
	}{
		"wav":              {answer(200, wav.String(), "Content-Type", "audio/wav"), 22050, []int16{5, 6}, ""},
		"samples":          {answer(200, "\x01\x00\x02\x00", "Content-Type", "audio/pcm"), 24000, []int16{1, 2}, ""},
		"nothing":          {answer(200, "", "Content-Type", "audio/wav"), 24000, nil, ""},
		"an mp3":           {answer(200, "ID3…", "Content-Type", "audio/mpeg"), 0, nil, `the answer is "audio/mpeg"`},
		"a key for a form": {answer(200, "x", "Content-Type", strings.Repeat("x", 50)+key), 0, nil, "xxx…"},
		"a cut wav":        {answer(200, wav.String()[:30], "Content-Type", "audio/wav"), 0, nil, "ended before"},
		"no such voice":    {answer(404, `{"error":{"message":"no voice nova"}}`), 0, nil, "no voice nova"},
		"knows no wav": {func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"response_format":"wav"`) {
				http.Error(w, "response_format: not supported", http.StatusUnprocessableEntity)
				return
			}
			_, _ = w.Write([]byte{9, 0})
		}, 24000, []int16{9}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := server(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/audio/speech" || r.Header.Get("Authorization") != "Bearer "+key {
					t.Errorf("asked %s with %q", r.URL.Path, r.Header.Get("Authorization"))
				}
				tt.serve(w, r)
			})
			clip, err := c.Speak(t.Context(), "hello", "nova")
			switch {
			case tt.err == "" && (err != nil || clip.Rate != tt.rate || !slices.Equal(clip.Samples, tt.want)):
				t.Errorf("%+v, %v", clip, err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), key[:8])):
				t.Errorf("%v, expected %q", err, tt.err)
			}
		})
	}
}

func TestNewChecks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		cfg  openai.Config
		want string
	}{
		"no address":               {openai.Config{}, "https://api.openai.com/v1"},
		"no scheme":                {openai.Config{BaseURL: "127.0.0.1:8000/v1"}, "not an http"},
		"a password in no address": {openai.Config{BaseURL: "http://me:hush@x:port/v1"}, "not an http"},
		"a password, no scheme":    {openai.Config{BaseURL: "me:hush@x/v1"}, "not shown"},
		"what is wrong is shown":   {openai.Config{BaseURL: "127.0.0.1:8000/v1"}, `"127.0.0.1:8000/v1" is not`},
		"a user in it":             {openai.Config{BaseURL: "http://me:hush@x/v1"}, "user or password"},
		"two lines":                {openai.Config{BaseURL: "http://x/v1", Key: "a\nb"}, "one line"},
	} {
		if _, err := openai.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
