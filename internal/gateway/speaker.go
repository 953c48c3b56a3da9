package gateway

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/keep"
)

// gain plays our own sound at a level, for machines without a usable mixer.
type gain struct {
	ear.Speaker
	level func() float64 // 0..1
}

// Play plays the clip at the level.
func (g *gain) Play(ctx context.Context, c audio.Clip) error {
	level := g.level()
	if level >= 1 {
		return g.Speaker.Play(ctx, c)
	}
	quieter := audio.Clip{Rate: c.Rate, Samples: make([]int16, len(c.Samples))}
	for i, s := range c.Samples {
		quieter.Samples[i] = int16(float64(s) * max(level, 0))
	}
	return g.Speaker.Play(ctx, quieter)
}

// lastReply is the file in the state directory for a reply that no speaker played.
const lastReply = "last-reply.wav"

// fallbackSpeaker writes a reply to a file if the sound card cannot play it, so
// that it is not lost, and logs that once.
type fallbackSpeaker struct {
	card ear.Speaker
	path string
	log  *slog.Logger
	once sync.Once
}

// Play plays on the card, else writes the clip to the file.
func (f *fallbackSpeaker) Play(ctx context.Context, c audio.Clip) error {
	err := f.card.Play(ctx, c)
	if err == nil || ctx.Err() != nil {
		return err
	}
	f.once.Do(func() {
		f.log.Warn("no speaker; replies are written to a file instead", "part", "audio", "path", f.path, "err", err)
	})
	var wav bytes.Buffer
	if err := audio.WriteWAV(&wav, c); err != nil {
		return fmt.Errorf("keeping the reply: %w", err)
	}
	if err := keep.ReplacePrivate(f.path, wav.Bytes()); err != nil {
		return fmt.Errorf("keeping the reply: %w", err)
	}
	return nil
}

// SayOnce speaks one text with the configured voice. Without a speaker it fails.
func SayOnce(ctx context.Context, cfg Config, executable, text string, log *slog.Logger) error {
	voice, err := tts.New(cfg.TTS, log)
	if err != nil {
		return err
	}
	clip, err := voice.Synthesize(ctx, text)
	if err != nil {
		return err
	}
	sound := cfg.sound(executable, log)
	sound.Muted = true // only the speaker is wanted
	card, err := device.New(sound)
	if err != nil {
		return fmt.Errorf("preparing the sound card: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { _ = card.Run(ctx) })
	defer func() { cancel(); wg.Wait() }()
	return card.Speaker().Play(ctx, clip)
}
