package turn

import (
	"context"
	"errors"
	"fmt"
)

// ErrMuted is returned for a request to listen while the microphone is muted.
var ErrMuted = errors.New("the microphone is muted; unmute it first")

// ErrBusy is returned when too many texts already wait to be spoken.
var ErrBusy = errors.New("too many texts are waiting to be spoken; try again in a moment")

// noRequest is an event that changes nothing; that it is answered is the answer.
const noRequest Kind = "no_request"

// Say asks for a text to be spoken once nothing else is going on. It returns
// when the text is in line, or ErrBusy.
func (l *Loop) Say(ctx context.Context, text string) error {
	return l.request(ctx, event{kind: SayAsked, text: text})
}

// Listen opens an utterance as the wake word would; while one is open, there is
// nothing to do. It fails with ErrMuted.
func (l *Loop) Listen(ctx context.Context) error { return l.request(ctx, event{kind: Woken}) }

// Stop ends whatever is being heard or said.
func (l *Loop) Stop(ctx context.Context) error { return l.request(ctx, event{kind: Stopped}) }

// Mute makes the microphone deaf, or ends that. It returns when no frame is
// listened to any more; the stream behind it can be closed then. What is being
// said is said to its end.
func (l *Loop) Mute(ctx context.Context, on bool) error {
	kind := MicUnmuted
	if on {
		kind = MicMuted
	}
	return l.request(ctx, event{kind: kind})
}

// Answers returns when the loop has taken an event, which it does between two
// frames: nil says that it does not hang. It fails when ctx ends first.
func (l *Loop) Answers(ctx context.Context) error { return l.request(ctx, event{kind: noRequest}) }

// request sends an event and waits for what becomes of it.
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
