//go:build cgo

package sphinx

import (
	"fmt"
	"strings"
)

// loop scores the same sound as a free string of phones, which is what makes
// "this is not one of my sentences" measurable (ENGINES.md 2). It is a decoder
// of its own on a goroutine of its own, fed along with the main one, so that the
// answer is there when the utterance ends instead of costing a second pass then.
type loop struct {
	decoder *decoder
	work    chan func() // ends the goroutine when closed
	ended   chan struct{}
	err     error // of the current utterance; the goroutine's
}

// The loop's paths differ little, so narrow beams find the same score as wide
// ones at a fraction of the cost.
var narrow = []string{"-beam", "1e-48", "-wbeam", "1e-30", "-pbeam", "1e-48", "-remove_silence", "no", "-bestpath", "no"}

func newLoop(acoustic string) (*loop, error) {
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
	// Two seconds may queue up before the main decoder has to wait.
	l := &loop{decoder: d, work: make(chan func(), 100), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for f := range l.work {
			f()
		}
	}()
	return l, nil
}

func (l *loop) start() {
	l.work <- func() { l.err = l.decoder.start() }
}

func (l *loop) normalise(c cepstra) {
	l.work <- func() { l.decoder.normalise(c) }
}

func (l *loop) feed(samples []int16) {
	l.work <- func() {
		if l.err == nil {
			l.err = l.decoder.feed(samples)
		}
	}
}

// finish waits for the rest and returns the best string of phones; its text is
// empty when there is none.
func (l *loop) finish() (path, error) {
	var p path
	var err error
	done := make(chan struct{})
	l.work <- func() {
		defer close(done)
		if err = l.err; err == nil {
			p, err = l.decoder.finish()
		}
	}
	<-done
	return p, err
}

func (l *loop) close() {
	close(l.work)
	<-l.ended
	l.decoder.free()
}
