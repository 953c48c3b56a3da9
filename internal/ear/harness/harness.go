// Package harness plays recordings to an ear: frame by frame to whatever hears them, or as
// utterances to a recogniser of its own that has learnt a house. It exists so that the
// rehearsal of names, the trial of a wake word and the measurements hear in the same way,
// and only differ in what they ask. It opens no microphone and carries nothing out.
// Another way to hear a recording is another function beside Play.
package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/house"
)

// Play gives a recording to hear, frame by frame, until it is over or hear fails. ended is
// the time of the last frame.
func Play(ctx context.Context, sound file.Config, hear func(audio.Frame) error) (ended time.Time, err error) {
	mic, err := file.New(sound)
	if err != nil {
		return sound.Start, err
	}
	ended = sound.Start
	for {
		f, err := mic.Read(ctx)
		if errors.Is(err, io.EOF) {
			return ended, nil
		}
		if err == nil {
			ended, err = f.At, hear(f)
		}
		if err != nil {
			return ended, err
		}
	}
}

// Ear is a recogniser that has learnt a house. It belongs to one goroutine.
type Ear struct {
	Rooms  *house.House // the house that was entered last; nil before
	Engine stt.Engine   // nil until Open

	pack  *intent.Pack
	log   *slog.Logger
	clock time.Time // of the frames
}

// server is the one that controls the house.
const server = "house"

// New makes an ear for the sentences of a pack. It is in no house yet.
func New(pack *intent.Pack, log *slog.Logger) *Ear {
	return &Ear{pack: pack, log: log, clock: time.Unix(1_700_000_000, 0)}
}

// Enter prepares the sentences for a house, which one server controls. The recogniser has
// not learnt them yet.
func (e *Ear) Enter(h *home.House) error {
	rooms, err := house.New(e.pack, nil, e.log)
	if err != nil {
		return err
	}
	told, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("writing the house down: %w", err)
	}
	rooms.Tell(server, told)
	e.Rooms = rooms
	return nil
}

// Open starts a recogniser and waits until it has learnt a house. The func returned ends
// it and says whether it had died before.
func (e *Ear) Open(ctx context.Context, cfg stt.Config, h *home.House) (end func() error, err error) {
	if e.Engine, err = stt.New(cfg); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	var died error
	running.Go(func() { died = e.Engine.Run(ctx) })
	end = func() error {
		cancel()
		running.Wait()
		return died
	}
	if err := e.Learn(ctx, h); err != nil {
		return nil, errors.Join(err, end())
	}
	return end, nil
}

// Learn teaches the open recogniser another house.
func (e *Ear) Learn(ctx context.Context, h *home.House) error {
	if err := e.Enter(h); err != nil {
		return err
	}
	teaching, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = e.Rooms.Teach(teaching, e.Engine) }) // nil: it ends with teaching
	err := e.Rooms.Learnt(ctx)
	cancel()
	running.Wait()
	return err
}

// Forget lets the recogniser forget the room that it has heard, if it learns rooms.
func (e *Ear) Forget() {
	if room, ok := e.Engine.(stt.Listener); ok {
		room.Forget()
	}
}

// Hear takes a clip for an utterance, in a room that was never heard before.
func (e *Ear) Hear(ctx context.Context, utterance audio.Clip) (speech.Transcript, error) {
	e.Forget()
	if err := e.Engine.Begin(ctx); err != nil {
		return speech.Transcript{}, err
	}
	var err error
	e.clock, err = Play(ctx, file.Config{Clips: []audio.Clip{utterance}, Start: e.clock}, func(f audio.Frame) error {
		_, err := e.Engine.Push(ctx, f)
		return err
	})
	if err != nil {
		return speech.Transcript{}, err
	}
	return e.Engine.Finish(ctx)
}
