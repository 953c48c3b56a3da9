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

// Around the speech, so many frames are scored with it.
const scoredAround = 15

// scoreOfE is what a weight of e in a grammar is worth on a path: the library counts
// in units of ln 1.0001, of which 1,024 are one of a path.
const scoreOfE = 1 / 0.0001 / 1024

// doubtful is by how much the decoding for all may be wrong about a difference.
const doubtful = 100

// score says how well each of some sentences fits the utterance that was finished
// last, all in the same way. Each costs a decoding, so the first question is, in one
// decoding for all, whether any fits nearly as well as the first: it is handicapped
// by what that means, and where it is the best nevertheless there is no answer. The
// decoder of the second decoding, which has nothing to do by then, shares the work.
func (r *recogniser) score(payload []byte) ([]byte, error) {
	var q scoreRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if !r.over || len(r.sound) == 0 || len(q.Sentences) == 0 {
		return nil, errors.New("scoring an utterance: none has been finished")
	}
	first := max(0, r.held.at-scoredAround)
	frames, err := r.main.cepstra(r.sound[first*hopSamples : min(len(r.sound), (r.speechEnd()+scoredAround)*hopSamples)])
	if err != nil {
		return nil, err
	}
	mean := r.main.meanOf(frames[min(len(frames), max(0, r.held.at)-first):])
	handicapped := fmt.Sprintf("/%.45f/ ", math.Exp(-float64(q.Within+doubtful)/scoreOfE))
	best, err := r.main.along(handicapped+strings.Join(q.Sentences, " | /1/ "), frames, mean)
	if err != nil || best.text == "" || best.text == q.Sentences[0] {
		return []byte("[]"), errors.Join(err, r.main.giveBack())
	}
	scores := make([]int, len(q.Sentences))
	fit := func(d *decoder, from, step int) error {
		for i := from; i < len(scores); i += step {
			p, err := d.along(q.Sentences[i], frames, mean)
			if err != nil {
				return err
			}
			if scores[i] = p.total; p.text == "" {
				scores[i] = Unfit
			}
		}
		return d.giveBack()
	}
	if r.second == nil {
		err = fit(r.main, 0, 1)
	} else {
		beside := r.second.main.ask(func(d *decoder) error { return fit(d, 1, 2) })
		err = errors.Join(fit(r.main, 0, 2), <-beside)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(scores)
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
