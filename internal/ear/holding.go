package ear

import (
	"context"
	"time"

	"voicegateway/internal/language/speech"
)

// Button is what a person does with a button that is held while one speaks.
type Button string

// What is done with the button. Whoever sends ButtonDown repeats ButtonHeld at least every two
// seconds, so that a button whose connection is lost is held no longer.
const (
	ButtonDown Button = "down" // it is pressed, and begins to be held
	ButtonHeld Button = "held" // it is still held
	ButtonUp   Button = "up"   // it is let go: the sentence is over
)

const (
	// holdTime is for how long a button counts as held that nothing more is heard of.
	holdTime = 2500 * time.Millisecond
	// holdMost is how long an utterance may be held open; it is below the deadline of
	// listening, which drops what was said.
	holdMost = 13 * time.Second
	// letGoTail is how much is heard after a button was let go: people let go with the last
	// syllable, and its sound is still on its way.
	letGoTail = 250 * time.Millisecond
)

// letGo is the reason for the end of an utterance that was held open.
const letGo = "let_go"

// hold is how a button keeps an utterance open, in the frames' clock. The zero hold is that of
// an utterance that ends by itself.
type hold struct {
	until time.Time // it is held, or its tail is heard
	ends  time.Time // the utterance ends at the latest
}

// on reports whether a button keeps, or has kept, the utterance open.
func (h *hold) on() bool { return !h.ends.IsZero() }

// Hold tells what is done with a button that is held while one speaks. The first press opens an
// utterance as Listen does, unless one is open, and it does not end while the button is held.
// Whatever else comes of a button whose utterance is over means nothing. It fails with ErrMuted.
func (l *Loop) Hold(ctx context.Context, b Button) error {
	return l.request(ctx, event{kind: held, button: b})
}

// held is the event that something is done with the button.
const held Kind = "held"

// press takes what is done with the button.
func (l *Loop) press(ctx context.Context, b Button) error {
	if b == ButtonDown {
		if err := l.listenNow(ctx); err != nil {
			return err
		}
	}
	if l.state.Public() != Listening || l.turn == nil {
		return nil
	}
	h, now := &l.turn.utterance.hold, l.now()
	switch {
	case b == ButtonDown:
		*h = hold{until: now.Add(holdTime), ends: l.turn.started.Add(holdMost)}
	case !h.on():
	case b == ButtonHeld:
		h.until = now.Add(holdTime)
	case b == ButtonUp:
		if end := now.Add(letGoTail); end.Before(h.ends) {
			h.ends = end
		}
		h.until = h.ends
	}
	return nil
}

// now is the present in the frames' clock.
func (l *Loop) now() time.Time {
	if l.cfg.Live {
		return time.Now()
	}
	return l.ear.newest // recorded sound has a clock of its own
}

// holdOpen keeps an utterance from ending while its button is held, and ends it once the button
// was let go. Where nothing more is heard of the button, the utterance ends like any other.
func (l *Loop) holdOpen(e speech.Endpoint, at time.Time) speech.Endpoint {
	h := &l.turn.utterance.hold
	switch {
	case !h.on():
	case !at.Before(h.ends):
		e.Done, e.Reason = true, letGo
	case at.Before(h.until):
		if e.Done && e.SpeechStart.IsZero() { // it has given up waiting, and waits anew
			l.recogniser.end.Reset(speech.Detection{Engine: "none", At: at})
		}
		e.Done, e.Reason = false, ""
	}
	return e
}
