package vad

import "voicegateway/internal/audio"

// Speech is sound that stands out of the room's noise floor. It begins after
// three loud frames in a row, so that a click does not count, and ends after ten
// quiet ones, so that the closure of a "t" does not break a word.
const (
	above     = 8.0 // dB over the floor; the same as the endpointer's
	onsetNeed = 3   // frames, 60 ms
	hangFor   = 10  // frames, 200 ms
)

// energy goes by loudness alone. It hears a vacuum cleaner as speech only until
// the noise floor has followed, in about three seconds.
type energy struct {
	floor audio.NoiseFloor
	loud  int // frames in a row
	hang  int // frames left
}

func newEnergy(Config) (Engine, error) { return &energy{}, nil }

func (e *energy) Push(f audio.Frame) Judgement {
	j := Judgement{Level: audio.Level(f.Samples)}
	e.floor.Push(j.Level)
	j.Floor = e.floor.Level()
	if j.Level > j.Floor+above {
		e.loud++
	} else {
		e.loud = 0
		e.hang = max(0, e.hang-1)
	}
	if e.loud >= onsetNeed {
		e.hang = hangFor
	}
	j.Speech = e.hang > 0
	return j
}
