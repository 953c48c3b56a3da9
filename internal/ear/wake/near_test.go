package wake_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// A threshold moves while the engine listens. Half a wake word is reported once as
// nearly heard if it is below the threshold, and as heard if it is above it; other
// speech is not nearly the word.
func TestThresholdsMove(t *testing.T) {
	var near []speech.Detection
	e, err := neural(t, func(c *wake.Config) {
		c.Words = []string{"hey jarvis"}
		c.Near = func(d speech.Detection) { near = append(near, d) }
	})
	if err != nil {
		t.Fatal(err)
	}
	moved, ok := e.(wake.Adjustable)
	if !ok {
		t.Fatal("the thresholds of micro cannot be moved")
	}
	if got := moved.Thresholds()["hey jarvis"]; got != 0.97 {
		t.Errorf("the threshold is %v, expected its author's", got)
	}
	at := time.Unix(1_700_000_000, 0)
	heard := func(name string, part float64) (n int) {
		data, err := os.ReadFile(fake.Shared(t, "speech", "clips", name))
		if err != nil {
			t.Fatal(err)
		}
		clip, err := audio.ReadWAV(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		near = nil
		at = at.Add(time.Minute) // sound from another time
		sound := append(make([]int16, 3*int(audio.SpeechRate)), clip.Samples[:int(part*float64(len(clip.Samples)))]...)
		for sound = append(sound, make([]int16, audio.SpeechRate)...); len(sound) >= audio.FrameSamples; sound = sound[audio.FrameSamples:] {
			at = at.Add(audio.FrameLength)
			if _, hit, err := e.Detect(t.Context(), audio.Frame{At: at, Samples: sound[:audio.FrameSamples]}); err != nil {
				t.Fatal(err)
			} else if hit {
				n++
			}
		}
		return n
	}
	const word, other, half = "real_hey_jarvis_a.wav", "real_computer.wav", 0.44
	if n := heard(word, 1); n != 1 || len(near) != 0 {
		t.Errorf("the word: heard %d times, nearly heard %v", n, near)
	}
	if n := heard(other, 1); n != 0 || len(near) != 0 {
		t.Errorf("other speech: heard %d times, nearly heard %v", n, near)
	}
	if n := heard(word, half); n != 0 || len(near) != 1 || near[0].Word != "hey jarvis" || near[0].Score < 0.8 || near[0].At.IsZero() {
		t.Errorf("half a word: heard %d times, nearly heard %+v", n, near)
	}
	moved.SetThresholds(map[string]float64{"hey jarvis": 0.8, "alexa": 0.5})
	if n := heard(word, half); n != 1 || len(near) != 0 {
		t.Errorf("at 0.8: heard %d times, nearly heard %+v", n, near)
	}
	moved.SetThresholds(map[string]float64{"hey jarvis": 0.05}) // every noise would be the word
	moved.SetThresholds(map[string]float64{"hey jarvis": 0.97})
	if n := heard(word, half); n != 0 || len(near) != 1 {
		t.Errorf("moved back: heard %d times, nearly heard %+v", n, near)
	}
}
