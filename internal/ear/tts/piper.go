package tts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"voicegateway/internal/audio"
)

// piper runs the piper program once for each sentence. It loads its model each
// time, which takes from 0.3 s on; a server (openai, wyoming) keeps it loaded.
type piper struct {
	program program
	model   string
}

func newPiper(cfg Config) (Engine, error) {
	return &piper{
		program: program{
			command: cfg.Piper.Command,
			install: "get Piper for this machine from its project page and set tts.piper.command " +
				"(Debian's package named piper is a mouse tool, not this)",
		},
		model: cfg.Piper.Model,
	}, nil
}

// Synthesize returns sound at the model's own rate, usually 22.05 kHz.
func (p *piper) Synthesize(ctx context.Context, text string) (audio.Clip, error) {
	rate, err := piperRate(p.model + ".json")
	if err != nil {
		return audio.Clip{}, err
	}
	out, err := p.program.run(ctx, []string{"--model", p.model, "--output_raw"}, text)
	if err != nil {
		return audio.Clip{}, err
	}
	return audio.Clip{Rate: rate, Samples: audio.PCM(out)}, nil
}

// piperRate reads the sample rate from a voice's description.
func piperRate(path string) (audio.Rate, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("reading the description of the piper voice (every .onnx file has its .onnx.json beside it): %w", err)
	}
	defer func() { _ = f.Close() }()
	var voice struct {
		Audio struct {
			SampleRate audio.Rate `json:"sample_rate"`
		} `json:"audio"`
	}
	// Descriptions are some kilobytes; a megabyte is not one.
	if err := json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&voice); err != nil {
		return 0, fmt.Errorf("reading the description of the piper voice %s: %w", path, err)
	}
	if voice.Audio.SampleRate < 8000 || voice.Audio.SampleRate > 48000 {
		return 0, fmt.Errorf("the description of the piper voice %s: a sample rate of %d Hz; 8000 to 48000 can be", path, voice.Audio.SampleRate)
	}
	return voice.Audio.SampleRate, nil
}
