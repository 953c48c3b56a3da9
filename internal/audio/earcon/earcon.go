// Package earcon makes the short sounds with which the gateway shows, without words, that
// it heard, did or refused something. It exists so that a family need not look at a lamp
// to know whether it is listened to, and it is pure: the sounds are computed, not
// recorded, so they need no files and no licence.
//
// A sound is a few steady notes: at most a fifth of a second for one that accompanies a
// turn, at most two seconds for one that calls people (Ring, Alarm). The notes lie where
// a voice has little of its strength, so that a microphone can tell our own sound from a
// person who speaks over it (Sound.Tones). To add a sound, give it a line in the table of
// scores.
package earcon

import (
	"math"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/audio"
)

// Sound is what the gateway says with a short sound.
type Sound string

// The sounds there are.
const (
	Wake     Sound = "wake"     // the microphone is open
	FollowUp Sound = "followup" // it is open for the answer to a question
	Done     Sound = "done"
	Refused  Sound = "refused"
	Error    Sound = "error"
	Muted    Sound = "muted"
	Unmuted  Sound = "unmuted"

	Ring  Sound = "ring"  // something is due: a timer, a reminder
	Alarm Sound = "alarm" // somebody may be in danger
)

// calls reports whether a sound calls people from another room. Such a sound is made
// in every set.
func (s Sound) calls() bool { return s == Ring || s == Alarm }

// Set is which sounds are made, and how loud.
type Set string

// The sets, as they are configured. The zero Set is Off.
const (
	Off  Set = "off"  // only Ring and Alarm
	Soft Set = "soft" // quieter, and not Done: the lamp is on, that is enough
	Full Set = "full"
)

// Peaks of the sets, in dBFS. A voice's peaks are about as high as the full
// ones.
const (
	softPeak  = -18.0
	fullPeak  = -12.0
	ringMore  = 6.0  // dB: so much louder is Ring
	alarmPeak = -3.0 // of Alarm, in every set
)

// note is a tone; one of 0 Hz is a rest.
type note struct {
	hertz  float64
	length time.Duration
}

// The three pitches: whole multiples of 50 Hz, so that a frame of 20 ms holds
// whole waves of them, and above a voice's strongest part.
const (
	low    = 1200
	middle = 1600
	high   = 2000
	rest   = 0
)

const ms = time.Millisecond

var scores = map[Sound][]note{
	Wake:     {{middle, 50 * ms}, {high, 70 * ms}},
	FollowUp: {{middle, 50 * ms}, {rest, 30 * ms}, {high, 50 * ms}, {rest, 10 * ms}, {high, 50 * ms}},
	Done:     {{high, 90 * ms}},
	Refused:  {{middle, 60 * ms}, {low, 100 * ms}},
	Error:    {{low, 60 * ms}, {rest, 40 * ms}, {low, 90 * ms}},
	Muted:    {{high, 60 * ms}, {low, 100 * ms}},
	Unmuted:  {{low, 60 * ms}, {high, 100 * ms}},

	Ring:  slices.Concat(chime, []note{{rest, 200 * ms}}, chime),
	Alarm: slices.Repeat([]note{{high, 150 * ms}, {low, 150 * ms}}, 5),
}

// chime is half of Ring.
var chime = []note{{low, 120 * ms}, {middle, 120 * ms}, {high, 180 * ms}, {rest, 60 * ms}, {high, 180 * ms}}

// fade is how long a note takes to come and to go; with a shorter time it would
// click.
const fade = 12 * ms

// Has reports whether the set makes the sound.
func (s Set) Has(sound Sound) bool {
	return s == Full || s == Soft && sound != Done || sound.calls()
}

// Clip returns the sound at the loudness of the set, at audio.SpeechRate. It is
// empty for an unknown sound, and in the set Off for any but Ring and Alarm.
func (s Set) Clip(sound Sound) audio.Clip {
	c := audio.Clip{Rate: audio.SpeechRate}
	peak, ok := s.peak(sound)
	if !ok {
		return c
	}
	for _, n := range scores[sound] {
		c.Samples = append(c.Samples, n.samples(peak)...)
	}
	return c
}

// loudNote is a note at a loudness, in dBFS.
type loudNote struct {
	note
	peak float64
}

// played are the samples of the notes that were needed so far, by loudNote. There are
// few, and a ring that nobody stops plays them for an hour.
var played sync.Map

// samples returns the samples of a note at a peak in dBFS, which are not to be changed.
func (n note) samples(peak float64) []int16 {
	key := loudNote{n, peak}
	samples, ok := played.Load(key)
	if !ok {
		samples, _ = played.LoadOrStore(key, play(n, 32767*math.Pow(10, peak/20)))
	}
	return samples.([]int16)
}

// peak is how loud the set makes the sound, in dBFS; false if it does not.
func (s Set) peak(sound Sound) (dBFS float64, ok bool) {
	switch {
	case sound == Alarm:
		return alarmPeak, true
	case sound == Ring && s == Full:
		return fullPeak + ringMore, true
	case sound == Ring:
		return softPeak + ringMore, true
	case s == Full:
		return fullPeak, true
	}
	return softPeak, s == Soft
}

// play makes one note with smooth ends.
func play(n note, peak float64) []int16 {
	samples := make([]int16, int(n.length*time.Duration(audio.SpeechRate)/time.Second))
	if n.hertz == rest {
		return samples
	}
	ends := float64(fade) / float64(time.Second) * float64(audio.SpeechRate)
	for i := range samples {
		near := min(float64(i), float64(len(samples)-1-i))
		swell := 1.0
		if near < ends {
			swell = (1 - math.Cos(math.Pi*near/ends)) / 2
		}
		samples[i] = int16(math.Round(peak * swell * math.Sin(2*math.Pi*n.hertz*float64(i)/float64(audio.SpeechRate))))
	}
	return samples
}

// Tones are the pitches in the sound, in hertz, each once.
func (s Sound) Tones() []float64 {
	var tones []float64
	for _, n := range scores[s] {
		if n.hertz != rest && !slices.Contains(tones, n.hertz) {
			tones = append(tones, n.hertz)
		}
	}
	return tones
}
