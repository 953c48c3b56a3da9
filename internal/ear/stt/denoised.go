package stt

import (
	"context"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/denoise"
	"voicegateway/internal/language/speech"
)

// gains are the engines whose errors a denoiser halves. Networks that were
// trained with noise get worse by it.
var gains = map[string]bool{"pocketsphinx": true}

// Denoise are the values of Config.Denoise.
func Denoise() []string { return []string{"auto", "on", "off"} }

// Listener is an Engine that wants the sound between utterances, too, to know the room's
// noise before speech begins. Its methods belong to the goroutine of Begin, Push and
// Finish.
type Listener interface {
	Observe(f audio.Frame)
	// Forget says that what follows comes from another room.
	Forget()
}

// withDenoiser puts a denoiser in front of an engine. The result has the further
// abilities of the engine.
func withDenoiser(e Engine) Engine {
	d := &denoised{Engine: e, noise: denoise.New()}
	if again, ok := e.(Reopener); ok {
		return struct {
			*denoised
			Reopener
		}{d, again}
	}
	return d
}

// denoised cleans the sound before an engine hears it.
type denoised struct {
	Engine
	noise *denoise.Suppressor
}

func (d *denoised) Observe(f audio.Frame) { d.noise.Learn(f.Samples) }

func (d *denoised) Forget() { d.noise = denoise.New() }

func (d *denoised) Begin(ctx context.Context) error { return d.BeginFor(ctx, speech.Sentence) }

func (d *denoised) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	f.Samples = d.noise.Clean(make([]int16, 0, len(f.Samples)), f.Samples)
	return d.Engine.Push(ctx, f)
}
