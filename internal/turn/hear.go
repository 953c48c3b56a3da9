package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
)

// Scorer is a wake word detector that tells how near the newest sound is to a
// wake word, for a meter.
type Scorer interface {
	Score() float64
}

// StopListener is a wake word detector that also hears words that end what is
// being said (speech.Detection.Stop), while it is told to: they are short, and
// in ordinary talk they would be heard too often.
type StopListener interface {
	ListenForStop(on bool)
}

func (l *Loop) listenForStop(on bool) {
	if s, ok := l.parts.Wake.(StopListener); ok {
		s.ListenForStop(on)
	}
}

// hear takes one frame in: every state has its way with it. Between utterances the
// endpointer learns what the room sounds like.
func (l *Loop) hear(ctx context.Context, f audio.Frame) {
	if l.ear.muted {
		return
	}
	level := audio.Level(f.Samples)
	l.ear.at = f.At
	if l.state != Speaking { // our own voice is not the room
		l.ear.floor.Push(level)
	}
	if l.state != Listening {
		l.ear.ring.Push(f)
	}
	switch l.state {
	case Listening:
		l.listen(ctx, f)
	case FollowingUp:
		if !l.detect(ctx, f) {
			l.listen(ctx, f)
		}
	case EarOpen, HearingMore:
		l.meter(level)
		if !l.detect(ctx, f) {
			l.hearTail(ctx, l.clean(f))
		}
	case Correcting, CorrectingDeaf:
		// What is said may be to us: it is not the room, and nobody's noise.
		l.parts.End.Push(f, speech.Partial{}, speech.Incomplete)
		l.meter(level)
		if !l.detect(ctx, f) {
			l.hearAfter(ctx, l.clean(f))
		}
	case Speaking:
		l.own.spoken(level)
		l.hearRoom(ctx, f, level)
	case Idle, Waking, Thinking, AskingBack, Muted, EarFailed:
		l.hearRoom(ctx, f, level)
	}
}

// hearRoom takes a frame in which only a wake word is meant for us; with
// push-to-talk, the first one opens the utterance.
func (l *Loop) hearRoom(ctx context.Context, f audio.Frame, level float64) {
	l.parts.End.Observe(f)
	if l.cfg.PushToTalk && l.state.resting() {
		l.ear.pushed = true
		l.wake(ctx, speech.Detection{Engine: "none", At: f.At.Add(-audio.FrameLength)})
		return
	}
	l.meter(level)
	l.detect(ctx, f)
}

// meter tells what is heard between utterances.
func (l *Loop) meter(level float64) {
	h := Hearing{Level: level}
	if s, ok := l.parts.Wake.(Scorer); ok {
		h.Score = s.Score()
	}
	l.parts.Observer.Hearing(h)
}

// detect listens for the wake word and says whether it changed the state. An
// engine that has trouble is told of once, and once more when it has not.
func (l *Loop) detect(ctx context.Context, f audio.Frame) bool {
	if l.cfg.PushToTalk || l.parts.Wake == nil {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	d, ok, err := l.parts.Wake.Detect(limited, f)
	if ctx.Err() == nil {
		l.condition(ctx, err)
	}
	switch {
	case err != nil || !ok:
		return false
	case d.Stop:
		if l.state == Speaking && !l.own.says(d.Word) {
			l.hush(ctx)
		}
	default:
		l.wake(ctx, d)
	}
	return true
}

// hush ends what is being said. What was done before it was said may still be
// corrected.
func (l *Loop) hush(ctx context.Context) {
	loudest := audio.Silence
	if l.turn != nil {
		loudest = l.turn.utterance.loudest
	}
	l.stop(ctx, Stopped)
	if loudest > audio.Silence {
		l.awaitCorrection(ctx, loudest)
	}
}

// condition takes what is wrong with the wake word engine, nil for nothing.
func (l *Loop) condition(ctx context.Context, err error) {
	trouble := ""
	if err != nil {
		trouble = err.Error()
	}
	if trouble == l.ear.deaf {
		return
	}
	l.ear.deaf = trouble
	if err != nil {
		l.parts.Log.Warn("wake word engine has a problem", "part", "wake", "err", err)
		if l.state.resting() {
			l.step(ctx, Failed)
		}
		return
	}
	l.parts.Log.Info("wake word engine works again", "part", "wake")
	if l.state.Published() == EarFailed {
		l.step(ctx, Finished)
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

// wake opens an utterance, and ends what was being told (barge-in). The command
// may follow the wake word in one breath, so the sound since the end of the word
// is taken from the ring.
func (l *Loop) wake(ctx context.Context, d speech.Detection) {
	if l.step(ctx, Woken) {
		l.openEar(ctx, d, nil)
	}
}

// openEar begins a turn: without a wake word for the answer to the question that
// came of an utterance, of whose sound the ring holds nothing that counts.
func (l *Loop) openEar(ctx context.Context, d speech.Detection, asking *utterance) {
	l.endTurn() // at once, whatever the recogniser takes to open
	t := l.newTelling(d.At)
	if t.followUp = l.state == AskingBack; t.followUp {
		t.utterance.near = asking.loudest - nearSpeaker
	}
	if d.Word != "" {
		t.rec.Wake = &record.Wake{Word: d.Word, Score: d.Score, Engine: d.Engine}
	}
	l.parts.End.Reset(d)
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	if err := l.parts.Stt.Begin(limited); err != nil {
		l.fail(ctx, t, "the speech recogniser is not ready: "+err.Error())
		return
	}
	l.step(ctx, Opened)
	if t.followUp {
		t.chimed = true
		l.chime(ctx, earcon.FollowUp)
	} else {
		for _, f := range l.ear.ring.Since(d.At) {
			if l.state == Listening && l.turn == t {
				l.listen(ctx, f)
			}
		}
	}
	l.ear.ring.Clear()
}

// listen gives one frame to the recogniser and asks whether the sentence ended.
func (l *Loop) listen(ctx context.Context, f audio.Frame) {
	t := l.turn
	u := &t.utterance
	if l.parts.Keep != nil {
		u.sound = append(u.sound, f.Samples...)
	}
	level := audio.Level(f.Samples)
	f = l.clean(f)
	if err := l.recognise(ctx, f, &u.partial, &u.judged); err != nil {
		l.fail(ctx, t, "the speech recogniser failed: "+err.Error())
		return
	}
	e := l.parts.End.Push(f, u.partial, u.judged)
	if !e.SpeechStart.IsZero() {
		u.loudest = max(u.loudest, audio.Level(f.Samples))
	}
	l.chimeOpen(ctx, f.At, e)
	if l.state == FollowingUp {
		if e = l.patiently(ctx, f, e); l.turn != t {
			return
		}
	}
	l.parts.Observer.Hearing(Hearing{Turn: t.id, Level: level, Partial: u.partial, Judged: u.judged, Ended: e.Reason})
	if e.Done {
		l.endUtterance(ctx, e, f.At)
	}
}

// noSpeech is the endpointer's reason when nobody spoke.
const noSpeech = "no_speech"

// recognise gives the recogniser what it may have of a frame, and brings the
// partial text and its judgement up to date.
func (l *Loop) recognise(ctx context.Context, f audio.Frame, partial *speech.Partial, judged *speech.Completeness) error {
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	for _, admitted := range l.parts.End.Admit(f) {
		p, err := l.parts.Stt.Push(limited, admitted)
		if err != nil {
			return err
		}
		if p.Text != partial.Text {
			*judged = l.parts.Mind.Judge(p.Text)
		}
		*partial = p
	}
	return nil
}

// The sound of the open microphone is for who waits for it: a command in one
// breath with the wake word needs none. What is shorter than a word is the wake
// word's own end.
const (
	oneBreath  = 350 * time.Millisecond
	wordsEnd   = 160 * time.Millisecond
	afterWords = 200 * time.Millisecond
)

// chimeOpen makes the sound of the open microphone when nobody speaks yet.
func (l *Loop) chimeOpen(ctx context.Context, at time.Time, e speech.Endpoint) {
	t := l.turn
	spoke := e.SpeechEnd.Sub(e.SpeechStart)
	switch {
	case t.chimed || at.Sub(t.started) < oneBreath:
	case !e.SpeechStart.IsZero() && spoke >= wordsEnd:
		t.chimed = true
	case e.SpeechStart.IsZero() || at.Sub(e.SpeechEnd) >= afterWords:
		t.chimed = true
		l.chime(ctx, earcon.Wake)
	}
}

// sourceEnded ends the utterance with the sound, as silence would have.
func (l *Loop) sourceEnded(ctx context.Context) {
	switch l.state {
	case Listening, FollowingUp:
	case EarOpen:
		l.step(ctx, NothingAdded)
		return
	case HearingMore:
		l.endMore(ctx)
		return
	default:
		return
	}
	e := l.parts.End.Push(audio.Frame{}, l.turn.utterance.partial, l.turn.utterance.judged)
	if !e.Done {
		e.Reason = "source_ended"
	}
	at := e.SpeechEnd
	if at.IsZero() {
		at = l.turn.started
	}
	l.endUtterance(ctx, e, at)
}

// endUtterance writes the utterance down.
func (l *Loop) endUtterance(ctx context.Context, e speech.Endpoint, at time.Time) {
	t := l.turn
	t.rec.Endpoint = &record.Endpoint{Reason: e.Reason}
	wall := time.Now()
	far := t.followUp && t.utterance.far()
	heard := !e.SpeechStart.IsZero() && !far
	text, err := l.writeDown(ctx, far)
	if heard {
		t.utterance.spoke = e.SpeechEnd.Sub(e.SpeechStart)
		t.heardAt(e.SpeechEnd, at, wall, l.cfg.Live)
		t.rec.Timings.Transcript = t.watch.Now()
	}
	second, more := l.parts.Stt.(Deliberate)
	switch {
	case heard && more && !t.followUp && (err != nil || text.Text == ""):
		l.step(ctx, Heard)
		l.elsewhere(ctx, t, func(own context.Context) { l.hearAgain(own, t, second) })
	case err != nil:
		l.fail(ctx, t, "the speech recogniser failed: "+err.Error())
	case !heard:
		t.rec.Outcome = record.Ignored
		t.utterance.sound = nil // it is the room's
		if !t.followUp {        // a question that nobody answers is no turn
			l.finishRecord(t)
		}
		l.step(ctx, NothingHeard)
		l.endTurn()
	default:
		heard := Heard
		if l.openTail(t, e, at, text) {
			heard = HeardSentence
		}
		l.think(ctx, t, text, heard)
	}
}

// writeDown closes the recogniser's utterance. It is not asked about what nobody
// said to us: it may be one in another machine.
func (l *Loop) writeDown(ctx context.Context, far bool) (speech.Transcript, error) {
	if far {
		l.closeEar(ctx)
		return speech.Transcript{}, nil
	}
	limited, cancel := context.WithTimeout(ctx, l.earBudget())
	defer cancel()
	return l.parts.Stt.Finish(limited)
}

// hearAgain asks the slower recognisers for an utterance that the first could
// not make out, and answers it.
func (l *Loop) hearAgain(ctx context.Context, t *telling, second Deliberate) {
	text, err := second.Second(ctx)
	t.rec.Timings.Transcript = t.watch.Now()
	if err != nil {
		l.parts.Log.Warn("no recogniser heard the utterance", "part", "turn", "turn", t.id, "err", err)
		t.rec.Outcome, t.rec.Error = record.Failed, "the speech recogniser failed: "+err.Error()
	} else {
		t.rec.Transcript = &record.Transcript{Text: text.Text, Engine: text.Engine, Confidence: text.Confidence}
	}
	l.tell(ctx, t, text)
}

// heardAt starts the clock of a turn at the end of speech, of which was known at
// a time of the frames' clock and of the wall's.
func (t *telling) heardAt(speechEnd, at, wall time.Time, live bool) {
	t.watch = record.Stopwatch{Zero: speechEnd}
	if !live {
		t.watch.Shift = wall.Sub(at)
	}
	start := max(record.Millis(speechEnd.Sub(t.started)), 0)
	t.rec.Timings.SpeechEnd = &start
	t.rec.Timings.Endpoint = t.watch.At(at.Add(t.watch.Shift))
}

// think lets a turn be told elsewhere, so that the loop is free to hear a barge-in.
func (l *Loop) think(ctx context.Context, t *telling, text speech.Transcript, k Kind) {
	t.rec.Transcript = &record.Transcript{Text: text.Text, Engine: text.Engine, Confidence: text.Confidence}
	l.step(ctx, k)
	l.elsewhere(ctx, t, func(own context.Context) { l.tell(own, t, text) })
}

// fail ends a turn whose recogniser did not do its work. Who woke us waits for
// an answer and gets one.
func (l *Loop) fail(ctx context.Context, t *telling, why string) {
	l.parts.Log.Warn("turn failed", "part", "turn", "turn", t.id, "err", why)
	l.closeEar(ctx)
	t.rec.Outcome = record.Failed
	t.rec.Error = why
	if t.rec.Wake != nil {
		t.rec.Reply = l.parts.Mind.Failed()
		l.says = append(l.says, say{t.rec.Reply})
		l.parts.Observer.Replied(t.id, t.rec.Reply)
	} else {
		l.chime(ctx, earcon.Error)
	}
	l.finishRecord(t)
	l.step(ctx, Failed)
	l.endTurn()
}
