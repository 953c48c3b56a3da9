// Package micro runs microWakeWord models: small int8 networks that say ten to
// thirty times a second how likely a word was just spoken. It exists because the
// reference runtimes are C libraries, and a wake word listens all day: a crash in
// C would end hearing, and a call into it would cost more than the network. All
// of it is plain Go that allocates nothing per frame.
//
// A FrontEnd turns sound into features, 40 numbers every 10 ms, in the fixed-point
// arithmetic the models were trained with; one serves any number of Models. A
// Model is a parsed file with its state. A Detector is a model with the decision
// on top. The file is untrusted: whatever does not fit is an error of Parse.
//
// To support another operator, write its kernel and its line in operators (ops.go).
package micro

import (
	"errors"
	"fmt"
	"time"
)

// Channels is how many features a frame has.
const Channels = 40

// Step is the time between two feature frames.
const Step = 10 * time.Millisecond

// Features is one frame of the front end, about 0 to 700 each.
type Features [Channels]uint16

// featureScale is what one unit of a feature is worth to the models: 10/256.
const featureScale = 0.0390625

// Options say when a Detector takes probabilities for a word.
type Options struct {
	Cutoff float64       // mean probability above which it is the word, 0 to 1
	Window int           // probabilities the mean is taken over
	Pause  time.Duration // time after a hit in which there is no other
	WarmUp time.Duration // time after a reset in which there is no hit
}

// DefaultOptions are those of the models' own description files (a window of 5),
// with the times of ESPHome: two seconds of pause, one of warm-up.
func DefaultOptions() Options {
	return Options{Cutoff: 0.97, Window: 5, Pause: 2 * time.Second, WarmUp: time.Second}
}

// maxWindow bounds Options.Window: three seconds of the slowest model.
const maxWindow = 100

// Detector decides from a model's probabilities. It belongs to one goroutine.
type Detector struct {
	model  *Model
	opts   Options
	window []uint8 // a ring of the last probabilities
	filled int
	next   int
	sum    int
	enough int // sum above which it is the word
	quiet  int // frames until a hit counts again
	last   float64
}

// NewDetector checks the options.
func NewDetector(m *Model, o Options) (*Detector, error) {
	switch {
	case m == nil:
		return nil, errors.New("micro: a detector needs a model")
	case o.Cutoff <= 0 || o.Cutoff >= 1:
		return nil, fmt.Errorf("micro: the cutoff is %v; expected a probability between 0 and 1", o.Cutoff)
	case o.Window < 1 || o.Window > maxWindow:
		return nil, fmt.Errorf("micro: the window is %d; expected 1 to %d", o.Window, maxWindow)
	case o.Pause < 0 || o.WarmUp < 0:
		return nil, errors.New("micro: pause and warm-up cannot be negative")
	}
	d := &Detector{model: m, opts: o, window: make([]uint8, o.Window)}
	d.SetCutoff(o.Cutoff)
	d.Reset()
	return d, nil
}

// SetCutoff changes the cutoff, a probability between 0 and 1. Like Push it belongs to
// the goroutine that listens.
func (d *Detector) SetCutoff(cutoff float64) {
	// The authors' cutoffs were chosen with firmware that compares bytes: 0.97 is
	// 247 of 255 there.
	d.enough = int(cutoff*255) * d.opts.Window
}

// Resting reports whether nothing counts as a hit just now, after another hit or a
// reset.
func (d *Detector) Resting() bool { return d.quiet > 0 }

// Push takes the next frame of features and says whether the word has just been
// spoken, and the mean probability of the window, 0 to 1.
func (d *Detector) Push(f *Features) (hit bool, mean float64) {
	d.quiet = max(0, d.quiet-1)
	p, ready := d.model.Push(f)
	if !ready {
		return false, d.last
	}
	d.sum += int(p) - int(d.window[d.next])
	d.window[d.next] = p
	d.next = (d.next + 1) % len(d.window)
	d.filled = min(d.filled+1, len(d.window))
	d.last = float64(d.sum) / (256 * float64(len(d.window)))
	if d.filled < len(d.window) || d.sum <= d.enough || d.quiet > 0 {
		return false, d.last
	}
	score := d.last
	d.forget()
	d.quiet = int(d.opts.Pause / Step)
	return true, score
}

// forget empties the window.
func (d *Detector) forget() {
	clear(d.window)
	d.filled, d.next, d.sum, d.last = 0, 0, 0, 0
}

// Skip says that sound is missing, so that what comes is not taken for the end of
// what was before. The front end still knows the room, so there is no warm-up.
func (d *Detector) Skip() {
	d.model.Reset()
	d.forget()
}

// Reset forgets everything, for sound from another room.
func (d *Detector) Reset() {
	d.Skip()
	d.quiet = int(d.opts.WarmUp / Step)
}
