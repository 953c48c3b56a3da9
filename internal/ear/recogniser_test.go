package ear_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/ear"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// deliberate is a transcriber with a slower one behind it.
type deliberate struct {
	*fake.Transcriber
	second func(ctx context.Context) (speech.Transcript, error)
}

func (d *deliberate) Second(ctx context.Context) (speech.Transcript, error) { return d.second(ctx) }

// TestASlowerRecogniserIsAsked: when the first recogniser gives no text or an error, a
// slower one is asked while the loop keeps running.
func TestASlowerRecogniserIsAsked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first    func(s *fake.Transcriber)
		second   speech.Transcript
		err      error
		outcome  record.Outcome
		wrong    string // in the record's error
		said     string
		heard    string
		dontAsk  bool
		endsWith int16
	}{
		"rejected": {
			second: speech.Transcript{Text: "what time is it", Engine: "openai"}, outcome: record.Done, said: "It's noon.", heard: "openai",
		},
		"crashed": {
			first:  func(s *fake.Transcriber) { s.FinishErr = errors.New("gone") },
			second: speech.Transcript{Text: "what time is it", Engine: "openai"}, outcome: record.Done, said: "It's noon.", heard: "openai",
		},
		"understood": {
			first: func(s *fake.Transcriber) {
				s.Text = func() speech.Transcript {
					return speech.Transcript{Text: "what time is it", Engine: "pocketsphinx"}
				}
			}, outcome: record.Done, said: "It's noon.", heard: "pocketsphinx", dontAsk: true,
		},
		"nobody understood": {
			second: speech.Transcript{Rejected: "like other speech"}, outcome: record.Ignored, wrong: "like other speech",
		},
		"nobody worked": {err: errors.New("the server is busy"), outcome: record.Failed, wrong: "the server is busy", said: "Sorry, that did not work"},
		"nothing said":  {outcome: record.Ignored, dontAsk: true, endsWith: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &fake.Transcriber{Text: func() speech.Transcript { return speech.Transcript{} }}
				if tt.first != nil {
					tt.first(s)
				}
				asked := 0
				b := newBenchWith(t, &deliberate{s, func(context.Context) (speech.Transcript, error) {
					asked++
					return tt.second, tt.err
				}})
				b.sound(0, 1, 2, max(tt.endsWith, 3))
				synctest.Wait()
				b.stop()
				r := b.observer.Records()
				if len(r) != 1 || r[0].Outcome != tt.outcome || !strings.Contains(r[0].Error, tt.wrong) {
					t.Fatalf("records %+v", r)
				}
				if (asked == 0) != tt.dontAsk {
					t.Errorf("asked %d times", asked)
				}
				if tt.heard != "" && (r[0].Transcript == nil || r[0].Transcript.Engine != tt.heard) {
					t.Errorf("heard by %+v", r[0].Transcript)
				}
				if got := b.voice.Said(); !strings.HasPrefix(strings.Join(got, " "), tt.said) || (tt.said == "") != (len(got) == 0) {
					t.Errorf("said %q", got)
				}
			})
		})
	}
}

// TestStopWhileASlowRecogniserThinks: a stop gives up the slower recogniser's
// answer, and the next wake word is heard.
func TestStopWhileASlowRecogniserThinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBenchWith(t, &deliberate{
			&fake.Transcriber{Text: func() speech.Transcript { return speech.Transcript{} }},
			func(ctx context.Context) (speech.Transcript, error) {
				<-ctx.Done()
				return speech.Transcript{}, ctx.Err()
			},
		})
		b.sound(1, 2, 3)
		if err := b.loop.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b.sound(0, 1)
		states := b.observer.States()
		b.stop()
		if got := b.ends(); len(got) == 0 || got[0] != record.Interrupted {
			t.Errorf("outcomes %v", got)
		}
		if !slices.Contains(states[slices.Index(states, ear.Idle)+1:], ear.Listening) {
			t.Errorf("states %v", states)
		}
	})
}
