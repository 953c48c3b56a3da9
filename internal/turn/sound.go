package turn

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
)

// Our own sound comes back through the microphone. None of it may reach the
// recogniser or hold a turn open, and none of it may cost a word that somebody
// says at the same time.
const (
	// echoTail is how long a room and the devices' buffers still sound when a clip
	// was heard: 50 ms to stop the speaker, 150 ms of room, and some.
	echoTail = 250 * time.Millisecond
	// bargeTail is that of a voice that was cut by a wake word: the first words of a
	// command come with it in one breath, and what is left of the echo is falling.
	bargeTail = 100 * time.Millisecond
	// chimeMost is how long a short sound may take with all waiting for the device.
	chimeMost = 2 * time.Second
	// mostlyOurs is the share of a frame's strength at a sound's own tones above
	// which the frame is that sound.
	mostlyOurs = 0.5
	// clearly is how much louder than the echo of our voice somebody's voice is who
	// speaks over it, in dB.
	clearly = 6.0
	// voiceShare of the frames in which we spoke are below the loudness of the echo.
	voiceShare = 0.9
	// voiceKnown is how many frames tell that loudness, voiceKept how many are
	// remembered, and wordLength how many of the last may be a wake word.
	voiceKnown = 10
	voiceKept  = 150
	wordLength = 50
)

// own is what is known of our own sound.
type own struct {
	playing    int       // short sounds on their way
	tones      []float64 // of these
	until      time.Time // on the frames' clock: their echo is over
	levels     []float64 // dBFS, of the last frames while we spoke
	voice      float64   // dBFS: the loudness of our voice in the microphone
	voiceUntil time.Time // its echo is over
	noise      uint32    // state of the generator of quiet

	saying atomic.Pointer[string] // the sentence that is being played
}

// says reports whether a word is in what we are saying ourselves.
func (o *own) says(word string) bool {
	s := o.saying.Load()
	return s != nil && strings.Contains(strings.ToLower(*s), strings.ToLower(word))
}

// played is the news that a short sound was heard.
const played Kind = "played"

// chime plays a short sound beside whatever goes on. Recorded sound has no room
// in which it could be heard.
func (l *Loop) chime(ctx context.Context, s earcon.Sound) {
	speaker := l.parts.Chimes
	if speaker == nil {
		speaker = l.parts.Speaker
	}
	if !l.cfg.Live || speaker == nil || !l.cfg.Earcons.Has(s) {
		return
	}
	if l.own.playing == 0 && !time.Now().Before(l.own.until) {
		l.own.tones = nil
	}
	l.own.playing++
	l.own.tones = append(l.own.tones, s.Tones()...)
	slices.Sort(l.own.tones)
	l.own.tones = slices.Compact(l.own.tones)
	clip := l.cfg.Earcons.Clip(s)
	l.told.Go(func() {
		limited, cancel := context.WithTimeout(ctx, chimeMost)
		defer cancel()
		if err := speaker.Play(limited, clip); err != nil && ctx.Err() == nil {
			l.parts.Log.Debug("sound not played", "part", "audio", "sound", string(s), "err", err)
		}
		select {
		case l.events <- event{kind: played}:
		case <-ctx.Done():
		}
	})
}

// chimed notes the end of a short sound.
func (l *Loop) chimed() {
	l.own.playing--
	l.own.until = time.Now().Add(echoTail)
}

// spoken follows how loud our voice is in the microphone.
func (o *own) spoken(level float64) {
	if len(o.levels) == voiceKept {
		o.levels = slices.Delete(o.levels, 0, 1)
	}
	o.levels = append(o.levels, level)
}

// silent says that our voice ended; woken, that a wake word was said over it, whose
// own loudness does not count.
func (o *own) silent(woken bool) {
	levels := o.levels
	if woken {
		levels = levels[:max(0, len(levels)-wordLength)]
	}
	o.levels, o.voice = o.levels[:0], audio.Silence
	if len(levels) >= voiceKnown {
		sorted := slices.Sorted(slices.Values(levels))
		o.voice = sorted[int(voiceShare*float64(len(sorted)))]
	}
	tail := echoTail
	if woken {
		tail = bargeTail
	}
	o.voiceUntil = time.Now().Add(tail)
}

// clean is the frame without our own sound: a frame that is mostly that becomes
// the quiet of the room, any other stays as it is.
func (l *Loop) clean(f audio.Frame) audio.Frame {
	o := &l.own
	chiming := l.cfg.Live && (o.playing > 0 || f.At.Before(o.until)) && earcon.Share(f.Samples, o.tones) >= mostlyOurs
	speaking := l.cfg.Live && o.voice > audio.Silence && f.At.Before(o.voiceUntil) && audio.Level(f.Samples) < o.voice+clearly
	if chiming || speaking {
		f.Samples = o.quiet(len(f.Samples), l.ear.floor.Level())
	}
	return f
}

// quiet is even noise of a loudness in dBFS.
func (o *own) quiet(n int, level float64) []int16 {
	most := int32(32768 * math.Pow(10, level/20) * math.Sqrt(3))
	samples := make([]int16, n)
	for i := range samples {
		o.noise = o.noise*1664525 + 1013904223 // Numerical Recipes' generator
		samples[i] = int16(int32(o.noise>>16)%(2*most+1) - most)
	}
	return samples
}
