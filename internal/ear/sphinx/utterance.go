//go:build cgo

package sphinx

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/audio"
)

// soundMost bounds what is kept of an utterance, in samples: 15 s. The turn's own limit is
// 8 s, or 13 s where a button holds it open.
const soundMost = 15 * 16000

// utterance is the state of one utterance, from start to finish.
type utterance struct {
	held    onset
	decoded bool    // the sound that was held back has been given to the decoders
	sound   []int16 // of the utterance, since it was decoded
	missed  bool    // sound does not hold the whole utterance
	over    bool    // finished, and can be reopened
	ahead   foresight
}

// start begins an utterance, in a grammar of its own if there is one.
func (r *recogniser) start(jsgf string) error {
	r.held.reset()
	r.throwAway()
	r.decoded, r.missed, r.over, r.sound, r.ahead = false, false, false, r.sound[:0], foresight{}
	if r.second != nil {
		r.second.reset()
	}
	grammar := (*decoder).giveBack
	if jsgf != "" {
		grammar = func(d *decoder) error { return d.borrow(jsgf) }
	}
	if err := r.grammars(grammar); err != nil {
		return err
	}
	return r.begin()
}

// grammars changes the grammar of both decodings.
func (r *recogniser) grammars(change func(d *decoder) error) error {
	if err := change(r.main); err != nil || r.second == nil {
		return err
	}
	return r.second.main.call(change)
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
		if r.second != nil && r.second.on {
			r.second.feed(samples)
		}
	}
	// The path lags the sound by some frames. The tail is counted on the path,
	// because the endpointer's constants were measured so.
	p := r.main.best()
	if err := r.look(p); err != nil {
		return nil, err
	}
	if err := r.workAhead(p); err != nil {
		return nil, err
	}
	return encodePartial(Partial{Text: p.text, Tail: time.Duration(p.tail()) * hop}), nil
}

// release gives the held sound to the decoders, after measuring its speech.
func (r *recogniser) release() error {
	r.decoded = true
	r.sound = append(r.sound, r.held.samples...)
	return r.decode(r.sound, r.held.at)
}

// decode gives sound to the decoders, after measuring its mean from frame first
// on.
func (r *recogniser) decode(sound []int16, first int) error {
	if err := r.normalise(sound, first); err != nil {
		return err
	}
	// The loop may still be decoding when the next utterance overwrites the buffer.
	return r.feed(slices.Clone(sound))
}

// reopen continues the utterance that was finished last. The library cannot do
// that, so the utterance is decoded again from its beginning. It may continue in
// another grammar, which is used for this utterance only.
func (r *recogniser) reopen(jsgf string) error {
	switch {
	case !r.over || len(r.sound) == 0:
		return errors.New("going on with an utterance: none has been finished")
	case r.missed:
		return errors.New("going on with an utterance: it is too long")
	}
	if jsgf != "" {
		if err := r.grammars(func(d *decoder) error { return d.borrow(jsgf) }); err != nil {
			return err
		}
	}
	if r.second != nil {
		r.second.reset()
	}
	if err := r.begin(); err != nil {
		return err
	}
	r.throwAway()
	r.over, r.ahead = false, foresight{}
	return r.decode(r.sound, r.held.at)
}

// normalise has the mean of sound, from frame first on, subtracted from what is
// decoded next.
func (r *recogniser) normalise(sound []int16, first int) error {
	mean, err := r.main.mean(sound, max(0, first))
	if err != nil {
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

// finish ends the utterance. A second decoding that has not ended by then does not count.
func (r *recogniser) finish(until time.Time) ([]byte, error) {
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
	if result, err = r.better(result, until); err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// result ends the utterance in both decoders.
func (r *recogniser) result() (Result, error) {
	e := finished{frames: r.main.fed / hopSamples}
	if e.whole, e.sofar, e.err = r.main.finish(); e.err != nil {
		return Result{}, e.err
	}
	result := r.resultOf(e, 0)
	if r.loop == nil {
		return result, nil
	}
	free := <-r.loop.finish()
	if free.err != nil {
		return Result{}, free.err
	}
	return result.against(free.whole), nil
}

// resultOf makes a Result of an utterance's end in the grammar. A whole sentence can be laid
// over any sound; so if its last word lies in silence, or its beginning alone explains
// the sound better, the speaker has stopped there. Loud sound after that beginning is a
// word of the sentence that was hard to recognise. first is the frame of the utterance at
// which the decoded sound begins.
func (r *recogniser) resultOf(e finished, first int) Result {
	whole, sofar := e.whole, e.sofar
	result := func(p path, unfinished bool) Result {
		result := p.result(e.frames)
		result.Unfinished, result.Beside = unfinished, r.beside(p, first)
		return result
	}
	if r.faded(whole, first) {
		return result(whole.withoutLast(), true)
	}
	if sofar.text == "" || sofar.text == whole.text || whole.text != "" && sofar.total <= whole.total {
		return result(whole, false)
	}
	if _, to, _ := sofar.span(); whole.text != "" && r.loudAfter(first+to) >= unheard {
		return result(whole, false)
	}
	return result(sofar, true)
}

// besideDepth is how far below its loudest frame, in dB, a voice still speaks: what is
// softer is its echo, its breath or the hum of the room.
const besideDepth = 20.0

// beside counts the frames of the utterance that belong to no word of a path and are
// about as loud as its words. The path's frames are counted from frame first of the
// utterance.
func (r *recogniser) beside(p path, first int) (beside int) {
	var levels []float64
	for hop := range slices.Chunk(r.sound, hopSamples) {
		levels = append(levels, audio.Level(hop))
	}
	word := make([]bool, len(levels))
	loudest := audio.Silence
	for _, s := range p.segments {
		for i := max(0, first+s.from); s.word && i < min(len(levels), first+s.to); i++ {
			word[i], loudest = true, max(loudest, levels[i])
		}
	}
	for i, level := range levels {
		if !word[i] && level > max(r.held.floor+onsetOver, loudest-besideDepth) {
			beside++
		}
	}
	return beside
}

// unheard is how many loud frames after the words make another word of them.
const unheard = 15

// A last word with fewer than voiced loud frames was not said, if of the frames of the
// other words at least one in mostlyLoud is loud: in noise no word stands out.
const (
	voiced     = 3
	mostlyLoud = 2
)

// faded reports whether the last word of a path lies where the speech has died away. The
// path's frames are counted from frame first of the utterance.
func (r *recogniser) faded(p path, first int) bool {
	before := p.withoutLast()
	from, to, spoken := before.span()
	_, end, _ := p.span()
	return spoken > 0 && r.loud(first+to, first+end) < voiced && r.loud(first+from, first+to)*mostlyLoud >= to-from
}

// withoutLast is the path without its last word.
func (p path) withoutLast() path {
	n := len(p.segments)
	for n > 0 && !p.segments[n-1].word {
		n--
	}
	p.segments = p.segments[:max(0, n-1)]
	words := strings.Fields(p.text)
	p.text = strings.Join(words[:max(0, len(words)-1)], " ")
	return p
}

// loudAfter counts the loud frames of the utterance from one frame on.
func (r *recogniser) loudAfter(frame int) int { return r.loud(frame, len(r.sound)) }

// loud counts the loud frames of the utterance from one frame to another.
func (r *recogniser) loud(from, to int) (loud int) {
	sound := r.sound[:min(len(r.sound), to*hopSamples)]
	for hop := range slices.Chunk(sound[min(len(sound), from*hopSamples):], hopSamples) {
		if audio.Level(hop) > r.held.floor+onsetOver {
			loud++
		}
	}
	return loud
}

// result makes a Result of the path, for an utterance of so many frames.
func (p path) result(frames int) Result {
	from, to, spoken := p.span()
	return Result{Text: p.text, Frames: frames, Speech: spoken, Span: to - from, Score: p.within(from, to), from: from}
}

// against adds the score of a free string of phones.
func (r Result) against(free path) Result {
	r.Loop, r.Looped = free.within(r.from, r.from+r.Span), free.text != ""
	return r
}
