package lab

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
)

// TimeReading measures how long the neural recogniser of a configuration takes on this machine
// to read a short command, which the configured voice speaks.
func TimeReading(ctx context.Context, cfg gateway.Config, executable string, log *slog.Logger) (time.Duration, error) {
	pack, err := intent.Ours(cfg.Gateway.Language)
	if err != nil {
		return 0, fmt.Errorf("reading the sentences: %w", err)
	}
	lamp := home.Entity{
		ID: "light.kitchen", Name: "Kitchen Light", Domain: "light",
		Abilities: []home.Ability{home.OnOff}, Control: &home.Control{Tool: "control", ID: "1"},
	}
	sentences, err := grammar.New(pack, &home.House{Entities: []home.Entity{lamp}})
	if err != nil {
		return 0, fmt.Errorf("preparing the sentences: %w", err)
	}
	voice, err := tts.New(cfg.TTS, log)
	if err != nil {
		return 0, err
	}
	clip, err := voice.Synthesize(ctx, "turn on the kitchen light")
	if err != nil {
		return 0, err
	}
	if clip, err = audio.Resample(clip, audio.SpeechRate); err != nil {
		return 0, err
	}
	ear := cfg.STT
	ear.ModelsDir, ear.Language, ear.Log = cfg.Wake.ModelsDir, pack.Language, log
	ear.Command = []string{executable, "worker", "stt"}
	return stt.ReadingTime(ctx, ear, sentences.Wide(), clip.Samples)
}
