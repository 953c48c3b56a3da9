package ear

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// openEar begins a turn. The command may follow the wake word in one breath, so the sound
// since the end of the word is taken from the pre-roll. The answer to a question may
// begin before our voice has ended; least is how loud in dBFS it must be. The answer to a
// challenge may not: challenge is the id of the turn that asked it, "" for any other
// question.
func (l *Loop) openEar(ctx context.Context, d speech.Detection, least float64, challenge string) {
	l.endTurn() // at once, whatever the recogniser takes to open
	t := newTelling(l.cfg, d.At)
	l.turn = t
	t.followUp, t.utterance.least = l.state == AskingBack, least
	t.challenge, t.utterance.words.secret = challenge, challenge != ""
	if d.Word != "" {
		t.again = !l.missed.IsZero() && d.At.Sub(l.missed) <= triedAgain
		t.rec.Wake = &record.Wake{Word: d.Word, Score: d.Score, Engine: d.Engine}
	}
	l.recogniser.end.Reset(d)
	if err := l.recogniser.begin(ctx, t.expects()); err != nil {
		l.fail(ctx, "the speech recogniser is not ready: "+err.Error())
		return
	}
	l.step(ctx, Opened)
	before := l.ear.preRoll.Since(d.At)
	if t.followUp {
		t.chimeOver = true
		if before = l.ownSound.framesOverUs(l.ear.answerable(t)); len(before) == 0 {
			l.ownSound.chime(ctx, earcon.FollowUp)
		}
	}
	for _, f := range before {
		if l.state.Public() == Listening && l.turn == t {
			l.listen(ctx, f)
		}
	}
	l.ear.preRoll.Clear()
}

// listen gives one frame to the recogniser and asks whether the sentence ended.
func (l *Loop) listen(ctx context.Context, f audio.Frame) {
	t := l.turn
	u := &t.utterance
	if l.parts.Keep != nil {
		u.sound = append(u.sound, f.Samples...)
	}
	if f.Lost > 0 {
		u.gaps = append(u.gaps, gap{f.At, time.Duration(f.Lost) * time.Second / time.Duration(audio.SpeechRate)})
	}
	level := audio.Level(f.Samples)
	f = l.ownSound.without(f, l.ear.room.Level())
	if t.challenge != "" {
		f = l.ownSound.deaf(f, l.ear.room.Level())
	}
	if err := l.recogniser.push(ctx, f, &u.words); err != nil {
		l.fail(ctx, "the speech recogniser failed: "+err.Error())
		return
	}
	e := l.recogniser.end.Push(f, u.words.partial, u.words.judged)
	u.frames.add(judgedFrame{f.At, level, u.words.judged})
	if !e.SpeechStart.IsZero() {
		u.loudest = max(u.loudest, audio.Level(f.Samples))
	}
	l.ownSound.chimeOpen(ctx, t, f.At, e)
	if l.state == FollowingUp && !u.hold.on() {
		if e = l.awaitAnswer(ctx, f, e); l.turn != t {
			return
		}
	}
	e = l.holdOpen(e, f.At)
	l.parts.Observer.Hearing(Hearing{Turn: t.id, Level: level, Partial: u.words.asPartial(), Judged: u.words.judged, Ended: e.Reason})
	if e.Done {
		l.endUtterance(ctx, e, f.At)
	}
}

// Times for the sound of the open microphone, which is for a person who waits for
// it: a command in one breath with the wake word needs none. Speech shorter than
// wordsEnd is the end of the wake word itself.
const (
	oneBreath  = 350 * time.Millisecond
	wordsEnd   = 160 * time.Millisecond
	afterWords = 200 * time.Millisecond
)

// chimeOpen plays the sound of the open microphone once, if there is no speech yet.
func (o *ownSound) chimeOpen(ctx context.Context, t *telling, at time.Time, e speech.Endpoint) {
	spoke := e.SpeechEnd.Sub(e.SpeechStart)
	switch {
	case t.chimeOver || at.Sub(t.started) < oneBreath:
	case !e.SpeechStart.IsZero() && spoke >= wordsEnd:
		t.chimeOver = true
	case e.SpeechStart.IsZero() || at.Sub(e.SpeechEnd) >= afterWords:
		t.chimeOver = true
		o.chime(ctx, earcon.Wake)
	}
}

// sourceEnded ends the utterance when the source of sound ends, as silence would.
func (l *Loop) sourceEnded(ctx context.Context) {
	switch l.state {
	case Listening, FollowingUp:
	case EarOpen, HalfHeard:
		l.step(ctx, NothingAdded)
		return
	case HearingMore:
		l.step(ctx, l.growing.finish(ctx))
		return
	case Ringing, RingPause:
		l.bell.endRound(ctx)
		return
	default:
		return
	}
	words := l.turn.utterance.words
	e := l.recogniser.end.Push(audio.Frame{}, words.partial, words.judged)
	if !e.Done {
		e.Reason = "source_ended"
	}
	at := e.SpeechEnd
	if at.IsZero() {
		at = l.turn.started
	}
	l.endUtterance(ctx, e, at)
	l.step(ctx, NothingAdded)
}

// endUtterance ends the utterance and has its text answered. The recogniser, which
// may run on another machine, is not asked about speech that was not meant for the
// house.
func (l *Loop) endUtterance(ctx context.Context, e speech.Endpoint, at time.Time) {
	t := l.turn
	t.rec.Endpoint = &record.Endpoint{Reason: e.Reason, Frames: t.utterance.frames.until(e.SpeechEnd)}
	t.utterance.lost = t.utterance.sumLost(e)
	wall := time.Now()
	tooQuiet := t.followUp && t.utterance.tooQuiet()
	spoken := !e.SpeechStart.IsZero() && !tooQuiet
	var text speech.Transcript
	var err error
	if tooQuiet {
		l.recogniser.drop(ctx)
	} else {
		text, err = l.finishUtterance(ctx, t, spoken)
	}
	if spoken {
		t.utterance.spoke, t.answered = e.SpeechEnd.Sub(e.SpeechStart), e.SpeechEnd.Sub(t.started)
		t.startClock(e.SpeechEnd, at, wall, l.cfg.Live)
		t.rec.Timings.Transcript = t.watch.Now()
	}
	second, more := l.parts.Stt.(Deliberate)
	switch {
	case spoken && more && t.deserves() && (err != nil || text.Text == ""):
		l.step(ctx, Heard)
		l.runBeside(ctx, t, func(ctx context.Context) { l.teller.tellAgain(ctx, t, second) })
	case err != nil:
		l.fail(ctx, "the speech recogniser failed: "+err.Error())
	case !spoken:
		t.rec.Outcome = record.Ignored
		t.utterance.sound = nil // nobody spoke in it
		if !t.followUp {        // a question without an answer leaves no record
			l.teller.finishRecord(t)
		}
		l.step(ctx, NothingHeard)
		l.endTurn()
	default:
		k := l.growing.judge(t, e, text)
		if k != Heard {
			l.growing.begin(t, at)
		}
		l.think(ctx, t, text, k)
	}
}

// deserves reports whether the slower recognisers are asked for an utterance. Speech
// without a wake word may not be meant for the house, and stays on this machine; the
// answer to a challenge is meant for it, unless some of it was lost.
func (t *telling) deserves() bool {
	return !t.followUp || t.challenge != "" && !t.utterance.torn()
}

// tornFrom is how much sound that was lost may have been a word: "say" takes longer. A word
// that was lost before those that were heard ended at most tornBefore before them.
const (
	tornFrom   = 100 * time.Millisecond
	tornBefore = 500 * time.Millisecond
)

// sumLost sums up the sound that was lost in speech, or close enough before it to have been
// its beginning.
func (u *utterance) sumLost(e speech.Endpoint) (lost time.Duration) {
	for _, g := range u.gaps {
		if !g.at.Before(e.SpeechStart.Add(-tornBefore)) {
			lost += g.lost
		}
	}
	return lost
}

// torn reports whether words may be missing in an utterance that has ended. Of our own
// question, "say amber tiger, to unlock the front door", only the two words may then be
// left.
func (u *utterance) torn() bool { return u.lost >= tornFrom }

// finishUtterance asks the recogniser for the text of an utterance. Meanwhile the
// mind may begin with the words so far; the end of the turn drops that too.
func (l *Loop) finishUtterance(ctx context.Context, t *telling, spoken bool) (speech.Transcript, error) {
	sofar := t.utterance.words.partial.Text
	if mind, ok := l.parts.Mind.(Foresight); ok && spoken && sofar != "" && t.challenge == "" {
		t.foreseen = mind.Expect(ctx, t.request(sofar, l.cfg.DryRun))
	}
	text, err := l.recogniser.finish(ctx)
	if t.challenge != "" && t.utterance.torn() {
		l.recogniser.log.Warn("the microphone lost sound in the answer to a challenge, so it does not count", "part", "turn", "turn", t.id, "lost", t.utterance.lost)
		text = speech.Transcript{Engine: text.Engine, Rejected: "some of the sound was lost"}
	}
	if text.Loose && t.followUp {
		text = speech.Transcript{Engine: text.Engine, Rejected: "other words than those of a sentence, and no wake word"}
	}
	if t.foreseen != nil && (err != nil || text.Text != sofar || text.Unfinished) {
		t.foreseen()
	}
	return text, err
}

// think runs the answer to a turn beside the loop, which stays free to hear a
// barge-in.
func (l *Loop) think(ctx context.Context, t *telling, text speech.Transcript, k Kind) {
	t.rec.Transcript = t.transcript(text)
	l.step(ctx, k)
	l.runBeside(ctx, t, func(ctx context.Context) { l.teller.tell(ctx, t, text) })
}

// transcript is a text as the record of the turn has it.
func (t *telling) transcript(text speech.Transcript) *record.Transcript {
	if t.challenge != "" {
		return &record.Transcript{Text: record.ChallengeAnswer, Engine: text.Engine, Confidence: text.Confidence}
	}
	return &record.Transcript{Text: text.Text, Engine: text.Engine, Confidence: text.Confidence}
}
