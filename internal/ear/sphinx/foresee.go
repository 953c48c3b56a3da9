//go:build cgo

package sphinx

import (
	"errors"
	"slices"
)

// foresight asks score's first question before the utterance is over: once its words are
// known and the speaker is quiet, in the decoder of the second decoding. The endpoint
// takes longer than the answer, so the answer costs no time. The question depends on the
// sound alone, and is the one that score would ask. If the speaker continues, or the
// words change, score asks again.
type foresight struct {
	wanted scoreRequest // no sentences: nothing is expected
	end    int          // the end of the speech that is being asked about; 0 before
	answer <-chan error // nil if no answer is on its way
	near   *bool
}

// foresee expects a request to score.
func (r *recogniser) foresee(payload []byte) error {
	q, err := readScoreRequest(payload)
	if err != nil {
		return err
	}
	r.ahead = foresight{wanted: q}
	return nil
}

// askAhead asks once the speaker has been quiet long enough. A decoder that is busy
// with a second decoding, or has another grammar, is not asked. Where the sound cannot
// be measured, score will say so.
func (r *recogniser) askAhead() {
	a := &r.ahead
	if len(a.wanted.Sentences) == 0 || r.second == nil || r.second.on || r.missed || r.main.lent != "" {
		return
	}
	end := r.speechEnd()
	if end == a.end || len(r.sound)/hopSamples < end+scoredAfter {
		return
	}
	s, err := r.measure()
	if err != nil {
		a.wanted = scoreRequest{}
		return
	}
	side := r.second.main
	side.drop() // a question that is overtaken
	turn, near, q := side.turn.Load(), new(bool), a.wanted
	a.end, a.near = end, near
	a.answer = side.ask(func(d *decoder) (err error) {
		if side.turn.Load() != turn {
			return errOvertaken
		}
		*near, err = d.near(q, s)
		return errors.Join(err, d.giveBack())
	})
}

// errOvertaken says that a question was not answered, because another came.
var errOvertaken = errors.New("another question has taken its place")

// answerFor returns the answer to a request about speech with that end, if it was asked.
func (a *foresight) answerFor(q scoreRequest, end int) (near, known bool, err error) {
	if a.answer == nil || a.end != end || a.wanted.Within != q.Within || !slices.Equal(a.wanted.Sentences, q.Sentences) {
		return false, false, nil
	}
	err, a.answer = <-a.answer, nil
	if errors.Is(err, errOvertaken) {
		return false, false, nil
	}
	return *a.near, true, err
}
