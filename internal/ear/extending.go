package ear

import (
	"context"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// answer has the mind answer an utterance and what may be added to it. After a plain
// question it does not wait for an addition. If the mind asks a question back, it waits,
// because the addition may answer that. Recorded sound waits in any case, so that how
// much of it is heard does not depend on how fast the answer comes.
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

// startAgain restarts the clock of a turn that was half a sentence: its command ended
// with the addition.
func (r *teller) startAgain(t *telling, more addition) {
	t.startClock(more.end.SpeechEnd, more.at, more.wall, r.live)
	t.rec.Timings.Transcript = t.watch.Now()
	t.rec.Transcript = t.transcript(more.whole)
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
