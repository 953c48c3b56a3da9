// Package room is a quiet room without a sound card: a microphone into which
// clips are spoken, a speaker that makes no sound, and the noise that every real
// microphone has. It exists so that the real listening can be shown and measured
// on a machine that has neither card nor people. Another room (with an echo, with
// a television) is a type of its own beside Noise.
package room

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/audio"
)

// noiseLevel is the loudness of the quiet room in sample steps. A microphone is
// never digitally silent, and the statistics of a recogniser need some noise.
const noiseLevel = 8

// Noise is the noise of a quiet room, the same every time.
type Noise struct{ random *rand.Rand }

// NewNoise returns the noise from its beginning.
func NewNoise() Noise {
	return Noise{rand.New(rand.NewPCG(1, 2))} //nolint:gosec // the same every time
}

// Over lays the noise over samples, in their place.
func (n Noise) Over(samples []int16) {
	for i := range samples {
		noisy := int(samples[i]) + n.random.IntN(2*noiseLevel+1) - noiseLevel
		samples[i] = int16(min(max(noisy, -32768), 32767))
	}
}

// lead is the quiet before a clip: the recogniser wants 0.3 s before speech.
const lead = 500 * time.Millisecond

// Microphone gives frames at the pace of real time, quiet ones while no clip is spoken.
// One goroutine reads it, and any may speak.
type Microphone struct {
	mu    sync.Mutex
	queue []int16
	noise Noise
	due   time.Time
}

// NewMicrophone makes the microphone of a silent room.
func NewMicrophone() *Microphone { return &Microphone{noise: NewNoise()} }

// Say speaks a clip into the room.
func (m *Microphone) Say(c audio.Clip) error {
	c, err := audio.Resample(c, audio.SpeechRate)
	if err != nil {
		return fmt.Errorf("preparing the sound: %w", err)
	}
	quiet := make([]int16, int(lead/audio.FrameLength)*audio.FrameSamples)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = slices.Concat(m.queue, quiet, c.Samples)
	return nil
}

// Read returns the next 20 ms once they have passed.
func (m *Microphone) Read(ctx context.Context) (audio.Frame, error) {
	now := time.Now()
	if m.due.IsZero() {
		m.due = now
	}
	m.due = m.due.Add(audio.FrameLength)
	wait := time.NewTimer(time.Until(m.due))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
	samples := make([]int16, audio.FrameSamples)
	m.mu.Lock()
	n := copy(samples, m.queue)
	m.queue = m.queue[n:]
	m.mu.Unlock()
	m.noise.Over(samples)
	return audio.Frame{At: m.due, Samples: samples}, nil
}

// Speaker makes no sound; a paced one takes the time a real one takes.
type Speaker struct{ Paced bool }

// Play returns after the clip's length, or at once.
func (s Speaker) Play(ctx context.Context, c audio.Clip) error {
	if !s.Paced {
		return nil
	}
	played := time.NewTimer(c.Duration())
	defer played.Stop()
	select {
	case <-played.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
