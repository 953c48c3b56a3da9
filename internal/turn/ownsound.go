package turn

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
)

// Limits for our own sound, which comes back through the microphone. None of it may
// reach the recogniser or hold a turn open, and it must not hide a word that
// somebody says at the same time.
const (
	// echoTime is how long the room and the devices' buffers go on sounding after a
	// clip: 50 ms to stop the speaker, 150 ms of room, and some.
	echoTime = 250 * time.Millisecond
	// bargeInEchoTime is the echo time of a voice that was cut by a wake word. It is
	// shorter, because the first words of a command follow the wake word in one breath
	// and the rest of the echo is already falling.
	bargeInEchoTime = 100 * time.Millisecond
	// chimeTimeout is how long a short sound may take, including the wait for the
	// device.
	chimeTimeout = 2 * time.Second
	// ownShare is the share of a frame's strength at a sound's own tones above
	// which the frame is that sound.
	ownShare = 0.5
	// aboveOwnVoice is how many dB louder than the echo of our voice a person is who
	// speaks over it.
	aboveOwnVoice = 6.0
	// voiceShare is the share of the frames, while we spoke, that are below the
	// loudness taken for the echo.
	voiceShare = 0.9
	// voiceFrames is how many frames are needed to measure that loudness,
	// voiceFramesKept how many are remembered, and wakeWordFrames how many of the last
	// ones may hold a wake word.
	voiceFrames     = 10
	voiceFramesKept = 150
	wakeWordFrames  = 50
)

// chimePlayed is the event that a short sound has ended.
const chimePlayed Kind = "chime_played"

// ownSound plays the short sounds and knows what our own sound is like in the
// microphone. It belongs to the loop's goroutine.
type ownSound struct {
	speaker Speaker // plays the short sounds; nil: there are none
	set     earcon.Set
	live    bool // false for recorded sound, which has no room in which ours could be heard
	log     *slog.Logger
	running *sync.WaitGroup
	events  chan<- event

	chimes        int       // short sounds being played
	tones         []float64 // their tones
	chimeEchoEnds time.Time // on the frames' clock
	voiceLevels   []float64 // dBFS of the last frames while we spoke
	voiceLevel    float64   // dBFS: the loudness of our voice in the microphone
	voiceEchoEnds time.Time
	noise         uint32 // state of the random generator that quiet uses
}

// chime starts playing a short sound and returns at once.
func (o *ownSound) chime(ctx context.Context, s earcon.Sound) {
	if !o.live || o.speaker == nil || !o.set.Has(s) {
		return
	}
	if o.chimes == 0 && !time.Now().Before(o.chimeEchoEnds) {
		o.tones = nil
	}
	o.chimes++
	o.tones = append(o.tones, s.Tones()...)
	slices.Sort(o.tones)
	o.tones = slices.Compact(o.tones)
	clip := o.set.Clip(s)
	o.running.Go(func() {
		limited, cancel := context.WithTimeout(ctx, chimeTimeout)
		defer cancel()
		if err := o.speaker.Play(limited, clip); err != nil && ctx.Err() == nil {
			o.log.Debug("sound not played", "part", "audio", "sound", string(s), "err", err)
		}
		select {
		case o.events <- event{kind: chimePlayed}:
		case <-ctx.Done():
		}
	})
}

// chimeEnded notes the end of a short sound.
func (o *ownSound) chimeEnded() {
	o.chimes--
	o.chimeEchoEnds = time.Now().Add(echoTime)
}

// noteVoice remembers how loud a frame was while our voice sounded.
func (o *ownSound) noteVoice(level float64) {
	if len(o.voiceLevels) == voiceFramesKept {
		o.voiceLevels = slices.Delete(o.voiceLevels, 0, 1)
	}
	o.voiceLevels = append(o.voiceLevels, level)
}

// voiceEnded measures how loud the voice that has ended was in the microphone.
// After a wake word, the last frames do not count, because they hold it.
func (o *ownSound) voiceEnded(woken bool) {
	levels, echo := o.voiceLevels, echoTime
	if woken {
		levels, echo = levels[:max(0, len(levels)-wakeWordFrames)], bargeInEchoTime
	}
	o.voiceLevels, o.voiceLevel = o.voiceLevels[:0], audio.Silence
	if len(levels) >= voiceFrames {
		sorted := slices.Sorted(slices.Values(levels))
		o.voiceLevel = sorted[int(voiceShare*float64(len(sorted)))]
	}
	o.voiceEchoEnds = time.Now().Add(echo)
}

// without returns the frame with our own sound replaced by the quiet of the room,
// whose loudness is in dBFS. A frame that is mostly something else stays as it is.
func (o *ownSound) without(f audio.Frame, room float64) audio.Frame {
	chiming := o.live && (o.chimes > 0 || f.At.Before(o.chimeEchoEnds)) && earcon.Share(f.Samples, o.tones) >= ownShare
	speaking := o.live && o.voiceLevel > audio.Silence && f.At.Before(o.voiceEchoEnds) && audio.Level(f.Samples) < o.voiceLevel+aboveOwnVoice
	if chiming || speaking {
		f.Samples = o.quiet(len(f.Samples), room)
	}
	return f
}

// quiet makes n samples of even noise of a loudness in dBFS.
func (o *ownSound) quiet(n int, level float64) []int16 {
	most := int32(32768 * math.Pow(10, level/20) * math.Sqrt(3))
	samples := make([]int16, n)
	for i := range samples {
		o.noise = o.noise*1664525 + 1013904223 // Numerical Recipes' generator
		samples[i] = int16(int32(o.noise>>16)%(2*most+1) - most)
	}
	return samples
}
