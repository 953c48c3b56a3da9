package vad_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/vad"
)

// noise is a frame of noise at a level in dBFS.
func noise(r *rand.Rand, level float64) audio.Frame {
	scale := 32768 * math.Pow(10, level/20)
	f := audio.Frame{Samples: make([]int16, audio.FrameSamples)}
	for i := range f.Samples {
		f.Samples[i] = int16(max(-32768, min(32767, math.Round(r.NormFloat64()*scale))))
	}
	return f
}

func TestEnergy(t *testing.T) {
	type part struct {
		frames int
		level  float64
		want   bool // at the part's last frame
	}
	tests := map[string][]part{
		"quiet room":        {{200, -70, false}, {20, -30, true}, {30, -70, false}},
		"noisy room":        {{200, -45, false}, {20, -30, true}, {30, -45, false}},
		"noise is no click": {{200, -60, false}, {2, -20, false}, {5, -60, false}},
		"a closure":         {{200, -60, false}, {10, -30, true}, {5, -60, true}, {5, -30, true}},
		"a fan goes on":     {{200, -70, false}, {20, -45, true}, {200, -45, false}, {20, -30, true}},
		"starts with a word": {
			{20, -25, true}, {40, -65, false}, {20, -25, true},
		},
		"muted": {{300, -200, false}},
	}
	for name, parts := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := vad.New(vad.Default())
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for i, p := range parts {
				var j vad.Judgement
				for range p.frames {
					j = e.Push(noise(r, p.level))
				}
				if j.Speech != p.want {
					t.Errorf("part %d at %g dB: speech %v, floor %.1f", i, p.level, j.Speech, j.Floor)
				}
			}
		})
	}
}

func TestUnknownEngine(t *testing.T) {
	if _, err := vad.New(vad.Config{Engine: "x"}); err == nil || !strings.Contains(err.Error(), "energy") {
		t.Errorf("got %v, want the known engines", err)
	}
}
