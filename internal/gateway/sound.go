package gateway

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/ear/mute"
)

// ListSound lists the sound devices in a process of its own, and which of them the
// configuration would use. It is for machines on which no daemon holds the devices.
func ListSound(ctx context.Context, cfg Config, executable string, log *slog.Logger) (audio.Equipment, error) {
	list, err := device.List(ctx, cfg.sound(executable, log))
	if err != nil {
		return audio.Equipment{}, err
	}
	s := audio.Equipment{Devices: list}
	s.Muted, _ = mute.Kept(cfg.Gateway.StateDir) // on an error too, Kept's answer is the safe one
	complete(&s, cfg.Audio.Config)
	return s, nil
}

// sound is the configuration of the sound card.
func (c Config) sound(executable string, log *slog.Logger) device.Config {
	card := c.Audio.Config
	card.Command, card.Log = []string{executable, "worker", "audio"}, log
	return card
}

// complete adds why there is no input or output, if no better reason is known.
func complete(s *audio.Equipment, cfg device.Config) {
	if s.Devices == nil {
		s.Devices = []audio.Device{}
	}
	s.InputProblem = cmp.Or(s.InputProblem, missing(s, "input", cfg.Input, "microphone"))
	s.OutputProblem = cmp.Or(s.OutputProblem, missing(s, "output", cfg.Output, "speaker"))
}

// missing says that no device was found for a use, "" if one was.
func missing(s *audio.Equipment, use, want, thing string) string {
	for _, d := range s.Devices {
		if strings.Contains(d.Used, use) {
			return ""
		}
	}
	if want == "" || strings.EqualFold(want, "default") {
		return fmt.Sprintf("there is no default %s; plug one in, or name one of the devices in audio.%s", thing, use)
	}
	return fmt.Sprintf("no %s is called %q; plug it in, or name another one in audio.%s", thing, want, use)
}

// Devices returns the sound devices as the running gateway sees them.
func (d doorActs) Devices(ctx context.Context) (audio.Equipment, error) {
	if d.card == nil {
		return audio.Equipment{}, errNoMicrophone
	}
	list, err := d.card.Devices(ctx)
	if err != nil {
		return audio.Equipment{}, err
	}
	now := d.card.State()
	s := audio.Equipment{
		Devices: list, Input: now.Input, Output: now.Output, Muted: d.Muted(),
		InputProblem: now.Problem, OutputProblem: now.OutputProblem,
	}
	complete(&s, d.audio)
	return s, nil
}
