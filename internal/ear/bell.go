package ear

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
)

// soundTimeout is how long the sound of an alert may take, including the wait for
// the device. The words are tried after it all the same.
const soundTimeout = 5 * time.Second

// stopPatience is how long after the stop word the recogniser may take to hear something
// else: two short words, and the quiet after them.
const stopPatience = 1200 * time.Millisecond

// errNoRing is returned by a microphone for one utterance, which has no room to ring in.
var errNoRing = errors.New("a microphone for one utterance rings for nobody")

// bell rings the alerts of a loop, in its goroutine: what happens in the states Ringing
// and RingPause.
type bell struct {
	*Loop
	alerts alerts
	over   bool      // the quiet of a round is over, and a text waits to be spoken
	stopAt time.Time // of the stop word in the quiet, by the frames' clock; zero: it was not heard
}

// handle carries out an event about alerts.
func (b *bell) handle(ctx context.Context, e event) error {
	switch e.kind {
	case RingAsked:
		return b.takeAlert(ctx, e.alert)
	case quietAsked:
		b.quiet(ctx, e.ids)
	default:
		b.roundOver(ctx)
	}
	return nil
}

// attend starts what waits while the loop is idle: an urgent alert, a text, or another
// alert. When the source of sound has ended, nothing rings any more.
func (b *bell) attend(ctx context.Context, ended bool) {
	if !ended {
		b.ring(ctx, true)
	}
	b.speakWaiting(ctx)
	if !ended {
		b.ring(ctx, false)
	}
}

// takeAlert takes an alert. An urgent one sounds at once, whatever happens; any other one
// when the loop is idle.
func (b *bell) takeAlert(ctx context.Context, x Alert) error {
	switch {
	case b.cfg.PushToTalk:
		return errNoRing
	case !b.alerts.add(x):
		return ErrBusy
	case !x.Urgent || b.state.resting() || b.state.rings() && b.alerts.now.Urgent:
		return nil // Run begins its round, or the end of the round before
	}
	listening := b.state.Public() == Listening
	if b.step(ctx, Alarmed) {
		b.abandon(ctx, listening, Alarmed)
		b.beginRound(ctx)
	}
	return nil
}

// ring begins a round of an alert that is urgent or is not.
func (b *bell) ring(ctx context.Context, urgent bool) {
	if !b.state.resting() || b.state.correctable() && b.window.speaking(b.ear.newest) && !urgent {
		return
	}
	b.endAlerts()
	if next := b.alerts.next(); next != nil && next.Urgent == urgent && b.step(ctx, RingAsked) {
		b.beginRound(ctx)
	}
}

// beginRound sounds the next alert beside the loop, and lets it be quiet after that.
func (b *bell) beginRound(ctx context.Context) {
	x := b.alerts.begin()
	b.over, b.stopAt = false, time.Time{}
	t := newTelling(b.cfg, time.Now())
	b.turn = t
	b.runBeside(ctx, t, func(ctx context.Context) {
		b.voice.playing.Store(nil)
		b.ownSound.call(ctx, x.Sound)
		if x.Text != "" {
			b.voice.speak(ctx, one(x.Text), nil, func(time.Time) {})
		}
		b.teller.report(ctx, t, RoundOver)
		wait(ctx, x.Every)
	})
}

// call plays the sound of an alert, which every set has. That it is not heard is logged
// once, until a speaker plays one.
func (o *ownSound) call(ctx context.Context, s earcon.Sound) {
	if o.speaker == nil || !o.set.Has(s) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, soundTimeout)
	defer cancel()
	err := o.speaker.Play(limited, o.set.Clip(s))
	if err != nil && ctx.Err() != nil {
		return
	}
	if err == nil {
		o.unheard.Store(nil)
		return
	}
	if now := time.Now(); o.unheard.CompareAndSwap(nil, &now) {
		o.log.Warn("an alert rings, and nothing plays it", "part", "audio", "sound", string(s), "err", err)
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

// roundOver opens the quiet of a round, in which a few words need no wake word. The
// loudness of the person who says them is not known: they must be louder than the room.
func (b *bell) roundOver(ctx context.Context) {
	if !b.step(ctx, RoundOver) || !b.recogniser.canReopen() {
		return
	}
	expects := speech.AlertWords
	if b.alerts.now.Urgent { // among all sentences less is taken for "stop"
		expects = speech.Sentence
	}
	b.window.open(b.ear.newest.Add(2*mostQuiet), b.ear.room.Level()+aboveRoom, expects, func(text string) bool {
		_, meant := b.parts.Mind.AnswersAlert(text, b.alerts.now.Urgent)
		return meant
	})
}

// take takes what a frame of the quiet brought. A word for quiet is carried out at
// once, any other as a turn. With a recogniser in trouble, the wake word and the stop
// word remain.
func (b *bell) take(ctx context.Context, k Kind, at time.Time) {
	switch k {
	case Heard:
		b.answer(ctx, at)
	case NotCorrected:
		b.window.forgetSpeech(ctx, NotCorrected)
	default: // nothing yet
	}
	if b.state == RingPause && !b.stopAt.IsZero() && at.Sub(b.stopAt) >= stopPatience {
		b.stopSpeaking(ctx)
	}
}

// defers takes a stop word that was heard in the quiet and reports whether it waits for
// the recogniser: the model of "stop" hears it in "snooze" and "hush" as well, and an
// alarm that ends instead of ringing again lets a family oversleep. An urgent alert
// cannot be snoozed, so it does not wait.
func (b *bell) defers(at time.Time) bool {
	waits := b.state == RingPause && b.window.opened() && !b.alerts.now.Urgent
	if waits && b.stopAt.IsZero() {
		b.stopAt = at
	}
	return waits
}

// answer carries out what was said in the quiet.
func (b *bell) answer(ctx context.Context, at time.Time) {
	text := b.window.said.text
	quiet, _ := b.parts.Mind.AnswersAlert(text.Text, b.alerts.now.Urgent)
	b.endTurn()
	if !quiet {
		b.correct(ctx, at)
		return
	}
	t := b.window.turn(b.cfg, at)
	t.rec.Transcript = t.transcript(text)
	t.rec.Route, t.rec.Intent, t.rec.Outcome = record.RouteLocal, &record.Intent{Name: catalogue.Stop}, record.Done
	b.teller.finishRecord(t)
	b.stop(ctx, Stopped)
}

// nextRound continues after the quiet of a round: with a text that waits to be spoken,
// with the next alert, or with nothing. It waits a moment for a person who is speaking.
func (b *bell) nextRound(ctx context.Context) {
	if !b.stopAt.IsZero() {
		b.stopSpeaking(ctx)
		return
	}
	if t := b.turn; b.window.speaking(b.ear.newest) && !b.alerts.extended {
		b.alerts.extended = true
		b.runBeside(ctx, t, func(ctx context.Context) { wait(ctx, lateCorrectionTime) })
		return
	}
	b.endAlerts()
	switch {
	case len(b.waiting) > 0:
		b.over = true // Run speaks it
	case b.alerts.next() == nil:
		b.endRound(ctx)
	case b.step(ctx, RingAsked):
		b.endTurn()
		b.beginRound(ctx)
	}
}

// endRound ends the round that sounds, if one does.
func (b *bell) endRound(ctx context.Context) {
	if b.state.rings() && b.step(ctx, Finished) {
		b.endTurn()
	}
}

// quiet removes alerts that no longer need attention.
func (b *bell) quiet(ctx context.Context, ids []string) {
	if b.alerts.remove(ids) {
		b.endRound(ctx)
	}
}

// acknowledge ends the alerts that a person has heard, who wants quiet.
func (b *bell) acknowledge() { b.tellAcknowledged(b.alerts.acknowledge(), false) }

// endAlerts ends the alerts that have rung for long enough.
func (b *bell) endAlerts() {
	var silent time.Time
	if since := b.ownSound.unheard.Load(); since != nil {
		silent = *since
	}
	b.tellAcknowledged(b.alerts.removeExpired(silent), true)
}

// tellAcknowledged reports which alerts are over, beside the loop: the receiver may ask
// the loop for something.
func (b *bell) tellAcknowledged(ids []string, over bool) {
	if tell := b.parts.Acknowledged; tell != nil && len(ids) > 0 {
		b.running.Go(func() { tell(ids, over) })
	}
}
