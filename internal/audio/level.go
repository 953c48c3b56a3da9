package audio

import "math"

// Silence is the lowest level Level returns, in dBFS: the noise of one bit.
const Silence = -96.0

// Level is the loudness of the samples in dB relative to full scale (0 loudest),
// without their DC offset; cheap microphones have a large one.
func Level(samples []int16) float64 {
	if len(samples) == 0 {
		return Silence
	}
	var sum, square float64
	for _, s := range samples {
		v := float64(s)
		sum += v
		square += v * v
	}
	n := float64(len(samples))
	power := square/n - (sum/n)*(sum/n)
	if power <= 0 {
		return Silence
	}
	return max(Silence, 10*math.Log10(power)-20*math.Log10(32768))
}

const (
	levelStep   = 0.5                         // dB in one bin
	levelBins   = int(-Silence/levelStep) + 1 // Silence … 0 dBFS
	floorWindow = 150                         // frames: 3 s hold a pause between words even in fluent speech
	floorShare  = 10                          // the floor is the level that 10 % of the window stay below
	floorLimit  = -25.0                       // dBFS: louder sound is not taken for a room's noise
	floorKnown  = 50                          // frames (1 s) before the window says anything: fewer may all be speech
	floorDead   = -85.0                       // dBFS: sound below this is the padding of a file or a muted microphone, not a room
	floorGuess  = -60.0                       // dBFS, until the floor is known: a quiet room through an ordinary microphone
)

// NoiseFloor follows the level of a room without speech: the tenth percentile
// of the last three seconds. It needs every frame, speech or not. The zero value
// is ready.
type NoiseFloor struct {
	window [floorWindow]uint8
	count  [levelBins]uint16
	n      int
	next   int
}

// Push takes the level of one frame, in dBFS. Digital silence is passed over.
func (f *NoiseFloor) Push(level float64) {
	if level <= floorDead {
		return
	}
	if f.n == floorWindow {
		f.count[f.window[f.next]]--
	} else {
		f.n++
	}
	bin := uint8(max(0, min(levelBins-1, int((level-Silence)/levelStep))))
	f.window[f.next] = bin
	f.count[bin]++
	f.next = (f.next + 1) % floorWindow
}

// Known reports whether there was enough sound to tell the floor from speech.
func (f *NoiseFloor) Known() bool { return f.n >= floorKnown }

// Level is the floor in dBFS.
func (f *NoiseFloor) Level() float64 {
	if f.n == 0 {
		return floorGuess
	}
	want := f.n / floorShare
	counted := 0
	level := 0.0
	for bin, c := range f.count {
		if counted += int(c); counted > want {
			level = Silence + float64(bin)*levelStep
			break
		}
	}
	if !f.Known() {
		return min(level, floorGuess)
	}
	return min(level, floorLimit)
}
