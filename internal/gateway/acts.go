package gateway

import (
	"context"
	"errors"
	"fmt"

	"voicegateway/internal/ear"
	"voicegateway/internal/ear/mute"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
)

// The errors for parts that a gateway may lack.
var (
	errNoMicrophone = errors.New("this gateway has no microphone")
	errNoVoice      = errors.New("this gateway has no voice: it was started for text only")
	errNoSpeaker    = errors.New("nobody may have heard it")
	errEnglishOnly  = errors.New("the recogniser hears English only, and gateway.language is another")
)

// acts is what the gateway does on request, from a page, a message or a command.
type acts struct {
	discreet
	answerer *mind.Mind
	loop     *ear.Loop    // nil: text only
	mute     *mute.Switch // nil: text only
	hears    bool         // a recogniser knows the language
	observer observers
	deaf     func() string // why there is no microphone; "" if there is one, as far as is known
	unheard  func() string // why the speaker cannot be heard; "" if it can, as far as is known
	changed  func()        // the mute switch or the volume may have changed
}

// Ask answers one text and tells the observers.
func (a acts) Ask(ctx context.Context, q record.Request) record.Record {
	rec := a.record(a.answerer.Turn(ctx, q))
	if rec.Intent != nil && rec.Intent.Name == catalogue.Stop && !q.DryRun && a.loop != nil {
		if err := a.loop.Stop(ctx); err != nil {
			rec.Outcome, rec.Error = record.Failed, err.Error()
		}
	}
	return a.report(rec)
}

// report reports a turn that has ended to the observers.
func (a acts) report(rec record.Record) record.Record {
	if rec.Reply != "" {
		a.observer.Replied(rec.ID, rec.Reply)
	}
	a.observer.TurnEnded(rec)
	return rec
}

// Say speaks a text once nothing else is said or heard. Without a speaker it fails, but
// the text is tried all the same: only that shows whether a speaker has come since.
func (a acts) Say(ctx context.Context, text string) error {
	if a.loop == nil {
		return errNoVoice
	}
	why := a.unheard()
	if err := a.loop.Say(ctx, text); err != nil || why == "" {
		return err
	}
	return fmt.Errorf("%w: %s; it is tried once more, and kept in the state directory as %s if that fails as well", errNoSpeaker, why, lastReply)
}

// Mute closes or opens the microphone, for the next start as well.
func (a acts) Mute(ctx context.Context, on bool) error {
	if a.mute == nil {
		return errNoMicrophone
	}
	defer a.changed()
	return a.mute.Set(ctx, on)
}

// Muted reports whether the microphone is closed on request.
func (a acts) Muted() bool { return a.mute != nil && a.mute.On() }

// Listen opens an utterance without a wake word.
func (a acts) Listen(ctx context.Context) error {
	if err := a.canHear(); err != nil {
		return err
	}
	return a.loop.Listen(ctx)
}

// Hold keeps an utterance open as long as a button is held.
func (a acts) Hold(ctx context.Context, b ear.Button) error {
	if err := a.canHear(); err != nil {
		return err
	}
	return a.loop.Hold(ctx, b)
}

// canHear says why nothing can be heard here.
func (a acts) canHear() error {
	switch {
	case a.loop == nil:
		return errNoMicrophone
	case !a.hears:
		return errEnglishOnly
	}
	if why := a.deaf(); why != "" && !a.Muted() {
		return fmt.Errorf("%w: %s", errNoMicrophone, why)
	}
	return nil
}

// Stop ends what is being heard or said.
func (a acts) Stop(ctx context.Context) error {
	if a.loop == nil {
		return nil
	}
	return a.loop.Stop(ctx)
}
