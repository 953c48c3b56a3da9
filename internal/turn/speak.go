package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
)

// tell answers an utterance and speaks the answer while it comes. While the tail
// of the sentence is open, the answer is made and nothing is said.
func (l *Loop) tell(ctx context.Context, t *telling, heard speech.Transcript) {
	sentences := make(chan string, 64)
	quiet := make(chan struct{}) // closed when the answer may sound
	spoken := make(chan struct{})
	given, played := 0, 0
	say := func(sentence string) {
		given++
		select {
		case sentences <- sentence:
		case <-ctx.Done():
		}
	}
	go func() {
		defer close(spoken)
		played = l.speak(ctx, sentences, quiet, func(at time.Time) {
			t.rec.Timings.FirstAudio = t.watch.At(at)
			l.report(ctx, t, Answered)
		})
	}()
	if t.more == nil {
		close(quiet)
	}
	if heard.Text == "" {
		l.notUnderstood(t, heard, say)
	} else {
		asked := record.Turn{
			Request: record.Request{Text: heard.Text, Area: t.rec.Area, Source: t.rec.Source, DryRun: l.cfg.DryRun, FollowUp: t.followUp},
			Record:  &t.rec, Watch: t.watch, Say: say,
		}
		l.parts.Mind.Answer(ctx, asked)
		l.hearOut(ctx, t, asked, quiet)
		if !t.unanswered() {
			l.parts.Observer.Replied(t.id, t.rec.Reply)
		}
	}
	close(sentences)
	<-spoken
	switch cut := given > played; {
	case ctx.Err() != nil && (t.rec.Outcome == record.Failed || t.rec.Outcome == record.Done && cut):
		t.rec.Outcome = record.Interrupted
	case ctx.Err() == nil:
		t.aftermath = aftermath{asks: t.rec.Outcome == record.Asked && played > 0, acted: acted(t.rec), sound: standIn(t.rec, given, played)}
		t.aftermath.halts = t.rec.Intent != nil && t.rec.Intent.Name == catalogue.Stop
	}
	if !t.unanswered() {
		l.finishRecord(t)
	}
}

// unanswered says whether what was heard after a question was no answer to it and
// nothing else that is meant for the house: that is no turn.
func (t *telling) unanswered() bool {
	return t.followUp && t.rec.Outcome == record.Ignored && t.rec.Route == record.RouteNone
}

// hearOut waits for what may be added to the sentence, and answers that too. Who
// only asked something hears the answer at once.
func (l *Loop) hearOut(ctx context.Context, t *telling, asked record.Turn, quiet chan<- struct{}) {
	if t.more == nil {
		return
	}
	defer close(quiet)
	if t.rec.Risk == "" || t.rec.Risk == string(tools.Read) {
		return
	}
	var late <-chan time.Time
	if l.cfg.Live { // whose microphone may end in the middle of it
		timer := time.NewTimer(hearOutMost)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-late:
	case more := <-t.more:
		t.utterance.sound = append(t.utterance.sound, more.sound...)
		if more.whole != "" {
			l.parts.Mind.Extend(ctx, asked, more.whole)
		}
	case <-ctx.Done():
	}
}

// acted says whether a turn changed something that a person may want back.
func acted(r record.Record) bool {
	if r.Outcome != record.Done {
		return false
	}
	for _, c := range r.Calls {
		if c.OK && (c.Receipt.Done() || r.Risk != "" && r.Risk != string(tools.Read)) {
			return true
		}
	}
	return false
}

// standIn is the sound of a turn's end where no word of a reply was heard:
// because there is none, or because no voice works.
func standIn(r record.Record, given, played int) earcon.Sound {
	switch {
	case played > 0, r.Outcome == record.Ignored && given == 0:
		return ""
	case r.Route == record.RouteRefused:
		return earcon.Refused
	case r.Outcome == record.Done && (given == 0 || acted(r)):
		return earcon.Done
	default:
		return earcon.Error
	}
}

// notUnderstood: there was speech, but no sentence in it. After a wake word a
// person who spoke waits for an answer; without one nobody does.
func (l *Loop) notUnderstood(t *telling, heard speech.Transcript, say func(string)) {
	if t.rec.Outcome == record.Failed { // there was nobody to hear it, as hearAgain has noted
		if t.rec.Wake != nil {
			t.rec.Reply = l.parts.Mind.Failed()
			say(t.rec.Reply)
			l.parts.Observer.Replied(t.id, t.rec.Reply)
		}
		return
	}
	t.rec.Outcome = record.Ignored
	t.rec.Error = "the speech was not a command"
	if heard.Rejected != "" {
		t.rec.Error += ": " + heard.Rejected
	}
	if t.rec.Wake != nil && t.utterance.spoke >= shortest {
		t.rec.Reply = l.parts.Mind.NotHeard()
		say(t.rec.Reply)
		l.parts.Observer.Replied(t.id, t.rec.Reply)
	}
}

// voiced is a sentence made audible.
type voiced struct {
	sentence string
	clip     audio.Clip
}

// speak says the sentences in order, the next one being made while one plays, and
// counts those that were heard to their end. It returns when the last was heard, or
// at once when the turn is cancelled. The first waits until quiet is closed; nil:
// it does not wait.
func (l *Loop) speak(ctx context.Context, sentences <-chan string, quiet <-chan struct{}, first func(time.Time)) (played int) {
	clips := make(chan voiced, 1)
	go func() {
		defer close(clips)
		for s := range sentences {
			c, ok := l.synthesize(ctx, s)
			if !ok {
				continue
			}
			select {
			case clips <- voiced{s, c}:
			case <-ctx.Done():
			}
		}
	}()
	begun := false
	for c := range clips {
		if quiet != nil && !begun {
			select {
			case <-quiet:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil || l.parts.Speaker == nil {
			continue
		}
		if !begun {
			begun = true
			first(time.Now())
		}
		l.own.saying.Store(&c.sentence)
		switch err := l.parts.Speaker.Play(ctx, c.clip); {
		case err == nil:
			played++
		case ctx.Err() == nil:
			l.parts.Log.Warn("sentence not played", "part", "audio", "err", err)
		}
	}
	return played
}

// synthesize makes a sentence audible; false where it cannot be, or need not be
// any more.
func (l *Loop) synthesize(ctx context.Context, sentence string) (audio.Clip, bool) {
	if ctx.Err() != nil || l.parts.Voice == nil {
		return audio.Clip{}, false
	}
	c, err := l.parts.Voice.Synthesize(ctx, sentence)
	if err != nil {
		if ctx.Err() == nil {
			l.parts.Log.Warn("sentence not spoken", "part", "tts", "err", err)
		}
		return audio.Clip{}, false
	}
	return c, true
}
