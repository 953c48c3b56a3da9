package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// tell answers an utterance and speaks the answer while it comes.
func (l *Loop) tell(ctx context.Context, t *telling, heard speech.Transcript) {
	sentences := make(chan string, 64)
	spoken := make(chan struct{})
	started := false
	say := func(sentence string) {
		if !started {
			started = true
			l.report(ctx, t, Answered)
		}
		select {
		case sentences <- sentence:
		case <-ctx.Done():
		}
	}
	go func() {
		defer close(spoken)
		l.speak(ctx, sentences, func(at time.Time) { t.rec.Timings.FirstAudio = t.watch.at(at) })
	}()
	if heard.Text == "" {
		l.notUnderstood(t, heard, say)
	} else {
		q := Question{Text: heard.Text, Area: t.rec.Area, Source: t.rec.Source, DryRun: l.cfg.DryRun}
		l.parts.Answer.answer(ctx, q, &t.rec, t.watch, say)
		l.parts.Observer.Replied(t.id, t.rec.Reply)
	}
	close(sentences)
	<-spoken
	if ctx.Err() != nil && (t.rec.Outcome == Done || t.rec.Outcome == OutFailed) {
		t.rec.Outcome = Interrupted
	}
	l.finishRecord(t)
}

// notUnderstood: there was speech, but no sentence in it. After a wake word a
// person who spoke waits for an answer; without one nobody does.
func (l *Loop) notUnderstood(t *telling, heard speech.Transcript, say func(string)) {
	t.rec.Outcome = Ignored
	t.rec.Error = "the speech was not a command"
	if heard.Rejected != "" {
		t.rec.Error += ": " + heard.Rejected
	}
	if t.rec.Wake != nil && t.spoke >= shortest {
		t.rec.Reply = l.parts.Answer.NotHeard()
		say(t.rec.Reply)
		l.parts.Observer.Replied(t.id, t.rec.Reply)
	}
}

// speak says the sentences in order, the next one being made while one plays.
// It returns when the last was heard, or at once when the turn is cancelled.
func (l *Loop) speak(ctx context.Context, sentences <-chan string, first func(time.Time)) {
	clips := make(chan audio.Clip, 1)
	go func() {
		defer close(clips)
		for s := range sentences {
			if ctx.Err() != nil || l.parts.Voice == nil {
				continue
			}
			c, err := l.parts.Voice.Synthesize(ctx, s)
			if err != nil {
				if ctx.Err() == nil {
					l.parts.Log.Warn("sentence not spoken", "part", "tts", "err", err)
				}
				continue
			}
			select {
			case clips <- c:
			case <-ctx.Done():
			}
		}
	}()
	begun := false
	for c := range clips {
		if ctx.Err() != nil || l.parts.Speaker == nil {
			continue
		}
		if !begun {
			begun = true
			first(time.Now())
		}
		if err := l.parts.Speaker.Play(ctx, c); err != nil && ctx.Err() == nil {
			l.parts.Log.Warn("sentence not played", "part", "audio", "err", err)
		}
	}
}
