package gateway

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"

	"voicegateway/internal/audio/device"
)

// Sound is what is known of the sound devices, as people and programs are told.
type Sound struct {
	Devices       []device.Info `json:"devices"`
	Input         string        `json:"input"`  // the open microphone; "" when there is none
	Output        string        `json:"output"` // the speaker; "" until something was played
	InputProblem  string        `json:"input_problem"`
	OutputProblem string        `json:"output_problem"`
	Muted         bool          `json:"muted"`
}

// ListSound lists the sound devices in a process of its own, and what the
// configuration would use: for machines where no daemon holds them.
func ListSound(ctx context.Context, cfg Config, executable string, log *slog.Logger) (Sound, error) {
	list, err := device.List(ctx, cfg.sound(executable, log))
	if err != nil {
		return Sound{}, err
	}
	s := Sound{Devices: list}
	s.Muted, _ = Muted(cfg.Gateway.StateDir) // in doubt as Muted says
	s.complete(cfg.Audio)
	return s, nil
}

// sound is the part of the settings that the sound card wants.
func (c Config) sound(executable string, log *slog.Logger) device.Config {
	return device.Config{
		Command: []string{executable, "worker", "audio"},
		Input:   c.Audio.Input, Output: c.Audio.Output, Channel: c.Audio.Channel, Log: log,
	}
}

// complete says what is missing where nothing better is known.
func (s *Sound) complete(cfg AudioConfig) {
	if s.Devices == nil {
		s.Devices = []device.Info{}
	}
	s.InputProblem = cmp.Or(s.InputProblem, s.missing("input", cfg.Input, "microphone"))
	s.OutputProblem = cmp.Or(s.OutputProblem, s.missing("output", cfg.Output, "speaker"))
}

// missing is a sentence about a use that no device was found for.
func (s *Sound) missing(use, want, thing string) string {
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

// Devices are the sound devices as the running gateway sees them.
func (v httpView) Devices(ctx context.Context) (any, error) {
	if v.ear.sound == nil {
		return nil, errNoMicrophone
	}
	list, err := v.ear.sound.Devices(ctx)
	if err != nil {
		return nil, err
	}
	now := v.ear.sound.State()
	s := Sound{
		Devices: list, Input: now.Input, Output: now.Output, Muted: v.Muted(),
		InputProblem: now.Problem, OutputProblem: now.OutputProblem,
	}
	s.complete(v.cfg.Audio)
	return s, nil
}
