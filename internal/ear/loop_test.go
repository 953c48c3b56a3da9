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

	"go.uber.org/goleak"

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

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a loop with test doubles around it. Each frame is sent by the test: a
// frame with the sample 1 is the wake word, 2 is speech, 3 is the end of an
// utterance, 4 its end without any speech, 5 its end after a cough.
type bench struct {
	t        *testing.T
	frames   chan audio.Frame
	observer *fake.Observer
	voice    *fake.Synthesizer
	speaker  *fake.Speaker
	stt      *fake.Transcriber
	wake     *fake.WakeDetector
	caller   *fake.Caller
	loop     *ear.Loop
	stop     func()
}

// Read makes the bench a microphone.
func (b *bench) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case f := <-b.frames:
		return f, nil
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}

func (b *bench) sound(kinds ...int16) {
	for _, k := range kinds {
		b.frames <- audio.Frame{At: time.Now(), Samples: []int16{k}}
		synctest.Wait()
	}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchWith(t, nil)
}

// newBenchWith makes a bench with another transcriber.
func newBenchWith(t *testing.T, stt ear.Transcriber) *bench {
	t.Helper()
	b := &bench{
		t: t, frames: make(chan audio.Frame), observer: &fake.Observer{}, voice: &fake.Synthesizer{}, speaker: &fake.Speaker{},
		stt: &fake.Transcriber{Text: func() speech.Transcript { return speech.Transcript{Text: "what time is it"} }},
		caller: &fake.Caller{CallFunc: func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{Text: "It's noon."}, nil
		}},
	}
	b.wake = &fake.WakeDetector{DetectFunc: func(f audio.Frame) (speech.Detection, bool, error) {
		return speech.Detection{Word: "hey jarvis", Engine: "fake", At: f.At}, f.Samples[0] == 1, nil
	}}
	matcher, err := intent.New(intent.English(), &home.House{})
	if err != nil {
		t.Fatal(err)
	}
	if stt == nil {
		stt = b.stt
	}
	log := slog.New(slog.DiscardHandler)
	answerer, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: &home.House{}}, b.caller,
		&fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
	if err != nil {
		t.Fatal(err)
	}
	b.loop, err = ear.NewLoop(ear.Config{Area: "Kitchen", Source: record.FromMic, Live: true}, ear.Parts{
		Mic: b, Mind: answerer, Voice: b.voice, Speaker: b.speaker, Observer: b.observer, Log: log, Stt: stt,
		Wake: b.wake,
		End: &fake.Endpointer{PushFunc: func(f audio.Frame) speech.Endpoint {
			switch f.Samples[0] {
			case 3:
				return speech.Endpoint{Done: true, Reason: "sentence", SpeechStart: f.At.Add(-time.Second), SpeechEnd: f.At}
			case 5:
				return speech.Endpoint{Done: true, Reason: "silence", SpeechStart: f.At.Add(-200 * time.Millisecond), SpeechEnd: f.At}
			case 4:
				return speech.Endpoint{Done: true, Reason: "no_speech"}
			}
			return speech.Endpoint{}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := b.loop.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	b.stop = func() { cancel(); wg.Wait() }
	return b
}

// ends lists how the turns ended.
func (b *bench) ends() []record.Outcome {
	var all []record.Outcome
	for _, r := range b.observer.Records() {
		all = append(all, r.Outcome)
	}
	return all
}

func (b *bench) want(states []ear.State, ends []record.Outcome) {
	b.t.Helper()
	if got := b.observer.States(); !slices.Equal(got, states) {
		b.t.Errorf("states %v, expected %v", got, states)
	}
	if got := b.ends(); !slices.Equal(got, ends) {
		b.t.Errorf("outcomes %v, expected %v", got, ends)
	}
}

// forever plays until it is stopped.
func forever(ctx context.Context, _ audio.Clip) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestATurnIsToldAndAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.sound(0, 1, 2, 3)
		b.stop()
		b.want([]ear.State{ear.Waking, ear.Listening, ear.Thinking, ear.Speaking, ear.Idle}, []record.Outcome{record.Done})
		if got := b.voice.Said(); !slices.Equal(got, []string{"It's noon."}) {
			t.Errorf("said %q", got)
		}
		r := b.observer.Records()[0]
		if r.Wake == nil || r.Wake.Word != "hey jarvis" || r.Endpoint.Reason != "sentence" || r.Timings.FirstAudio == nil || r.Timings.Total == nil {
			t.Errorf("record %+v", r)
		}
	})
}

func TestNoSpeechAfterTheWakeWordIsSilent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for range 1000 {
			b.sound(1, 4)
		}
		b.stop()
		if n := len(b.ends()); n != 1000 || b.ends()[999] != record.Ignored {
			t.Errorf("%d turns, expected 1000 ignored ones", n)
		}
		if got := b.voice.Said(); len(got) > 0 {
			t.Errorf("said %q, expected silence", got)
		}
	})
}

func TestBargeInStopsSpeaking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.speaker.PlayFunc = forever
		b.sound(1, 3) // a reply that does not end
		b.sound(1, 4) // the wake word again, then nothing
		b.stop()
		b.want([]ear.State{ear.Waking, ear.Listening, ear.Thinking, ear.Speaking, ear.Waking, ear.Listening, ear.Idle},
			[]record.Outcome{record.Interrupted, record.Ignored})
	})
}

func TestStopEndsSpeakingAndListening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.speaker.PlayFunc = forever
		b.sound(1, 3)
		for range 2 {
			if err := b.loop.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			b.sound(1)
		}
		b.stop()
		if got := b.ends(); !slices.Equal(got, []record.Outcome{record.Interrupted, record.Interrupted}) {
			t.Errorf("outcomes %v", got)
		}
	})
}

func TestStopWhileThinkingInterrupts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.caller.CallFunc = func(ctx context.Context, _ tools.Call) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}
		b.sound(1, 3)
		if err := b.loop.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b.stop()
		b.want([]ear.State{ear.Waking, ear.Listening, ear.Thinking, ear.Idle}, []record.Outcome{record.Interrupted})
	})
}

func TestTooManyTextsAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.sound(1) // listening: nothing is spoken in this state
		refused := 0
		for range 12 {
			if err := b.loop.Say(t.Context(), "Dinner is ready."); errors.Is(err, ear.ErrBusy) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		b.sound(4)
		b.stop()
		if said := len(b.voice.Said()); said+refused != 12 || refused == 0 {
			t.Errorf("%d were spoken and %d refused, expected 12 in all", said, refused)
		}
	})
}

func TestEveryStateHasAnEnd(t *testing.T) {
	t.Parallel()
	for name, stick := range map[string]func(*bench){
		"listening that never ends": func(*bench) {},
		"a tool that hangs": func(b *bench) {
			b.caller.CallFunc = func(ctx context.Context, _ tools.Call) (tools.Result, error) {
				<-ctx.Done()
				return tools.Result{}, ctx.Err()
			}
		},
		"a speaker that hangs": func(b *bench) { b.speaker.PlayFunc = forever },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				stick(b)
				b.sound(1)
				if name != "listening that never ends" {
					b.sound(3)
				}
				<-time.After(3 * time.Minute) // virtual time: every deadline passes
				synctest.Wait()
				states := b.observer.States()
				if states[len(states)-1] != ear.Idle {
					t.Errorf("stuck: %v", states)
				}
				b.sound(1, 4) // and the next turn works
				b.stop()
				if n := len(b.ends()); n != 2 {
					t.Errorf("%d records, expected one for each turn", n)
				}
			})
		})
	}
}

// TestListeningEndsThoughSoundGoesOn: the endpointer never ends the utterance.
func TestListeningEndsThoughSoundGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.sound(1)
		for range 16 * time.Second / audio.FrameLength {
			b.sound(2)
		}
		b.stop()
		b.want([]ear.State{ear.Waking, ear.Listening, ear.Idle}, []record.Outcome{record.Interrupted})
	})
}

func TestABrokenRecogniserFailsOneTurnOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.stt.PushErr = errors.New("the worker died")
		b.sound(1, 2)
		b.stt.PushErr = nil
		b.stt.FinishErr = errors.New("the worker died")
		b.sound(1, 3)
		b.stt.FinishErr = nil
		b.sound(1, 3)
		b.stop()
		if got := b.ends(); !slices.Equal(got, []record.Outcome{record.Failed, record.Failed, record.Done}) {
			t.Errorf("outcomes %v", got)
		}
		if got := b.voice.Said(); len(got) != 3 {
			t.Errorf("said %q, expected an apology for each failure and the answer", got)
		}
	})
}

func TestATextIsSpokenWhenNothingElseIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.sound(1)
		if err := b.loop.Say(t.Context(), "Dinner is ready."); err != nil {
			t.Fatal(err)
		}
		b.sound(4)
		b.stop()
		if got := b.voice.Said(); !slices.Equal(got, []string{"Dinner is ready."}) {
			t.Errorf("said %q", got)
		}
	})
}

// TestHalfASentenceIsAskedAtOnceWhereNothingCanFollow: the recogniser cannot continue an
// utterance.
func TestHalfASentenceIsAskedAtOnceWhereNothingCanFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.stt.Text = func() speech.Transcript { return speech.Transcript{Text: "what time is it", Unfinished: true} }
		b.sound(1, 2, 3)
		b.stop()
		if got := b.voice.Said(); len(got) != 1 {
			t.Errorf("said %q at once, expected one sentence", got)
		}
	})
}

func TestTheWordStopSilencesWaitingTexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.stt.Text = func() speech.Transcript { return speech.Transcript{Text: "stop"} }
		b.sound(1)
		if err := b.loop.Say(t.Context(), "Dinner is ready."); err != nil {
			t.Fatal(err)
		}
		b.sound(3)
		b.stop()
		if got := b.voice.Said(); len(got) > 0 {
			t.Errorf("said %q, expected quiet", got)
		}
	})
}

// TestSpeechThatIsNoCommandIsAnsweredTheSecondTime: a television after a wake word
// gets no sentence, and a person who tries again does.
func TestSpeechThatIsNoCommandIsAnsweredTheSecondTime(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		between time.Duration
		said    []int // sentences said after each try
	}{
		"at once":           {time.Second, []int{0, 1, 2}},
		"after some time":   {time.Minute, []int{0, 0, 0}},
		"within its limits": {8 * time.Second, []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.stt.Text = func() speech.Transcript { return speech.Transcript{Rejected: "sounds like other speech"} }
				for i, want := range tt.said {
					b.sound(1, 3)
					if got := b.voice.Said(); len(got) != want {
						t.Errorf("said %q after try %d, expected %d sentences", got, i+1, want)
					}
					<-time.After(tt.between)
					b.sound(0)
				}
				b.stop()
				if got := b.ends(); !slices.Equal(got, []record.Outcome{record.Ignored, record.Ignored, record.Ignored}) {
					t.Errorf("outcomes %v", got)
				}
			})
		})
	}
}

// TestWhoIsUnderstoodHasNotTriedTwice: a command between two that were not understood.
func TestWhoIsUnderstoodHasNotTriedTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for _, heard := range []speech.Transcript{{}, {Text: "what time is it"}, {}} {
			b.stt.Text = func() speech.Transcript { return heard }
			b.sound(1, 3)
		}
		b.stop()
		if got := b.voice.Said(); !slices.Equal(got, []string{"It's noon."}) {
			t.Errorf("said %q, expected one answer", got)
		}
	})
}

func TestACoughAfterTheWakeWordIsNotAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.stt.Text = func() speech.Transcript { return speech.Transcript{Rejected: "sounds like other speech"} }
		b.sound(1, 5)
		b.stop()
		b.want([]ear.State{ear.Waking, ear.Listening, ear.Thinking, ear.Idle}, []record.Outcome{record.Ignored})
		if got := b.voice.Said(); len(got) > 0 {
			t.Errorf("said %q, expected silence", got)
		}
	})
}
