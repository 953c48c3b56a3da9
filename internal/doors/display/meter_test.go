package display

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear"
	"voicegateway/internal/language/speech"
)

// At most ten readings come in a second, and the end of an utterance is always
// among them.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Meter
		var got []Reading
		for i := range 100 { // two seconds
			h := ear.Hearing{Level: -60}
			switch i {
			case 31:
				h.Score = 0.7 // a peak between two readings
			case 73:
				h = ear.Hearing{Turn: "t-1", Level: -20, Partial: speech.Partial{Text: "turn on"}, Judged: speech.Growable}
			case 77:
				h.Turn, h.Ended = "t-1", "silence"
			}
			if r, ok := m.Take(h, i >= 10); ok {
				got = append(got, r)
			}
			<-time.After(audio.FrameLength) // of the test's own clock
		}
		if len(got) < 17 || len(got) > 20 {
			t.Errorf("%d readings in 1.8 s", len(got))
		}
		var peak, loud float64 = 0, math.Inf(-1)
		ended := 0
		for _, r := range got {
			peak, loud = max(peak, r.Score), max(loud, r.Level)
			if r.Ended == "silence" {
				ended++
			}
			if r.Floor > -59 || r.Floor < -61 {
				t.Errorf("floor %g", r.Floor)
			}
		}
		if peak != 0.7 || loud != -20 || ended != 1 {
			t.Errorf("highest score %g, level %g, %d ends", peak, loud, ended)
		}
	})
}

func TestMeterJudges(t *testing.T) {
	for want, h := range map[string]ear.Hearing{
		"":           {Judged: speech.Closed},
		"incomplete": {Partial: speech.Partial{Text: "x"}},
		"growable":   {Partial: speech.Partial{Text: "x"}, Judged: speech.Growable},
		"closed":     {Partial: speech.Partial{Text: "x"}, Judged: speech.Closed},
	} {
		if got := judgementWord(h); got != want {
			t.Errorf("%+v is %q, expected %q", h, got, want)
		}
	}
}
