package tts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/audio"
	_ "voicegateway/internal/fake/bubble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patient is a configuration for a loaded machine.
func patient(engines ...string) Config {
	cfg := Default()
	cfg.Engines = engines
	cfg.Timeout = time.Minute
	return cfg
}

func newVoice(t *testing.T, cfg Config) *Voice {
	t.Helper()
	v, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// loudness is the largest sample, to tell speech from silence.
func loudness(c audio.Clip) (peak int) {
	for _, s := range c.Samples {
		peak = max(peak, int(s), -int(s))
	}
	return peak
}

// TestEveryEngineKeepsTheContract runs the real programs that are installed. Those
// that are servers keep it in TestSpeechFromAServer.
func TestEveryEngineKeepsTheContract(t *testing.T) {
	t.Parallel()
	need := map[string]string{"espeak": "espeak-ng", "flite": "flite"}
	servers := []string{"openai", "wyoming"}
	for name := range engines {
		if slices.Contains(servers, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := patient(name)
			if name == "piper" {
				cfg.Piper = fakePiper(t, 22050)
			} else if _, err := exec.LookPath(need[name]); err != nil {
				t.Skipf("not installed: %v", err)
			}
			contract(t, cfg)
		})
	}
}

func contract(t *testing.T, cfg Config) {
	t.Helper()
	v := newVoice(t, cfg)
	say := func(text string) audio.Clip {
		t.Helper()
		clip, err := v.Synthesize(t.Context(), text)
		if err != nil {
			t.Fatalf("saying %q: %v", text, err)
		}
		if clip.Rate < 8000 || clip.Duration() < 100*time.Millisecond || loudness(clip) < 500 {
			t.Fatalf("saying %q gave %v at %d Hz with a peak of %d", text, clip.Duration(), clip.Rate, loudness(clip))
		}
		return clip
	}
	short, long := say("On."), say("The lamp in the kitchen is on, and the window in the bathroom is open.")
	if long.Duration() <= short.Duration() {
		t.Errorf("a long sentence takes %v, a short one %v", long.Duration(), short.Duration())
	}
	say("--version -w /tmp/evil.wav") // text, not options
	say("Mr. Smith is here. He waits! Will you come?\nNow.")
	say("Grüße aus München, it is 21.5 °C.")
	say(strings.Repeat("word ", 100_000))

	for _, nothing := range []string{"", "   ", "…", "***", "https://example.org/x", "\x00\x1b\n"} {
		clip, err := v.Synthesize(t.Context(), nothing)
		if err != nil || len(clip.Samples) != 0 || clip.Rate == 0 {
			t.Errorf("saying %q gave %d samples at %d Hz, %v; want a clip without sound", nothing, len(clip.Samples), clip.Rate, err)
		}
	}

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, err := v.Synthesize(t.Context(), "Four at once."); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Synthesize(cancelled, "Nobody listens."); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled synthesis gave %v", err)
	}
	if err := v.Warm(t.Context()); err != nil {
		t.Errorf("warming: %v", err)
	}
	if ok, why := v.Ready(); !ok || why != "" {
		t.Errorf("after warming: %v, %q", ok, why)
	}
}

func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// fakePiper is a program with Piper's command line that writes a loud tone, a
// tenth of a second and 1 ms for each character of the text.
func fakePiper(t *testing.T, rate int) Piper {
	t.Helper()
	command := script(t, `
[ "$1" = --model ] && [ "$3" = --output_raw ] && [ $# = 3 ] || { echo "usage" >&2; exit 2; }
read -r text
printf '\000\100%.0s' $(seq $((2205 + 22 * ${#text})))`)
	model := filepath.Join(t.TempDir(), "voice.onnx")
	description := fmt.Sprintf(`{"audio":{"sample_rate":%d,"quality":"medium"},"espeak":{"voice":"en-us"}}`, rate)
	if err := os.WriteFile(model+".json", []byte(description), 0o600); err != nil {
		t.Fatal(err)
	}
	return Piper{Command: command, Model: model}
}

func TestPiperSpeaksAtTheRateOfItsModel(t *testing.T) {
	t.Parallel()
	cfg := patient("piper")
	cfg.Piper = fakePiper(t, 16000)
	clip, err := newVoice(t, cfg).Synthesize(t.Context(), "Hello.")
	if err != nil {
		t.Fatal(err)
	}
	if clip.Rate != 16000 {
		t.Errorf("the rate is %d, the model says 16000", clip.Rate)
	}
	if err := os.WriteFile(cfg.Piper.Model+".json", []byte(`{"audio":{"sample_rate":1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newVoice(t, cfg).Synthesize(t.Context(), "Hello."); err == nil || !strings.Contains(err.Error(), "sample rate of 1 Hz") {
		t.Errorf("a model with a rate of 1 Hz gave %v", err)
	}
}

// broken makes a Voice whose first engine is the given one and whose second is a
// working espeak-ng.
func broken(t *testing.T, first Engine, timeout time.Duration) *Voice {
	t.Helper()
	v := newVoice(t, patient("espeak"))
	v.timeout = timeout
	v.voices = append([]*voice{{name: "first", engine: first}}, v.voices...)
	return v
}

// raw is an engine that is a program with raw sound, for faults.
type raw struct{ program program }

func (r raw) Synthesize(ctx context.Context, text string) (audio.Clip, error) {
	out, err := r.program.run(ctx, nil, text)
	return audio.Clip{Rate: 16000, Samples: audio.PCM(out)}, err
}

func TestNextEngineSpeaksWhenOneFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want string // in Ready's text
	}{
		"crash":       {"kill -SEGV $$", "segmentation fault"},
		"exit status": {"echo no voice here >&2; exit 3", "exit status 3: no voice here"},
		"empty":       {"exit 0", "made no sound"},
		"endless":     {"yes", "over 16777216 bytes"},
		"chatty":      {"yes complaint | head -c 100000 >&2; exit 1", "complaint"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := broken(t, raw{program{command: script(t, c.body)}}, time.Minute)
			clip, err := v.Synthesize(t.Context(), "The lamp is on.")
			if err != nil || clip.Rate != 22050 {
				t.Fatalf("gave a clip of %d Hz and %v, want espeak-ng's", clip.Rate, err)
			}
			if err := v.Warm(t.Context()); err == nil {
				t.Error("warming reports no loss")
			}
			ok, why := v.Ready()
			if !ok || !strings.Contains(why, c.want) || len(why) > 3000 {
				t.Errorf("Ready says %v, %q; want true and %q", ok, why, c.want)
			}
		})
	}
}

func TestMissingProgramSaysHowToGetIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"espeak", "flite", "piper"} {
		cfg := patient(name)
		cfg.Piper = fakePiper(t, 22050)
		engine, err := engines[name](cfg)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		switch e := engine.(type) {
		case *espeak:
			e.program.command, want = "/nonexistent/espeak-ng", "sudo apt-get install espeak-ng"
		case *flite:
			e.program.command, want = "no-such-flite", "sudo apt-get install flite"
		case *piper:
			e.program.command, want = "no-such-piper", "set tts.piper.command"
		}
		if _, err := engine.Synthesize(t.Context(), "Hello."); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error %v does not say %q", name, err, want)
		}
	}
}

func TestStalledEngineIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	stall := script(t, "sleep 3600 & echo $! > "+pidFile+".new; mv "+pidFile+".new "+pidFile+"; wait")
	v := broken(t, raw{program{command: stall}}, 20*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := v.Synthesize(ctx, "Hello.")
		ended <- err
	}()
	pid := waitForFile(t, pidFile)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted synthesis gave %v", err)
	}
	waitGone(t, pid)
}

func waitForFile(t *testing.T, path string) string {
	t.Helper()
	return waitFor(t, func() string {
		data, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(data))
	})
}

// waitGone waits until a process has ended. It does not matter which process
// reaps it.
func waitGone(t *testing.T, pid string) {
	t.Helper()
	waitFor(t, func() string {
		stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return "gone"
		}
		return ""
	})
}

// waitFor repeats a question until there is an answer.
func waitFor(t *testing.T, ask func() string) string {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for {
		if answer := ask(); answer != "" {
			return answer
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("waited a minute in vain")
		}
	}
}

// counting is an engine under the test's control.
type counting struct {
	calls int
	do    func(ctx context.Context) error
}

func (c *counting) Synthesize(ctx context.Context, _ string) (audio.Clip, error) {
	c.calls++
	if err := c.do(ctx); err != nil {
		return audio.Clip{}, err
	}
	return audio.Clip{Rate: 16000, Samples: make([]int16, 10)}, nil
}

func TestStalledEngineDelaysOneSentenceOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mended := false
		stalled := &counting{do: func(ctx context.Context) error {
			if mended {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		works := &counting{do: func(context.Context) error { return nil }}
		v := &Voice{
			voices:  []*voice{{name: "a", engine: stalled}, {name: "b", engine: works}},
			timeout: 5 * time.Second, log: slog.New(slog.DiscardHandler),
		}
		start := time.Now()
		for range 3 {
			if _, err := v.Synthesize(t.Context(), "Hello."); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 5*time.Second || stalled.calls != 1 || works.calls != 3 {
			t.Errorf("three sentences took %v with %d and %d calls", took, stalled.calls, works.calls)
		}
		mended = true
		<-time.After(rest) // virtual time
		if _, err := v.Synthesize(t.Context(), "Hello."); err != nil || stalled.calls != 2 {
			t.Errorf("after its rest the first engine is not tried again: %v", err)
		}
	})
}

func TestAllEnginesFailing(t *testing.T) {
	t.Parallel()
	cfg := patient("espeak", "flite")
	v := newVoice(t, cfg)
	for _, one := range v.voices {
		one.engine = raw{program{command: "no-such-" + one.name, install: "install " + one.name}}
	}
	_, err := v.Synthesize(t.Context(), "Hello.")
	if err == nil || !strings.Contains(err.Error(), "install espeak") || !strings.Contains(err.Error(), "install flite") {
		t.Errorf("the error does not name both: %v", err)
	}
	if ok, _ := v.Ready(); ok {
		t.Error("ready without an engine that works")
	}
}

func TestRunWarmsAndEndsCleanly(t *testing.T) {
	t.Parallel()
	v := newVoice(t, patient("espeak"))
	if ok, why := v.Ready(); ok || why == "" {
		t.Errorf("before Run: %v, %q", ok, why)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- v.Run(ctx) }()
	waitFor(t, func() string {
		if ok, _ := v.Ready(); ok {
			return "ready"
		}
		return ""
	})
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run ended with %v", err)
	}
}

func TestValidateNamesTheKeyAndTheWayOn(t *testing.T) {
	t.Parallel()
	if err := Default().Validate(); err != nil {
		t.Fatalf("the default: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"no engine":     {func(c *Config) { c.Engines = nil }, "espeak, flite, openai, piper, wyoming"},
		"unknown":       {func(c *Config) { c.Engines = []string{"espeak", "festival"} }, `no engine "festival" in this version; choose from espeak, flite, openai, piper, wyoming`},
		"twice":         {func(c *Config) { c.Engines = []string{"espeak", "espeak"} }, "named twice"},
		"option":        {func(c *Config) { c.Espeak.Voice = "-w" }, "tts.espeak.voice"},
		"path":          {func(c *Config) { c.Espeak.Voice = "../x" }, "tts.espeak.voice"},
		"rate":          {func(c *Config) { c.Espeak.Rate = 0 }, "80 to 450"},
		"flite voice":   {func(c *Config) { c.Flite.Voice = "http://evil/x" }, "slt, rms"},
		"no timeout":    {func(c *Config) { c.Timeout = 0 }, "tts.timeout"},
		"piper's model": {func(c *Config) { c.Engines = []string{"piper"} }, ".onnx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Default()
			c.change(&cfg)
			if _, err := New(cfg, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

func BenchmarkEspeakSentence(b *testing.B) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		b.Skip(err)
	}
	v, err := New(patient("espeak"), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := v.Synthesize(b.Context(), "The lamp in the kitchen is on."); err != nil {
			b.Fatal(err)
		}
	}
}
