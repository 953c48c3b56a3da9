package turn

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// followUpTime is how long the answer to a question needs no wake word (REQUIREMENTS
// U5).
const followUpTime = 6 * time.Second

// noSpeech is the endpointer's reason when nobody spoke.
const noSpeech = "no_speech"

// awaitAnswer gives the answer to a question its own time, whatever the endpointer
// says of a person who is silent. Without a wake word no frame is kept from the
// recogniser, so a television is told from a person here: who answers is about as
// loud as who commanded.
func (l *Loop) awaitAnswer(ctx context.Context, f audio.Frame, e speech.Endpoint) speech.Endpoint {
	t := l.turn
	u := &t.utterance
	if audio.Level(f.Samples) >= u.least {
		u.loudFrames++
	}
	late := f.At.Sub(t.started) >= followUpTime
	nobody := e.SpeechStart.IsZero() || u.tooQuiet()
	switch {
	case late && (e.Done && nobody || e.SpeechStart.IsZero() || u.loudFrames == 0):
		return speech.Endpoint{Done: true, Reason: noSpeech}
	case e.Done && nobody:
		l.awaitAnswerAgain(ctx, e)
		return speech.Endpoint{}
	}
	return e
}

// tooQuiet reports whether what was heard was too quiet to be the person we asked.
func (u *utterance) tooQuiet() bool { return u.loudFrames < leastLoudFrames }

// awaitAnswerAgain drops what was heard, which was no answer, and waits for one.
func (l *Loop) awaitAnswerAgain(ctx context.Context, e speech.Endpoint) {
	l.recogniser.end.Reset(speech.Detection{Engine: "none", At: l.ear.newest})
	u := &l.turn.utterance
	u.loudFrames, u.sound = 0, nil
	if e.SpeechStart.IsZero() {
		return
	}
	if err := l.recogniser.begin(ctx); err != nil {
		l.fail(ctx, "the speech recogniser is not ready: "+err.Error())
		return
	}
	u.words, u.loudest = words{}, audio.Silence
}
