package file_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	_ "voicegateway/internal/fake/bubble"
)

// A clip that is spoken into the room comes out of it in time, and the room is
// never digitally silent.
func TestAClipIsHeardInItsNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := file.NewRoom()
		clip := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 2*audio.FrameSamples)}
		for i := range clip.Samples {
			clip.Samples[i] = int16(10000 - 20000*(i/8%2))
		}
		if err := m.Say(clip); err != nil {
			t.Fatal(err)
		}
		began, loud := time.Now(), 0
		for range 40 {
			f, err := m.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			level := audio.Level(f.Samples)
			if level <= audio.Silence {
				t.Error("a frame is digitally silent")
			}
			if level > -20 {
				loud++
			}
		}
		if loud != 2 || time.Since(began) != 40*audio.FrameLength {
			t.Errorf("%d loud frames in %s", loud, time.Since(began))
		}
	})
}

// A paced speaker takes the clip's time, and is stopped in the middle of it.
func TestASpeakerThatNobodyHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clip := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.SpeechRate)}
		began := time.Now()
		if err := (file.Speaker{}).Play(t.Context(), clip); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if err := (file.Speaker{Paced: true}).Play(t.Context(), clip); err != nil || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if err := (file.Speaker{Paced: true}).Play(ctx, clip); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}
