package lab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
)

// SlowReading is how long the neural recogniser may take to read a short command. It begins
// when the speaker pauses; one that takes longer keeps a family waiting longer than a
// recogniser that waits for 0.7 s of silence.
const SlowReading = 600 * time.Millisecond

// roomToRead is the free memory that a measurement needs, in bytes: its worker loads the
// network once more, which takes up to 213 MB for a moment.
const roomToRead = 300 << 20

// ErrNoRoom means that there is too little free memory for a measurement.
var ErrNoRoom = errors.New("too little memory is free to measure how fast it reads")

// TimeReading measures how long the neural recogniser of a configuration takes on this machine
// to read a short command, which the configured voice speaks.
func TimeReading(ctx context.Context, cfg gateway.Config, executable string, log *slog.Logger) (time.Duration, error) {
	if free, err := freeMemory("/proc/meminfo"); err == nil && free < roomToRead {
		return 0, ErrNoRoom
	}
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

// freeMemory reads from the kernel's list how many bytes programs may still take.
func freeMemory(meminfo string) (int64, error) {
	text, err := os.ReadFile(meminfo)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kB); n == 1 {
			return kB << 10, nil
		}
	}
	return 0, fmt.Errorf("%s does not say how much is available", meminfo)
}
