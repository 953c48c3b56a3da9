package ear_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

var update = flag.Bool("update", false, "rewrite the expected parts of the stories")

// story is a txtar file: what was heard, how the devices and the model answer, and
// what must happen.
type story struct {
	heard, model []string
	answers      map[string]string // device: outcome, where it is not "confirmed"
	calls, said  []string
	ends         []string
	records      []record.Record

	mu sync.Mutex // calls of one turn come side by side
}

// TestStories tells whole turns: sound in, calls and speech out.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := read(archive)
			synctest.Test(t, func(t *testing.T) { s.tell(t) })
			tellOracle(t, "stories/"+filepath.Base(file), slices.Concat(s.calls, s.said), s.records)
			got := map[string]string{"calls": lines(s.calls), "said": lines(s.said), "ends": lines(s.ends)}
			for i, f := range archive.Files {
				want, expected := got[f.Name]
				if !expected || string(f.Data) == want {
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(want)
					continue
				}
				t.Errorf("%s:\n%sexpected:\n%s", f.Name, want, f.Data)
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func lines(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return strings.Join(s, "\n") + "\n"
}

func read(a *txtar.Archive) *story {
	s := &story{answers: map[string]string{}}
	for _, f := range a.Files {
		all := strings.Split(strings.TrimSpace(string(f.Data)), "\n")
		switch f.Name {
		case "heard":
			s.heard = all
		case "model":
			s.model = all
		case "answers":
			for _, l := range all {
				device, outcome, _ := strings.Cut(l, ": ")
				s.answers[device] = outcome
			}
		}
	}
	return s
}

// tell plays every utterance: a wake word, some speech, its end.
func (s *story) tell(t *testing.T) {
	t.Helper()
	matcher, err := intent.New(intent.English(), fake.House())
	if err != nil {
		t.Fatal(err)
	}
	model := &fake.Assistant{}
	if len(s.model) > 0 {
		model.ReplyFunc = s.reply
	}
	log := slog.New(slog.DiscardHandler)
	answerer, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: fake.House()}, &fake.Caller{CallFunc: s.call},
		model, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
	if err != nil {
		t.Fatal(err)
	}
	spoken := 0
	voice, observer := &fake.Synthesizer{}, &fake.Observer{}
	mic := &fake.Microphone{Frames: frames(2 * len(s.heard))}
	loop, err := ear.NewLoop(ear.Config{Area: "Kitchen", Source: record.FromFile}, ear.Parts{
		Mic: mic, Mind: answerer, Voice: voice, Speaker: &fake.Speaker{}, Observer: observer, Log: log,
		Wake: &fake.WakeDetector{DetectFunc: func(f audio.Frame) (speech.Detection, bool, error) {
			return speech.Detection{Word: "hey jarvis", Engine: "fake", At: f.At}, true, nil
		}},
		Stt: &fake.Transcriber{Text: func() speech.Transcript {
			spoken++
			return speech.Transcript{Text: s.heard[spoken-1], Engine: "fake"}
		}},
		End: &fake.Endpointer{PushFunc: func(f audio.Frame) speech.Endpoint {
			return speech.Endpoint{Done: true, Reason: "sentence", SpeechStart: f.At, SpeechEnd: f.At}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(s.calls)
	s.said = voice.Said()
	s.records = observer.Records()
	for _, r := range s.records {
		s.ends = append(s.ends, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Route, r.Outcome, r.Error)))
	}
}

func frames(n int) []audio.Frame {
	start := time.Now()
	var all []audio.Frame
	for i := range n {
		all = append(all, audio.Frame{At: start.Add(time.Duration(i+1) * audio.FrameLength), Samples: make([]int16, audio.FrameSamples)})
	}
	return all
}

// call answers as the Z-Wave server does, with the outcomes the story wants.
func (s *story) call(_ context.Context, c tools.Call) (tools.Result, error) {
	s.mu.Lock()
	s.calls = append(s.calls, fmt.Sprintf("%s/%s %s", c.Server, c.Tool, c.Args))
	s.mu.Unlock()
	if c.Server == "" {
		return tools.Result{Text: "It's noon."}, nil
	}
	var args struct {
		Device string `json:"device_name"`
		Action string `json:"action"`
		Value  any    `json:"value"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return tools.Result{}, err
	}
	outcome := "confirmed"
	if o, ok := s.answers[args.Device]; ok {
		outcome = o
	}
	if outcome == "error" {
		return tools.Result{}, errors.New("the server zwave is not connected")
	}
	value := args.Value
	if value == nil {
		value = args.Action
	}
	data, err := json.Marshal(map[string]any{
		"device": args.Device, "property": args.Action, "outcome": outcome, "value": value, "ms": 90,
		"message": args.Device + " does not answer.",
	})
	failed := outcome == "refused" || outcome == "no_answer"
	return tools.Result{Text: args.Device + " does not answer.", Data: data, Receipt: tools.ReadReceipt(data), Failed: failed, PublishedAt: time.Now()}, err
}

func (s *story) reply(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) {
		for _, l := range s.model {
			if text, broken := strings.CutPrefix(l, "error: "); broken {
				yield(dialogue.Part{}, errors.New(text))
				return
			}
			if !yield(dialogue.Part{Sentence: l}, nil) {
				return
			}
		}
	}
}
