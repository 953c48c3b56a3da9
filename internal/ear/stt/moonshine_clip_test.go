//go:build cgo

package stt_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// startNeural starts the engine moonshine with both of its workers, which know the
// sentences.
func startNeural(t *testing.T) (stt.Engine, func(string) speech.Completeness) {
	t.Helper()
	cfg := stt.Default()
	cfg.Engines, cfg.ModelsDir, cfg.Command = []string{"moonshine"}, fake.Models(t), []string{fake.Worker(t), "worker", "stt"}
	e, err := stt.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	g, judge := grammarOf(sentences)
	g.Automaton = automaton()
	if _, err := e.SetGrammar(within(t), g); err != nil {
		t.Fatal(err)
	}
	return e, judge
}

// automaton accepts the sentences, word by word.
func automaton() speech.Automaton {
	a := speech.Automaton{States: make([]speech.AutomatonState, 1)}
	inline := strings.NewReplacer(inlineRules()...)
	for _, line := range sentences {
		for _, s := range expand(inline.Replace(line)) {
			at := int32(0)
			for w := range strings.FieldsSeq(s) {
				at = after(&a, at, w)
			}
			a.States[at].Accept = true
		}
	}
	a.Later = int32(len(a.States))
	return a
}

// after returns the state behind a word, a new one if there is none.
func after(a *speech.Automaton, from int32, text string) int32 {
	word := int32(slices.Index(a.Words, text))
	if word < 0 {
		word = int32(len(a.Words))
		a.Words = append(a.Words, text)
	}
	for _, m := range a.States[from].Moves {
		if m.Word == word {
			return m.To
		}
	}
	to := int32(len(a.States))
	a.States = append(a.States, speech.AutomatonState{})
	a.States[from].Moves = append(a.States[from].Moves, speech.AutomatonMove{Word: word, To: to})
	return to
}

// The same recordings give the same texts, in any order, and the right ones: a quarter
// of those of the acceptance test.
func TestTheNetworkHearsTheSameEveryTime(t *testing.T) { hearsTheSame(t, 64, 16) }

// hearsTheSame hears one command of so many, and one of so much other speech, twice.
func hearsTheSame(t *testing.T, commands, others int) {
	t.Helper()
	e, judge := startNeural(t)
	var some []recording
	for n, r := range recordings(t) {
		if r.Kind == "command" && n%commands == 0 || r.Kind == "oog" && n%others == 0 {
			some = append(some, r)
		}
	}
	first := map[string]string{}
	wrong := 0
	for range 2 {
		for _, r := range some {
			clip, err := file.Load(fake.Shared(t, "speech", "clips", r.File))
			if err != nil {
				t.Fatal(err)
			}
			text := hear(t, e, judge, clip).text
			before, again := first[r.File]
			if again && text.Text != before {
				t.Errorf("%s: heard %q and then %q", r.File, before, text.Text)
			}
			first[r.File] = text.Text
			switch {
			case r.Kind == "oog" && text.Text != "" && len(text.Others) == 0 && !text.Unfinished:
				t.Errorf("%s: %q was taken for %q", r.File, r.Text, text.Text)
			case r.Kind == "command" && !again && !same(text.Text, r.Text):
				t.Logf("%s: said %q, heard %+v", r.File, r.Text, text)
				wrong++
			}
		}
		slices.Reverse(some)
	}
	if most := len(some) / 10; wrong > most {
		t.Errorf("%d of %d were not heard, expected at most %d", wrong, len(some), most)
	}
}

// A recogniser that is killed in the middle of a command, or all of them, costs
// nothing: the command is heard.
func TestKilledInTheMiddleOfACommand(t *testing.T) {
	clip, err := file.Load(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_000.wav"))
	if err != nil {
		t.Fatal(err)
	}
	frames := slices.Collect(slices.Chunk(clip.Samples, audio.FrameSamples))
	for name, at := range map[string]int{"in the first word": 20, "in the middle": len(frames) / 2, "after the end": len(frames) - 1} {
		t.Run(name, func(t *testing.T) {
			e, _ := startNeural(t)
			if err := e.Begin(within(t)); err != nil {
				t.Fatal(err)
			}
			for n, samples := range frames {
				if n == at {
					killChildren(t)
				}
				if _, err := e.Push(within(t), audio.Frame{Samples: samples}); err != nil {
					t.Fatal(err)
				}
			}
			text, err := e.Finish(within(t))
			if err != nil || text.Text != "turn on the kitchen light" {
				t.Errorf("heard %+v, %v", text, err)
			}
		})
	}
}

// killChildren kills every child process of the test.
func killChildren(t *testing.T) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, name := range lists {
		list, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(list)) {
			pid, err := strconv.Atoi(field)
			if err == nil {
				err = syscall.Kill(pid, syscall.SIGKILL)
			}
			if err != nil {
				t.Fatal(err)
			}
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("there was no child to kill")
	}
}
