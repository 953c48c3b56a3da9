//go:build cgo

package sphinx

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// side is a decoder on a goroutine of its own, fed along with the main one, so
// that its answer is there when the utterance ends instead of costing another
// pass then. All its methods belong to one goroutine and, except for call, return
// at once.
type side struct {
	decoder *decoder
	work    chan func() // ends the goroutine when closed
	ended   chan struct{}
	turn    atomic.Int64 // number of the utterance that is wanted; sound of any other is skipped
	err     error        // of the current utterance; belongs to the goroutine
}

// newSide starts the goroutine. Its queue holds two seconds of live sound before
// the feeding side has to wait, and beside that a whole utterance that is decoded
// a second time at once.
func newSide(d *decoder) *side {
	s := &side{decoder: d, work: make(chan func(), 100+soundMost/secondPiece), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		for f := range s.work {
			f()
		}
	}()
	return s
}

// narrow are the beams for the loop. Its paths differ little, so narrow beams
// find the same score as wide ones at a fraction of the cost.
var narrow = []string{"-beam", "1e-48", "-wbeam", "1e-30", "-pbeam", "1e-48", "-remove_silence", "no", "-bestpath", "no"}

// newLoop makes a decoder that scores the sound as a free string of phones, which
// is what makes "this is not one of my sentences" measurable
// (docs/facts/engines.md, Rejecting other speech).
func newLoop(acoustic string) (*side, error) {
	d, err := newDecoder(acoustic, narrow...)
	if err != nil {
		return nil, err
	}
	words := map[string][]string{}
	var names []string
	for _, p := range phones {
		name := "zz" + strings.ToLower(p) // no English word begins so
		words[name] = []string{p}
		names = append(names, name)
	}
	err = d.addWords(words)
	if err == nil {
		err = d.useGrammar("#JSGF V1.0;\ngrammar phones;\npublic <p> = ( " + strings.Join(names, " | ") + " )+ ;\n")
	}
	if err != nil {
		d.free()
		return nil, fmt.Errorf("making the phone loop: %w", err)
	}
	return newSide(d), nil
}

func (s *side) start() {
	s.turn.Add(1)
	s.work <- func() { s.err = s.decoder.start() }
}

// drop makes the goroutine skip the sound it has not decoded yet.
func (s *side) drop() { s.turn.Add(1) }

func (s *side) normalise(c cepstra) {
	s.work <- func() { s.decoder.normalise(c) }
}

func (s *side) feed(samples []int16) {
	turn := s.turn.Load()
	s.work <- func() {
		if s.err == nil && s.turn.Load() == turn {
			s.err = s.decoder.feed(samples)
		}
	}
}

// look sends the best path of the sound so far, once that is decoded.
func (s *side) look() <-chan path {
	seen := make(chan path, 1)
	s.work <- func() {
		var p path
		if s.err == nil {
			p = s.decoder.best()
			p.segments = slices.Clone(p.segments)
		}
		seen <- p
	}
	return seen
}

// call waits until f has been done on the goroutine.
func (s *side) call(f func(d *decoder) error) error { return <-s.ask(f) }

// ask sends what f returns on the goroutine.
func (s *side) ask(f func(d *decoder) error) <-chan error {
	done := make(chan error, 1)
	s.work <- func() { done <- f(s.decoder) }
	return done
}

// finished is how an utterance ended (decoder.finish); the texts may be empty.
type finished struct {
	whole, sofar path
	frames       int
	err          error
}

// finish sends the best paths once the rest is decoded.
func (s *side) finish() <-chan finished {
	done := make(chan finished, 1)
	s.work <- func() {
		e := finished{frames: s.decoder.fed / hopSamples, err: s.err}
		if e.err == nil {
			e.whole, e.sofar, e.err = s.decoder.finish()
		}
		done <- e
	}
	return done
}

func (s *side) close() {
	s.drop()
	close(s.work)
	<-s.ended
	s.decoder.free()
}
