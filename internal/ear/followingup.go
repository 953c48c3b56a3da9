package ear

import (
	"context"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// followUpTime is how long a question may be answered without a wake word
// (REQUIREMENTS U5).
const followUpTime = 6 * time.Second

// challengeTime is how long the words of a challenge may be said (S1). The mind refuses
// an answer that began in time and ended later.
const challengeTime = 10 * time.Second

// noSpeech is the endpointer's reason when there was no speech.
const noSpeech = "no_speech"

// awaitAnswer gives the user followUpTime to answer a question, even if the endpointer
// gives up earlier because it hears silence. Without a wake word the endpointer admits
// every frame, so awaitAnswer has to tell a television from the user: the answer is about
// as loud as the command.
func (l *Loop) awaitAnswer(ctx context.Context, f audio.Frame, e speech.Endpoint) speech.Endpoint {
	t := l.turn
	u := &t.utterance
	if audio.Level(f.Samples) >= u.least {
		u.loudFrames++
	}
	late := f.At.Sub(t.started) >= t.answerTime()
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

// tooQuiet reports whether the speech was too quiet to come from the person who was
// asked. Who holds the button while speaking is that person.
func (u *utterance) tooQuiet() bool { return !u.hold.on() && u.loudFrames < leastLoudFrames }

// awaitAnswerAgain drops sound that was no answer and waits for one.
func (l *Loop) awaitAnswerAgain(ctx context.Context, e speech.Endpoint) {
	l.recogniser.end.Reset(speech.Detection{Engine: "none", At: l.ear.newest})
	u := &l.turn.utterance
	u.loudFrames, u.sound = 0, nil
	if e.SpeechStart.IsZero() {
		return
	}
	if err := l.recogniser.begin(ctx, l.turn.expects()); err != nil {
		l.fail(ctx, "the speech recogniser is not ready: "+err.Error())
		return
	}
	u.words, u.loudest = partialText{secret: u.words.secret}, audio.Silence
}

// answerTime is how long the question of a turn may be answered.
func (t *telling) answerTime() time.Duration {
	if t.challenge != "" {
		return challengeTime
	}
	return followUpTime
}
