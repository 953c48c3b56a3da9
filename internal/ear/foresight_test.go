package ear_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
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
)

// foreseer is a mind and a recogniser that note the order of their calls.
type foreseer struct {
	*mind.Mind
	partial, final string
	unfinished     bool
	fails          error
	frames         chan audio.Frame

	mu    sync.Mutex
	notes []string
}

func (f *foreseer) note(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notes = append(f.notes, text)
}

func (f *foreseer) Expect(_ context.Context, q record.Request) (drop func()) {
	f.note("expects " + q.Text)
	return sync.OnceFunc(func() { f.note("drops it") })
}

func (f *foreseer) Answer(_ context.Context, t record.Turn) { f.note("answers " + t.Text) }

func (f *foreseer) Begin(context.Context) error { return nil }

func (f *foreseer) Push(context.Context, audio.Frame) (speech.Partial, error) {
	return speech.Partial{Text: f.partial}, nil
}

func (f *foreseer) Finish(context.Context) (speech.Transcript, error) {
	f.note("final")
	return speech.Transcript{Text: f.final, Unfinished: f.unfinished}, f.fails
}

func (f *foreseer) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case frame := <-f.frames:
		return frame, nil
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}

// TestMindBeginsWithTheWordsSoFar: when an utterance has ended, the mind gets the words
// so far before the recogniser makes them final, and drops its work if they change. While the
// utterance is open the mind gets nothing, so that nothing can be done or said.
func TestMindBeginsWithTheWordsSoFar(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		partial, final string
		fails          error
		silent         bool
		unfinished     bool
		want           []string
	}{
		"as it was":        {partial: "how do whales", final: "how do whales", want: []string{"expects how do whales", "final", "answers how do whales", "drops it"}},
		"another word":     {partial: "how do whales", final: "how do snails", want: []string{"expects how do whales", "final", "drops it", "answers how do snails"}},
		"half a sentence":  {partial: "how do whales", final: "how do whales", unfinished: true, want: []string{"expects how do whales", "final", "drops it", "answers how do whales"}},
		"no words so far":  {final: "how do whales", want: []string{"final", "answers how do whales"}},
		"it fails":         {partial: "how do whales", fails: errors.New("broken"), want: []string{"expects how do whales", "final", "drops it", "final"}}, // the utterance is closed once more
		"nobody has spoke": {partial: "how do whales", silent: true, want: []string{"final"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &foreseer{partial: c.partial, final: c.final, fails: c.fails, unfinished: c.unfinished, frames: make(chan audio.Frame)}
				log := slog.New(slog.DiscardHandler)
				var err error
				f.Mind, err = mind.New(&fake.Matcher{Home: &home.House{}, MatchFunc: func(string, string) intent.Decision { return intent.Decision{} }},
					&fake.Caller{}, &fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
				if err != nil {
					t.Fatal(err)
				}
				loop, err := ear.NewLoop(ear.Config{Source: record.FromMic, Live: true}, ear.Parts{
					Mic: f, Mind: f, Observer: &fake.Observer{}, Log: log, Stt: f,
					Wake: &fake.WakeDetector{DetectFunc: func(frame audio.Frame) (speech.Detection, bool, error) {
						return speech.Detection{Engine: "fake", At: frame.At}, frame.Samples[0] == 1, nil
					}},
					End: &fake.Endpointer{PushFunc: func(frame audio.Frame) speech.Endpoint {
						e := speech.Endpoint{Done: frame.Samples[0] == 3, Reason: "silence"}
						if !c.silent {
							e.SpeechStart, e.SpeechEnd = frame.At.Add(-time.Second), frame.At
						}
						return e
					}},
				})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var running sync.WaitGroup
				running.Go(func() {
					if err := loop.Run(ctx); err != nil {
						t.Error(err)
					}
				})
				for _, sample := range []int16{1, 2, 2, 2, 3} {
					f.frames <- audio.Frame{At: time.Now(), Samples: []int16{sample}}
					if sample != 3 {
						synctest.Wait()
						if len(f.notes) > 0 {
							t.Errorf("before the utterance has ended: %q", f.notes)
						}
					}
				}
				synctest.Wait()
				cancel()
				running.Wait()
				if !slices.Equal(f.notes, c.want) {
					t.Errorf("the order was %q, want %q", f.notes, c.want)
				}
			})
		})
	}
}
