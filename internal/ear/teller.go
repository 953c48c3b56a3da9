package ear

import (
	"context"
	"log/slog"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/tools"
)

// teller answers utterances and speaks the replies, in a goroutine beside the loop.
type teller struct {
	mind     Mind
	voice    *voice
	observer Observer
	keep     Keeper // nil: no sound is recorded
	live     bool
	dryRun   bool
	events   chan<- event
	log      *slog.Logger
}

// tell answers an utterance and speaks the reply as it comes. While the sentence
// may still grow, the reply is made but not spoken.
func (r *teller) tell(ctx context.Context, t *telling, heard speech.Transcript) {
	reply := newOutgoing()
	say := func(sentence string) { reply.say(ctx, sentence) }
	mayPlay := make(chan struct{}) // closed when the answer may sound
	spoken := make(chan struct{})
	played := 0
	go func() {
		defer close(spoken)
		played = r.voice.speak(ctx, reply.sentences, mayPlay, func(at time.Time) {
			t.rec.Timings.FirstAudio = t.watch.At(at)
			r.report(ctx, t, Answered)
		})
	}()
	if t.additions == nil {
		close(mayPlay)
	}
	if heard.Text == "" && t.challenge == "" {
		r.tellNotHeard(ctx, t, heard, say)
	} else {
		asked := record.Turn{
			Request: t.request(heard.Text, r.dryRun), Record: &t.rec, Watch: t.watch, Say: say,
			Expect: func(sentence string) { reply.expect(ctx, r.voice, sentence) },
		}
		asked.Unfinished, asked.Loose, asked.Others = heard.Unfinished, heard.Loose, heard.Others
		if t.additions != nil {
			asked.Unsay = reply.unsay
		}
		r.answer(ctx, t, asked)
		if t.additions != nil {
			close(mayPlay)
		}
		if !t.unanswered() {
			r.observer.Replied(t.id, t.rec.Reply)
		}
	}
	reply.end()
	<-spoken
	given := reply.given
	switch cut := given > played; {
	case ctx.Err() != nil && (t.rec.Outcome == record.Failed || went(t.rec) && cut):
		t.rec.Outcome = record.Interrupted
	case ctx.Err() == nil:
		t.aftermath = t.after(given, played)
	}
	if !t.unanswered() {
		r.finishRecord(t)
	}
	reply.making.Wait()
}

// after is what the end of a turn means for the loop, when so many sentences were given
// to the voice and played.
func (t *telling) after(given, played int) aftermath {
	a := aftermath{asks: t.rec.Outcome == record.Asked && played > 0, acted: acted(t.rec), sound: closingSound(t, given, played)}
	a.halts = t.rec.Intent != nil && t.rec.Intent.Name == catalogue.Stop
	if t.rec.Challenge && played == given {
		a.challenge = t.id
	}
	return a
}

// tellAgain asks the slower recognisers for an utterance that the first one could
// not understand, and answers it.
func (r *teller) tellAgain(ctx context.Context, t *telling, second Deliberate) {
	text, err := second.Second(ctx)
	t.rec.Timings.Transcript = t.watch.Now()
	if err != nil {
		r.log.Warn("no recogniser heard the utterance", "part", "turn", "turn", t.id, "err", err)
		t.rec.Outcome, t.rec.Error = record.Failed, "the speech recogniser failed: "+err.Error()
	} else {
		t.rec.Transcript = t.transcript(text)
	}
	r.tell(ctx, t, text)
}

// tellNotHeard answers speech without a sentence in it. Only a person who said the
// wake word waits for an answer: it is a short sound, because the speech may have been
// a television's, and a sentence for who tries again.
func (r *teller) tellNotHeard(ctx context.Context, t *telling, heard speech.Transcript, say func(string)) {
	reply := ""
	if t.rec.Outcome == record.Failed { // tellAgain found that no recogniser worked
		if t.rec.Wake != nil {
			reply = r.mind.Failed()
		}
	} else {
		t.rec.Outcome = record.Ignored
		t.rec.Error = "the speech was not a command"
		if heard.Rejected != "" {
			t.rec.Error += ": " + heard.Rejected
		}
		t.missed = t.rec.Wake != nil && t.utterance.spoke >= shortestCommand
		if t.missed && t.again {
			reply = r.mind.NotHeard(ctx)
		}
	}
	if reply != "" {
		t.rec.Reply = reply
		say(reply)
		r.observer.Replied(t.id, reply)
	}
}

// triedAgain is how soon after speech that was not a command a user who tries again says
// the wake word.
const triedAgain = 10 * time.Second

// shortestCommand is shorter than any command: "stop" takes longer. Shorter speech that
// is not a command is the end of the wake word, or a cough.
const shortestCommand = 400 * time.Millisecond

// finishRecord hands the finished record to the observer, and the sound to the
// keeper if it is recorded.
func (r *teller) finishRecord(t *telling) {
	t.rec.Timings.Total = t.watch.Now()
	r.observer.TurnEnded(t.rec)
	if r.keep != nil && len(t.utterance.sound) > 0 && t.challenge == "" {
		r.keep.Keep(t.rec, audio.Clip{Rate: audio.SpeechRate, Samples: t.utterance.sound})
	}
}

// report sends an event of a turn to the loop. It gives up when ctx ends.
func (r *teller) report(ctx context.Context, t *telling, k Kind) {
	select {
	case r.events <- event{kind: k, turn: t.id}:
	case <-ctx.Done():
	}
}

// went reports whether a turn did what it was asked to, or is about to.
func went(r record.Record) bool { return r.Outcome == record.Done || r.Outcome == record.Accepted }

// acted reports whether a turn changed something that a person may want back.
func acted(r record.Record) bool {
	if !went(r) {
		return false
	}
	for _, c := range r.Calls {
		if c.OK && (c.Receipt.Done() || r.Risk != "" && r.Risk != string(tools.Read)) {
			return true
		}
	}
	return false
}

// closingSound is the sound at the end of a turn in which no word of a reply was
// heard, because there was no reply or no voice works.
func closingSound(t *telling, given, played int) earcon.Sound {
	switch r := t.rec; {
	case played > 0, r.Outcome == record.Ignored && given == 0 && !t.missed:
		return ""
	case r.Route == record.RouteRefused, t.missed:
		return earcon.Refused
	case went(r) && (given == 0 || acted(r)):
		return earcon.Done
	default:
		return earcon.Error
	}
}
