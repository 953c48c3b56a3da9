//go:build cgo

package sphinx

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Frames of quiet after the last loud one at which the work of an utterance's end is done
// ahead, each by the frames alone, so that the same sound gives the same text.
const (
	// quietFit is when the loop is asked how well arbitrary speech fits; it has answered at
	// quietWork.
	quietFit  = quietWork - 2
	quietWork = scoredAfter
	// quietPoor is when the end of a second decoding is looked at, to know how well the better
	// one fits.
	quietPoor = quietWork + 4
	// quietSlack is by how much the first decoding has to fit better than required in the
	// quiet, because it may fit a little worse at the end.
	quietSlack = 1.0
	// quietPatience is how long a frame of the quiet waits for the end of a second decoding. It
	// is far below the time that the ear, and Client, give a frame. On a machine that takes
	// longer, the end is awaited when the utterance is over, and the scores are worked out then:
	// both are the same. A recording waits as long as its caller does (recogniser.patience).
	quietPatience = 500 * time.Millisecond
)

// foresight does the work of an utterance's end in the quiet before it. The endpoint takes
// longer to decide than that work takes, so it costs no time then. It is done when the words
// are a whole sentence and the speaker is quiet, in the decoders of the second decoding. If
// the speaker continues, the work is thrown away.
type foresight struct {
	wanted foreseeRequest // no sentences: nothing is expected

	asked int         // the end of the speech whose fit is asked for; 0 before
	then  Result      // of the first decoding at that time
	free  <-chan path // the answer of the loop

	end    int      // the end of the speech that the work is about; 0 before
	again  *endings // of a second decoding; nil if none is needed
	judged bool     // it was asked how well the better of both fits
	scored *scoring // nil if nothing is scored
}

// foresee expects the end of an utterance.
func (r *recogniser) foresee(payload []byte) error {
	var q foreseeRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if q.Near == r.ahead.wanted.Near && slices.Equal(q.Sentences, r.ahead.wanted.Sentences) {
		return nil // the words are what they were some frames ago
	}
	r.throwAway()
	r.ahead = foresight{wanted: q}
	return nil
}

// throwAway ends the work that was done ahead.
func (r *recogniser) throwAway() {
	a := &r.ahead
	if a.end == 0 {
		return
	}
	if a.scored != nil {
		a.scored.dropped.Store(true)
	}
	if a.again != nil && !r.second.on {
		r.second.reset()
	}
	a.end, a.again, a.judged, a.scored = 0, nil, false, nil
}

// canWorkAhead reports whether an end is expected whose work can be done ahead.
func (r *recogniser) canWorkAhead() bool {
	return r.second != nil && len(r.ahead.wanted.Sentences) > 0 && !r.missed && r.main.lent == "" && r.held.at >= 0
}

// workAhead does the work of the end once the speaker has been quiet long enough after a
// sentence. p is the path so far.
func (r *recogniser) workAhead(p path) error {
	a := &r.ahead
	if !r.canWorkAhead() {
		return nil
	}
	end := r.speechEnd()
	if a.end != end {
		r.throwAway()
	}
	if p.text != a.wanted.Sentences[0] {
		return nil
	}
	frames := len(r.sound) / hopSamples
	if frames >= end+quietFit && a.asked != end {
		a.asked, a.then, a.free = end, p.result(frames), r.loop.look()
	}
	if a.asked != end {
		return nil
	}
	if frames >= end+quietWork && a.end == 0 {
		a.then, a.end = a.then.against(<-a.free), end
		if err := r.readAgainAhead(); err != nil {
			return err
		}
	}
	if a.end != 0 && !a.judged && (a.again == nil || frames >= end+quietPoor) {
		return r.scoreAhead()
	}
	return nil
}

// readAgainAhead ends the second decoding, which may have to be begun for it. Where the
// first decoding fits, no second one is needed.
func (r *recogniser) readAgainAhead() error {
	if r.ahead.then.fits(r.retry+quietSlack) || len(r.sound) > secondMost {
		r.second.reset()
		return nil
	}
	if !r.second.on {
		if err := r.anew(); err != nil {
			return err
		}
	}
	r.ahead.again = r.endSecond()
	r.ahead.again.cut = true
	return nil
}

// scoreAhead scores the sentences that were foreseen, by the fit of the better decoding, if
// that is known in time.
func (r *recogniser) scoreAhead() error {
	a := &r.ahead
	a.judged = true
	best := a.then
	if a.again != nil {
		until := time.Now().Add(max(quietPatience, r.patience))
		if !a.again.await(until) {
			return nil
		}
		then, _, err := r.readAgain(a.again, until)
		if err != nil {
			a.again = nil
			return err
		}
		if a.again.counts(a.then, then, r.retry) {
			best = best.or(then)
		}
	}
	if len(a.wanted.Sentences) > 1 {
		a.scored = r.scoreBeside(scoreRequest{a.wanted.Sentences, a.wanted.Near.Within(best.Margin())})
	}
	return nil
}

// scoring is what becomes of a request to score that is done beside the decoding.
type scoring struct {
	of      scoreRequest
	dropped atomic.Bool // the scores are not wanted any more
	done    <-chan error
	scores  []int
}

// scoreBeside scores the speech so far in the decoder of the second decoding, after the end
// of that. It returns nil where the sound cannot be measured: score will say so.
func (r *recogniser) scoreBeside(q scoreRequest) *scoring {
	s, err := r.measure()
	if err != nil {
		return nil
	}
	beside := &scoring{of: q}
	beside.done = r.second.main.ask(func(d *decoder) (err error) {
		if !beside.dropped.Load() {
			beside.scores, err = d.scores(q, s)
		}
		return err
	})
	return beside
}

// scoresFor returns the scores for a request about speech with that end, if they are known.
func (a *foresight) scoresFor(q scoreRequest, end int) (scores []int, known bool, err error) {
	if a.scored == nil || a.end != end || a.scored.of.Within != q.Within || !slices.Equal(a.scored.of.Sentences, q.Sentences) {
		return nil, false, nil
	}
	err = <-a.scored.done
	scores, a.scored = a.scored.scores, nil
	return scores, true, err
}

// againFor returns the end of a second decoding of speech with that end; nil if there is
// none.
func (a *foresight) againFor(end int) *endings {
	if a.end != end {
		return nil
	}
	return a.again
}
