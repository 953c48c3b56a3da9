package ear

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// finish ends a turn after its reply. After a question the microphone opens for the
// answer; after an act the loop waits for a correction.
func (l *Loop) finish(ctx context.Context) {
	if l.state.rings() {
		l.bell.nextRound(ctx)
		return
	}
	var after aftermath
	loudest := audio.Silence
	if l.turn != nil {
		after, loudest = l.turn.aftermath, l.turn.utterance.loudest
		l.missed = time.Time{}
		if l.turn.missed {
			l.missed = l.ear.newest
		}
	}
	if after.asks && !l.ear.muted && l.step(ctx, AskedBack) {
		l.openEar(ctx, speech.Detection{Engine: "none", At: l.ear.newest}, loudest-belowSpeaker, after.challenge)
		return
	}
	if after.halts {
		l.waiting = nil
		l.bell.acknowledge()
	}
	if !l.step(ctx, Finished) {
		return
	}
	l.endTurn()
	if after.sound != "" {
		l.ownSound.chime(ctx, after.sound)
	}
	if after.acted {
		l.awaitCorrection(ctx, loudest)
	}
}

// stop ends the turn because of k: a stop, a deadline or a failure.
func (l *Loop) stop(ctx context.Context, k Kind) {
	if k == Stopped {
		l.waiting = nil // a person who wants quiet wants no waiting texts either
		l.bell.acknowledge()
	}
	listening := l.state.Public() == Listening
	if l.step(ctx, k) {
		l.abandon(ctx, listening, k)
	}
}

// stopSpeaking ends the reply. An act carried out before it may still be corrected.
func (l *Loop) stopSpeaking(ctx context.Context) {
	loudest := audio.Silence
	if l.turn != nil {
		loudest = l.turn.utterance.loudest
	}
	l.stop(ctx, Stopped)
	if loudest > audio.Silence {
		l.awaitCorrection(ctx, loudest)
	}
}

// mute closes the microphone or opens it; a reply continues.
func (l *Loop) mute(ctx context.Context, k Kind) {
	on := k == MicMuted
	if l.ear.muted == on {
		return
	}
	l.ear.muted = on
	l.ear.preRoll.Clear()
	if l.state == RingPause {
		l.window.forgetSpeech(ctx, k)
	}
	listening := l.state.Public() == Listening
	if l.step(ctx, k) && l.state == Muted {
		l.abandon(ctx, listening, k)
	}
	if on {
		l.ownSound.chime(ctx, earcon.Muted)
	} else {
		l.ownSound.chime(ctx, earcon.Unmuted)
	}
}

// abandon drops the turn because of k. It finishes the record of a turn that was
// still listening; the teller finishes any other record.
func (l *Loop) abandon(ctx context.Context, listening bool, k Kind) {
	t := l.turn
	if listening && t != nil {
		l.recogniser.drop(ctx)
		t.rec.Outcome = record.Interrupted
		t.rec.Error = "listening ended: " + string(k)
		if k == MicMuted { // a person who mutes the microphone does not want the last sound recorded
			t.utterance.sound = nil
		}
		l.teller.finishRecord(t)
	}
	l.endTurn()
}

// fail ends a turn whose recogniser failed. A person who said the wake word waits
// for an answer and gets one.
func (l *Loop) fail(ctx context.Context, why string) {
	t := l.turn
	l.parts.Log.Warn("turn failed", "part", "turn", "turn", t.id, "err", why)
	l.recogniser.drop(ctx)
	t.rec.Outcome = record.Failed
	t.rec.Error = why
	if t.rec.Wake != nil {
		t.rec.Reply = l.parts.Mind.Failed()
		l.waiting = append(l.waiting, t.rec.Reply)
		l.parts.Observer.Replied(t.id, t.rec.Reply)
	} else {
		l.ownSound.chime(ctx, earcon.Error)
	}
	l.teller.finishRecord(t)
	l.step(ctx, Failed)
	l.endTurn()
}

// endTurn cancels what still runs for the turn.
func (l *Loop) endTurn() {
	if l.turn != nil && l.turn.cancel != nil {
		l.turn.cancel()
	}
	if l.turn != nil && l.turn.foreseen != nil {
		l.turn.foreseen()
	}
	l.turn = nil
}
