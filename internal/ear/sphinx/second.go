//go:build cgo

package sphinx

import (
	"errors"
	"slices"
	"time"
)

// A second decoding of a command takes 300 ms, as long as the endpointer, and the user
// would wait for it. So it begins as soon as the first decoding fits poorly, and runs
// beside it. Its beginning is counted in frames of sound, never in time that passes, so
// that the same sound gives the same text on a busy machine. Long speech gets none.
const (
	secondPiece = 20 * hopSamples
	// secondMost is the longest sound that is decoded again, in samples: 8 s.
	secondMost = 8 * 16000
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
	on         bool        // it has begun for this utterance
	looked     int         // frames of the utterance when the loop was last asked
	then       Result      // of the first decoding at that time
	free       <-chan path // the answer of the loop
	begun      int         // samples of the utterance when it began
	first      int         // frame of the utterance it began with
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
	s.on, s.looked, s.free = false, 0, nil
	s.main.drop()
	s.loop.drop()
}

// begin starts to decode sound, after subtracting its mean.
func (s *second) begin(sound []int16, mean cepstra) {
	s.on = true
	sound = slices.Clone(sound)
	for _, d := range []*side{s.main, s.loop} {
		d.normalise(mean)
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

// endings are the ends of a second decoding.
type endings struct {
	main, loop <-chan finished
	ends       [2]finished // when both have come
	first      int         // frame of the utterance it began with
	whole      bool        // it began with nearly all of the sound
	cut        bool        // it ended in the quiet before the end
}

// endSecond ends the second decoding.
func (r *recogniser) endSecond() *endings {
	s := r.second
	s.on = false
	return &endings{main: s.main.finish(), loop: s.loop.finish(), first: s.first, whole: 10*s.begun >= 9*len(r.sound)}
}

// counts reports whether the result of a second decoding counts beside the first. A poor
// result with the mean of a part of the sound does not, because with enough tries other
// speech fits too. Neither does another text where the end of the sound is missing: in
// noise a last word may be as soft as the room.
func (e *endings) counts(first, then Result, retry float64) bool {
	if e.cut && then.Text != first.Text {
		return false
	}
	return e.whole && !e.cut || first.or(then).fits(retry-secondPoor)
}

// await waits for the ends; ok is false when they have not come by then.
func (e *endings) await(until time.Time) (ok bool) {
	late := time.NewTimer(time.Until(until))
	defer late.Stop()
	for i, c := range []*<-chan finished{&e.main, &e.loop} {
		if *c == nil {
			continue // it has come
		}
		select {
		case e.ends[i] = <-*c:
			*c = nil
		case <-late.C:
			return false
		}
	}
	return true
}

// look regularly asks the loop how well arbitrary speech fits, and begins the second
// decoding if the first one was much worse at the previous question. By then the loop has
// answered, so that look does not wait on a machine that keeps up.
func (r *recogniser) look(p path) error {
	s, frames := r.second, len(r.sound)/hopSamples
	if s == nil || s.on || r.missed || r.held.at < 0 || frames < r.held.at+secondFrom || frames < s.looked+secondEvery || r.ahead.end == r.speechEnd() {
		return nil
	}
	if free := s.free; free != nil {
		s.free = nil
		if s.then.Text == "" || s.then.against(<-free).Margin() < r.retry+secondSlack {
			return r.anew()
		}
	}
	s.looked, s.then, s.free = frames, p.result(frames), r.loop.look()
	return nil
}

// anew begins the second decoding with all the sound so far.
func (r *recogniser) anew() error {
	from := max(0, r.held.at-again)
	sound := r.sound[min(len(r.sound), from*hopSamples):]
	mean, err := r.main.mean(sound, 0)
	if err != nil {
		return err
	}
	r.second.begin(sound, mean)
	r.second.begun, r.second.first = len(r.sound), from
	return nil
}

// better returns the better of the first result and that of a second decoding,
// which is made only where the first one fits poorly. If that does not count, the sound is
// decoded with the mean of the whole.
func (r *recogniser) better(first Result, until time.Time) (Result, error) {
	if r.second == nil || r.held.at < 0 || r.missed || len(r.sound) > secondMost || first.fits(r.retry) {
		return first, nil
	}
	e := r.ahead.againFor(r.speechEnd())
	if e == nil && r.second.on {
		e = r.endSecond()
	}
	for {
		if e == nil {
			if err := r.anew(); err != nil {
				return Result{}, err
			}
			e = r.endSecond()
		}
		then, ok, err := r.readAgain(e, until)
		if err != nil || !ok {
			return first, err
		}
		if e.counts(first, then, r.retry) {
			return first.or(then), nil
		}
		e = nil
	}
}

// readAgain returns the result of a second decoding that was ended; ok is false when it has
// not come by then.
func (r *recogniser) readAgain(e *endings, until time.Time) (result Result, ok bool, err error) {
	if !e.await(until) {
		r.second.reset()
		return Result{}, false, nil
	}
	sentence, free := e.ends[0], e.ends[1]
	if err := errors.Join(sentence.err, free.err); err != nil {
		return Result{}, false, err
	}
	return r.resultOf(sentence, e.first).against(free.whole), true, nil
}

func (r Result) fits(margin float64) bool { return r.Text != "" && r.Margin() >= margin }

// or returns the result that fits better.
func (r Result) or(then Result) Result {
	if then.Text != "" && (r.Text == "" || then.Margin() > r.Margin()) {
		return then
	}
	return r
}
