package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
)

// storyteller is a server with a recogniser, a model and a voice, which notes when
// each of them was asked and when it answered. The recogniser always hears a request
// that may act, the model says twenty sentences at 0.2 s, and the voice speaks with
// recordings made before.
type storyteller struct {
	http.Handler
	voice []byte // a WAV file

	mu     sync.Mutex
	sent   []time.Time // the model's sentences of this turn
	asked  time.Time   // the voice was asked for the first sentence
	spoken time.Time   // it answered
}

const (
	storySentences = 20
	storyPause     = 200 * time.Millisecond
	story          = "make it cosier in here and tell me about whales"
)

func newStoryteller(b *testing.B) *storyteller {
	b.Helper()
	voice, err := os.ReadFile(spoken(b, "Whales sleep upright."))
	if err != nil {
		b.Fatal(err)
	}
	s := &storyteller{voice: voice}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"small"}]}`)
	})
	mux.HandleFunc("POST /v1/audio/transcriptions", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"text": story})
	})
	mux.HandleFunc("POST /v1/audio/speech", func(w http.ResponseWriter, _ *http.Request) {
		s.note(func() {
			if len(s.sent) > 0 && s.asked.IsZero() {
				s.asked = time.Now()
			}
		})
		w.Header().Set("Content-Type", "audio/wav")
		_, _ = w.Write(s.voice)
		s.note(func() {
			if !s.asked.IsZero() && s.spoken.IsZero() {
				s.spoken = time.Now()
			}
		})
	})
	mux.HandleFunc("POST /v1/chat/completions", s.tell)
	s.Handler = mux
	return s
}

func (s *storyteller) note(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

// tell writes the story, unless it is only to load the model.
func (s *storyteller) tell(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	end := func() {
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}
	if strings.Contains(body.String(), `"max_tokens":1,`) {
		end()
		return
	}
	s.note(func() { s.sent, s.asked, s.spoken = nil, time.Time{}, time.Time{} })
	tick := time.NewTicker(storyPause)
	defer tick.Stop()
	for n := range storySentences {
		select {
		case <-tick.C:
		case <-r.Context().Done(): // the next wake word ended the turn
			return
		}
		s.note(func() { s.sent = append(s.sent, time.Now()) })
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", fmt.Sprintf("Whales of kind %c sleep upright. ", 'A'+n))
		_ = http.NewResponseController(w).Flush()
	}
	end()
}

// storyScene is a recording that repeats the wake word and a request n times.
func storyScene(b *testing.B, times int) string {
	b.Helper()
	const between = 6 * time.Second
	clip, err := file.Load(spoken(b, "hey jarvis, "+story+"."))
	if err != nil {
		b.Fatal(err)
	}
	if clip, err = audio.Resample(clip, audio.SpeechRate); err != nil {
		b.Fatal(err)
	}
	pause := make([]int16, int(between.Seconds()*float64(audio.SpeechRate)))
	all := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 4*int(audio.SpeechRate))} // the daemon starts
	for range times {
		all.Samples = append(append(all.Samples, clip.Samples...), pause...)
	}
	var out bytes.Buffer
	if err := audio.WriteWAV(&out, all); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "story.wav")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

// loudspeaker follows what a simulated card plays.
type loudspeaker struct {
	path string
	read int64
}

// sounded reports whether something other than silence was played since the last
// look.
func (l *loudspeaker) sounded() bool {
	f, err := os.Open(l.path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	buffer := make([]byte, 1<<20)
	loud := false
	for {
		n, err := f.ReadAt(buffer, l.read)
		l.read += int64(n)
		loud = loud || len(bytes.Trim(buffer[:n], "\x00")) > 0
		if err != nil {
			return loud
		}
	}
}

// BenchmarkModelAnswerAloud is a turn that may act, from the wake word at the card's
// microphone to the sound at its loudspeaker, with a model that says twenty
// sentences at 0.2 s. Our own share is the time from the model's first sentence to
// the request to the voice, and from the voice's answer to the sound at the card.
func BenchmarkModelAnswerAloud(b *testing.B) {
	const turns = 8
	for b.Loop() {
		teller := newStoryteller(b)
		server := httptest.NewServer(teller)
		b.Cleanup(server.Close)
		card, played := fake.SoundCard(b, fmt.Sprintf("wav %q", storyScene(b, turns)))
		speaker := &loudspeaker{path: played}
		broker := mosquitto(b)
		simulate(b, broker)
		url := server.URL + "/v1"
		daemon(b, broker, card, "VOICE_GATEWAY_AI_ENABLED=true", "VOICE_GATEWAY_AI_BASE_URL="+url,
			"VOICE_GATEWAY_STT_ENGINES=openai", "VOICE_GATEWAY_STT_OPENAI_BASE_URL="+url, "VOICE_GATEWAY_TTS_ENGINES=openai",
			"VOICE_GATEWAY_TTS_OPENAI_BASE_URL="+url, "VOICE_GATEWAY_AUDIO_EARCONS=off")
		teller.measure(b, speaker, turns)
	}
}

// measure follows some turns and reports their figures.
func (s *storyteller) measure(b *testing.B, speaker *loudspeaker, turns int) {
	b.Helper()
	took, early := waits{}, 0
	var last time.Time
	for range turns - 2 {
		var first, third, sound time.Time
		eventually(b, "a sentence of the next turn is heard", func() bool { return s.heard(speaker, last, &sound) })
		eventually(b, "its third sentence has come", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.sent) < 3 {
				return false
			}
			first, third = s.sent[0], s.sent[2]
			return true
		})
		s.mu.Lock()
		asked, answered := s.asked, s.spoken
		s.mu.Unlock()
		last = first
		took["sound"] = append(took["sound"], sound.Sub(first))
		took["own"] = append(took["own"], asked.Sub(first)+sound.Sub(answered))
		took["voice-asked"] = append(took["voice-asked"], asked.Sub(first))
		took["card"] = append(took["card"], sound.Sub(answered))
		if sound.Before(third) {
			early++
		}
	}
	for _, name := range []string{"sound", "own", "voice-asked", "card"} {
		fake.Spread(b, name, took[name], 50, 95)
	}
	b.ReportMetric(float64(early)/float64(len(took["sound"])), "before-third")
}

// heard waits for the first sound of the turn after the last one, looking often.
func (s *storyteller) heard(speaker *loudspeaker, last time.Time, at *time.Time) bool {
	until := time.Now().Add(20 * time.Millisecond)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for now := range tick.C {
		loud := speaker.sounded()
		s.mu.Lock()
		begun := len(s.sent) > 0 && s.sent[0].After(last) && !s.spoken.IsZero()
		s.mu.Unlock()
		if begun && loud {
			*at = time.Now()
			return true
		}
		if now.After(until) {
			return false
		}
	}
	return false
}
