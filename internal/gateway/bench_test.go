package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/ai"
	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools"
)

// quick is a model's server that answers at once, in a stream.
func quick(b *testing.B) *httptest.Server {
	b.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"object":"list","data":[{"id":"small"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range []string{"Whales ", "sleep ", "upright. ", "They ", "nap."} {
			_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", piece)
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	s := httptest.NewServer(mux)
	b.Cleanup(s.Close)
	return s
}

// stageOfOne is the microphone, voice, speaker and observer of a loop; none of
// these takes time. The sample 1 is the wake word, 3 the end of speech.
type stageOfOne struct {
	frames chan audio.Frame
	played chan time.Time
	ended  record.Record
	idle   chan struct{}
}

// Read waits for the next frame.
func (s *stageOfOne) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case f := <-s.frames:
		return f, nil
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}

// Play notes when the first sound would be heard.
func (s *stageOfOne) Play(context.Context, audio.Clip) error {
	select {
	case s.played <- time.Now():
	default: // only the first counts
	}
	return nil
}

// Synthesize makes the shortest clip.
func (s *stageOfOne) Synthesize(context.Context, string) (audio.Clip, error) {
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 1)}, nil
}

// StateChanged tells when a turn is over.
func (s *stageOfOne) StateChanged(to ear.State) {
	if to == ear.Idle {
		s.idle <- struct{}{}
	}
}

// Hearing does nothing.
func (s *stageOfOne) Hearing(ear.Hearing) {}

// Replied does nothing.
func (s *stageOfOne) Replied(string, string) {}

// TurnEnded keeps the record.
func (s *stageOfOne) TurnEnded(r record.Record) { s.ended = r }

// listenTo runs a loop whose questions go to the model at an address.
func listenTo(b *testing.B, url string) *stageOfOne {
	b.Helper()
	log := slog.New(slog.DiscardHandler)
	cfg := ai.Default()
	cfg.Enabled, cfg.Profile, cfg.BaseURL, cfg.Model = "true", "custom", url+"/v1", "small"
	transport := &http.Transport{}
	b.Cleanup(transport.CloseIdleConnections)
	model, err := ai.NewOpenAI(cfg, "", transport)
	if err != nil {
		b.Fatal(err)
	}
	assist, err := ai.New(cfg, model, noTools{}, log)
	if err != nil {
		b.Fatal(err)
	}
	h, err := house.New(intent.English(), nil, log)
	if err != nil {
		b.Fatal(err)
	}
	answerer, err := mind.New(h, noTools{}, assist, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
	if err != nil {
		b.Fatal(err)
	}
	s := &stageOfOne{frames: make(chan audio.Frame), played: make(chan time.Time, 1), idle: make(chan struct{}, 1)}
	loop, err := ear.NewLoop(ear.Config{Source: record.FromMic, Live: true}, ear.Parts{
		Mic: s, Mind: answerer, Voice: s, Speaker: s, Observer: s, Log: log,
		Stt: &fake.Transcriber{Text: func() speech.Transcript { return speech.Transcript{Text: "how do whales sleep"} }},
		Wake: &fake.WakeDetector{DetectFunc: func(f audio.Frame) (speech.Detection, bool, error) {
			return speech.Detection{Engine: "fake", At: f.At}, f.Samples[0] == 1, nil
		}},
		End: &fake.Endpointer{PushFunc: func(f audio.Frame) speech.Endpoint {
			return speech.Endpoint{Done: f.Samples[0] == 3, Reason: "sentence", SpeechStart: f.At, SpeechEnd: f.At}
		}},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = loop.Run(ctx) })
	wg.Go(func() { _ = assist.Run(ctx) })
	b.Cleanup(func() { cancel(); wg.Wait() })
	return s
}

// noTools is a toolbox and a caller without tools.
type noTools struct{}

// Await returns at once.
func (noTools) Await(context.Context, mind.Need) error { return nil }

// Specs lists nothing.
func (noTools) Specs() []tools.Spec { return nil }

// Call refuses.
func (noTools) Call(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{}, fmt.Errorf("there are no tools")
}

// BenchmarkModelAnswer is the time from the transcript of a question to the first
// sound of the model's answer. The model and the voice take no time, so it measures
// the turn, the request, the stream and the cutting into sentences.
func BenchmarkModelAnswer(b *testing.B) {
	s := listenTo(b, quick(b).URL)
	var took []time.Duration
	for b.Loop() {
		s.frames <- audio.Frame{At: time.Now(), Samples: []int16{1}}
		began := time.Now()
		s.frames <- audio.Frame{At: began, Samples: []int16{3}}
		<-s.idle
		if s.ended.Route != record.RouteModel || s.ended.Reply != "Whales sleep upright. They nap." {
			b.Fatalf("the turn went elsewhere: %+v", s.ended)
		}
		took = append(took, (<-s.played).Sub(began))
	}
	fake.Spread(b, "", took, 50, 95)
}
