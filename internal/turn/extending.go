package turn

import (
	"context"
	"time"

	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// answer has an utterance answered, and what may be added to it. A person who only
// asked a question does not have to wait for that, but one who is asked one does, because
// what is added may answer it. Recorded sound waits all the same, so that how far it is
// heard does not depend on how fast the question is answered.
func (r *teller) answer(ctx context.Context, t *telling, asked record.Turn) {
	r.mind.Answer(ctx, asked)
	asks := t.rec.Outcome == record.Asked
	reads := !asked.Unfinished && !asks && onlyRead(&t.rec)
	if t.additions == nil || reads && r.live {
		return
	}
	more := r.addition(ctx, t)
	switch {
	case ctx.Err() != nil && asks: // the question is never asked
		t.rec.Outcome, t.rec.Reply = record.Interrupted, ""
	case ctx.Err() != nil || more.whole.Text == "" || reads:
	default:
		if asks && asked.Unfinished {
			r.startAgain(t, more)
			asked.Watch = t.watch
		}
		r.mind.Extend(ctx, asked, more.whole)
	}
}

// startAgain starts the clock of a turn anew that was half a sentence: its command
// ended with what was added.
func (r *teller) startAgain(t *telling, more addition) {
	t.startClock(more.end.SpeechEnd, more.at, more.wall, r.live)
	t.rec.Timings.Transcript = t.watch.Now()
	t.rec.Transcript = t.written(more.whole)
	if more.end.Done {
		t.rec.Endpoint = &record.Endpoint{Reason: more.end.Reason}
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

// onlyRead reports whether a turn changed nothing, and would change nothing.
func onlyRead(r *record.Record) bool {
	return !rehearsed(r) && (r.Risk == "" || r.Risk == string(tools.Read))
}

// rehearsed reports whether a turn only wrote down what was asked for.
func rehearsed(r *record.Record) bool { return r.Outcome == record.Ignored && r.Intent != nil }
