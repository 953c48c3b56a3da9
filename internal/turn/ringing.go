package turn

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/record"
)

// soundTimeout is how long the sound of an alert may take, including the wait for
// the device. The words are tried after it all the same.
const soundTimeout = 5 * time.Second

// errNoRing is returned where there is no room in which anybody could be called.
var errNoRing = errors.New("a microphone for one utterance rings for nobody")

// ringAsked takes an alert. An urgent one sounds at once, whatever goes on; any other
// one when nothing else does.
func (l *Loop) ringAsked(ctx context.Context, x Alert) error {
	switch {
	case l.cfg.PushToTalk:
		return errNoRing
	case !l.alerts.add(x):
		return ErrBusy
	case !x.Urgent || l.state.resting() || l.state.rings() && l.alerts.now.Urgent:
		return nil // Run begins its round, or the end of the round before
	}
	listening := l.state.Published() == Listening
	if l.step(ctx, Alarmed) {
		l.abandon(ctx, listening, Alarmed)
		l.beginRound(ctx)
	}
	return nil
}

// ring begins a round once nothing else is going on. An urgent alert goes before the
// texts that wait to be spoken.
func (l *Loop) ring(ctx context.Context, urgent bool) {
	if !l.state.resting() || l.state.correctable() && l.window.speaking(l.ear.newest) && !urgent {
		return
	}
	l.endAlerts()
	if next := l.alerts.next(); next != nil && next.Urgent == urgent && l.step(ctx, RingAsked) {
		l.beginRound(ctx)
	}
}

// beginRound sounds the next alert beside the loop, and lets it be quiet after that.
func (l *Loop) beginRound(ctx context.Context) {
	x := l.alerts.begin()
	t := newTelling(l.cfg, time.Now())
	l.turn = t
	l.runBeside(ctx, t, func(ctx context.Context) {
		l.voice.playing.Store(nil)
		l.ownSound.call(ctx, x.Sound)
		if x.Text != "" {
			l.voice.speak(ctx, one(x.Text), nil, func(time.Time) {})
		}
		l.teller.report(ctx, t, RoundOver)
		wait(ctx, x.Every)
	})
}

// call plays the sound of an alert, which every set has.
func (o *ownSound) call(ctx context.Context, s earcon.Sound) {
	if o.speaker == nil || !o.set.Has(s) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, soundTimeout)
	defer cancel()
	if err := o.speaker.Play(limited, o.set.Clip(s)); err != nil && ctx.Err() == nil {
		o.log.Warn("alert not sounded", "part", "audio", "sound", string(s), "err", err)
	}
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// roundOver opens the quiet of a round, in which a few words need no wake word. Nobody
// knows how loud the person is who says them: they must be louder than the room.
func (l *Loop) roundOver(ctx context.Context) {
	if !l.step(ctx, RoundOver) || !l.recogniser.canReopen() {
		return
	}
	l.window.open(l.ear.newest.Add(2*mostQuiet), l.ear.room.Level()+aboveRoom, func(text string) bool {
		_, meant := l.parts.Mind.AnswersAlert(text, l.alerts.now.Urgent)
		return meant
	})
}

// hearQuiet takes a frame of the quiet between two rounds.
func (l *Loop) hearQuiet(ctx context.Context, f audio.Frame, level float64) {
	if !l.window.opened() {
		l.hearRoom(ctx, f, level)
		return
	}
	switch l.hearFewWords(ctx, f, level) {
	case Heard:
		l.answerAlert(ctx, f.At)
	case NotCorrected: // the recogniser is in trouble; the wake word and the stop word remain
		l.window.end(ctx, NotCorrected)
	}
}

// answerAlert carries out what was said in the quiet: a word for quiet at once, any
// other as a turn.
func (l *Loop) answerAlert(ctx context.Context, at time.Time) {
	text := l.window.said.text
	quiet, _ := l.parts.Mind.AnswersAlert(text.Text, l.alerts.now.Urgent)
	l.endTurn()
	if !quiet {
		l.correct(ctx, at)
		return
	}
	t := l.overheard(at)
	t.rec.Transcript = written(text)
	t.rec.Route, t.rec.Intent, t.rec.Outcome = record.RouteLocal, &record.Intent{Name: catalogue.Stop}, record.Done
	l.teller.finishRecord(t)
	l.stop(ctx, Stopped)
}

// nextRound goes on after the quiet of a round: with a text that waits to be spoken,
// with the next alert, or with nothing. It waits a moment for somebody who speaks.
func (l *Loop) nextRound(ctx context.Context) {
	if t := l.turn; l.window.speaking(l.ear.newest) && !l.alerts.extended {
		l.alerts.extended = true
		l.runBeside(ctx, t, func(ctx context.Context) { wait(ctx, lateCorrectionTime) })
		return
	}
	l.endAlerts()
	switch {
	case len(l.waiting) > 0:
		l.endTurn()
		l.speakNext(ctx)
	case l.alerts.next() == nil:
		l.endRinging(ctx)
	case l.step(ctx, RingAsked):
		l.endTurn()
		l.beginRound(ctx)
	}
}

// endRinging ends the round that sounds, if one does.
func (l *Loop) endRinging(ctx context.Context) {
	if l.state.rings() && l.step(ctx, Finished) {
		l.endTurn()
	}
}

// quiet takes away alerts that need nobody any more.
func (l *Loop) quiet(ctx context.Context, ids []string) {
	if l.alerts.remove(ids) {
		l.endRinging(ctx)
	}
}

// acknowledge ends the alerts that a person has heard, who wants quiet.
func (l *Loop) acknowledge() { l.tellAcknowledged(l.alerts.acknowledge(), false) }

// endAlerts ends the alerts that have rung for long enough.
func (l *Loop) endAlerts() { l.tellAcknowledged(l.alerts.end(), true) }

// tellAcknowledged says which alerts are over, beside the loop: who is told may ask
// the loop for something.
func (l *Loop) tellAcknowledged(ids []string, over bool) {
	if tell := l.parts.Acknowledged; tell != nil && len(ids) > 0 {
		l.running.Go(func() { tell(ids, over) })
	}
}
