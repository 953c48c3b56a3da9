package gateway

import (
	"context"
	"errors"

	"voicegateway/internal/turn"
)

// What a gateway can be without.
var (
	errNoMicrophone = errors.New("this gateway has no microphone")
	errEnglishOnly  = errors.New("the recogniser hears English only, and gateway.language is another")
)

// restoreMute mutes before anything has started, and has the state say so from
// the first word on.
func (g *Gateway) restoreMute(ctx context.Context) {
	if g.ear.mute != nil && g.opts.Mic == nil && g.ear.mute.Restore(ctx) {
		g.observer.StateChanged(turn.Muted)
	}
}

// Mute closes the microphone or opens it, also for the next start.
func (g *Gateway) Mute(ctx context.Context, on bool) error {
	if g.ear.mute == nil {
		return errNoMicrophone
	}
	return g.ear.mute.Set(ctx, on)
}

// Muted says whether the microphone is closed on request.
func (g *Gateway) Muted() bool { return g.ear.mute != nil && g.ear.mute.On() }

// Listen opens an utterance without a wake word.
func (g *Gateway) Listen(ctx context.Context) error {
	switch {
	case g.ear.loop == nil:
		return errNoMicrophone
	case g.deaf():
		return errEnglishOnly
	}
	return g.ear.loop.Listen(ctx)
}

// Stop ends what is being heard or said.
func (g *Gateway) Stop(ctx context.Context) error {
	if g.ear.loop == nil {
		return nil
	}
	return g.ear.loop.Stop(ctx)
}
