package sphinx

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sound joins stretches of white noise, each given in dBFS and frames of 10 ms.
func sound(stretches ...[2]float64) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	var out []int16
	for _, s := range stretches {
		for range int(s[1]) * hopSamples {
			out = append(out, int16(r.NormFloat64()*32768*math.Pow(10, s[0]/20)))
		}
	}
	return out
}

func TestOnset(t *testing.T) {
	const zeros = -200
	tests := map[string]struct {
		sound    [][2]float64
		at       int // -1: none
		released int // frames after which there is enough; 0: never
	}{
		"a room, then speech":         {[][2]float64{{-60, 40}, {-30, 60}}, 40, 75},
		"padding, a room, speech":     {[][2]float64{{zeros, 40}, {-55, 30}, {-30, 60}}, 70, 105},
		"speech out of padding":       {[][2]float64{{zeros, 40}, {-60, 5}, {-30, 60}}, 45, 80},
		"speech with little contrast": {[][2]float64{{-45, 40}, {-30, 20}, {-40, 90}}, 40, 120},
		"speech from the beginning":   {[][2]float64{{-30, 100}}, 0, 70},
		"the wake word's end first":   {[][2]float64{{-60, 10}, {-30, 8}, {-60, 40}, {-30, 60}}, 58, 93},
		"a room alone":                {[][2]float64{{-60, 90}}, -1, 0},
		"padding alone":               {[][2]float64{{zeros, 90}}, -1, 0},
		"a click":                     {[][2]float64{{-60, 30}, {-20, 2}, {-60, 50}}, -1, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var o onset
			o.reset()
			samples, released := sound(tc.sound...), 0
			for n := 1; n*hopSamples <= len(samples) && released == 0; n++ {
				if o.push(samples[(n-1)*hopSamples : n*hopSamples]) {
					released = n
				}
			}
			if o.at != tc.at || released != tc.released {
				t.Errorf("speech from frame %d, enough after %d; want %d and %d", o.at, released, tc.at, tc.released)
			}
		})
	}
}

// TestALongWaitIsForgotten: a long silence before the speech does not make the
// first decoding long.
func TestALongWaitIsForgotten(t *testing.T) {
	var o onset
	o.reset()
	for range 10 {
		o.push(sound([2]float64{-60, 50}))
	}
	if got := len(o.samples) / hopSamples; got > leadMost {
		t.Errorf("%d frames without speech are held, want at most %d", got, leadMost)
	}
	o.push(sound([2]float64{-30, 10}))
	if o.at < leadMost-10 || len(o.samples) != len(o.levels)*hopSamples {
		t.Errorf("speech begins at frame %d of %d, %d samples", o.at, len(o.levels), len(o.samples))
	}
}
