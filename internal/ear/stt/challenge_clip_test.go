//go:build cgo

package stt_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/intent/choosing"
	ours "voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
)

// listening starts an engine that knows the words of challenges and those to alerts.
func listening(tb testing.TB, engine string) stt.Engine {
	tb.Helper()
	if _, err := os.Stat(sphinx.DefaultModelDir); err != nil {
		tb.Skipf("the English model is not installed: %v", err)
	}
	cfg := stt.Default()
	cfg.Engines, cfg.Command, cfg.Challenge = []string{engine}, []string{fake.Worker(tb), "worker", "stt"}, ours.Challenge("en")
	words, err := choosing.Ours("en")
	if err != nil {
		tb.Fatal(err)
	}
	cfg.Alert = words.Reactions()
	if engine == "moonshine" {
		cfg.ModelsDir = fake.Models(tb)
	}
	e, err := stt.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			tb.Errorf("Run: %v", err)
		}
	})
	tb.Cleanup(func() { cancel(); running.Wait() })
	g, _ := grammarOf(sentences)
	g.Automaton = automaton()
	if _, err := e.SetGrammar(within(tb), g); err != nil {
		tb.Fatal(err)
	}
	return e
}

// answerTo returns what an engine hears of an answer to a challenge.
func answerTo(tb testing.TB, e stt.Engine, c audio.Clip) speech.Transcript {
	tb.Helper()
	return spokenTo(tb, e, speech.ChallengeWords, c)
}

// spokenTo returns what an engine hears that listens for something.
func spokenTo(tb testing.TB, e stt.Engine, what speech.Expected, c audio.Clip) speech.Transcript {
	tb.Helper()
	if err := e.(stt.Selective).BeginFor(within(tb), what); err != nil {
		tb.Fatal(err)
	}
	for f := range slices.Chunk(c.Samples, audio.FrameSamples) {
		if _, err := e.Push(within(tb), audio.Frame{Samples: f}); err != nil {
			tb.Fatal(err)
		}
	}
	t, err := e.Finish(within(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// hears reports whether an engine heard a text in one of its readings.
func hears(t speech.Transcript, text string) bool {
	return t.Text == text || slices.Contains(t.Others, text)
}

// pairs are words of the list, each once, in a random order.
func pairs(seed uint64) [][2]string {
	words := ours.Challenge("en")
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	var all [][2]string
	for i := 0; i+1 < len(words); i += 2 {
		all = append(all, [2]string{words[i], words[i+1]})
	}
	return all
}

// TestHearsAnswers: the two words are heard, and neither one of them, nor more, nor our
// own question is taken for them. The sentences of the house come back afterwards.
func TestHearsAnswers(t *testing.T) {
	t.Parallel()
	e := listening(t, "pocketsphinx")
	heard := func(text string) speech.Transcript {
		return answerTo(t, e, inRoom(say(t, "rms", text), 1, quietRoom, 1))
	}
	right := 0
	all := pairs(1)[:6]
	for _, p := range all {
		if hears(heard(p[0]+" "+p[1]+"."), p[0]+" "+p[1]) {
			right++
		}
	}
	if right < len(all)*3/4 {
		t.Errorf("%d of %d answers were heard", right, len(all))
	}
	for _, p := range all[:1] {
		for _, wrong := range []string{
			"Say W, to unlock the front door.", "W, to unlock the front door.", "W garage door.", "W, turn on the kitchen light, please.", p[0] + ".", p[1] + " " + p[0] + ".",
		} {
			said := strings.ReplaceAll(wrong, "W", p[0]+" "+p[1])
			if got := heard(said); hears(got, p[0]+" "+p[1]) && !got.Unfinished {
				t.Errorf("%q is taken for the words: %+v", said, got)
			}
		}
	}
	clip := inRoom(say(t, "rms", "turn on the kitchen light."), 1, quietRoom, 1)
	if got := whole(t, e, clip); got.Text != "turn on the kitchen light" {
		t.Errorf("after the answers it hears %+v", got)
	}
}

// An engine without words says so, and hears sentences as ever.
func TestHearsNoAnswersWithoutWords(t *testing.T) {
	t.Parallel()
	e := start(t)
	if err := e.(stt.Selective).BeginFor(t.Context(), speech.ChallengeWords); err == nil {
		t.Error("it listens for no words")
	}
}
