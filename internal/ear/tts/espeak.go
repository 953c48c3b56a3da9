package tts

import (
	"bytes"
	"context"
	"strconv"

	"voicegateway/internal/audio"
)

// espeak runs espeak-ng once for each sentence: about 10 ms of it is the start.
type espeak struct {
	program program
	args    []string
}

func newEspeak(cfg Config) (Engine, error) {
	return &espeak{
		program: program{command: "espeak-ng", install: "sudo apt-get install espeak-ng"},
		args: []string{
			"-v", cfg.Espeak.Voice, "-s", strconv.Itoa(cfg.Espeak.Rate),
			"-b", "1", // the text is UTF-8
			"-z", // no pause at the end: the next sentence follows at once
			"--stdin", "--stdout",
		},
	}, nil
}

// Synthesize returns 22.05 kHz sound.
func (e *espeak) Synthesize(ctx context.Context, text string) (audio.Clip, error) {
	out, err := e.program.run(ctx, e.args, text)
	if err != nil {
		return audio.Clip{}, err
	}
	if len(out) == 0 {
		return audio.Clip{}, nil
	}
	return audio.ReadWAV(bytes.NewReader(out))
}
