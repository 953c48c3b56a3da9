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

// promising is a mind that expects a reply, and says its sentences at their times.
type promising struct {
	*mind.Mind

	expects string
	says    []promised
}

type promised struct {
	after    time.Duration
	sentence string
}

func (p *promising) Answer(_ context.Context, t record.Turn) {
	if p.expects != "" {
		t.Expect(p.expects)
	}
	for _, s := range p.says {
		<-time.After(s.after)
		t.Say(s.sentence)
	}
	t.Record.Outcome, t.Record.Route, t.Record.Reply = record.Done, record.RouteLocal, "…"
}

// slowVoice takes a second for a sentence.
type slowVoice struct {
	mu    sync.Mutex
	began []string // sentences, in order
	ended []string // those whose sound was dropped
	fails int      // so many times
}

func (v *slowVoice) Synthesize(ctx context.Context, sentence string) (audio.Clip, error) {
	v.mu.Lock()
	v.began = append(v.began, sentence)
	broken := v.fails > 0
	v.fails--
	v.mu.Unlock()
	if broken {
		return audio.Clip{}, errors.New("broken")
	}
	select {
	case <-time.After(time.Second):
		return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.FrameSamples)}, nil
	case <-ctx.Done():
		v.mu.Lock()
		defer v.mu.Unlock()
		v.ended = append(v.ended, sentence)
		return audio.Clip{}, ctx.Err()
	}
}

// TestAnExpectedReplyIsMadeAhead: the sound of the reply is made while the devices are asked.
// It is heard only if the reply is that sentence.
func TestAnExpectedReplyIsMadeAhead(t *testing.T) {
	t.Parallel()
	const locked, jammed, working = "The door is locked.", "The door is jammed.", "Still working."
	for name, c := range map[string]struct {
		expects string
		says    []promised
		fails   int
		first   float64 // ms until something is heard
		heard   int
		began   []string
		ended   []string
	}{
		"as expected":               {expects: locked, says: []promised{{2 * time.Second, locked}}, first: 2000, heard: 1, began: []string{locked}},
		"sooner than it is made":    {expects: locked, says: []promised{{500 * time.Millisecond, locked}}, first: 1050, heard: 1, began: []string{locked}},
		"before it is begun":        {expects: locked, says: []promised{{10 * time.Millisecond, locked}}, first: 1010, heard: 1, began: []string{locked}},
		"another reply":             {expects: locked, says: []promised{{2 * time.Second, jammed}}, first: 3000, heard: 1, began: []string{locked, jammed}},
		"another while it is made":  {expects: locked, says: []promised{{500 * time.Millisecond, jammed}}, first: 1500, heard: 1, began: []string{locked, jammed}, ended: []string{locked}},
		"another before it":         {expects: locked, says: []promised{{10 * time.Millisecond, jammed}}, first: 1010, heard: 1, began: []string{jammed}},
		"a sentence in between":     {expects: locked, says: []promised{{2 * time.Second, working}, {2 * time.Second, locked}}, first: 3000, heard: 2, began: []string{locked, working}},
		"the voice fails the first": {expects: locked, fails: 1, says: []promised{{2 * time.Second, locked}}, first: 3000, heard: 1, began: []string{locked, locked}},
		"nothing is said":           {expects: locked, began: nil},
		"nothing is expected":       {says: []promised{{2 * time.Second, locked}}, first: 3000, heard: 1, began: []string{locked}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.stop() // only its parts are used
				p, v := &promising{expects: c.expects, says: c.says}, &slowVoice{fails: c.fails}
				log := slog.New(slog.DiscardHandler)
				var err error
				p.Mind, err = mind.New(&fake.Matcher{Home: &home.House{}, MatchFunc: func(string, string) intent.Decision { return intent.Decision{} }},
					&fake.Caller{}, &fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
				if err != nil {
					t.Fatal(err)
				}
				var heard int
				loop, err := ear.NewLoop(ear.Config{Source: record.FromMic, Live: true}, ear.Parts{
					Mic: b, Mind: p, Observer: b.observer, Log: log, Stt: b.stt, Wake: b.wake, Voice: v,
					Speaker: &fake.Speaker{PlayFunc: func(context.Context, audio.Clip) error { heard++; return nil }},
					End: &fake.Endpointer{PushFunc: func(f audio.Frame) speech.Endpoint {
						return speech.Endpoint{Done: f.Samples[0] == 3, Reason: "sentence", SpeechStart: f.At.Add(-time.Second), SpeechEnd: f.At}
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
				b.sound(1, 2, 3)
				<-time.After(10 * time.Second)
				cancel()
				running.Wait()
				all := b.observer.Records()
				if len(all) != 1 {
					t.Fatalf("%d turns", len(all))
				}
				first := 0.0
				if at := all[0].Timings.FirstAudio; at != nil {
					first = float64(*at)
				}
				if first != c.first || heard != c.heard || !slices.Equal(v.began, c.began) || !slices.Equal(v.ended, c.ended) {
					t.Errorf("first heard after %v ms, %d heard, made %q, dropped %q", first, heard, v.began, v.ended)
				}
			})
		})
	}
}
