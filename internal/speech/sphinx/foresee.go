//go:build cgo

package sphinx

import "slices"

// foresight is the first question of score, asked before the utterance is over: as
// soon as its words are known and the speaker is quiet, in the decoder of the second
// decoding. The endpoint takes longer than the answer, so nobody waits for it. What
// is answered about depends on the sound alone, and is what score would ask; where
// the speaker went on, or the words are others, score asks anew.
type foresight struct {
	wanted scoreRequest // no sentences: nothing is expected
	end    int          // the end of the speech that is being asked about; 0 before
	answer <-chan error
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
// with a second decoding, or has another grammar, is not asked.
func (r *recogniser) askAhead() error {
	a := &r.ahead
	if len(a.wanted.Sentences) == 0 || r.second == nil || r.second.on || r.missed || r.main.lent != "" {
		return nil
	}
	end := r.speechEnd()
	if end == a.end || len(r.sound)/hopSamples < end+scoredAfter {
		return nil
	}
	s, err := r.scored()
	if err != nil {
		return err
	}
	near, q := new(bool), a.wanted
	a.end, a.near = end, near
	a.answer = r.second.main.ask(func(d *decoder) (err error) {
		if *near, err = d.near(q, s); err != nil {
			return err
		}
		return d.giveBack()
	})
	return nil
}

// told returns the answer to a request about speech with that end, if it was asked.
func (a *foresight) told(q scoreRequest, end int) (near, known bool, err error) {
	if a.answer == nil || a.end != end || a.wanted.Within != q.Within || !slices.Equal(a.wanted.Sentences, q.Sentences) {
		return false, false, nil
	}
	err, a.answer = <-a.answer, nil
	return *a.near, true, err
}
