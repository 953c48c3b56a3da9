//go:build cgo

package sphinx

import (
	"slices"
	"sync/atomic"
	"time"
)

// A second decoding of a command takes 300 ms, as long as the endpointer, and
// somebody would wait for it. So it begins as soon as the first decoding fits
// poorly, and runs along with it. In a long talk or on a busy machine it is given
// up, and the first decoding counts.
const (
	secondWithin = 1500 * time.Millisecond
	secondPiece  = 20 * hopSamples
	// again is how many frames before the speech the second decoding begins.
	again = 40
	// secondFrom is how many frames of speech are needed for a better mean than
	// that of the first decoding; every secondEvery frames, the fit of the first
	// decoding is checked.
	secondFrom  = 100
	secondEvery = 10
	// secondSlack is by how much the first decoding has to fit better than required
	// while it runs, because it may still fit worse at the end.
	secondSlack = 2.0
	// secondPoor is how far below the required fit the result of a second decoding
	// that began early may be. A poorer one is decoded again with the mean of the
	// whole, which saves four of ten commands at 10 dB.
	secondPoor = 4.0
)

// second decodes an utterance once more, in decoders of its own, with a mean that
// comes from more of its sound.
type second struct {
	main, loop *side
	on         bool // it has begun for this utterance
	poor       *atomic.Bool
	looked     int // frames of the utterance when the fit was last checked
	begun      int // samples of the utterance when it began
}

func newSecond(acoustic string) (*second, error) {
	d, err := newDecoder(acoustic, wide...)
	if err != nil {
		return nil, err
	}
	l, err := newLoop(acoustic)
	if err != nil {
		d.free()
		return nil, err
	}
	return &second{main: newSide(d), loop: l}, nil
}

func (s *second) close() {
	s.main.close()
	s.loop.close()
}

// reset drops what is being decoded, because a new utterance begins.
func (s *second) reset() {
	s.on, s.poor, s.looked = false, new(atomic.Bool), 0
	s.main.drop()
	s.loop.drop()
}

// begin starts to decode sound, after subtracting its mean if that is known.
func (s *second) begin(sound []int16, mean cepstra, known bool) {
	s.on = true
	sound = slices.Clone(sound)
	for _, d := range []*side{s.main, s.loop} {
		if known {
			d.normalise(mean)
		}
		d.start()
		for piece := range slices.Chunk(sound, secondPiece) {
			d.feed(piece)
		}
	}
}

// feed decodes further samples, which the caller must not change afterwards.
func (s *second) feed(samples []int16) {
	s.main.feed(samples)
	s.loop.feed(samples)
}

// result ends the second decoding; ok is false when that would take too long.
func (s *second) result() (r Result, ok bool, err error) {
	late := time.NewTimer(secondWithin)
	defer late.Stop()
	main, free := s.main.finish(), s.loop.finish()
	s.on = false
	var ends [2]finished
	for i, c := range []<-chan finished{main, free} {
		select {
		case ends[i] = <-c:
		case <-late.C:
			s.reset()
			return Result{}, false, nil
		}
		if ends[i].err != nil {
			return Result{}, false, ends[i].err
		}
	}
	return ends[0].path.result(ends[0].frames).against(ends[1].path), true, nil
}

// look asks the loop from time to time whether the first decoding fits poorly so
// far, and begins the second one if it does. The loop answers once it has decoded
// the same sound.
func (r *recogniser) look(p path) error {
	s, frames := r.second, len(r.sound)/hopSamples
	switch {
	case s == nil || s.on || r.missed || r.held.at < 0:
		return nil
	case s.poor.Load():
		return r.anew()
	case frames < r.held.at+secondFrom || frames < s.looked+secondEvery:
		return nil
	}
	s.looked = frames
	first, poor, limit := p.result(frames), s.poor, r.retry+secondSlack
	r.loop.look(func(free path) {
		if first.Text == "" || first.against(free).Margin() < limit {
			poor.Store(true)
		}
	})
	return nil
}

// anew begins the second decoding with all the sound so far.
func (r *recogniser) anew() error {
	from := max(0, r.held.at-again)
	sound := r.sound[min(len(r.sound), from*hopSamples):]
	mean, ok, err := r.main.mean(sound, 0)
	if err != nil {
		return err
	}
	r.second.begin(sound, mean, ok)
	r.second.begun = len(r.sound)
	return nil
}

// better returns the better of the first result and that of a second decoding,
// which is made only where the first one fits poorly. A poor result with the mean
// of a part of the sound does not count, because with enough tries other speech
// fits too; the sound is then decoded with the mean of the whole.
func (r *recogniser) better(first Result) (Result, error) {
	if r.second == nil || r.held.at < 0 || r.missed || first.fits(r.retry) {
		return first, nil
	}
	whole := 10*r.second.begun >= 9*len(r.sound) // it began with nearly all of the sound
	if r.second.on && !whole {
		then, ok, err := r.second.result()
		if err != nil || !ok {
			return first, err
		}
		if best := first.or(then); best.fits(r.retry - secondPoor) {
			return best, nil
		}
	}
	if !r.second.on {
		if err := r.anew(); err != nil {
			return Result{}, err
		}
	}
	then, ok, err := r.second.result()
	if err != nil || !ok {
		return first, err
	}
	return first.or(then), nil
}

func (r Result) fits(margin float64) bool { return r.Text != "" && r.Margin() >= margin }

// or returns the result that fits better.
func (r Result) or(then Result) Result {
	if then.Text != "" && (r.Text == "" || then.Margin() > r.Margin()) {
		return then
	}
	return r
}
