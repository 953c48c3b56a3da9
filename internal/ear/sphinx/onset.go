package sphinx

import (
	"slices"

	"voicegateway/internal/audio"
)

// Before it compares sound with what it learnt, the model subtracts the mean of
// the utterance, which says what the microphone, the room and the level are like.
// The mean of a live utterance is not known in advance, and the model's guess
// costs a third of the commands in mild noise. So the beginning of the speech is
// held back and measured first: half a second of it is as good as the whole. The
// decoder then catches up at once.
const (
	hopSamples = 160 // 10 ms, the model's frame

	measuredLoud = 35 // loud frames of speech that are enough to measure it
	measuredMost = 80 // frames after which the mean is measured although noise leaves few loud ones
	// leadMost is how many frames without speech are held back: the recogniser
	// wants 300 ms before the speech, and the onset may be found late.
	leadMost = 100
	// Three frames that are louder than the quietest 50 ms by onsetOver are speech.
	// Sound below onsetDead is the padding of a recording, not a quiet room.
	onsetOver  = 10.0  // dB
	onsetLow   = -65.0 // dBFS
	onsetDead  = -85.0 // dBFS
	onsetNeed  = 3
	floorNeed  = 5
	onsetFalse = 20 // after so many quiet frames, a short sound counts as the end of the wake word
	onsetShort = 16
	// Speech that is there from the first frame on has no onset: where heldMost
	// frames stay within onsetOver and reach heldLevel, they are speech.
	heldMost  = 70
	heldLevel = -45.0 // dBFS
)

// onset holds the beginning of an utterance back until there is enough speech in
// it to be measured.
type onset struct {
	samples []int16
	levels  []float64 // of every frame of samples
	last    [floorNeed]float64
	alive   int     // frames that were no padding
	floor   float64 // dBFS
	most    float64 // of the levels
	row     int     // loud frames in a row
	loud    int     // loud frames since at
	quiet   int     // frames since the last loud one
	at      int     // first frame of speech; -1 before
}

func (o *onset) reset() {
	*o = onset{samples: o.samples[:0], levels: o.levels[:0], at: -1, most: audio.Silence}
}

// push adds samples and reports whether there is enough speech to measure.
func (o *onset) push(samples []int16) bool {
	o.samples = append(o.samples, samples...)
	for n := len(o.levels); (n+1)*hopSamples <= len(o.samples); n++ {
		o.hear(audio.Level(o.samples[n*hopSamples : (n+1)*hopSamples]))
	}
	if o.at < 0 {
		o.shorten()
		return false
	}
	return o.loud >= measuredLoud || len(o.levels) >= o.at+measuredMost
}

// hear takes the level of the next frame.
func (o *onset) hear(level float64) {
	o.levels = append(o.levels, level)
	o.most = max(o.most, level)
	if !o.follow(level) {
		o.row = 0
		return
	}
	n := len(o.levels)
	if level > o.floor+onsetOver {
		o.row++
		o.loud++
		o.quiet = 0
	} else {
		o.row = 0
		o.quiet++
	}
	switch {
	case o.at < 0 && o.row >= onsetNeed:
		o.at, o.loud = n-o.row, o.row
	case o.at < 0 && n >= heldMost && o.most > heldLevel && o.most < o.floor+onsetOver:
		o.at, o.loud = 0, n
	case o.at >= 0 && o.quiet >= onsetFalse && o.loud < onsetShort:
		o.at = -1
	}
}

// follow lowers the floor to the quietest sound so far and reports whether the
// floor is known.
func (o *onset) follow(level float64) bool {
	if level <= onsetDead {
		return o.alive >= floorNeed
	}
	o.last[o.alive%floorNeed] = level
	if o.alive++; o.alive < floorNeed {
		return false
	}
	var sum float64
	for _, l := range o.last {
		sum += l
	}
	mean := max(onsetLow, sum/floorNeed)
	if o.alive == floorNeed || mean < o.floor {
		o.floor = mean
	}
	return true
}

// shorten drops the oldest sound while there is no speech, down to leadMost
// frames.
func (o *onset) shorten() {
	if gone := len(o.levels) - leadMost; gone > 0 {
		o.samples = slices.Delete(o.samples, 0, gone*hopSamples)
		o.levels = slices.Delete(o.levels, 0, gone)
	}
}
