package stt

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// A grammar finds one of its sentences in any sound, and plucked strings fit some of them
// as well as speech does. So the text of an engine with a grammar counts only if a person
// was heard as well: by the voice model or, without a model, because the sound does not
// stand still as tones do. The numbers are from 162 commands and orders of people, 121
// synthetic commands, both also in the noise of a kitchen down to 6 dB, and fake.Music.
const (
	// voicedLeast is the share of the loud sound in which the model has to hear a voice. It
	// heard one in 0.35 to 1 of people's speech in noise, in more than 0.7 in quiet rooms,
	// and in none of most music.
	voicedLeast = 0.3
	// voicedAmid is that share if there are steady tones as well: a person speaks over music.
	voicedAmid = 0.5
	// shortSound may be a word that the model misses: it missed 3 of 80 people who
	// said one word.
	shortSound = time.Second
	// steadyMost is the steady share (tones.steady) from which sound counts as music. It was
	// at most 0.06 for people's speech in quiet rooms, and 0.23 for synthetic voices.
	steadyMost = 0.28
	// swingLeast is how much the loudness of speech changes within 60 ms, on average
	// and in dB: 3.2 or more of people in quiet rooms, 1.9 in the noise of a kitchen
	// 6 dB lower. A hiss has 0.7 at most, a siren 0.2.
	swingLeast = 1.2
	swingOver  = 3    // frames
	swingMost  = 20.0 // dB that count of one change, and under the loudest frame that belong to the sound
)

// Voice tells whether a frame holds speech. It has to be given the frames in order. Known
// is false if it has nothing but loudness to judge by.
type Voice interface {
	Push(f audio.Frame) (speaks, known bool)
}

// attested takes the text of an engine only where a person spoke.
type attested struct {
	Engine
	voice  Voice // nil where there is none
	tones  *tones
	known  bool      // there is a model
	voiced int       // frames
	levels []float64 // of all frames, dBFS
}

// requireVoice makes an engine that needs a person. The result has the further
// abilities of the engine.
func requireVoice(voice Voice, e Engine) Engine {
	a := &attested{Engine: e, voice: voice, tones: newTones()}
	if again, ok := e.(Reopener); ok {
		return struct {
			*attested
			Reopener
		}{a, again}
	}
	return a
}

func (a *attested) Observe(f audio.Frame) {
	if room, ok := a.Engine.(Listener); ok {
		room.Observe(f)
	}
}

func (a *attested) Forget() {
	if room, ok := a.Engine.(Listener); ok {
		room.Forget()
	}
}

func (a *attested) Begin(ctx context.Context) error { return a.BeginFor(ctx, speech.Sentence) }

// reset forgets the utterance before.
func (a *attested) reset() {
	a.tones.reset()
	a.known, a.voiced, a.levels = false, 0, a.levels[:0]
}

func (a *attested) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	a.levels = append(a.levels, audio.Level(f.Samples))
	if a.voice != nil {
		var speaks bool
		if speaks, a.known = a.voice.Push(f); speaks {
			a.voiced++
		}
	}
	a.tones.push(f.Samples)
	return a.Engine.Push(ctx, f)
}

func (a *attested) Finish(ctx context.Context) (speech.Transcript, error) {
	t, err := a.Engine.Finish(ctx)
	if t.Text == "" || err != nil {
		return t, err
	}
	if why := a.nobody(); why != "" {
		return speech.Transcript{Engine: t.Engine, Rejected: fmt.Sprintf("nobody spoke: %q was heard in %s", t.Text, why)}, nil
	}
	return t, nil
}

// nobody says why the sound was not a person, or "" if it may have been one.
func (a *attested) nobody() string {
	still := a.tones.share()
	loud := loudnessOf(a.levels).speech
	voiced := time.Duration(a.voiced) * audio.FrameLength
	within := func(share float64) bool { return float64(voiced) < share*float64(loud) }
	switch music := still >= steadyMost; {
	case music && (!a.known || within(voicedAmid)):
		return fmt.Sprintf("sound of which %.0f %% are steady tones", 100*still)
	case !a.known && swing(a.levels) < swingLeast:
		return "sound as even as a hiss or a siren"
	case a.known && loud >= shortSound && within(voicedLeast):
		return fmt.Sprintf("%s of sound with %s of a voice", loud, voiced)
	}
	return ""
}

// swing is by how much the levels of frames change within 60 ms, in dB: the mean
// from the first to the last loud frame.
func swing(levels []float64) float64 {
	if len(levels) == 0 {
		return 0
	}
	least := slices.Max(levels) - swingMost
	loud := func(level float64) bool { return level > least }
	first := slices.IndexFunc(levels, loud)
	last := first
	for i := first; i < len(levels); i++ {
		if loud(levels[i]) {
			last = i
		}
	}
	if last-first < swingOver {
		return swingMost // a click
	}
	sum := 0.0
	for i := first + swingOver; i <= last; i++ {
		sum += min(swingMost, math.Abs(levels[i]-levels[i-swingOver]))
	}
	return sum / float64(last-first+1-swingOver)
}
