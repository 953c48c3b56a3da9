package stt_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/openai"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/wyoming"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// grammarian is an engine with a grammar that a test controls.
type grammarian struct {
	begin, push, finish error
	heard               speech.Transcript
	finished            int
	taught              speech.Grammar
	observed            int
}

func (g *grammarian) Attend() {}

func (g *grammarian) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (g *grammarian) Begin(context.Context) error   { return g.begin }
func (g *grammarian) Observe(audio.Frame)           { g.observed++ }
func (g *grammarian) Forget()                       {}

func (g *grammarian) Push(context.Context, audio.Frame) (speech.Partial, error) {
	return speech.Partial{Text: "turn on"}, g.push
}

func (g *grammarian) Finish(context.Context) (speech.Transcript, error) {
	g.finished++
	return g.heard, g.finish
}

func (g *grammarian) SetGrammar(_ context.Context, taught speech.Grammar) ([]string, error) {
	g.taught = taught
	return []string{"nabu"}, nil
}

// again is a grammarian whose utterances can be reopened.
type again struct {
	*grammarian
	refuse error
}

func (a *again) Reopen(context.Context) error { return a.refuse }

func rejecting() *grammarian {
	return &grammarian{heard: speech.Transcript{Engine: "pocketsphinx", Rejected: "like other speech"}}
}

// asking is what the chain can do beyond an engine.
type asking interface {
	stt.Engine
	Second(ctx context.Context) (speech.Transcript, error)
}

// chained starts a chain that ends with the test.
func chained(t *testing.T, grammar stt.Engine, cfg stt.Config, engines ...string) asking {
	t.Helper()
	transport := &http.Transport{}
	cfg.OpenAI.Transport = transport
	cfg.Engines, cfg.Denoise, cfg.Log = engines, "auto", quiet
	e, err := stt.Chained(grammar, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait(); transport.CloseIdleConnections() })
	return e.(asking)
}

// transcribing starts a server that hears the same text in everything.
func transcribing(t *testing.T, text string) (base string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"text":"`+text+`"}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

// utter says two seconds of something to the chain.
func utter(t *testing.T, e asking, level func(time.Duration) float64) (speech.Transcript, error) {
	t.Helper()
	if err := e.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	for frame := range slices.Chunk(clip(2*time.Second, level).Samples, audio.FrameSamples) {
		if _, err := e.Push(t.Context(), audio.Frame{Samples: frame}); err != nil {
			t.Fatal(err)
		}
	}
	return e.Finish(t.Context())
}

var quiet = slog.New(slog.DiscardHandler)

var errWorker = errors.New("the worker is gone")

func TestTheGrammarFirst(t *testing.T) {
	t.Parallel()
	const spoken = "it is rather dark in here"
	for name, tt := range map[string]struct {
		grammar *grammarian
		order   []string
		first   string // text that Finish returns
		second  string // text that Second returns, where it is asked
		engine  string
	}{
		"accepts":         {&grammarian{heard: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}}, []string{"pocketsphinx", "openai"}, "lights on", "", "pocketsphinx"},
		"rejects":         {rejecting(), []string{"pocketsphinx", "openai"}, "", spoken, "openai"},
		"hears a half":    {&grammarian{heard: speech.Transcript{Text: "turn on the", Unfinished: true}}, []string{"pocketsphinx", "openai"}, "", spoken, "openai"},
		"does not begin":  {&grammarian{begin: errWorker}, []string{"pocketsphinx", "openai"}, "", spoken, "openai"},
		"dies":            {&grammarian{push: errWorker}, []string{"pocketsphinx", "openai"}, "", spoken, "openai"},
		"dies at the end": {&grammarian{finish: errWorker}, []string{"pocketsphinx", "openai"}, "", spoken, "openai"},
		"comes second":    {&grammarian{heard: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}}, []string{"openai", "pocketsphinx"}, "", spoken, "openai"},
		"is not there":    {nil, []string{"openai"}, "", spoken, "openai"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, asked := transcribing(t, spoken)
			var g stt.Engine
			if tt.grammar != nil {
				g = tt.grammar
			}
			e := chained(t, g, stt.Config{OpenAI: openai.Config{BaseURL: base}}, tt.order...)
			got, err := utter(t, e, syllables)
			if err != nil || got.Text != tt.first {
				t.Fatalf("first %+v, %v", got, err)
			}
			if asked.Load() != 0 {
				t.Error("the server was asked before anybody wanted to know")
			}
			if tt.first == "" {
				if got, err = e.Second(t.Context()); err != nil || got.Text != tt.second {
					t.Fatalf("second %+v, %v", got, err)
				}
			}
			if got.Engine != tt.engine {
				t.Errorf("heard by %s, expected %s", got.Engine, tt.engine)
			}
			if tt.grammar != nil && tt.grammar.finished != 1 {
				t.Errorf("the utterance was closed %d times", tt.grammar.finished)
			}
		})
	}
}

// TestAHalfIsBetterThanNothing: if all engines hear only the beginning of a sentence,
// that beginning is the text.
func TestAHalfIsBetterThanNothing(t *testing.T) {
	t.Parallel()
	base, _ := transcribing(t, "")
	g := &grammarian{heard: speech.Transcript{Text: "turn on the", Engine: "pocketsphinx", Unfinished: true}}
	e := chained(t, g, stt.Config{OpenAI: openai.Config{BaseURL: base}}, "pocketsphinx", "openai")
	if got, err := utter(t, e, syllables); err != nil || got.Text != "" {
		t.Fatalf("first %+v, %v", got, err)
	}
	if got, err := e.Second(t.Context()); err != nil || got.Text != "turn on the" || !got.Unfinished {
		t.Errorf("second %+v, %v", got, err)
	}
}

// What fits no sentence counts only if no other engine has heard something.
func TestLooseWordsAreBetterThanNothing(t *testing.T) {
	t.Parallel()
	for elsewhere, want := range map[string]string{"": "would you extinguish the light", "turn off the light": "turn off the light"} {
		base, _ := transcribing(t, elsewhere)
		g := &grammarian{heard: speech.Transcript{Text: "would you extinguish the light", Engine: "moonshine", Loose: true}}
		e := chained(t, g, stt.Config{OpenAI: openai.Config{BaseURL: base}}, "pocketsphinx", "openai")
		if got, err := utter(t, e, syllables); err != nil || got.Text != "" {
			t.Fatalf("first %+v, %v", got, err)
		}
		if got, err := e.Second(t.Context()); err != nil || got.Text != want || got.Loose != (elsewhere == "") {
			t.Errorf("second %+v, %v, want %q", got, err, want)
		}
	}
}

// TestFallingBack: a server that does not work costs its time, not the command.
func TestFallingBack(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]http.HandlerFunc{
		"fails":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"hangs":   func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"is deaf": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"text":""}`) },
		"invents": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"text":"Thanks for watching!"}`)
		},
		"doubts": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"text":"lights on","segments":[{"avg_logprob":-1.4,"no_speech_prob":0.8}]}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(serve)
			t.Cleanup(s.Close)
			g := &grammarian{heard: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}}
			e := chained(t, g, stt.Config{OpenAI: openai.Config{BaseURL: s.URL}, Timeout: 500 * time.Millisecond}, "openai", "pocketsphinx")
			for range 2 {
				if got, err := utter(t, e, syllables); err != nil || got.Text != "" {
					t.Fatalf("first %+v, %v", got, err)
				}
				if got, err := e.Second(t.Context()); err != nil || got.Text != "lights on" || got.Engine != "pocketsphinx" {
					t.Fatalf("second %+v, %v", got, err)
				}
			}
		})
	}
}

// TestNobodyHears: an utterance that all engines reject is not an error, and the
// reason names each of them. It is an error if none of them works.
func TestNobodyHears(t *testing.T) {
	t.Parallel()
	e := chained(t, rejecting(), stt.Config{OpenAI: openai.Config{BaseURL: "http://127.0.0.1:1/v1"}, Wyoming: wyoming.Config{URI: "tcp://127.0.0.1:1"}}, "pocketsphinx", "openai", "wyoming")
	if _, err := utter(t, e, syllables); err != nil {
		t.Fatal(err)
	}
	got, err := e.Second(t.Context())
	if err != nil || got.Text != "" || !strings.Contains(got.Rejected, "pocketsphinx: like other speech; openai: ") || !strings.Contains(got.Rejected, "wyoming: ") {
		t.Errorf("%+v, %v", got, err)
	}
	e = chained(t, &grammarian{finish: errWorker}, stt.Config{OpenAI: openai.Config{BaseURL: "http://127.0.0.1:1/v1", Key: "sk-secret"}}, "pocketsphinx", "openai")
	if _, err := utter(t, e, syllables); err != nil {
		t.Fatal(err)
	}
	if got, err = e.Second(t.Context()); err == nil || !strings.Contains(err.Error(), "the worker is gone; openai: ") || strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err = e.Second(t.Context()); err == nil {
		t.Error("the same utterance is asked about twice")
	}
}

// TestSilenceIsNotAskedAbout: no request is made if nothing stands out as speech.
func TestSilenceIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	base, asked := transcribing(t, "Turn on the light.")
	e := chained(t, nil, stt.Config{OpenAI: openai.Config{BaseURL: base}}, "openai")
	if _, err := utter(t, e, func(time.Duration) float64 { return -35 }); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Second(t.Context()); err != nil || got.Text != "" || got.Rejected == "" || asked.Load() != 0 {
		t.Errorf("%+v, %v, asked %d times", got, err, asked.Load())
	}
}

// TestAnInterruptedQuestion: it ends at once, and the next utterance is heard.
func TestAnInterruptedQuestion(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if n.Add(1) > 1 {
			_, _ = io.WriteString(w, `{"text":"lights on"}`)
			return
		}
		close(asked)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	e := chained(t, nil, stt.Config{OpenAI: openai.Config{BaseURL: s.URL}, Timeout: time.Minute}, "openai")
	if _, err := utter(t, e, syllables); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := e.Second(ctx); ended <- err }()
	<-asked
	// The next utterance begins before the last one has been let go.
	if _, err := utter(t, e, syllables); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted one: %v", err)
	}
	if got, err := e.Second(t.Context()); err != nil || got.Text != "lights on" {
		t.Errorf("the next one: %+v, %v", got, err)
	}
}

func TestWhatTheChainPassesOn(t *testing.T) {
	t.Parallel()
	base, _ := transcribing(t, "x")
	open := stt.Config{OpenAI: openai.Config{BaseURL: base}}
	g := rejecting()
	e := chained(t, g, open, "pocketsphinx", "openai")
	missing, err := e.SetGrammar(t.Context(), speech.Grammar{JSGF: "x", Names: []string{"Kitchen"}})
	if err != nil || !slices.Equal(missing, []string{"nabu"}) || g.taught.JSGF != "x" {
		t.Errorf("the grammar: %q, %v, %+v", missing, err, g.taught)
	}
	e.(stt.Listener).Observe(audio.Frame{Samples: make([]int16, audio.FrameSamples)})
	if g.observed != 1 {
		t.Error("the room is not heard")
	}
	if _, ok := e.(stt.Reopener); ok {
		t.Error("it says it can go on, and its engine cannot")
	}
	if p, err := e.Push(t.Context(), audio.Frame{}); err == nil {
		t.Errorf("a frame before the beginning gives %+v", p)
	}
	if missing, err := chained(t, nil, open, "openai").SetGrammar(t.Context(), speech.Grammar{}); err != nil || missing != nil {
		t.Errorf("without a grammar: %q, %v", missing, err)
	}
}

// TestGoingOn: only the grammar hears what is added to an utterance.
func TestGoingOn(t *testing.T) {
	t.Parallel()
	base, asked := transcribing(t, "something else")
	g := &again{grammarian: &grammarian{heard: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}}}
	e := chained(t, g, stt.Config{OpenAI: openai.Config{BaseURL: base}}, "pocketsphinx", "openai")
	more, ok := e.(stt.Reopener)
	if !ok {
		t.Fatal("its first engine can go on, and it cannot")
	}
	if got, err := utter(t, e, syllables); err != nil || got.Text != "lights on" {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := more.Reopen(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Push(t.Context(), audio.Frame{Samples: make([]int16, audio.FrameSamples)}); err != nil {
		t.Fatal(err)
	}
	g.heard.Text = "lights on and music off"
	if got, err := e.Finish(t.Context()); err != nil || got.Text != g.heard.Text || asked.Load() != 0 {
		t.Errorf("%+v, %v, asked %d times", got, err, asked.Load())
	}
	g.heard = speech.Transcript{Rejected: "like other speech"}
	for _, g.finish = range []error{nil, errWorker} {
		if err := more.Reopen(t.Context()); err != nil {
			t.Fatal(err)
		}
		for frame := range slices.Chunk(clip(2*time.Second, syllables).Samples, audio.FrameSamples) {
			if _, err := e.Push(t.Context(), audio.Frame{Samples: frame}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := e.Finish(t.Context()); got.Text != "" || !errors.Is(err, g.finish) {
			t.Errorf("what was added: %+v, %v", got, err)
		}
		if got, err := e.Second(t.Context()); err == nil || asked.Load() != 0 {
			t.Errorf("what was added is asked about: %+v, %v, asked %d times", got, err, asked.Load())
		}
	}
	g.refuse = errWorker
	if err := more.Reopen(t.Context()); !errors.Is(err, errWorker) {
		t.Errorf("a refusal: %v", err)
	}
}

// TestWyoming: the sound is sent while it is spoken, the text comes at the end.
func TestWyoming(t *testing.T) {
	t.Parallel()
	chunk := make(chan struct{})
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		if e, ok := p.Next(); !ok || e.Type != "transcribe" || string(e.Data) != `{"language":"en"}` {
			t.Errorf("first came %+v", e)
		}
		if e, ok := p.Next(); !ok || string(e.Data) != `{"rate":16000,"width":2,"channels":1,"timestamp":0}` && !strings.Contains(string(e.Data), `"rate":16000`) {
			t.Errorf("then came %+v", e)
		}
		e, ok := p.Next()
		if !ok || e.Type != "audio-chunk" {
			t.Errorf("then came %+v", e)
		}
		p.Send("transcript-start", nil, nil)
		p.Send("transcript-chunk", map[string]string{"text": "Turn it "}, nil)
		close(chunk)
		_, sound, ok := p.Until("audio-stop")
		if want := 2*2*int(audio.SpeechRate) - len(e.Payload); !ok || sound != want {
			t.Errorf("%d bytes of sound, expected %d", sound, want)
		}
		p.Send("transcript-chunk", map[string]string{"text": "up."}, nil)
		p.Send("transcript-stop", nil, nil)
		p.Send("transcript", map[string]string{"text": " Turn it up.", "language": "en"}, nil)
	})
	e := chained(t, nil, stt.Config{Wyoming: wyoming.Config{URI: uri}, Language: "en"}, "wyoming")
	if err := e.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	samples := clip(2*time.Second, syllables).Samples
	if _, err := e.Push(t.Context(), audio.Frame{Samples: samples[:audio.FrameSamples]}); err != nil {
		t.Fatal(err)
	}
	<-chunk // before the rest is said
	var partial speech.Partial
	for i := 0; partial.Text == ""; i++ {
		p, err := e.Push(t.Context(), audio.Frame{})
		if err != nil {
			t.Fatal(err)
		}
		partial = p
	}
	if partial.Text != "turn it" {
		t.Errorf("so far %q", partial.Text)
	}
	for frame := range slices.Chunk(samples[audio.FrameSamples:], audio.FrameSamples) {
		if _, err := e.Push(t.Context(), audio.Frame{Samples: frame}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := e.Second(t.Context()); err != nil || got.Text != "Turn it up." || got.Engine != "wyoming" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAWyomingServiceThatFails: a lost connection is made once more, and all of the sound
// is sent again; any other failure is reported.
func TestAWyomingServiceThatFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		serve func(p *fake.Peer, n int32)
		text  string
		err   string
		calls int32
	}{
		"lost in the middle": {func(p *fake.Peer, n int32) {
			if n == 1 {
				p.Until("audio-chunk")
				return
			}
			if _, sound, ok := p.Until("audio-stop"); !ok || sound != 4*int(audio.SpeechRate) {
				t.Errorf("%d bytes the second time", sound)
			}
			p.Send("transcript", map[string]string{"text": "good night"}, nil)
		}, "good night", "", 2},
		"never there for long": {func(p *fake.Peer, _ int32) { p.Until("audio-chunk") }, "", "wyoming: ", 2},
		"refuses":              {func(p *fake.Peer, _ int32) { p.Send("error", map[string]string{"text": "no model"}, nil); p.Hang() }, "", "the service says: no model", 1},
		"hangs":                {func(p *fake.Peer, _ int32) { p.Hang() }, "", "no text within 500ms (stt.timeout)", 1},
		"is no service":        {func(p *fake.Peer, _ int32) { _, _ = p.Write([]byte("220 mail.example ESMTP\r\n")); p.Hang() }, "", "not the JSON", 2},
		"hears nothing":        {func(p *fake.Peer, _ int32) { p.Until("audio-stop"); p.Send("transcript", nil, nil) }, "", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			uri := fake.Wyoming(t, func(p *fake.Peer) { tt.serve(p, calls.Add(1)) })
			timeout := time.Minute
			if strings.Contains(tt.err, "500ms") {
				timeout = 500 * time.Millisecond
			}
			e := chained(t, nil, stt.Config{Wyoming: wyoming.Config{URI: uri}, Timeout: timeout}, "wyoming")
			if _, err := utter(t, e, syllables); err != nil {
				t.Fatal(err)
			}
			got, err := e.Second(t.Context())
			if got.Text != tt.text || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || calls.Load() != tt.calls {
				t.Errorf("%+v, %v after %d connections", got, err, calls.Load())
			}
		})
	}
}

// TestWhatTheGrammarUnderstandsStaysHere: a service behind a grammar gets no
// sound before it is asked, and then all of it.
func TestWhatTheGrammarUnderstandsStaysHere(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		calls.Add(1)
		if _, sound, ok := p.Until("audio-stop"); !ok || sound != 4*int(audio.SpeechRate) {
			t.Errorf("%d bytes of sound", sound)
		}
		p.Send("transcript", map[string]string{"text": "it is dark"}, nil)
	})
	g := &grammarian{heard: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}}
	e := chained(t, g, stt.Config{Wyoming: wyoming.Config{URI: uri}}, "pocketsphinx", "wyoming")
	if got, err := utter(t, e, syllables); err != nil || got.Text != "lights on" || calls.Load() != 0 {
		t.Fatalf("%+v, %v after %d connections", got, err, calls.Load())
	}
	g.heard = speech.Transcript{Rejected: "like other speech"}
	if got, err := utter(t, e, syllables); err != nil || got.Text != "" || calls.Load() != 0 {
		t.Fatalf("%+v, %v after %d connections", got, err, calls.Load())
	}
	if got, err := e.Second(t.Context()); err != nil || got.Text != "it is dark" || calls.Load() != 1 {
		t.Errorf("%+v, %v after %d connections", got, err, calls.Load())
	}
}

// TestAnUtteranceNobodyAsksAboutIsLetGo: without speech the turn does not ask for the
// text, and the service learns that it can stop.
func TestAnUtteranceNobodyAsksAboutIsLetGo(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(e asking) error{
		"dropped":  func(e asking) error { return e.Begin(t.Context()) },
		"finished": func(e asking) error { _, err := e.Finish(t.Context()); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			came, gone := make(chan struct{}, 2), make(chan struct{}, 2)
			uri := fake.Wyoming(t, func(p *fake.Peer) { came <- struct{}{}; p.Hang(); gone <- struct{}{} })
			e := chained(t, nil, stt.Config{Wyoming: wyoming.Config{URI: uri}}, "wyoming")
			if err := e.Begin(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-came
			if err := end(e); err != nil {
				t.Fatal(err)
			}
			<-gone
		})
	}
}
