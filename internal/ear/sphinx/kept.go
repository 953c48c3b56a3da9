package sphinx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
)

const (
	// keptMost is how much sound of an utterance is kept for another worker: 10 s, more than
	// the ear listens unless a button holds the utterance open.
	keptMost = 10 * int(audio.SpeechRate)
	// revivedMost is how many workers may die of one utterance.
	revivedMost = 3
	// restartPatience is how long a frame of sound waits for another worker. The next
	// ones only look whether it has come, and the end of the utterance waits for it.
	restartPatience = time.Second
	// spare is what a request leaves of the caller's time for its way.
	spare = 100 * time.Millisecond
	// forever leaves the end of waiting to the caller's context.
	forever = time.Hour
)

// Utterance is one utterance in the decoder. Its sound is kept, so that it can continue
// in the next worker when its own dies: every request is made again, with the same pieces
// of sound, and so gets the same answer. An utterance of more than ten seconds dies with
// its worker; its methods then fail with worker.ErrEnded.
type Utterance struct {
	client  *Client
	session *worker.Session // nil while its worker is gone
	grammar string          // of this utterance alone; "" for the one that is set
	asked   []request       // since Start
	kept    int             // samples in asked
	revived int
	last    Partial
}

type request struct {
	kind    byte
	payload []byte
}

// call asks a worker. What decodes more than a frame may take its time.
func (u *Utterance) call(ctx context.Context, s *worker.Session, r request) ([]byte, error) {
	if r.kind == kindPush {
		return s.Call(ctx, r.kind, r.payload)
	}
	return s.CallWithin(ctx, u.client.longest(), r.kind, r.payload)
}

// Start begins an utterance; one that is open is dropped.
func (c *Client) Start(ctx context.Context) (*Utterance, error) { return c.StartIn(ctx, "") }

// StartIn begins an utterance in the grammar jsgf, which is used for this one only. The
// decoder must know its words already. "" is the grammar that is set. A worker that rested
// may take longer to start than a speaker waits: then the utterance begins without it, and
// the worker decodes what was said when it is there.
func (c *Client) StartIn(ctx context.Context, jsgf string) (*Utterance, error) {
	for u := (&Utterance{client: c, grammar: jsgf}); ; u.revived++ {
		s, err := c.session(ctx)
		if errors.Is(err, errAway) {
			return u, nil
		}
		if err == nil {
			err = u.begin(ctx, s)
		}
		if err == nil {
			return u, nil
		}
		if u.revived > 0 || !errors.Is(err, worker.ErrEnded) {
			return nil, err
		}
	}
}

// session returns the worker. One that may rest is waited for briefly; the error is errAway
// then.
func (c *Client) session(ctx context.Context) (*worker.Session, error) {
	if c.cfg.Idle == 0 {
		return c.worker.Session(ctx)
	}
	waiting, cancel := context.WithTimeout(ctx, restartPatience)
	defer cancel()
	s, err := c.worker.Session(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return nil, errAway
	}
	return s, err
}

// errAway says that no worker has come yet.
var errAway = errors.New("the worker is being started again")

// Push decodes the next samples and returns the belief after them. While another
// worker is being started, it is the last one.
func (u *Utterance) Push(ctx context.Context, samples []int16) (Partial, error) {
	patience := restartPatience
	if u.session == nil {
		patience = 0
	}
	r := request{kindPush, encodeSamples(samples)}
	answer, err := u.ask(ctx, patience, r)
	if errors.Is(err, errAway) {
		u.keep(r)
		return u.last, nil
	}
	if err != nil {
		return Partial{}, err
	}
	u.last, err = decodePartial(answer)
	return u.last, err
}

// Finish ends the utterance and returns the final sentence. Unless it is
// Unfinished, it fits the grammar from end to end, which the last Partial need not.
// The time that ctx leaves bounds a second decoding.
func (u *Utterance) Finish(ctx context.Context) (Result, error) {
	var limit []byte
	if until, ok := ctx.Deadline(); ok {
		limit = encodeWithin(time.Until(until) - spare)
	}
	answer, err := u.ask(ctx, forever, request{kindFinish, limit})
	if err != nil {
		return Result{}, err
	}
	var r Result
	if err := json.Unmarshal(answer, &r); err != nil {
		return Result{}, fmt.Errorf("reading the recogniser's answer: %w", err)
	}
	return r, nil
}

// Reopen continues the utterance as if Finish had not been called, if no other has been
// started since. The worker decodes its sound again, which takes about a thirtieth of its
// length on a desktop. It continues in the grammar jsgf, whose words the decoder must
// know already, or in the same grammar if jsgf is empty.
func (u *Utterance) Reopen(ctx context.Context, jsgf string) error {
	_, err := u.ask(ctx, forever, request{kindReopen, []byte(jsgf)})
	return err
}

// Unfit is the score of a sentence that does not fit the sound at all.
const Unfit = math.MinInt32

// Nearness is how much worse than the first of some sentences another one may fit to count
// as near, in the unit of Score: Clear, or Poor where the first itself fits with a margin
// (Result.Margin) under PoorFit.
type Nearness struct {
	Clear   int     `json:"clear"`
	Poor    int     `json:"poor"`
	PoorFit float64 `json:"poor_fit"`
}

// Within is how much worse another sentence may fit, of a first one with a margin.
func (n Nearness) Within(margin float64) int {
	if margin < n.PoorFit {
		return n.Poor
	}
	return n.Clear
}

// Foresee says, while the utterance is still open, that the first of some sentences has
// probably been said to its end. If the speaker is quiet then, the worker does the work of
// Finish ahead, and that of a Score of the same sentences: Finish and Score then take no
// time. It changes no score. The next call takes the place of the last.
func (u *Utterance) Foresee(ctx context.Context, sentences []string, near Nearness) error {
	payload, err := json.Marshal(foreseeRequest{Sentences: sentences, Near: near})
	if err != nil {
		return fmt.Errorf("encoding for the recogniser: %w", err)
	}
	_, err = u.ask(ctx, 0, request{kindForesee, payload})
	return err
}

// Score returns how well each of some sentences fits the utterance, which must have been
// finished, in the library's unit. It returns no scores unless one of the other sentences
// fits better than the first, or worse by at most within. Only differences mean
// something: clear speech fits a wrong word worse by 500 or more.
func (u *Utterance) Score(ctx context.Context, sentences []string, within int) ([]int, error) {
	payload, err := json.Marshal(scoreRequest{Sentences: sentences, Within: within})
	if err != nil {
		return nil, fmt.Errorf("encoding for the recogniser: %w", err)
	}
	answer, err := u.ask(ctx, forever, request{kindScore, payload})
	if err != nil {
		return nil, err
	}
	var scores []int
	if err := json.Unmarshal(answer, &scores); err != nil {
		return nil, fmt.Errorf("reading the recogniser's answer: %w", err)
	}
	if len(scores) != 0 && len(scores) != len(sentences) {
		return nil, fmt.Errorf("reading the recogniser's answer: %d scores for %d sentences", len(scores), len(sentences))
	}
	return scores, nil
}

// ask sends a request. If the worker has ended or ends, it waits up to the given time for
// the next one and asks there.
func (u *Utterance) ask(ctx context.Context, patience time.Duration, r request) ([]byte, error) {
	for {
		answer, err := u.try(ctx, patience, r)
		if err == nil {
			u.keep(r)
			return answer, nil
		}
		if !errors.Is(err, worker.ErrEnded) {
			return nil, err
		}
		u.session = nil
		if u.revived++; u.revived > revivedMost || u.kept > keptMost {
			return nil, err
		}
	}
}

func (u *Utterance) try(ctx context.Context, patience time.Duration, r request) ([]byte, error) {
	if u.session == nil {
		if err := u.revive(ctx, patience); err != nil {
			return nil, err
		}
	}
	return u.call(ctx, u.session, r)
}

// revive continues the utterance in the next worker.
func (u *Utterance) revive(ctx context.Context, patience time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := u.client.worker.Next(waiting)
	switch {
	case err != nil && waiting.Err() != nil && ctx.Err() == nil:
		return errAway
	case err != nil:
		return err
	}
	return u.begin(ctx, s)
}

// begin asks a worker all that was asked before.
func (u *Utterance) begin(ctx context.Context, s *worker.Session) error {
	if _, err := s.CallWithin(ctx, u.client.longest(), kindStart, []byte(u.grammar)); err != nil {
		return err
	}
	for _, r := range u.asked {
		if _, err := u.call(ctx, s, r); err != nil {
			return err
		}
	}
	u.session = s
	return nil
}

// keep remembers a request, until the utterance is too long to be asked again.
func (u *Utterance) keep(r request) {
	if r.kind == kindScore || r.kind == kindForesee {
		return // changes nothing
	}
	if r.kind == kindPush {
		u.kept += len(r.payload) / 2
	}
	if u.kept > keptMost {
		u.asked = nil
		return
	}
	u.asked = append(u.asked, r)
}
