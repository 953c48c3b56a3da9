package turn

import (
	"context"
	"sync"
	"time"

	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// answer has an utterance answered, and what may be added to it.
func (r *teller) answer(ctx context.Context, t *telling, asked record.Turn) {
	switch {
	case t.additions == nil:
		r.mind.Answer(ctx, asked)
	case asked.Unfinished:
		r.answerHalf(ctx, t, asked)
	default:
		r.mind.Answer(ctx, asked)
		r.extend(ctx, t, asked)
	}
}

// extend waits for a clause that may be added to the sentence, and answers it too. A
// person who only asked a question does not have to wait for that. Recorded sound
// waits all the same, so that how far it is heard does not depend on how fast the
// question is answered.
func (r *teller) extend(ctx context.Context, t *telling, asked record.Turn) {
	reads := t.rec.Risk == "" || t.rec.Risk == string(tools.Read)
	if reads && r.live {
		return
	}
	if more := r.addition(ctx, t); more.whole.Text != "" && !reads {
		r.mind.Extend(ctx, asked, more.whole)
	}
}

// answerHalf answers half a sentence. The answer, which is a question, is said only
// if the speaker does not go on. Otherwise the whole is answered as the sentence
// that was meant, and the turn is about that.
func (r *teller) answerHalf(ctx context.Context, t *telling, half record.Turn) {
	before, say := t.rec, half.Say
	question := &heldBack{}
	half.Say = question.say
	r.mind.Answer(ctx, half)
	more := r.addition(ctx, t)
	switch {
	case ctx.Err() != nil:
		t.rec.Outcome, t.rec.Reply = record.Interrupted, ""
	case more.whole.Text == "":
		for _, sentence := range question.sentences() {
			say(sentence)
		}
	default:
		t.rec = before
		t.startClock(more.end.SpeechEnd, more.at, more.wall, r.live)
		t.rec.Timings.Transcript = t.watch.Now()
		t.rec.Transcript = written(more.whole)
		if more.end.Done {
			t.rec.Endpoint = &record.Endpoint{Reason: more.end.Reason}
		}
		half.Say, half.Watch = say, t.watch
		r.mind.Extend(ctx, half, more.whole)
	}
}

// addition waits until the time for an addition is over, and returns it.
func (r *teller) addition(ctx context.Context, t *telling) addition {
	var late <-chan time.Time
	if r.live { // the microphone may end before the addition is complete
		timer := time.NewTimer(additionTimeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case more := <-t.additions:
		t.utterance.sound = append(t.utterance.sound, more.sound...)
		return more
	case <-late:
	case <-ctx.Done():
	}
	return addition{}
}

// heldBack are sentences that may not have to be said. It may be used by several
// goroutines.
type heldBack struct {
	mu   sync.Mutex
	held []string
}

func (h *heldBack) say(sentence string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = append(h.held, sentence)
}

func (h *heldBack) sentences() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held
}
