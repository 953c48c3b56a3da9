//go:build cgo

package sphinx

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// soundMost bounds what is kept of an utterance, in samples: 15 s. The turn's own
// limit is 8 s.
const soundMost = 15 * 16000

// The second decoding has to be done while somebody waits: of a command it takes
// 100 ms, of a long talk or on a busy machine it is given up. The first counts
// then.
const (
	secondWithin = 1500 * time.Millisecond
	secondPiece  = 20 * hopSamples
)

// again is how much before the speech the second decoding begins, in frames.
const again = 40

// utterance is the state of one, from start to finish.
type utterance struct {
	held    onset
	decoded bool    // what was held has been given to the decoders
	sound   []int16 // of the utterance since it was decoded
	missed  bool    // sound is not all
	over    bool    // finished, and can be gone on with
}

func (r *recogniser) start() error {
	r.held.reset()
	r.decoded, r.missed, r.over, r.sound = false, false, false, r.sound[:0]
	if err := r.main.giveBack(); err != nil {
		return err
	}
	return r.begin()
}

func (r *recogniser) begin() error {
	if r.loop != nil {
		r.loop.start()
	}
	return r.main.start()
}

func (r *recogniser) push(samples []int16) ([]byte, error) {
	if !r.decoded {
		if !r.held.push(samples) {
			return encodePartial(Partial{}), nil
		}
		if err := r.release(); err != nil {
			return nil, err
		}
	} else {
		if r.missed = r.missed || len(r.sound)+len(samples) > soundMost; !r.missed {
			r.sound = append(r.sound, samples...)
		}
		if err := r.feed(samples); err != nil {
			return nil, err
		}
	}
	// The path lags the sound by some frames. The tail is counted on the path,
	// because the endpointer's constants were measured so.
	p := r.main.best()
	return encodePartial(Partial{Text: p.text, Tail: time.Duration(p.tail()) * hop}), nil
}

// release gives the held sound to the decoders, after measuring its speech.
func (r *recogniser) release() error {
	r.decoded = true
	r.sound = append(r.sound, r.held.samples...)
	return r.decode(r.sound, r.held.at)
}

// decode gives sound to the decoders, after measuring it from a frame on.
func (r *recogniser) decode(sound []int16, first int) error {
	if err := r.normalise(sound, first); err != nil {
		return err
	}
	// The loop may still be at it when the next utterance overwrites the buffer.
	return r.feed(slices.Clone(sound))
}

// reopen goes on with the utterance that was finished last, as if it had not been:
// the library cannot, so the utterance is decoded again. It may go on in another
// grammar, which is used for this utterance only.
func (r *recogniser) reopen(jsgf string) error {
	switch {
	case !r.over || len(r.sound) == 0:
		return errors.New("going on with an utterance: none has been finished")
	case r.missed:
		return errors.New("going on with an utterance: it is too long")
	}
	if jsgf != "" {
		if err := r.main.borrow(jsgf); err != nil {
			return err
		}
	}
	if err := r.begin(); err != nil {
		return err
	}
	r.over = false
	return r.decode(r.sound, r.held.at)
}

// normalise takes the mean of sound from a frame on off what is decoded next.
func (r *recogniser) normalise(sound []int16, first int) error {
	mean, ok, err := r.main.mean(sound, max(0, first))
	if err != nil || !ok {
		return err
	}
	r.main.normalise(mean)
	if r.loop != nil {
		r.loop.normalise(mean)
	}
	return nil
}

func (r *recogniser) feed(samples []int16) error {
	if r.loop != nil {
		r.loop.feed(samples)
	}
	return r.main.feed(samples)
}

func (r *recogniser) finish() ([]byte, error) {
	if !r.decoded && r.main.open {
		if err := r.release(); err != nil {
			return nil, err
		}
	}
	result, err := r.result()
	if err != nil {
		return nil, err
	}
	r.over = true
	if r.loop != nil && r.held.at >= 0 && !r.missed && (result.Text == "" || result.Margin() < r.retry) {
		second, err := r.second()
		if err != nil {
			return nil, err
		}
		if second.Text != "" && (result.Text == "" || second.Margin() > result.Margin()) {
			result = second
		}
	}
	return json.Marshal(result)
}

// second decodes the utterance anew, measured as a whole. It has no text when
// there was no time for that.
func (r *recogniser) second() (Result, error) {
	from := max(0, r.held.at-again)
	sound := r.sound[min(len(r.sound), from*hopSamples):]
	if err := r.normalise(sound, 0); err != nil {
		return Result{}, err
	}
	if err := r.begin(); err != nil {
		return Result{}, err
	}
	began := time.Now()
	for piece := range slices.Chunk(slices.Clone(sound), secondPiece) {
		if err := r.feed(piece); err != nil {
			return Result{}, err
		}
		if time.Since(began) > secondWithin {
			return Result{}, nil // the next start drops what is open
		}
	}
	return r.result()
}

// result ends the utterance in both decoders.
func (r *recogniser) result() (Result, error) {
	frames := r.main.fed / hopSamples
	p, err := r.main.finish()
	if err != nil {
		return Result{}, err
	}
	from, to, spoken := p.span()
	result := Result{Text: p.text, Frames: frames, Speech: spoken, Span: to - from, Score: p.within(from, to)}
	if r.loop == nil {
		return result, nil
	}
	free, err := r.loop.finish()
	if err != nil {
		return Result{}, err
	}
	result.Loop, result.Looped = free.within(from, to), free.text != ""
	return result, nil
}
