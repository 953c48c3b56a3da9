//go:build cgo

package sphinx

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"voicegateway/internal/audio"
)

// So many frames before the speech and after it are scored with it. Those after it
// are fewer than an endpoint waits for.
const (
	scoredBefore = 15
	scoredAfter  = 6
)

// scoreOfE converts the logarithm of a weight in a grammar into the score of a path. The
// library counts weights in units of ln 1.0001; 1,024 of these are one unit of a path's
// score.
const scoreOfE = 1 / 0.0001 / 1024

// doubtful is by how much the decoding for all may be wrong about a difference.
const doubtful = 100

// score returns how well each of some sentences fits the utterance that was finished
// last, measured in the same way for all. Each sentence costs a decoding. So a single
// decoding first finds out whether any sentence is near the first one; if none is, the
// answer is empty. The decoder of the second decoding, which is idle by then, shares the
// work.
func (r *recogniser) score(payload []byte) ([]byte, error) {
	q, err := readScoreRequest(payload)
	if err != nil {
		return nil, err
	}
	if !r.over || len(r.sound) == 0 {
		return nil, errors.New("scoring an utterance: none has been finished")
	}
	scores, known, err := r.ahead.scoresFor(q, r.speechEnd())
	if !known {
		r.throwAway() // the decoders are needed
		scores, err = r.scoreNow(q)
	}
	if err != nil || len(scores) == 0 {
		return []byte("[]"), err
	}
	return json.Marshal(scores)
}

// scoreNow scores the utterance with both decoders.
func (r *recogniser) scoreNow(q scoreRequest) ([]int, error) {
	s, err := r.measure()
	if err != nil {
		return nil, err
	}
	near, err := r.main.near(q, s)
	if err != nil || !near {
		return nil, errors.Join(err, r.main.giveBack())
	}
	scores := make([]int, len(q.Sentences))
	if r.second == nil {
		return scores, r.main.fit(scores, q, s, 0, 1)
	}
	beside := r.second.main.ask(func(d *decoder) error { return d.fit(scores, q, s, 1, 2) })
	return scores, errors.Join(r.main.fit(scores, q, s, 0, 2), <-beside)
}

// scores are what score returns, from one decoder; none where no sentence is near.
func (d *decoder) scores(q scoreRequest, s speechSound) ([]int, error) {
	near, err := d.near(q, s)
	if err != nil || !near {
		return nil, errors.Join(err, d.giveBack())
	}
	scores := make([]int, len(q.Sentences))
	return scores, d.fit(scores, q, s, 0, 1)
}

// fit measures how well every step-th sentence fits, beginning with one.
func (d *decoder) fit(scores []int, q scoreRequest, s speechSound, from, step int) error {
	for i := from; i < len(scores); i += step {
		p, err := d.along(q.Sentences[i], s.frames, s.mean)
		if err != nil {
			return err
		}
		if scores[i] = p.total; p.text == "" {
			scores[i] = Unfit
		}
	}
	return d.giveBack()
}

func readScoreRequest(payload []byte) (q scoreRequest, err error) {
	if err := json.Unmarshal(payload, &q); err != nil {
		return q, fmt.Errorf("reading the request: %w", err)
	}
	if len(q.Sentences) == 0 {
		return q, errors.New("scoring an utterance: no sentences were given")
	}
	return q, nil
}

// speechSound is the speech of an utterance as it is scored.
type speechSound struct {
	frames []cepstra
	mean   cepstra
	end    int // the frame of the utterance after its last loud one
}

// measure measures the speech so far.
func (r *recogniser) measure() (s speechSound, err error) {
	first := max(0, r.held.at-scoredBefore)
	s.end = r.speechEnd()
	s.frames, err = r.main.cepstra(r.sound[first*hopSamples : max(first*hopSamples, min(len(r.sound), (s.end+scoredAfter)*hopSamples))])
	if err != nil {
		return s, err
	}
	s.mean = r.main.meanOf(s.frames[min(len(s.frames), max(0, r.held.at)-first):])
	return s, nil
}

// near reports whether any other sentence fits nearly as well as the first, or
// better, in one decoding for all: the first is handicapped by what that means.
func (d *decoder) near(q scoreRequest, s speechSound) (bool, error) {
	handicapped := fmt.Sprintf("/%.45f/ ", math.Exp(-float64(q.Within+doubtful)/scoreOfE))
	best, err := d.along(handicapped+strings.Join(q.Sentences, " | /1/ "), s.frames, s.mean)
	return err == nil && best.text != "" && best.text != q.Sentences[0], err
}

// speechEnd is the frame after the last loud one.
func (r *recogniser) speechEnd() int {
	for n := len(r.sound) / hopSamples; n > 0; n-- {
		if audio.Level(r.sound[(n-1)*hopSamples:n*hopSamples]) > r.held.floor+onsetOver {
			return n
		}
	}
	return len(r.sound) / hopSamples
}
