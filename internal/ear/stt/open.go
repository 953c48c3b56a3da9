package stt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/audio"
)

// recogniser is an open engine: it writes down whatever is said, and takes time.
type recogniser interface {
	// begin opens an utterance. It returns at once: slow work is done in the
	// background and ends with the stream.
	begin() stream
	// run waits for ctx and then for whatever begin has started.
	run(ctx context.Context) error
}

// stream is one utterance on its way to a recogniser. push and partial belong to
// the goroutine of Push; finish may be called from another, once; drop from any.
type stream interface {
	push(samples []int16) // returns at once
	partial() string      // what is believed so far, where the service tells
	// finish asks for the text. It is given all of the sound, in case what was sent
	// before got lost.
	finish(ctx context.Context, u utterance) (answer, error)
	drop()
}

// utterance is what a recogniser is given.
type utterance struct {
	sound []int16 // at audio.SpeechRate
	names []string
}

// answer is what a recogniser says it heard.
type answer struct {
	text       string
	confidence float64 // 0..1, 0 where it has none
	doubt      string  // why the recogniser itself does not believe the text, "" if it does
}

// longest is how much of an utterance is kept in samples: the endpointer ends it
// after 8 s of speech, and the wake word's end may be before that.
const longest = int(10 * audio.SpeechRate)

// Recognisers are not asked about silence and noise (H7): a network that has to
// write something writes what it has read most often under silence.
const (
	// aboveFloor is how far speech stands out of a room, in dB: the levels of
	// steady noise stay within 3. It is less than the endpointer's limit, which
	// applies first.
	aboveFloor = 6.0
	quietest   = -60.0                  // dBFS; speech is louder
	dead       = -85.0                  // dBFS; a room is louder: this is the padding of a file or a closed gate
	leastTime  = 120 * time.Millisecond // of speech in any word worth asking about
	floorShare = 10                     // the floor is the level that 10 % of the frames stay below
	peakShare  = 80                     // the loudness is the level that 80 % of the speech stay below
)

// loudness is what the levels of an utterance say.
type loudness struct {
	speech time.Duration // frames that stand out of the room
	span   time.Duration // from the first to the last of them
	above  float64       // how far they do, in dB
}

// measure is loudnessOf samples.
func measure(samples []int16) loudness {
	var levels []float64
	for frame := range slices.Chunk(samples, audio.FrameSamples) {
		if len(frame) == audio.FrameSamples {
			levels = append(levels, audio.Level(frame))
		}
	}
	return loudnessOf(levels)
}

// loudnessOf finds speech by the levels of frames alone: speech swings by far more
// than any noise does, so that what stands out of the quietest frames is speech.
func loudnessOf(frames []float64) loudness {
	var levels []float64
	for _, level := range frames {
		if level > dead {
			levels = append(levels, level)
		}
	}
	if len(levels) == 0 {
		return loudness{}
	}
	floor := share(levels, floorShare)
	first, last := -1, -1
	var loud []float64
	for i, level := range levels {
		if level < floor+aboveFloor || level < quietest {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		loud = append(loud, level)
	}
	if first < 0 {
		return loudness{}
	}
	return loudness{
		speech: time.Duration(len(loud)) * audio.FrameLength,
		span:   time.Duration(last-first+1) * audio.FrameLength,
		above:  share(loud, peakShare) - max(floor, quietest),
	}
}

// share is the level that a percentage of the levels stay below.
func share(levels []float64, percent int) float64 {
	sorted := slices.Sorted(slices.Values(levels))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

// ask gives an utterance to a recogniser, within its time.
func ask(ctx context.Context, s stream, u utterance, timeout time.Duration) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a, err := s.finish(limited, u)
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return answer{}, ctx.Err()
	case limited.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return answer{}, fmt.Errorf("it gave no text within %s (stt.timeout)", timeout)
	}
	return answer{}, err
}

// maxPrompt bounds the names that a recogniser gets, in bytes: Whisper takes some 220
// tokens of them and forgets the rest.
const maxPrompt = 600

// prompt is the names of a house as Whisper wants them: as if they had been said
// before.
func prompt(names []string) string {
	var b strings.Builder
	for _, name := range names {
		name = strings.Join(strings.Fields(name), " ")
		if name == "" || b.Len()+len(name)+3 > maxPrompt {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String()
}
