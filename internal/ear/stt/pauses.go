package stt

import (
	"time"

	"voicegateway/internal/audio"
)

// Times of a pause in the speech, counted in whole frames.
const (
	readEarly = audio.FrameLength     // at the earliest, if the words so far are a sentence that cannot go on
	readAfter = 3 * audio.FrameLength // a closed mouth inside a word is shorter
	waitAfter = 6 * audio.FrameLength // about where the end of a sentence is decided
	// aloneAfter is longer than the quiet between two words.
	aloneAfter = 15 * audio.FrameLength
)

// Loudness that tells speech from the room, in dB.
const (
	underSpeaker = 20.0 // speech is louder than this below the speaker's loudness
	overRoom     = 6.0
	loudShare    = 80 // the speaker's loudness is the level that 80 % of the speech stay below
)

// leadIn is the sound kept before the first speech, in samples.
const leadIn = int(audio.SpeechRate) * 3 / 10

// breath is the shortest quiet in which the speaker paused, in samples.
const breath = int(audio.SpeechRate) * 3 / 10

// Speech begins where onsetNeed of onsetOf frames are loud: a click is shorter.
const (
	onsetNeed = 3
	onsetOf   = 5
)

// pauses is the sound of an utterance, and the parts of it that are speech.
type pauses struct {
	sound       []int16
	levels      []float64 // of each frame so far
	onset       [onsetOf]bool
	frames      int
	begun       bool // somebody has spoken
	speechStart int  // in samples
	speechEnd   int
	soundEnd    int // of all that is louder than the room, however soft
	silent      int // samples of pauses between the first and the last speech
}

// push takes the samples of a frame. Sound beyond the longest utterance is left out.
func (p *pauses) push(samples []int16) {
	if len(p.sound)+len(samples) > longest {
		return
	}
	p.sound = append(p.sound, samples...)
	level := audio.Level(samples)
	if level > dead {
		p.levels = append(p.levels, level)
	}
	loud := false
	if level >= quietest && len(p.levels) > 0 {
		if floor := share(p.levels, floorShare); level > floor+overRoom {
			p.soundEnd, loud = len(p.sound), p.near(level, floor)
		}
	}
	p.onset[p.frames%onsetOf] = loud
	p.frames++
	if loud && !p.begun && p.loudOfLast() >= onsetNeed {
		p.begun, p.speechStart = true, len(p.sound)-onsetOf*len(samples)
	}
	if loud && p.begun {
		if pause := len(p.sound) - len(samples) - p.speechEnd; p.speechEnd > 0 && pause >= breath {
			p.silent += pause
		}
		p.speechEnd = len(p.sound)
	}
}

// loudOfLast counts the loud ones of the last onsetOf frames.
func (p *pauses) loudOfLast() int {
	n := 0
	for _, loud := range p.onset {
		if loud {
			n++
		}
	}
	return n
}

// near reports whether a frame that stands out of the room is speech: once there has been
// some, it is about as loud as the speaker.
func (p *pauses) near(level, floor float64) bool {
	if !p.begun {
		return true
	}
	var speech []float64
	for _, l := range p.levels {
		if l > floor+overRoom {
			speech = append(speech, l)
		}
	}
	return level > share(speech, loudShare)-underSpeaker
}

// quiet is how long there has been no speech, 0 before any speech.
func (p *pauses) quiet() time.Duration {
	if !p.begun {
		return 0
	}
	return time.Duration(len(p.sound)-p.speechEnd) * time.Second / time.Duration(audio.SpeechRate)
}

// speaking is how long there was speech, without the pauses.
func (p *pauses) speaking() time.Duration {
	return time.Duration(p.speechEnd-p.speechStart-p.silent) * time.Second / time.Duration(audio.SpeechRate)
}

// speechPart is the sound from shortly before the speech. If no speech stands out, it is all
// of it.
func (p *pauses) speechPart() []int16 {
	return p.sound[max(0, p.speechStart-leadIn):]
}
