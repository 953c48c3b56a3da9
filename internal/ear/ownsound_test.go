package ear

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
)

// mute is a speaker that plays nothing while it has an error.
type mute struct{ err error }

func (m *mute) Play(context.Context, audio.Clip) error { return m.err }

// TestAnAlertThatNothingPlaysIsToldOnce: an alert sounds in rounds; that nothing plays it is
// one line, and another one when a speaker that came has gone again.
func TestAnAlertThatNothingPlaysIsToldOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	speaker := &mute{}
	o := &ownSound{speaker: speaker, set: earcon.Soft, log: slog.New(slog.NewTextHandler(&log, nil))}
	for round, err := range []error{errors.New("no speaker"), errors.New("no speaker"), errors.New("no speaker"), nil, errors.New("no speaker"), errors.New("no speaker")} {
		speaker.err = err
		o.call(t.Context(), earcon.Ring)
		if n, want := strings.Count(log.String(), "level=WARN"), 1+round/4; n != want {
			t.Errorf("after round %d the log has %d lines, want %d:\n%s", round, n, want, &log)
		}
	}
}

// TestSpokenOver: an answer that begins while the question still sounds is told from our
// own voice by loudness alone.
func TestSpokenOver(t *testing.T) {
	t.Parallel()
	const own, louder, softer = -35.0, -24.0, -31.0
	type stretch struct {
		frames int
		level  float64
	}
	for name, tt := range map[string]struct {
		heard []stretch
		want  int // of the last frames
	}{
		"our own voice":                       {[]stretch{{100, own}}, 0},
		"our own voice, rising":               {[]stretch{{50, own}, {50, own + 4}}, 0},
		"an answer in the last 300 ms":        {[]stretch{{45, own}, {15, louder}}, 15},
		"an answer that has ended again":      {[]stretch{{45, own}, {10, louder}, {5, own}}, 15},
		"a second into a long question":       {[]stretch{{60, own}, {40, louder}}, 40},
		"no louder than our own voice":        {[]stretch{{45, own}, {15, softer}}, 0},
		"a knock":                             {[]stretch{{45, own}, {2, louder}, {13, own}}, 0},
		"a question too short to measure":     {[]stretch{{6, own}, {3, louder}}, 0},
		"a short question":                    {[]stretch{{20, own}, {10, louder}}, 10},
		"longer ago than an answer may begin": {[]stretch{{20, own}, {20, louder}, {60, own}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &ownSound{live: true}
			var frames []audio.Frame
			for _, s := range tt.heard {
				for range s.frames {
					frames = append(frames, audio.Frame{Samples: tone(s.level)})
					o.noteVoice(s.level)
				}
			}
			o.voiceEnded(false)
			for i := range frames {
				frames[i].At = o.voiceEnds.Add(time.Duration(i+1-len(frames)) * audio.FrameLength)
			}
			if got := o.framesOverUs(frames); len(got) != tt.want {
				t.Errorf("the last %d frames, expected %d", len(got), tt.want)
			}
		})
	}
}

// TestOurEchoFalls: the longer our voice has ended, the softer an answer may be.
func TestOurEchoFalls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		after time.Duration
		level float64
		ours  bool
	}{
		"at its end":               {0, -31, true},
		"at its end, louder":       {0, -24, false},
		"while buffers still play": {100 * time.Millisecond, -31, true},
		"a little later":           {160 * time.Millisecond, -31, false},
		"a little later, softly":   {160 * time.Millisecond, -38, true},
		"a quarter of a second":    {240 * time.Millisecond, -44, false},
		"when all is over":         {260 * time.Millisecond, -50, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &ownSound{live: true}
			for range 60 {
				o.noteVoice(-35)
			}
			o.voiceEnded(false)
			f := audio.Frame{At: o.voiceEnds.Add(tt.after), Samples: tone(tt.level)}
			if got := o.echoes(f); got != tt.ours {
				t.Errorf("taken for ours: %v", got)
			}
		})
	}
}

// tone is a frame of a loudness in dBFS.
func tone(level float64) []int16 {
	samples := make([]int16, audio.FrameSamples)
	for i := range samples {
		samples[i] = int16(math.Sqrt2 * 32768 * math.Pow(10, level/20) * math.Sin(float64(i)*math.Pi/8))
	}
	return samples
}
