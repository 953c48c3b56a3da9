//go:build cgo

package wake_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

func start(tb testing.TB, change func(*wake.Config)) wake.Engine {
	tb.Helper()
	if _, err := os.Stat(sphinx.DefaultModelDir); err != nil {
		tb.Skipf("the English model is not installed: %v", err)
	}
	cfg := wake.Default()
	cfg.Command = []string{os.Args[0], "worker", "stt"}
	if change != nil {
		change(&cfg)
	}
	e, err := wake.New(cfg)
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
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return e
}

// listen plays clips and returns what was detected, with times counted from the
// first sample.
func listen(tb testing.TB, e wake.Engine, lead time.Duration, clips ...audio.Clip) []speech.Detection {
	tb.Helper()
	begin := time.Unix(1_700_000_000, 0)
	mic, err := file.New(file.Config{Clips: clips, Lead: lead, Tail: 500 * time.Millisecond, Start: begin})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	var all []speech.Detection
	for {
		f, err := mic.Read(ctx)
		if err != nil {
			return all
		}
		d, ok, err := e.Detect(ctx, f)
		if err != nil {
			tb.Fatal(err)
		}
		if ok {
			d.At = time.Time{}.Add(d.At.Sub(begin))
			all = append(all, d)
		}
	}
}

func say(tb testing.TB, text string) audio.Clip {
	tb.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		tb.Skip("flite, the voice of this test, is not installed")
	}
	path := filepath.Join(tb.TempDir(), "said.wav")
	if out, err := exec.Command("flite", "-voice", "slt", "-t", text, "-o", path).CombinedOutput(); err != nil {
		tb.Fatalf("flite: %v\n%s", err, out)
	}
	clip, err := file.Load(path)
	if err != nil {
		tb.Fatal(err)
	}
	return clip
}

func TestHeyJarvis(t *testing.T) {
	e := start(t, nil)
	word := say(t, "hey jarvis")
	commands := []string{"turn on the kitchen light", "turn off the lamp", "set the thermostat to twenty one degrees", "what time is it", "lock the front door"}
	check := func(how string, got []speech.Detection) {
		t.Helper()
		if len(got) != 1 {
			t.Errorf("%s: detected %d times, want once", how, len(got))
			return
		}
		d := got[0]
		if d.Word != "hey jarvis" || d.Engine != "pocketsphinx" {
			t.Errorf("%s: %+v", how, d)
		}
		// The clip has 1 s of silence before and the word takes about 0.9 s.
		if end := d.At.Sub(time.Time{}); end < 1600*time.Millisecond || end > 2100*time.Millisecond {
			t.Errorf("%s: the word ends %v after the start", how, end)
		}
	}
	for _, c := range commands {
		check("one breath, "+c, listen(t, e, time.Second, say(t, "hey jarvis, "+c)))
		check("after a pause, "+c, listen(t, e, time.Second, word, say(t, c)))
	}
}

// TestOtherSpeech counts false alarms on everything that is not the wake word,
// and prints how many of the recorded wake words are heard.
func TestOtherSpeech(t *testing.T) {
	e := start(t, nil)
	dir := fake.Shared(t, "speech", "clips")
	var paths []string
	for _, pattern := range []string{"oog_*.wav", "cmd_*.wav", "tts_*.wav", "real_*.wav", "pipe_*.wav"} {
		some, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, some...)
	}
	var sound time.Duration
	for _, path := range paths {
		clip, err := file.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		sound += clip.Duration()
		got := listen(t, e, 300*time.Millisecond, clip)
		name := filepath.Base(path)
		switch {
		case strings.Contains(name, "hey_jarvis"), name == "pipe_01.wav":
			t.Logf("%s: heard %d times", name, len(got))
		case len(got) > 0:
			t.Errorf("%s: taken for a wake word", name)
		}
	}
	t.Logf("%v of sound in %d recordings", sound, len(paths))
}

func TestSeveralWords(t *testing.T) {
	asked := false
	e := start(t, func(c *wake.Config) {
		c.Words = []string{"Hey, Jarvis!", "hello computer", "okay nabu"}
		c.Pronounce = func(_ context.Context, words []string) (map[string][]string, []string, error) {
			asked = slices.Contains(words, "nabu")
			return map[string][]string{
				"hey": {"HH EY"}, "jarvis": {"JH AA R V AH S"}, "hello": {"HH AH L OW"}, "computer": {"K AH M P Y UW T ER"},
				"okay": {"OW K EY"}, "nabu": {"N AA B UW"},
			}, nil, nil
		}
	})
	for text, want := range map[string]string{"hey jarvis": "Hey, Jarvis!", "hello computer": "hello computer"} {
		got := listen(t, e, time.Second, say(t, text))
		if len(got) != 1 || got[0].Word != want {
			t.Errorf("%q: detected %+v, want %q", text, got, want)
		}
	}
	if !asked {
		t.Error("nobody was asked how nabu is spoken")
	}
}

func TestNobodyKnowsTheWord(t *testing.T) {
	e := start(t, func(c *wake.Config) { c.Words = []string{"hey zorblax"} })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, _, err := e.Detect(ctx, audio.Frame{Samples: make([]int16, audio.FrameSamples)})
	if err == nil || !strings.Contains(err.Error(), "hey zorblax") || !strings.Contains(err.Error(), "espeak-ng") {
		t.Errorf("got %v, want the word and what to do", err)
	}
}

func TestNewChecks(t *testing.T) {
	tests := map[string]struct {
		change func(*wake.Config)
		want   string
	}{
		"unknown engine": {func(c *wake.Config) { c.Engine = "micro7" }, "there are: auto, micro, none, pocketsphinx"},
		"no words":       {func(c *wake.Config) { c.Words = []string{" ! "} }, "no wake words"},
		"bad threshold":  {func(c *wake.Config) { c.Thresholds = map[string]float64{"hey jarvis": 20} }, "between 0 and 1"},
		"not for sphinx": {func(c *wake.Config) { c.Engine, c.Thresholds = "pocketsphinx", map[string]float64{"hey jarvis": 20} }, "1e-5"},
		"no command":     {func(c *wake.Config) { c.Command = nil }, "no command"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := wake.Default()
			cfg.Command = []string{"x"}
			tc.change(&cfg)
			if _, err := wake.New(cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestNoneHearsNothing(t *testing.T) {
	e, err := wake.New(wake.Config{Engine: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := e.Detect(t.Context(), audio.Frame{}); ok || err != nil {
		t.Errorf("detected %v, %v", ok, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Run(ctx); err != nil {
		t.Error(err)
	}
}

// BenchmarkDetect sends one frame without the wake word to the worker and back.
func BenchmarkDetect(b *testing.B) {
	e := start(b, nil)
	clip, err := file.Load(fake.Shared(b, "speech", "clips", "real_jfk.wav"))
	if err != nil {
		b.Fatal(err)
	}
	frames := len(clip.Samples) / audio.FrameSamples
	n := 0
	for b.Loop() {
		at := n % frames * audio.FrameSamples
		n++
		if _, _, err := e.Detect(b.Context(), audio.Frame{Samples: clip.Samples[at : at+audio.FrameSamples]}); err != nil {
			b.Fatal(err)
		}
	}
}
