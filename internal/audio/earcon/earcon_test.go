package earcon_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
)

// sounds are all the sounds there are.
var sounds = []earcon.Sound{earcon.Wake, earcon.FollowUp, earcon.Done, earcon.Refused, earcon.Error, earcon.Muted, earcon.Unmuted}

// calls are the sounds that call people from another room.
var calls = []earcon.Sound{earcon.Ring, earcon.Alarm}

// A sound of a turn must not delay it; one that calls people must be heard, and leave
// room for words.
const (
	longest     = 200 * time.Millisecond
	longestCall = 2 * time.Second
)

func TestEverySoundIsShortSmoothAndAsLoudAsItsSet(t *testing.T) {
	t.Parallel()
	for set, dBFS := range map[earcon.Set]float64{earcon.Soft: -18, earcon.Full: -12} {
		for _, s := range sounds {
			check(t, set, s, dBFS, longest)
		}
	}
}

// A family that wants no sounds wants to be woken all the same, and louder.
func TestWhatCallsPeopleIsLoudInEverySet(t *testing.T) {
	t.Parallel()
	for set, dBFS := range map[earcon.Set]float64{earcon.Off: -12, "": -12, earcon.Soft: -12, earcon.Full: -6} {
		check(t, set, earcon.Ring, dBFS, longestCall)
		check(t, set, earcon.Alarm, -3, longestCall)
		for _, s := range calls {
			if !set.Has(s) || set.Clip(s).Duration() <= longest {
				t.Errorf("%s is not made, or too short to wake anybody, in %q", s, set)
			}
		}
	}
}

// check looks at a sound's length and loudness, and for clicks.
func check(t *testing.T, set earcon.Set, s earcon.Sound, dBFS float64, longest time.Duration) {
	t.Helper()
	most := 32767 * math.Pow(10, dBFS/20)
	c := set.Clip(s)
	if c.Rate != audio.SpeechRate || c.Duration() == 0 || c.Duration() > longest {
		t.Errorf("%s %s takes %v at %d Hz", set, s, c.Duration(), c.Rate)
	}
	peak, last := 0.0, 0.0
	for i, v := range append(c.Samples, 0) {
		peak = max(peak, math.Abs(float64(v)))
		// A sine of 2 kHz changes by at most 0.78 of its peak from one sample to the next, and by
		// nearly nothing at its faded ends.
		limit := 0.8 * most
		if i < 8 || i >= len(c.Samples)-8 {
			limit = 0.05 * most
		}
		if math.Abs(float64(v)-last) > limit {
			t.Errorf("%s %s clicks at sample %d: %.0f after %.0f", set, s, i, float64(v), last)
		}
		last = float64(v)
	}
	if peak > most+1 || peak < 0.9*most {
		t.Errorf("%s %s has a peak of %.0f, expected %.0f", set, s, peak, most)
	}
}

func TestSetsDiffer(t *testing.T) {
	t.Parallel()
	for _, s := range sounds {
		if earcon.Off.Has(s) || earcon.Set("").Has(s) || len(earcon.Off.Clip(s).Samples) > 0 {
			t.Errorf("%s sounds although sounds are off", s)
		}
		if !earcon.Full.Has(s) || earcon.Soft.Has(s) != (s != earcon.Done) {
			t.Errorf("%s is in the wrong set", s)
		}
	}
	if len(earcon.Full.Clip("whistle").Samples) > 0 {
		t.Error("a sound that does not exist is made")
	}
	seen := map[string]earcon.Sound{}
	for _, s := range slices.Concat(sounds, calls) {
		key := string(audio.AppendPCM(nil, earcon.Full.Clip(s).Samples))
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s sound the same", s, other)
		}
		seen[key] = s
	}
}

// Our own sound can be told from a voice: at any loudness and delay, most of the
// strength of a frame with the sound is at its tones.
func TestShareKnowsOurOwnSound(t *testing.T) {
	t.Parallel()
	for _, s := range slices.Concat(sounds, calls) {
		c := earcon.Soft.Clip(s)
		audible := audio.Level(c.Samples) - 31 // dBFS: a softer frame never counts as speech
		for delay := 0; delay < audio.FrameSamples; delay += 37 {
			room := make([]int16, delay+len(c.Samples)+audio.FrameSamples)
			for i, v := range c.Samples {
				room[delay+i] += v / 2
			}
			for i := 0; i+audio.FrameSamples <= len(room); i += audio.FrameSamples {
				frame := room[i : i+audio.FrameSamples]
				if level, share := audio.Level(frame), earcon.Share(frame, s.Tones()); level > audible && share < 0.6 {
					t.Errorf("%s, %d samples late: a frame of %.0f dBFS is ours by %.2f only", s, delay, level, share)
				}
			}
		}
	}
}

func TestShareKnowsAVoice(t *testing.T) {
	t.Parallel()
	// A vowel: harmonics of 120 Hz that get weaker by 6 dB an octave.
	vowel := make([]int16, audio.FrameSamples)
	for i := range vowel {
		var v float64
		for h := 1.0; h <= 30; h++ {
			v += 3000 / h * math.Sin(2*math.Pi*120*h*float64(i)/float64(audio.SpeechRate))
		}
		vowel[i] = int16(v)
	}
	for _, s := range slices.Concat(sounds, calls) {
		if share := earcon.Share(vowel, s.Tones()); share > 0.2 {
			t.Errorf("a vowel is taken for %s by %.2f", s, share)
		}
	}
	if earcon.Share(nil, earcon.Wake.Tones()) != 0 || earcon.Share(make([]int16, 320), earcon.Wake.Tones()) != 0 || earcon.Share(vowel, nil) != 0 {
		t.Error("nothing is taken for something")
	}
}
