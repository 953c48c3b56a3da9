package earcon

import (
	"math"

	"voicegateway/internal/audio"
)

// width is how far around a pitch its strength is looked for, in hertz: a note
// that begins or ends within a frame is spread that far. step is the difference
// that a frame of 20 ms can resolve.
const (
	width = 150.0
	step  = 50.0
)

// Share returns how much of the strength of the samples lies at the pitches, from 0 to 1.
// It is near 1 for our own sound as a microphone hears it in a quiet room, at any
// loudness and however late, and below a half if a person speaks over it as loudly.
func Share(samples []int16, tones []float64) float64 {
	if len(samples) == 0 || len(tones) == 0 {
		return 0
	}
	var mean, all float64
	for _, s := range samples {
		mean += float64(s)
	}
	mean /= float64(len(samples))
	for _, s := range samples {
		all += (float64(s) - mean) * (float64(s) - mean)
	}
	if all == 0 {
		return 0
	}
	var ours float64
	for _, tone := range tones {
		for hertz := tone - width; hertz <= tone+width; hertz += step {
			ours += strength(samples, mean, hertz)
		}
	}
	return min(1, ours/all)
}

// strength returns the energy of the samples at a pitch (Goertzel's algorithm).
func strength(samples []int16, mean, hertz float64) float64 {
	k := 2 * math.Cos(2*math.Pi*hertz/float64(audio.SpeechRate))
	var s1, s2 float64
	for _, s := range samples {
		s1, s2 = float64(s)-mean+k*s1-s2, s1
	}
	return 2 * (s1*s1 + s2*s2 - k*s1*s2) / float64(len(samples))
}
