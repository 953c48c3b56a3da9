package vad_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/vad"
	"voicegateway/internal/fake"
)

func modelled(tb testing.TB) vad.Engine {
	tb.Helper()
	dir := filepath.Dir(fake.Shared(tb, "speech", "models", "vad.tflite"))
	e, err := vad.New(vad.Config{Engine: "model", ModelsDir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// heard pushes a second of a quiet room and then the samples. It returns how many
// frames of these held a voice and how many held speech, and how many there were.
func heard(e vad.Engine, samples []int16) (voice, speech, frames int) {
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Unix(1_700_000_000, 0)
	push := func(f audio.Frame) vad.Judgement {
		at = at.Add(audio.FrameLength)
		f.At = at
		return e.Push(f)
	}
	for range 50 {
		push(noise(r, -72))
	}
	for len(samples) >= audio.FrameSamples {
		j := push(audio.Frame{Samples: samples[:audio.FrameSamples]})
		samples = samples[audio.FrameSamples:]
		if j.Voice {
			voice++
		}
		if j.Speech {
			speech++
		}
		frames++
	}
	return voice, speech, frames
}

func sound(seconds float64, at func(t float64, r *rand.Rand) float64) []int16 {
	r := rand.New(rand.NewPCG(3, 4))
	s := make([]int16, int(seconds*float64(audio.SpeechRate)))
	for i := range s {
		s[i] = int16(max(-32000, min(32000, 12000*at(float64(i)/float64(audio.SpeechRate), r))))
	}
	return s
}

// music is chords of plucked strings, two a second, with a drum.
func music(t float64, r *rand.Rand) (v float64) {
	roots := []float64{220, 196, 174.6, 164.8}
	root, beat := roots[int(t)%len(roots)], math.Mod(t, 0.5)
	for _, ratio := range []float64{1, 1.26, 1.5, 2} {
		for h := 1.0; h < 8; h++ {
			v += 0.1 / h * math.Exp(-3*beat) * min(1, beat*100) * math.Sin(2*math.Pi*root*ratio*h*t)
		}
	}
	return v + 0.4*math.Exp(-beat/0.02)*r.NormFloat64()
}

// door is a slam and its echo.
func door(t float64, r *rand.Rand) float64 {
	if t < 0.5 {
		return 0
	}
	t -= 0.5
	return 1.6*math.Exp(-t/0.05)*(0.3*r.NormFloat64()+math.Sin(2*math.Pi*90*t)) + 0.15*math.Exp(-t/0.25)*r.NormFloat64()
}

func TestTheModelHearsVoicesOnly(t *testing.T) {
	for name, samples := range map[string][]int16{
		"music": sound(6, music), "a slammed door": sound(3, door),
		"noise":  sound(5, func(_ float64, r *rand.Rand) float64 { return 0.1 * r.NormFloat64() }),
		"a tone": sound(3, func(t float64, _ *rand.Rand) float64 { return math.Sin(2 * math.Pi * 440 * t) }),
	} {
		t.Run(name, func(t *testing.T) {
			if voice, _, frames := heard(modelled(t), samples); voice > 0 {
				t.Errorf("a voice in %d of %d frames", voice, frames)
			}
		})
	}
	for _, clip := range []string{
		"cmd_flite-slt_clean_000.wav", "cmd_flite-rms_10_110.wav", "cmd_festival-kal_clean_080.wav", "cmd_espeak-us_clean_064.wav",
		"real_alexa_a.wav", "real_hey_mycroft_short.wav", "tts_tortoise_03.wav", "real_jfk.wav",
	} {
		t.Run(clip, func(t *testing.T) {
			voice, speech, frames := heard(modelled(t), recording(t, clip))
			if voice < 25 || speech < voice {
				t.Errorf("a voice in %d frames, speech in %d, of %d", voice, speech, frames)
			}
		})
	}
}

func recording(tb testing.TB, name string) []int16 {
	tb.Helper()
	data, err := os.ReadFile(fake.Shared(tb, "speech", "clips", name))
	if err != nil {
		tb.Fatal(err)
	}
	c, err := audio.ReadWAV(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	return c.Samples
}

// TestLoudnessCatchesWhatTheModelMisses: a slow speaker in a hall, 3.3 to 4.7 s.
func TestLoudnessCatchesWhatTheModelMisses(t *testing.T) {
	part := recording(t, "real_jfk.wav")[3*16000 : 48*1600]
	voice, speech, frames := heard(modelled(t), part)
	if voice > frames/2 || speech < 2*voice {
		t.Errorf("a voice in %d, speech in %d of %d frames", voice, speech, frames)
	}
}

func TestAutoTakesWhatThereIs(t *testing.T) {
	models := filepath.Dir(fake.Shared(t, "speech", "models", "vad.tflite"))
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "vad.tflite"), []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		dir   string
		model bool
		log   string
	}{
		"installed":     {models, true, ""},
		"not installed": {t.TempDir(), false, "models pull vad"},
		"nowhere":       {"", false, "no directory"},
		"broken":        {broken, false, "models pull vad"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			e, err := vad.New(vad.Config{Engine: "auto", ModelsDir: tc.dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			if j := e.Push(audio.Frame{Samples: make([]int16, audio.FrameSamples)}); j.Model != tc.model {
				t.Errorf("a model: %v", j.Model)
			}
			if !strings.Contains(log.String(), tc.log) || (tc.log == "") != (log.Len() == 0) {
				t.Errorf("it logs %q", log.String())
			}
			_, err = vad.New(vad.Config{Engine: "model", ModelsDir: tc.dir})
			if (err == nil) != tc.model || err != nil && name != "broken" && !errors.Is(err, micro.ErrNoModel) {
				t.Errorf("the engine model: %v", err)
			}
		})
	}
}

func TestMissingSoundIsNoVoice(t *testing.T) {
	e := modelled(t)
	samples := recording(t, "cmd_flite-slt_clean_000.wav")
	at := time.Unix(1_700_000_000, 0)
	for n := 0; (n+1)*audio.FrameSamples <= len(samples); n++ {
		at = at.Add(audio.FrameLength)
		if j := e.Push(audio.Frame{At: at, Samples: samples[n*audio.FrameSamples : (n+1)*audio.FrameSamples]}); j.Voice && n > 20 {
			if j := e.Push(audio.Frame{At: at.Add(time.Second), Samples: make([]int16, audio.FrameSamples)}); j.Voice {
				t.Error("the voice is still there after a second that is missing")
			}
			return
		}
	}
	t.Error("no voice at all")
}

func TestNothingIsAllocatedPerFrame(t *testing.T) {
	e := modelled(t)
	f := audio.Frame{Samples: sound(0.02, music)}
	if n := testing.AllocsPerRun(200, func() { e.Push(f) }); n > 0 {
		t.Errorf("%v allocations per frame", n)
	}
}

func BenchmarkModel(b *testing.B) {
	e := modelled(b)
	f := audio.Frame{Samples: sound(0.02, music)}
	b.ReportAllocs()
	for b.Loop() {
		e.Push(f)
	}
}
