package ear

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// ear is what is known of the microphone between turns.
type ear struct {
	preRoll *audio.Ring
	room    audio.NoiseFloor
	newest  time.Time // of the newest frame
	muted   bool
	pushed  bool // the only utterance of push-to-talk was opened
}

// answerable returns the kept frames that may hold the beginning of an answer, spoken
// before our voice had ended. For a challenge there are none, because they may hold the
// words in our own voice.
func (e *ear) answerable(t *telling) []audio.Frame {
	if t.challenge != "" {
		return nil
	}
	return e.preRoll.Since(time.Time{})
}

// hear gives one frame to the state that uses it, unless the microphone is muted.
// The wake word is listened for in every state but Listening.
func (l *Loop) hear(ctx context.Context, f audio.Frame) {
	if l.ear.muted {
		return
	}
	if l.deadline.passed(l.state) {
		l.handle(ctx, event{kind: TimedOut})
	}
	level := audio.Level(f.Samples)
	l.ear.newest = f.At
	if !l.state.sounds() { // our own voice is not the room
		l.ear.room.Push(level)
	}
	if l.state != Listening {
		l.ear.preRoll.Push(f)
	}
	switch l.state {
	case Listening:
		l.listen(ctx, f)
	case FollowingUp:
		if !l.detect(ctx, f) {
			l.listen(ctx, f)
		}
	case EarOpen, HalfHeard, HearingMore:
		l.hearAddition(ctx, f, level)
	case Correcting, CorrectingDeaf:
		l.hearFewWords(ctx, f, level)
	case RingPause:
		if l.window.opened() {
			l.hearFewWords(ctx, f, level)
		} else {
			l.hearRoom(ctx, f, level)
		}
	case Speaking, Ringing:
		l.ownSound.noteVoice(level)
		l.hearRoom(ctx, f, level)
	case Idle, Waking, Thinking, AskingBack, Muted, EarFailed:
		l.hearRoom(ctx, f, level)
	}
}

// hearRoom takes a frame of a room in which only a wake word is meant for the
// house. With push-to-talk, the first frame opens the utterance. The endpointer
// learns what the room sounds like.
func (l *Loop) hearRoom(ctx context.Context, f audio.Frame, level float64) {
	l.recogniser.end.Observe(f)
	if l.cfg.PushToTalk && l.state.resting() {
		l.ear.pushed = true
		l.wake(ctx, speech.Detection{Engine: "none", At: f.At.Add(-audio.FrameLength)})
		return
	}
	l.meter(level)
	l.detect(ctx, f)
}

// hearAddition takes a frame in which something may be added to the sentence the
// mind is working on.
func (l *Loop) hearAddition(ctx context.Context, f audio.Frame, level float64) {
	l.meter(level)
	if l.detect(ctx, f) {
		return
	}
	room := l.ear.room.Level()
	f = l.ownSound.without(f, room)
	if l.state == HearingMore {
		l.step(ctx, l.growing.hear(ctx, f))
	} else {
		l.step(ctx, l.growing.await(ctx, f, room))
	}
}

// hearFewWords takes a frame in which a few words need no wake word: they correct what
// was done, or answer an alert. Speech in it may be meant for the house, so the
// endpointer must not learn it as the room's noise.
func (l *Loop) hearFewWords(ctx context.Context, f audio.Frame, level float64) {
	l.recogniser.end.Push(f, speech.Partial{}, speech.Incomplete)
	l.meter(level)
	if l.detect(ctx, f) {
		return
	}
	room := l.ear.room.Level()
	switch k := l.window.hear(ctx, l.ownSound.without(f, room), room); {
	case l.state == RingPause:
		l.bell.take(ctx, k, f.At)
	case k == Heard:
		l.correct(ctx, f.At)
	default:
		l.step(ctx, k)
	}
}

// meter tells the observer what is heard between utterances.
func (l *Loop) meter(level float64) {
	l.parts.Observer.Hearing(Hearing{Level: level, Score: l.wakeWord.score()})
}

// detect listens for the wake word and the stop words, and reports whether it heard
// one. Trouble with the engine is reported once when it begins and once when it
// ends.
func (l *Loop) detect(ctx context.Context, f audio.Frame) bool {
	if l.cfg.PushToTalk || l.wakeWord.engine == nil {
		return false
	}
	d, ok, err := l.wakeWord.detect(ctx, f)
	if ctx.Err() == nil && l.wakeWord.noteTrouble(err) {
		l.wakeWordChanged(ctx, err)
	}
	switch {
	case err != nil || !ok:
		return false
	case d.Stop && l.bell.defers(f.At):
		return false
	case d.Stop:
		if l.state == RingPause || l.state.sounds() && !l.voice.says(d.Word) {
			l.stopSpeaking(ctx)
		}
	default:
		l.wake(ctx, d)
	}
	return true
}

// wakeWordChanged brings the state in line with the wake word engine, which has
// trouble or, without an error, works again.
func (l *Loop) wakeWordChanged(ctx context.Context, err error) {
	if err != nil {
		l.parts.Log.Warn("wake word engine has a problem", "part", "wake", "err", err)
		if l.state.resting() {
			l.step(ctx, Failed)
		}
		return
	}
	l.parts.Log.Info("wake word engine works again", "part", "wake")
	if l.state.Public() == EarFailed {
		l.step(ctx, Finished)
	}
}

// wake opens an utterance, and interrupts a reply (barge-in).
func (l *Loop) wake(ctx context.Context, d speech.Detection) {
	if l.step(ctx, Woken) {
		l.openEar(ctx, d, 0, "")
	}
}
