package wake_test

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// phraseOf says a word with a synthetic voice, in faint noise.
func phraseOf(t *testing.T, word string) []int16 {
	t.Helper()
	voice, err := exec.LookPath("espeak-ng")
	if err != nil {
		t.Skip("espeak-ng is not installed")
	}
	wav, err := exec.CommandContext(t.Context(), voice, "--stdout", "-v", "en-us", word).Output()
	if err != nil {
		t.Fatal(err)
	}
	clip, err := audio.ReadWAV(bytes.NewReader(wav))
	if err == nil {
		clip, err = audio.Resample(clip, audio.SpeechRate)
	}
	if err != nil {
		t.Fatal(err)
	}
	samples := slices.Concat(make([]int16, 24000), clip.Samples, make([]int16, 16000))
	seed := uint32(1)
	for i := range samples {
		seed = seed*1664525 + 1013904223
		samples[i] += int16(seed>>24) - 128>>3
	}
	return samples[:len(samples)/audio.FrameSamples*audio.FrameSamples]
}

// feed gives an engine sound, and returns what it detected.
func feed(t *testing.T, e wake.Engine, at *time.Time, samples []int16) (heard []speech.Detection) {
	t.Helper()
	for ; len(samples) > 0; samples = samples[audio.FrameSamples:] {
		*at = at.Add(audio.FrameLength)
		d, ok, err := e.Detect(t.Context(), audio.Frame{At: *at, Samples: samples[:audio.FrameSamples]})
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			heard = append(heard, d)
		}
	}
	return heard
}

// The stop words are heard only while the loop asks for them, because their model
// is loose.
func TestStopWordsAreHeardWhenAskedFor(t *testing.T) {
	t.Parallel()
	e, err := neural(t, func(c *wake.Config) { c.Stop = []string{"stop"} })
	if err != nil {
		t.Fatal(err)
	}
	stop, at := phraseOf(t, "stop"), time.Unix(1_700_000_000, 0)
	if heard := feed(t, e, &at, stop); len(heard) > 0 {
		t.Errorf("heard %+v although nobody asked for it", heard)
	}
	listener, ok := e.(interface{ ListenForStop(on bool) })
	if !ok {
		t.Fatal("micro does not listen for stop words")
	}
	listener.ListenForStop(true)
	heard := feed(t, e, &at, stop)
	if len(heard) != 1 || !heard[0].Stop || heard[0].Word != "stop" || heard[0].Engine != "micro" {
		t.Errorf("heard %+v, expected one stop", heard)
	}
	const wakes = "real_hey_jarvis_a.wav"
	if heard := hearAll(t, e, wakes)[wakes]; len(heard) != 1 || heard[0].Stop || heard[0].Word != "hey jarvis" {
		t.Errorf("heard %+v, expected the wake word", heard)
	}
	listener.ListenForStop(false)
	if heard := feed(t, e, &at, stop); len(heard) > 0 {
		t.Errorf("heard %+v after it was over", heard)
	}
}

func TestAStopWordWithoutAModelIsLeftOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, err := os.ReadFile(filepath.Join(fake.Shared(t, "speech", "models"), "alexa.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "alexa.tflite"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, err = wake.New(wake.Config{
		Engine: "micro", Words: []string{"alexa"}, Stop: []string{"stop"}, ModelsDir: dir, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "models pull stop") {
		t.Errorf("the log is %q, expected one line with how to get the model", text)
	}
}

// Listening for stop words allocates nothing per frame either.
func TestStopWordsCostNoMemory(t *testing.T) {
	e, err := neural(t, func(c *wake.Config) { c.Stop = []string{"stop"} })
	if err != nil {
		t.Fatal(err)
	}
	e.(interface{ ListenForStop(on bool) }).ListenForStop(true)
	f := audio.Frame{At: time.Unix(1_700_000_000, 0), Samples: make([]int16, audio.FrameSamples)}
	if n := testing.AllocsPerRun(200, func() {
		f.At = f.At.Add(audio.FrameLength)
		if _, _, err := e.Detect(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%.1f allocations per frame", n)
	}
}
