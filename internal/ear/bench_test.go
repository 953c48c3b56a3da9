package ear_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// line is a microphone whose frames are handed over one by one.
type line chan audio.Frame

// Read waits for the next frame.
func (l line) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case f := <-l:
		return f, nil
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}

// ender waits for the end of turns.
type ender struct {
	outcome record.Outcome
	idle    chan struct{}
}

// StateChanged tells when a turn is over.
func (e *ender) StateChanged(s ear.State) {
	if s == ear.Idle {
		e.idle <- struct{}{}
	}
}

// Hearing does nothing.
func (e *ender) Hearing(ear.Hearing) {}

// Replied does nothing.
func (e *ender) Replied(string, string) {}

// TurnEnded keeps the outcome.
func (e *ender) TurnEnded(r record.Record) { e.outcome = r.Outcome }

// runLoop runs a loop whose engines take no time: what is left is the turn's own
// work. A frame with the sample 1 is the wake word, 3 the end of the utterance.
func runLoop(b *testing.B) (line, *ender) {
	b.Helper()
	mic, ended := make(line), &ender{idle: make(chan struct{}, 1)}
	matcher, err := intent.New(intent.English(), &home.House{})
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	caller := &fake.Caller{CallFunc: func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Text: "It's noon."}, nil
	}}
	answerer, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: &home.House{}}, caller,
		&fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
	if err != nil {
		b.Fatal(err)
	}
	loop, err := ear.NewLoop(ear.Config{Source: record.FromMic, Live: true}, ear.Parts{
		Mic: mic, Mind: answerer, Voice: silent{}, Speaker: &fake.Speaker{}, Observer: ended, Log: log,
		Stt: &fake.Transcriber{Text: func() speech.Transcript { return speech.Transcript{Text: "what time is it"} }},
		Wake: &fake.WakeDetector{DetectFunc: func(f audio.Frame) (speech.Detection, bool, error) {
			return speech.Detection{Word: "hey jarvis", Engine: "fake", At: f.At}, f.Samples[0] == 1, nil
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
	b.Cleanup(func() { cancel(); wg.Wait() })
	return mic, ended
}

// silent is a voice that costs nothing.
type silent struct{}

// Synthesize makes the shortest clip.
func (silent) Synthesize(context.Context, string) (audio.Clip, error) {
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 1)}, nil
}

// BenchmarkIdleFrame is one frame of a quiet room: pre-roll and bookkeeping,
// without the wake word engine.
func BenchmarkIdleFrame(b *testing.B) {
	mic, _ := runLoop(b)
	f := audio.Frame{At: time.Now(), Samples: make([]int16, audio.FrameSamples)}
	b.ReportAllocs()
	for b.Loop() {
		mic <- f
	}
}

// BenchmarkTurn is a whole turn from the wake word to idle, with engines that
// take no time: the gateway's own share of a command.
func BenchmarkTurn(b *testing.B) {
	mic, ended := runLoop(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, kind := range []int16{1, 2, 3} {
			mic <- audio.Frame{At: time.Now(), Samples: []int16{kind}}
		}
		<-ended.idle
		if ended.outcome != record.Done {
			b.Fatalf("the turn ended as %q", ended.outcome)
		}
	}
}
