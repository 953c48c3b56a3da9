package gateway

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// made computes sound from a formula, as loud as speech.
func made(seconds float64, at func(t float64, r *rand.Rand) float64) []int16 {
	r := rand.New(rand.NewPCG(5, 6))
	s := make([]int16, int(seconds*float64(audio.SpeechRate)))
	for i := range s {
		s[i] = int16(max(-32000, min(32000, 12000*at(float64(i)/float64(audio.SpeechRate), r))))
	}
	return s
}

// chord is a chord of plucked strings that changes every second, and a drum. A
// single string is close enough to a singing person for the model to hear a voice.
func chord(t float64, r *rand.Rand) (v float64) {
	roots, since := []float64{220, 196, 174.6, 164.8}, math.Mod(t, 0.5)
	for _, ratio := range []float64{1, 1.26, 1.5, 2} {
		for h := 1.0; h < 8; h++ {
			v += 0.1 / h * math.Exp(-3*since) * min(1, since*100) * math.Sin(2*math.Pi*roots[int(t)%len(roots)]*ratio*h*t)
		}
	}
	return v + 0.4*math.Exp(-since/0.02)*r.NormFloat64()
}

func slam(t float64, r *rand.Rand) float64 {
	return 1.6*math.Exp(-t/0.05)*(0.3*r.NormFloat64()+math.Sin(2*math.Pi*90*t)) + 0.15*math.Exp(-t/0.25)*r.NormFloat64()
}

// TestNobodySpeaksAfterTheWakeWord: the real model takes these sounds for no
// speech, so the turn ends without a word (REQUIREMENTS H7).
func TestNobodySpeaksAfterTheWakeWord(t *testing.T) {
	t.Parallel()
	models := filepath.Dir(fake.Shared(t, "speech", "models", "vad.tflite"))
	command, err := file.Load(fake.Shared(t, "speech", "clips", "cmd_flite-slt_clean_000.wav"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		sound  []int16
		reason string
	}{
		"nothing":        {made(0.1, func(float64, *rand.Rand) float64 { return 0 }), endpoint.NoSpeech},
		"music":          {made(8, chord), endpoint.NoSpeech},
		"a slammed door": {made(1.5, slam), endpoint.NoSpeech},
		"doors":          {slices.Concat(made(0.5, slam), made(0.7, slam), made(1.5, slam)), endpoint.NoSpeech},
		"a fan":          {made(8, func(_ float64, r *rand.Rand) float64 { return 0.1 * r.NormFloat64() }), endpoint.NoSpeech},
		"a command":      {command.Samples, endpoint.Silence},
	} {
		for _, engine := range []string{"pocketsphinx", "openai"} {
			t.Run(name+", "+engine, func(t *testing.T) {
				t.Parallel()
				cfg := Default()
				cfg.Wake.ModelsDir, cfg.STT.Engines = models, []string{engine}
				e, err := NewEndpointer(cfg, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				got := told(t, e, tc.sound)
				if got.Reason != tc.reason || got.SpeechStart.IsZero() != (tc.reason == endpoint.NoSpeech) {
					t.Errorf("it ends with %q, speech from %v", got.Reason, got.SpeechStart)
				}
			})
		}
	}
}

// told plays a sound in a quiet room after a detection and returns the endpoint.
func told(t *testing.T, e *endpoint.Endpointer, samples []int16) speech.Endpoint {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	at := time.Unix(1_700_000_000, 0)
	frame := func() audio.Frame {
		at = at.Add(audio.FrameLength)
		f := audio.Frame{At: at, Samples: make([]int16, audio.FrameSamples)}
		n := copy(f.Samples, samples)
		samples = samples[n:]
		for i := range f.Samples {
			f.Samples[i] = int16(max(-32768, min(32767, float64(f.Samples[i])+8*r.NormFloat64())))
		}
		return f
	}
	sound := samples
	samples = nil
	for range 100 {
		e.Observe(frame())
	}
	e.Reset(speech.Detection{Word: "hey jarvis", At: at})
	samples = sound
	for range 600 {
		f := frame()
		e.Admit(f)
		if got := e.Push(f, speech.Partial{}, speech.Incomplete); got.Done {
			return got
		}
	}
	t.Fatal("it never ends")
	return speech.Endpoint{}
}

func TestHowAnUtteranceEndsIsConfigured(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"unknown":  {func(c *Config) { c.STT.End.Mode = "guess" }, "stt.endpoint"},
		"no pause": {func(c *Config) { c.STT.End.Silence = 0 }, "stt.silence"},
		"too long": {func(c *Config) { c.STT.End.Silence = time.Minute }, "stt.silence"},
	} {
		c := Default()
		tc.change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
