package ai

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// firstSentence is how much longer than its longest silence a model may take from a
// request to the first sentence that is spoken. With the default silence the user hears
// of the failure within the 8 s of REQUIREMENTS R.
const firstSentence = 800 * time.Millisecond

// watchdog ends a reply that takes too long. One clock measures the silence of a
// model that is listened to, one the time from a request to a sentence that is
// spoken, and one the whole reply, without the time in which its reader (who may be
// speaking) keeps it waiting. One goroutine uses it; only the timers' functions run
// elsewhere, and they do nothing but end the context.
type watchdog struct {
	silence time.Duration
	left    time.Duration
	since   time.Time // when the clock of the whole reply last started
	quiet   *time.Timer
	answer  *time.Timer
	whole   *time.Timer
}

// watch returns a context that the watchdog ends with an *Error as its cause.
func watch(ctx context.Context, whole, silence time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watchdog{silence: silence, left: whole, since: time.Now()}
	w.quiet = time.AfterFunc(silence, func() {
		cancel(&Error{Kind: Silent, Err: fmt.Errorf("nothing came for %s (ai.first_token_timeout)", silence)})
	})
	w.quiet.Stop()
	most := silence + firstSentence
	w.answer = time.AfterFunc(most, func() {
		cancel(&Error{Kind: TooSlow, Err: fmt.Errorf("no sentence within %s of the request", most)})
	})
	w.answer.Stop()
	w.whole = time.AfterFunc(whole, func() {
		cancel(&Error{Kind: TooSlow, Err: fmt.Errorf("no end within %s (ai.timeout)", whole)})
	})
	return ctx, w
}

// ask starts the clock of the first sentence, and answered stops it: a sentence is
// spoken, or the request has ended.
func (w *watchdog) ask()        { w.answer.Reset(w.silence + firstSentence) }
func (w *watchdog) stopAnswer() { w.answer.Stop() }

// listen starts or restarts the clock of the model's silence.
func (w *watchdog) listen() { w.quiet.Reset(w.silence) }

// deaf stops the clock of the model's silence.
func (w *watchdog) deaf() { w.quiet.Stop() }

// pause stops the clocks of the silence and of the whole reply while the reader is busy;
// resume starts them again.
func (w *watchdog) pause() {
	w.quiet.Stop()
	w.whole.Stop()
	w.left -= time.Since(w.since)
}

func (w *watchdog) resume(listening bool) {
	w.since = time.Now()
	w.whole.Reset(max(0, w.left))
	if listening {
		w.listen()
	}
}

// stop stops all clocks for good.
func (w *watchdog) stop() {
	w.quiet.Stop()
	w.answer.Stop()
	w.whole.Stop()
}

// reasonOf returns why a context ended: the watchdog's *Error, or the outer
// context's own error.
func reasonOf(ctx context.Context) error {
	if e, ok := errors.AsType[*Error](context.Cause(ctx)); ok {
		return e
	}
	return fmt.Errorf("replying: %w", ctx.Err())
}
