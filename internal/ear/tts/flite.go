package tts

import (
	"context"
	"fmt"
	"io"
	"os"

	"voicegateway/internal/audio"
)

// flite runs flite once for each sentence.
type flite struct {
	program program
	voice   string
}

func newFlite(cfg Config) (Engine, error) {
	return &flite{
		program: program{command: "flite", install: "sudo apt-get install flite"},
		voice:   cfg.Flite.Voice,
	}, nil
}

// Synthesize returns 16 kHz sound (kal: 8 kHz). flite goes back in its output to
// correct the header, which a pipe does not allow. So it writes into a file whose
// name is removed first, and which is therefore never left behind when flite is
// killed.
func (f *flite) Synthesize(ctx context.Context, text string) (audio.Clip, error) {
	out, err := os.CreateTemp("", "speech-*.wav")
	if err != nil {
		return audio.Clip{}, fmt.Errorf("making a place for flite's sound: %w", err)
	}
	defer func() { _ = out.Close() }()
	if err := os.Remove(out.Name()); err != nil {
		return audio.Clip{}, fmt.Errorf("making a place for flite's sound: %w", err)
	}
	args := []string{"-voice", f.voice, "-f", "/dev/stdin", "-o", "/proc/self/fd/3"}
	if _, err := f.program.run(ctx, args, text, out); err != nil {
		return audio.Clip{}, err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return audio.Clip{}, fmt.Errorf("reading flite's sound: %w", err)
	}
	return audio.ReadWAV(io.LimitReader(out, maxOutput))
}
