package wake_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

var microWords = []string{"hey jarvis", "alexa", "okay nabu", "hey mycroft"}

func neural(tb testing.TB, change func(*wake.Config)) (wake.Engine, error) {
	tb.Helper()
	cfg := wake.Config{Engine: "micro", Words: microWords, ModelsDir: fake.Shared(tb, "speech", "models"), Command: []string{os.Args[0]}}
	if change != nil {
		change(&cfg)
	}
	return wake.New(cfg)
}

// hearAll feeds clips one after the other, each after a second and a half of faint
// noise, and returns what was detected per clip.
func hearAll(tb testing.TB, e wake.Engine, names ...string) map[string][]speech.Detection {
	tb.Helper()
	heard := map[string][]speech.Detection{}
	at := time.Unix(1_700_000_000, 0)
	seed := uint32(1)
	for _, name := range names {
		data, err := os.ReadFile(fake.Shared(tb, "speech", "clips", name))
		if err != nil {
			tb.Fatal(err)
		}
		clip, err := audio.ReadWAV(bytes.NewReader(data))
		if err != nil {
			tb.Fatal(err)
		}
		samples := make([]int16, 24000, 24000+len(clip.Samples)+audio.FrameSamples)
		for i := range samples {
			seed = seed*1664525 + 1013904223
			samples[i] = int16(seed>>24) - 128>>3
		}
		samples = append(samples, clip.Samples...)
		samples = append(samples, make([]int16, audio.FrameSamples-len(samples)%audio.FrameSamples)...)
		for ; len(samples) > 0; samples = samples[audio.FrameSamples:] {
			at = at.Add(audio.FrameLength)
			d, ok, err := e.Detect(tb.Context(), audio.Frame{At: at, Samples: samples[:audio.FrameSamples]})
			if err != nil {
				tb.Fatal(err)
			}
			if ok {
				heard[name] = append(heard[name], d)
			}
		}
	}
	return heard
}

// clips lists the shared clips with the wake word each holds.
func clips(tb testing.TB) map[string]string {
	tb.Helper()
	f, err := os.Open(fake.Shared(tb, "speech", "clips", "manifest.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	list := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var row struct{ File, Wake string }
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			tb.Fatal(err)
		}
		list[row.File] = strings.ReplaceAll(row.Wake, "_", " ")
	}
	return list
}

// TestMicroHearsEveryWakeWord runs all four models at once over all clips,
// including those of commands and of other speech.
func TestMicroHearsEveryWakeWord(t *testing.T) {
	t.Parallel()
	words, wrong := 0, 0
	for name, word := range clips(t) {
		known := false
		for _, w := range microWords {
			known = known || w == word
		}
		if !known {
			word = ""
		}
		if word == "" && !strings.HasPrefix(name, "real_") && !strings.HasPrefix(name, "pipe_") && !strings.Contains(name, "_00") {
			continue // for sounds that must not be heard, one clip of each kind is enough
		}
		// A new engine for each: how rows fall on inferences depends on what came
		// before, and some recordings are near the cutoff.
		e, err := neural(t, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := hearAll(t, e, name)[name]
		switch {
		case word != "" && (len(got) != 1 || got[0].Word != word):
			t.Errorf("%s: heard %+v, expected one %q", name, got, word)
		case word == "" && len(got) > 0:
			wrong++
			t.Logf("%s: heard %+v", name, got)
		case word != "":
			words++
		}
	}
	t.Logf("%d wake words heard", words)
	if words == 0 || wrong > 0 {
		t.Errorf("%d wake words heard, %d clips without one taken for one", words, wrong)
	}
}

func TestMicroRefusesWhatItCannotHear(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*wake.Config)
		want   string
	}{
		"no model":          {func(c *wake.Config) { c.Words = []string{"hey house"} }, "voice-gateway models list"},
		"no words":          {func(c *wake.Config) { c.Words = []string{" "} }, "no wake words"},
		"another's measure": {func(c *wake.Config) { c.Thresholds = map[string]float64{"alexa": 1e-30} }, "probability"},
		"a path":            {func(c *wake.Config) { c.Words = []string{"../../etc/passwd"} }, "no name"},
	} {
		if _, err := neural(t, tt.change); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, expected it to speak of %q", name, err, tt.want)
		}
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "alexa.tflite"), []byte("not a model, but long enough"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := neural(t, func(c *wake.Config) { c.ModelsDir, c.Words = damaged, []string{"alexa"} })
	if err == nil || errors.Is(err, micro.ErrNoModel) || !strings.Contains(err.Error(), "models pull alexa") {
		t.Errorf("a damaged model: %v", err)
	}
}

// TestAutoTakesTheModelThatIsThere: a model that is missing is reported with how
// to get it.
func TestAutoTakesTheModelThatIsThere(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	auto := func(words ...string) wake.Engine {
		e, err := neural(t, func(c *wake.Config) {
			c.Engine, c.Words, c.Log = "auto", words, slog.New(slog.NewTextHandler(&log, nil))
			c.Thresholds = map[string]float64{"hey house": 1e-25, "alexa": 0.9}
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if got := hearAll(t, auto("alexa"), "real_alexa_a.wav")["real_alexa_a.wav"]; len(got) != 1 || got[0].Engine != "micro" {
		t.Errorf("with a model: %+v", got)
	}
	auto("hey house")
	if !strings.Contains(log.String(), "voice-gateway models list") {
		t.Errorf("without a model it says: %s", log.String())
	}
}

func BenchmarkMicroFrame(b *testing.B) {
	words := append(slices.Clone(microWords), "okay nabu multi", "stop")
	for _, n := range []int{1, len(words)} {
		b.Run(fmt.Sprintf("words=%d", n), func(b *testing.B) {
			e, err := neural(b, func(c *wake.Config) { c.Words = words[:n] })
			if err != nil {
				b.Fatal(err)
			}
			frame := audio.Frame{At: time.Unix(1_700_000_000, 0), Samples: make([]int16, audio.FrameSamples)}
			for i := range frame.Samples {
				frame.Samples[i] = int16(i * 37)
			}
			b.ReportAllocs()
			for b.Loop() {
				frame.At = frame.At.Add(audio.FrameLength)
				if _, _, err := e.Detect(b.Context(), frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
