package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/turn"
)

// feed is a microphone in a quiet room into which clips are spoken: frames come
// at the pace of real time, quiet ones while nobody speaks.
type feed struct {
	mu    sync.Mutex
	queue []int16
	room  room
	due   time.Time
}

// roomNoise is the level of the quiet room in sample steps: a microphone is
// never digitally silent, and a recogniser's statistics want it so.
const roomNoise = 8

// lead is the quiet before and after a clip: the recogniser wants 0.3 s before
// speech (ENGINES.md 2).
const lead = 500 * time.Millisecond

func newFeed() *feed {
	return &feed{room: newRoom()}
}

// room is the noise of a quiet one.
type room struct{ *rand.Rand }

func newRoom() room { return room{rand.New(rand.NewPCG(1, 2))} }

// over lays the room's noise over samples, in their place.
func (r room) over(samples []int16) {
	for i := range samples {
		noisy := int(samples[i]) + r.IntN(2*roomNoise+1) - roomNoise
		samples[i] = int16(min(max(noisy, -32768), 32767))
	}
}

// say speaks a clip into the room.
func (f *feed) say(c audio.Clip) error {
	c, err := audio.Resample(c, audio.SpeechRate)
	if err != nil {
		return fmt.Errorf("preparing the sound: %w", err)
	}
	quiet := make([]int16, int(lead/audio.FrameLength)*audio.FrameSamples)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = slices.Concat(f.queue, quiet, c.Samples)
	return nil
}

// Read returns the next 20 ms when they are over.
func (f *feed) Read(ctx context.Context) (audio.Frame, error) {
	now := time.Now()
	if f.due.IsZero() {
		f.due = now
	}
	f.due = f.due.Add(audio.FrameLength)
	wait := time.NewTimer(time.Until(f.due))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
	samples := make([]int16, audio.FrameSamples)
	f.mu.Lock()
	n := copy(samples, f.queue)
	f.queue = f.queue[n:]
	f.mu.Unlock()
	f.room.over(samples)
	return audio.Frame{At: f.due, Samples: samples}, nil
}

// watcher is an observer of ended turns.
type watcher struct{ ended func(turn.Record) }

// StateChanged is of no interest.
func (w *watcher) StateChanged(turn.State) {}

// Hearing is of no interest.
func (w *watcher) Hearing(turn.Hearing) {}

// Replied is of no interest.
func (w *watcher) Replied(string, string) {}

// TurnEnded passes the record on.
func (w *watcher) TurnEnded(r turn.Record) { w.ended(r) }

// silentSpeaker makes no sound; a paced one takes the time a real one takes.
type silentSpeaker struct{ paced bool }

// Play returns after the clip's length, or at once.
func (s silentSpeaker) Play(ctx context.Context, c audio.Clip) error {
	if !s.paced {
		return nil
	}
	heard := time.NewTimer(c.Duration())
	defer heard.Stop()
	select {
	case <-heard.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
