package ear

import (
	"context"
	"errors"
	"fmt"
)

// ErrMuted is returned for a request to listen while the microphone is muted.
var ErrMuted = errors.New("the microphone is muted; unmute it first")

// ErrBusy is returned when too many texts already wait to be spoken.
var ErrBusy = errors.New("too many texts are waiting to be spoken; try again in a moment")

// noRequest is an event that changes nothing: its sender only wants to know that
// the loop takes events.
const noRequest Kind = "no_request"

// quietAsked is the event that alerts are to end.
const quietAsked Kind = "quiet_asked"

// Say asks for a text to be spoken once the loop is idle. It returns nil when the text
// has a place among the waiting ones, or ErrBusy.
func (l *Loop) Say(ctx context.Context, text string) error {
	return l.request(ctx, event{kind: SayAsked, text: text})
}

// Ring asks for an alert to be sounded: an urgent one at once, any other once the loop
// is idle. It returns nil when the alert has a place among those that ring, or ErrBusy
// when there are too many. Stop acknowledges those that have been heard.
func (l *Loop) Ring(ctx context.Context, a Alert) error {
	return l.request(ctx, event{kind: RingAsked, alert: a})
}

// Quiet ends the alerts with these IDs, or all alerts if there are none.
// Parts.Acknowledged is not called.
func (l *Loop) Quiet(ctx context.Context, ids ...string) error {
	return l.request(ctx, event{kind: quietAsked, ids: ids})
}

// Listen opens an utterance as the wake word would, unless one is open already. It
// fails with ErrMuted.
func (l *Loop) Listen(ctx context.Context) error { return l.request(ctx, event{kind: Woken}) }

// Stop ends whatever is being heard or said, and the alerts that have been heard.
func (l *Loop) Stop(ctx context.Context) error { return l.request(ctx, event{kind: Stopped}) }

// Mute makes the microphone deaf, or ends that. When it returns, frames are ignored
// and the stream behind the microphone can be closed. A reply is spoken to its end.
func (l *Loop) Mute(ctx context.Context, on bool) error {
	kind := MicUnmuted
	if on {
		kind = MicMuted
	}
	return l.request(ctx, event{kind: kind})
}

// Answers returns nil when the loop has taken an event, which it does between two
// frames, so nil means that the loop does not hang. It fails when ctx ends first.
func (l *Loop) Answers(ctx context.Context) error { return l.request(ctx, event{kind: noRequest}) }

// request sends an event and returns the loop's answer to it.
func (l *Loop) request(ctx context.Context, e event) error {
	answer := make(chan error, 1)
	e.answer = answer
	select {
	case l.events <- e:
	case <-ctx.Done():
		return fmt.Errorf("telling the turn loop: %w", ctx.Err())
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("telling the turn loop: %w", ctx.Err())
	}
}
