// Package file is sound without a sound card, so that the whole path can be shown and
// measured on a machine that has neither card nor people. A Microphone plays recordings:
// it delivers frames as the device does, either at the pace of real time or as fast as
// they are taken; the time in the frames is the same in both. A Room is a microphone into
// which clips are spoken while it runs, with the Noise that every real microphone has. A
// Speaker makes no sound.
//
// Another source of recorded sound (a stream, a directory that is watched) gets a
// constructor of its own beside New, and another room (with an echo, with a television) a
// type beside Noise.
package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"voicegateway/internal/audio"
)

// Config says what to play and how.
type Config struct {
	Clips []audio.Clip // one after another; any rate

	// Lead is silence before the first clip: the recogniser and the noise floor need time to
	// settle. Tail is silence after every clip, during which its turn ends.
	Lead, Tail time.Duration
	// Paced delivers a frame when a microphone would; else as fast as possible.
	Paced bool
	// Start is the time of the first sample; zero means the time of the first Read.
	Start time.Time
}

// Default has the silences a command needs.
func Default() Config {
	return Config{Lead: 500 * time.Millisecond, Tail: 2 * time.Second}
}

// Microphone plays clips. It belongs to one goroutine.
type Microphone struct {
	samples []int16
	next    int
	paced   bool
	start   time.Time
}

// New converts the clips to the gateway's format.
func New(cfg Config) (*Microphone, error) {
	m := &Microphone{paced: cfg.Paced, start: cfg.Start}
	m.samples = append(m.samples, quiet(cfg.Lead)...)
	for _, c := range cfg.Clips {
		c, err := audio.Resample(c, audio.SpeechRate)
		if err != nil {
			return nil, fmt.Errorf("playing a clip as a microphone: %w", err)
		}
		m.samples = append(m.samples, c.Samples...)
		m.samples = append(m.samples, quiet(cfg.Tail)...)
	}
	return m, nil
}

func quiet(d time.Duration) []int16 {
	return make([]int16, int64(d)*int64(audio.SpeechRate)/int64(time.Second))
}

// Load reads one WAV file.
func Load(path string) (audio.Clip, error) {
	f, err := os.Open(path)
	if err != nil {
		return audio.Clip{}, fmt.Errorf("reading a recording: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	c, err := audio.ReadWAV(f)
	if err != nil {
		return audio.Clip{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(c.Samples) == 0 {
		return audio.Clip{}, errors.New(path + ": the recording is empty")
	}
	return c, nil
}

// Read returns the next frame; the last one may be short, and io.EOF follows.
func (m *Microphone) Read(ctx context.Context) (audio.Frame, error) {
	if err := ctx.Err(); err != nil {
		return audio.Frame{}, err
	}
	if m.start.IsZero() {
		m.start = time.Now()
	}
	if m.next == len(m.samples) {
		return audio.Frame{}, io.EOF
	}
	end := min(m.next+audio.FrameSamples, len(m.samples))
	f := audio.Frame{
		At:      m.start.Add(time.Duration(end) * time.Second / time.Duration(audio.SpeechRate)),
		Samples: m.samples[m.next:end:end],
	}
	if m.paced {
		if err := until(ctx, f.At); err != nil {
			return audio.Frame{}, err
		}
	}
	m.next = end
	return f, nil
}

func until(ctx context.Context, t time.Time) error {
	wait := time.Until(t)
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
