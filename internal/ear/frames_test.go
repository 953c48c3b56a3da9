package ear_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/ear"
)

// TestARecordShowsItsLastFrames: how loud they were, and how their words were judged, from
// shortly before the end of speech to the end of the utterance.
func TestARecordShowsItsLastFrames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, ear.Config{Earcons: earcon.Off})
		s.play("quiet 1s", "wake", "say turn on the kitchen light", "quiet 6s", "wake", "quiet 8s")
		if len(s.records) != 2 || s.records[0].Endpoint == nil || s.records[0].Endpoint.Frames == nil {
			t.Fatalf("the records are %+v", s.records)
		}
		f := *s.records[0].Endpoint.Frames
		if f.From != -400 || f.Length != 20 || len(f.Levels) != 26 || len(f.Judged) != 26 || !strings.HasPrefix(f.Judged, "i") || !strings.HasSuffix(f.Judged, "rrrrr") {
			t.Errorf("the frames are %+v", f)
		}
		if loud, quiet := f.Levels[20], f.Levels[21]; loud < -40 || quiet > -40 {
			t.Errorf("the last frame of the speech has %d dB, the next one %d", loud, quiet)
		}
		if e := s.records[1].Endpoint; e == nil || e.Frames != nil {
			t.Errorf("of a turn in which nobody spoke there is %+v", e)
		}
	})
}
