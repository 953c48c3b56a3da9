package file

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

// Room is the microphone of a quiet room: it gives frames at the pace of real time, quiet
// ones while no clip is spoken.
// One goroutine reads it, and any may speak.
type Room struct {
	mu    sync.Mutex
	queue []int16
	noise Noise
	due   time.Time
}

// NewRoom makes the microphone of a silent room.
func NewRoom() *Room { return &Room{noise: NewNoise()} }

// Say speaks a clip into the room.
func (r *Room) Say(c audio.Clip) error {
	c, err := audio.Resample(c, audio.SpeechRate)
	if err != nil {
		return fmt.Errorf("preparing the sound: %w", err)
	}
	quiet := make([]int16, int(lead/audio.FrameLength)*audio.FrameSamples)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = slices.Concat(r.queue, quiet, c.Samples)
	return nil
}

// Read returns the next 20 ms once they have passed.
func (r *Room) Read(ctx context.Context) (audio.Frame, error) {
	now := time.Now()
	if r.due.IsZero() {
		r.due = now
	}
	r.due = r.due.Add(audio.FrameLength)
	wait := time.NewTimer(time.Until(r.due))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
	samples := make([]int16, audio.FrameSamples)
	r.mu.Lock()
	n := copy(samples, r.queue)
	r.queue = r.queue[n:]
	r.mu.Unlock()
	r.noise.Over(samples)
	return audio.Frame{At: r.due, Samples: samples}, nil
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
