package ear_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/ear"
)

// TestAnAnswerThatWasNotHeardStaysHere: sound after a question may come from
// anybody, so no recogniser on another machine gets it.
func TestAnAnswerThatWasNotHeardStaysHere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, ear.Config{Earcons: earcon.Off})
		s.play("quiet 1s", "wake", "say turn on the office lights", "quiet 3s", "cough", "quiet 4s", "wake", "cough", "quiet 4s")
		if got := s.stt.Seconds(); got != 1 {
			t.Errorf("the slower recognisers are asked %d times, expected once, after the wake word", got)
		}
	})
}

// TestOnlyWhatWasSaidIsKept: the recorded sound of a turn holds no more of the room
// than the moment before the speech.
func TestOnlyWhatWasSaidIsKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scene []string
		clips int
		most  time.Duration // of the last clip
	}{
		"a correction":             {[]string{"wake", "say turn on the kitchen light", "quiet 6s", "say undo", "quiet 4s"}, 2, 1200 * time.Millisecond},
		"nothing said":             {[]string{"wake", "quiet 8s"}, 0, 0},
		"muted while more is said": {[]string{"wake", "say turn on the kitchen light", "quiet 240ms", "say and turn on", "mute", "quiet 4s"}, 1, 1200 * time.Millisecond},
		"muted while it is spoken": {[]string{"wake", "say turn on the", "mute", "quiet 2s"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t, ear.Config{Earcons: earcon.Off})
				s.play(append([]string{"quiet 1s"}, tt.scene...)...)
				if len(s.clips) != tt.clips {
					t.Fatalf("%d clips are kept, expected %d", len(s.clips), tt.clips)
				}
				if tt.clips == 0 {
					return
				}
				if got := (audio.Clip{Rate: audio.SpeechRate, Samples: s.clips[tt.clips-1].Samples}).Duration(); got > tt.most {
					t.Errorf("%v are kept, expected %v at most", got, tt.most)
				}
			})
		})
	}
}
