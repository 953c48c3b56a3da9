package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// hear takes one frame in, according to the state.
func (l *Loop) hear(ctx context.Context, f audio.Frame) {
	if l.state != Listening {
		l.ring.Push(f)
		l.parts.End.Observe(f)
	}
	switch l.state {
	case Idle:
		if l.cfg.PushToTalk {
			l.pushed = true
			l.wake(ctx, speech.Detection{Engine: "none", At: f.At.Add(-audio.FrameLength)})
			return
		}
		l.detect(ctx, f)
	case Speaking:
		if l.parts.Wake != nil {
			l.detect(ctx, f)
		}
	case Listening:
		l.listen(ctx, f)
	case Thinking: // what is said while we think belongs to nobody
	}
}

// detect listens for the wake word. An engine that has trouble is told of once,
// and once more when it has not.
func (l *Loop) detect(ctx context.Context, f audio.Frame) {
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	d, ok, err := l.parts.Wake.Detect(limited, f)
	trouble := ""
	if err != nil {
		trouble = err.Error()
	}
	if trouble != l.deaf && ctx.Err() == nil {
		l.deaf = trouble
		if err != nil {
			l.parts.Log.Warn("wake word engine has a problem", "part", "wake", "err", err)
		} else {
			l.parts.Log.Info("wake word engine works again", "part", "wake")
		}
	}
	if err == nil && ok {
		l.wake(ctx, d)
	}
}

// earBudget bounds a call of an engine. Sound that can be held back has all the
// time an engine may need to start.
func (l *Loop) earBudget() time.Duration {
	if l.cfg.Live {
		return earBudget
	}
	return deadlines[Thinking]
}

// wake opens an utterance. The command may follow the wake word in one breath,
// so the sound since the end of the word is taken from the ring.
func (l *Loop) wake(ctx context.Context, d speech.Detection) {
	if !l.step(Woken) {
		return
	}
	l.endTurn() // barge-in: what was being said ends here
	t := l.newTelling(d.At)
	if d.Word != "" {
		t.rec.Wake = &Wake{Word: d.Word, Score: d.Score, Engine: d.Engine}
	}
	l.parts.End.Reset(d)
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	if err := l.parts.Stt.Begin(limited); err != nil {
		l.fail(ctx, t, "the speech recogniser is not ready: "+err.Error())
		return
	}
	for _, f := range l.ring.Since(d.At) {
		if l.state == Listening && l.turn == t {
			l.listen(ctx, f)
		}
	}
	l.ring.Clear()
}

// listen gives one frame to the recogniser and asks whether the sentence ended.
func (l *Loop) listen(ctx context.Context, f audio.Frame) {
	t := l.turn
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	for _, admitted := range l.parts.End.Admit(f) {
		p, err := l.parts.Stt.Push(limited, admitted)
		if err != nil {
			l.fail(ctx, t, "the speech recogniser failed: "+err.Error())
			return
		}
		if p.Text != t.partial.Text {
			t.judged = l.parts.Answer.Judge(p.Text)
		}
		t.partial = p
	}
	e := l.parts.End.Push(f, t.partial, t.judged)
	l.parts.Observer.Hearing(Hearing{Turn: t.id, Level: audio.Level(f.Samples), Partial: t.partial, Judged: t.judged, Ended: e.Reason})
	if e.Done {
		l.endUtterance(ctx, e, f.At)
	}
}

// sourceEnded ends the utterance with the sound, as silence would have.
func (l *Loop) sourceEnded(ctx context.Context) {
	if l.state != Listening {
		return
	}
	e := l.parts.End.Push(audio.Frame{}, l.turn.partial, l.turn.judged)
	if !e.Done {
		e.Reason = "source_ended"
	}
	at := e.SpeechEnd
	if at.IsZero() {
		at = l.turn.started
	}
	l.endUtterance(ctx, e, at)
}

// endUtterance writes the utterance down and lets the turn be told elsewhere, so
// that the loop is free to hear a barge-in.
func (l *Loop) endUtterance(ctx context.Context, e speech.Endpoint, at time.Time) {
	t := l.turn
	t.rec.Endpoint = &Endpoint{Reason: e.Reason}
	ahead := time.Since(at)
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	text, err := l.parts.Stt.Finish(limited)
	heard := !e.SpeechStart.IsZero()
	if heard {
		t.spoke = e.SpeechEnd.Sub(e.SpeechStart)
		t.watch = stopwatch{zero: e.SpeechEnd}
		if !l.cfg.Live {
			t.watch.shift = ahead
		}
		start := max(millis(e.SpeechEnd.Sub(t.started)), 0)
		t.rec.Timings.SpeechEnd = &start
		t.rec.Timings.Endpoint = t.watch.at(at.Add(t.watch.shift))
		t.rec.Timings.Transcript = t.watch.now()
	}
	switch {
	case err != nil:
		l.fail(ctx, t, "the speech recogniser failed: "+err.Error())
	case !heard:
		t.rec.Outcome = Ignored
		l.finishRecord(t)
		l.step(NothingHeard)
		l.endTurn()
	default:
		t.rec.Transcript = &Transcript{Text: text.Text, Engine: text.Engine, Confidence: text.Confidence}
		l.step(Heard)
		l.elsewhere(ctx, t, func(own context.Context) { l.tell(own, t, text) })
	}
}

// fail ends a turn whose recogniser did not do its work. Who woke us waits for
// an answer and gets one.
func (l *Loop) fail(ctx context.Context, t *telling, why string) {
	l.parts.Log.Warn("turn failed", "part", "turn", "turn", t.id, "err", why)
	l.closeEar(ctx)
	t.rec.Outcome = OutFailed
	t.rec.Error = why
	if t.rec.Wake != nil {
		t.rec.Reply = l.parts.Answer.phrases.Phrase("failed", nil)
		l.says = append(l.says, say{t.rec.Reply})
		l.parts.Observer.Replied(t.id, t.rec.Reply)
	}
	l.finishRecord(t)
	l.step(Failed)
	l.endTurn()
}
