package ear_test

import (
	"context"
	"io"
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

// tape is recorded sound that takes its time: a machine that reads, recognises and
// answers at its own speed.
type tape struct {
	*fake.Script
	*mind.Mind
	read, push, think time.Duration // per frame, per frame and per turn
	asks              bool          // it answers with a question

	frames []audio.Frame
	at     time.Time

	mu     sync.Mutex
	heard  []time.Duration // frames that the recogniser got, on the recording's clock
	answer []string
}

// Read gives the next frame.
func (r *tape) Read(ctx context.Context) (audio.Frame, error) {
	if len(r.frames) == 0 {
		return audio.Frame{}, io.EOF
	}
	f := r.frames[0]
	r.frames = r.frames[1:]
	return f, wait(ctx, r.read)
}

func wait(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Push notes the frame.
func (r *tape) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	r.mu.Lock()
	r.heard = append(r.heard, f.At.Sub(r.at))
	r.mu.Unlock()
	if err := wait(ctx, r.push); err != nil {
		return speech.Partial{}, err
	}
	return r.Script.Push(ctx, f)
}

// Judge takes every text for a sentence.
func (r *tape) Judge(partial string) speech.Completeness {
	if partial == "" {
		return speech.Incomplete
	}
	return speech.Closed
}

// Answer answers a question.
func (r *tape) Answer(ctx context.Context, asked record.Turn) {
	r.mu.Lock()
	r.answer = append(r.answer, asked.Text)
	r.mu.Unlock()
	_ = wait(ctx, r.think)
	asked.Record.Route, asked.Record.Outcome, asked.Record.Risk = record.RouteLocal, record.Done, "read"
	if r.asks {
		asked.Record.Outcome = record.Asked
	}
	asked.Say("It's noon.")
}

// say adds frames of a level.
func (r *tape) say(frames int, level float64) {
	for range frames {
		at := r.at.Add(time.Duration(len(r.frames)+1) * audio.FrameLength)
		f := audio.Frame{At: at, Samples: make([]int16, audio.FrameSamples)}
		for i := range f.Samples {
			f.Samples[i] = int16(level)
			if i%2 == 0 {
				f.Samples[i] = -f.Samples[i]
			}
		}
		r.frames = append(r.frames, f)
	}
}

// play lets the loop listen to "hey jarvis, what time is it … (an addition) … hey jarvis,
// what time is it".
func (r *tape) play(t *testing.T) {
	t.Helper()
	const quiet, voice = 10, 3000
	for range 2 {
		r.say(50, quiet)
		r.say(60, voice)
		r.say(25, quiet)
		r.say(30, voice)
		r.say(150, quiet)
	}
	begins := map[time.Time]bool{}
	for _, n := range []int{49, 364} {
		begins[r.frames[n].At] = true
	}
	r.listen(t, begins)
}

// listen lets the loop listen to the frames; the wake word ends at some of them.
func (r *tape) listen(t *testing.T, begins map[time.Time]bool) {
	t.Helper()
	r.Lines = []fake.Line{{After: 40, Text: "what time is it"}}
	r.Loud = func(f audio.Frame) bool { return f.Samples[1] > 100 }
	var err error
	r.Mind, err = mind.New(&fake.Matcher{Home: &home.House{}, MatchFunc: func(string, string) intent.Decision { return intent.Decision{} }},
		&fake.Caller{}, &fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	loop, err := ear.NewLoop(ear.Config{Source: record.FromFile}, ear.Parts{
		Mic: r, Stt: r, End: &simpleEnd{}, Mind: r, Voice: &fake.Synthesizer{}, Speaker: &fake.Speaker{}, Observer: &fake.Observer{},
		Log: slog.New(slog.DiscardHandler),
		Wake: &fake.WakeDetector{DetectFunc: func(f audio.Frame) (speech.Detection, bool, error) {
			return speech.Detection{Word: "hey jarvis", Engine: "fake", At: f.At}, begins[f.At], nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestTheSameRecordingIsHeardTheSame: how fast a machine reads, recognises and
// answers does not change which sound counts.
func TestTheSameRecordingIsHeardTheSame(t *testing.T) {
	t.Parallel()
	var want *tape
	for _, now := range []*tape{
		{},
		{think: 3 * time.Second},
		{read: 30 * time.Millisecond},
		{read: 30 * time.Millisecond, think: 3 * time.Second},
		{push: 500 * time.Millisecond},
		{push: 16 * time.Second}, // longer than listening without frames may last
		{push: 2 * time.Minute},  // longer than any engine takes for a speaker
		{read: 16 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			now.Script, now.at = &fake.Script{}, time.Unix(1_700_000_000, 0)
			now.play(t)
		})
		if want == nil {
			want = now
			if len(want.answer) != 2 || len(want.heard) < 100 {
				t.Fatalf("%d turns with %d frames", len(want.answer), len(want.heard))
			}
		}
		if !slices.Equal(now.heard, want.heard) || !slices.Equal(now.answer, want.answer) {
			t.Errorf("read %v, push %v, think %v: %q from %d frames, expected %q from %d", now.read, now.push, now.think, now.answer, len(now.heard), want.answer, len(want.heard))
		}
	}
}

// TestARecordingThatEndsInAQuestionIsOver: no answer can come after the last frame, so
// the loop does not wait for one.
func TestARecordingThatEndsInAQuestionIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &tape{Script: &fake.Script{}, at: time.Unix(1_700_000_000, 0), asks: true}
		r.say(50, 10)
		r.say(60, 3000)
		began := time.Now()
		r.listen(t, map[time.Time]bool{r.frames[49].At: true})
		if len(r.answer) != 1 || time.Since(began) > time.Second {
			t.Errorf("%d turns, over after %v", len(r.answer), time.Since(began))
		}
	})
}
