package wake_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
)

// The score tells the meter how near sound comes to the word: near for the word
// and far for other speech.
func TestTheScoreTellsTheWordFromSpeech(t *testing.T) {
	for name, near := range map[string]bool{"real_hey_jarvis_a.wav": true, "real_computer.wav": false} {
		e, err := neural(t, func(c *wake.Config) { c.Words = []string{"hey jarvis"} })
		if err != nil {
			t.Fatal(err)
		}
		scorer, ok := e.(interface{ Score() float64 })
		if !ok {
			t.Fatal("the engine tells no score")
		}
		data, err := os.ReadFile(fake.Shared(t, "speech", "clips", name))
		if err != nil {
			t.Fatal(err)
		}
		clip, err := audio.ReadWAV(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		best, at := 0.0, time.Unix(1_700_000_000, 0)
		for s := append(make([]int16, 24000), clip.Samples...); len(s) >= audio.FrameSamples; s = s[audio.FrameSamples:] {
			at = at.Add(audio.FrameLength)
			if _, _, err := e.Detect(t.Context(), audio.Frame{At: at, Samples: s[:audio.FrameSamples]}); err != nil {
				t.Fatal(err)
			}
			best = max(best, scorer.Score())
		}
		if near != (best > 0.9) || !near && best > 0.5 {
			t.Errorf("%s came up to %.2f", name, best)
		}
	}
}
