package ear

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
)

// Limits for our own sound, which comes back through the microphone. None of it may reach
// the recogniser or hold a turn open, and it must not hide a word that a person says at
// the same time.
const (
	// echoTime is how long the room and the devices' buffers still sound after a clip: 50 ms
	// to stop the speaker, 150 ms of room, and some.
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
	// speaks over it. echoHold after its end the echo falls by echoFall in each
	// millisecond, which a room with much echo does (60 dB in 0.4 s), so that a person
	// who answers at once is heard.
	aboveOwnVoice = 6.0
	echoHold      = 120 * time.Millisecond
	echoFall      = 0.15 // dB
	// voiceShare is the share of the frames, while we spoke, that are below the
	// loudness taken for the echo.
	voiceShare = 0.9
	// voiceFrames is how many frames are needed to measure that loudness,
	// voiceFramesKept how many are remembered. wakeWordFrames of the last ones may hold
	// a wake word. After a question, all frames but the first measuredFrames may hold
	// the beginning of its answer, though no more than answerMost and no fewer than
	// answerLeast. In twelve questions by five synthetic voices our own voice alone was
	// never taken for an answer.
	voiceFrames     = 10
	voiceFramesKept = 150
	wakeWordFrames  = 50
	measuredFrames  = 40
	answerLeast     = 20
	answerMost      = 50
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

	unheard       atomic.Pointer[time.Time] // since when the sounds of alerts are not played; nil: the last one was
	chimes        int                       // short sounds being played
	tones         []float64                 // their tones
	chimeEchoEnds time.Time                 // on the frames' clock
	voiceLevels   []float64                 // dBFS of the last frames while we spoke
	voiceLevel    float64                   // dBFS: the loudness of our voice in the microphone; audio.Silence if it is not known
	answering     int                       // how many of the last of these frames may hold an answer
	voiceEnds     time.Time
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

// voiceEnded measures how loud the voice that has ended was in the microphone. The
// last frames do not count, because they may hold a wake word or the beginning of an
// answer, unless there are too few others.
func (o *ownSound) voiceEnded(woken bool) {
	levels, echo := o.voiceLevels, echoTime
	o.answering = min(max(len(levels)-measuredFrames, answerLeast), answerMost)
	switch rest := len(levels) - o.answering; {
	case woken:
		levels, echo = levels[:max(0, len(levels)-wakeWordFrames)], bargeInEchoTime
	case rest >= voiceFrames:
		levels = levels[:rest]
	}
	o.voiceLevels, o.voiceLevel = o.voiceLevels[:0], audio.Silence
	if len(levels) >= voiceFrames {
		sorted := slices.Sorted(slices.Values(levels))
		o.voiceLevel = sorted[int(voiceShare*float64(len(sorted)))]
	}
	o.voiceEnds = time.Now()
	o.voiceEchoEnds = o.voiceEnds.Add(echo)
}

// without returns the frame with our own sound replaced by the quiet of the room,
// whose loudness is in dBFS. A frame that is mostly something else stays as it is.
func (o *ownSound) without(f audio.Frame, room float64) audio.Frame {
	chiming := o.live && (o.chimes > 0 || f.At.Before(o.chimeEchoEnds)) && earcon.Share(f.Samples, o.tones) >= ownShare
	if chiming || o.live && o.echoes(f) {
		f.Samples = o.quiet(len(f.Samples), room)
	}
	return f
}

// deaf replaces the frame by the quiet of the room while the echo of our voice may last,
// however loud other people are.
func (o *ownSound) deaf(f audio.Frame, room float64) audio.Frame {
	if f.At.Before(o.voiceEchoEnds) {
		f.Samples = o.quiet(len(f.Samples), room)
	}
	return f
}

// echoes reports whether a frame may be the echo of our voice.
func (o *ownSound) echoes(f audio.Frame) bool {
	if o.voiceLevel == audio.Silence || !f.At.Before(o.voiceEchoEnds) {
		return false
	}
	fallen := echoFall * max(0, float64((f.At.Sub(o.voiceEnds)-echoHold)/time.Millisecond))
	return audio.Level(f.Samples) < o.voiceLevel+aboveOwnVoice-fallen
}

// framesOverUs returns the last of the frames heard while we spoke, from where a person
// began to speak over us; nil if there was no such speech. If our own voice could not be
// measured, speech cannot be told from it.
func (o *ownSound) framesOverUs(frames []audio.Frame) []audio.Frame {
	if !o.live || o.voiceLevel == audio.Silence {
		return nil
	}
	frames = frames[max(0, len(frames)-o.answering):]
	for i := range frames {
		loud := 0
		for _, f := range frames[i:min(len(frames), i+resumedOf)] {
			if !o.echoes(f) {
				loud++
			}
		}
		if loud >= resumedFrames && !o.echoes(frames[i]) {
			return frames[i:]
		}
	}
	return nil
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
