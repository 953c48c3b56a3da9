package tts

import (
	"context"
	"fmt"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wyoming"
)

// distant lets a Wyoming service speak. Each sentence has a connection of its
// own, because closing it is how the service is interrupted.
type distant struct{ uri string }

func newWyoming(cfg Config) (Engine, error) { return &distant{cfg.Wyoming.URI}, nil }

// Synthesize returns sound at the service's rate, usually 22.05 kHz.
func (d *distant) Synthesize(ctx context.Context, text string) (audio.Clip, error) {
	clip, err := wyoming.Synthesize(ctx, d.uri, text)
	if err != nil {
		return audio.Clip{}, fmt.Errorf("asking the Wyoming service for speech: %w", err)
	}
	return clip, nil
}
