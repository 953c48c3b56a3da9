// Package device is the microphone and the speaker, through PortAudio in the
// supervised process `voice-gateway worker audio`. The library aborts and spins
// when a sound card is pulled out, so the daemon never calls it: Device is the
// pure-Go side that speaks to the worker, Work is the worker.
//
// Another sound library is another implementation of the worker's protocol
// (protocol.go); the daemon's side stays.
package device

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/worker"
)

// Config says which devices to use and how to start the worker.
type Config struct {
	Input  string // "default", or part of a device's name
	Output string // the same

	Command []string // our own binary and `worker audio`
	Env     []string // added to the worker's environment; for tests
	Log     *slog.Logger
}

// Default uses the devices the system calls its default.
func Default() Config { return Config{Input: "default", Output: "default"} }

const (
	// callTimeout bounds small requests; the worker answers them at once.
	callTimeout = 3 * time.Second
	// playTimeout is how much longer than its sound a clip may take: opening
	// the device, its buffer, and a device that another program holds.
	playTimeout = 8 * time.Second
	// kept is how much sound waits for a slow reader before frames are lost.
	kept = 8 * time.Second
)

// Device is one sound card, or two. Mic and Speaker work while Run does.
type Device struct {
	cfg    Config
	log    *slog.Logger
	worker *worker.Worker
	frames chan audio.Frame
	turn   chan struct{} // one clip at a time

	mu    sync.Mutex
	state State
	base  time.Time // the worker's time 0 on our clock
	last  time.Time // of the newest frame
	lost  int       // samples lost since then
	clip  uint32    // number of the last clip
}

// State is what the worker has found.
type State struct {
	Input   string `json:"input"`   // the microphone in use; "" when there is none
	Problem string `json:"problem"` // why there is none, and what goes on
	// Buffer is how much sound the card keeps while the machine is busy; the
	// hardware may give less than was asked for.
	Buffer time.Duration `json:"buffer"`
	// Overflows counts how often the sound card's buffer ran over because the
	// machine was busy.
	Overflows int `json:"overflows"`
}

// New checks the configuration; Run starts the worker.
func New(cfg Config) (*Device, error) {
	d := &Device{
		cfg:    cfg,
		log:    cfg.Log,
		frames: make(chan audio.Frame, kept/audio.FrameLength),
		turn:   make(chan struct{}, 1),
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	w, err := worker.New(worker.Config{
		Name: "audio", Command: cfg.Command, Env: cfg.Env, Timeout: callTimeout,
		Setup: d.setup, Event: d.event, Log: d.log,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the sound devices: %w", err)
	}
	d.worker = w
	return d, nil
}

// Run keeps the worker alive until ctx ends.
func (d *Device) Run(ctx context.Context) error { return d.worker.Run(ctx) }

// State returns what is known now.
func (d *Device) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// setup compares clocks with a new worker and lets it capture.
func (d *Device) setup(ctx context.Context, s *worker.Session) error {
	before := time.Now()
	answer, err := s.Call(ctx, kindClock, nil)
	if err != nil {
		return err
	}
	if len(answer) != 8 {
		return errors.New("the audio worker's clock has no 8 bytes")
	}
	trip := time.Since(before)
	d.mu.Lock()
	d.base = before.Add(trip / 2).Add(-time.Duration(binary.LittleEndian.Uint64(answer)))
	d.mu.Unlock()
	payload, err := json.Marshal(openRequest{Input: d.cfg.Input, Output: d.cfg.Output})
	if err != nil {
		return fmt.Errorf("encoding for the audio worker: %w", err)
	}
	_, err = s.Call(ctx, kindOpen, payload)
	return err
}

// event takes what the worker sends by itself.
func (d *Device) event(kind byte, payload []byte) {
	switch kind {
	case eventFrame:
		d.take(payload)
	case eventState:
		var s State
		if err := json.Unmarshal(payload, &s); err != nil {
			return
		}
		d.mu.Lock()
		old := d.state
		d.state = s
		d.mu.Unlock()
		switch {
		case s.Problem != "" && s.Problem != old.Problem:
			d.log.Warn("no microphone", "part", "audio", "err", s.Problem)
		case s.Input != "" && s.Input != old.Input:
			d.log.Info("microphone open", "part", "audio", "device", s.Input, "buffer", s.Buffer)
		}
	}
}

// take queues one frame. When the reader is too slow the newest are lost and
// counted: the older ones belong to what is being said.
func (d *Device) take(payload []byte) {
	captured, lost, samples, err := decodeFrame(payload)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f := audio.Frame{At: d.base.Add(captured), Samples: samples, Lost: lost + d.lost + d.gap(captured, len(samples))}
	select {
	case d.frames <- f:
		d.last, d.lost = f.At, 0
	default:
		d.lost += lost + len(samples)
	}
}

// restartGap is a pause that only a restart of the worker or of the card makes.
const restartGap = 500 * time.Millisecond

// gap is the number of samples that no worker captured. The caller holds mu.
func (d *Device) gap(captured time.Duration, samples int) int {
	if d.last.IsZero() {
		return 0
	}
	missing := d.base.Add(captured).Sub(d.last) - time.Duration(samples+d.lost)*time.Second/time.Duration(audio.SpeechRate)
	if missing < restartGap {
		return 0
	}
	return int(missing * time.Duration(audio.SpeechRate) / time.Second)
}

// Mic returns the microphone.
func (d *Device) Mic() *Mic { return &Mic{d: d} }

// Mic is the microphone. Read belongs to one goroutine.
type Mic struct{ d *Device }

// Read returns the next frame. While there is no microphone it waits; the
// reason has been logged once and is in Device.State.
func (m *Mic) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case f := <-m.d.frames:
		return f, nil
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}

// Speaker returns the speaker.
func (d *Device) Speaker() *Speaker { return &Speaker{d: d} }

// Speaker is the loudspeaker.
type Speaker struct{ d *Device }

// Play returns when the clip has been heard. Ending ctx silences it within 50
// ms. Clips play one after another. Any rate will do.
func (s *Speaker) Play(ctx context.Context, c audio.Clip) error {
	if len(c.Samples) == 0 {
		return nil
	}
	if c.Rate <= 0 {
		return fmt.Errorf("playing a clip: its rate is %d Hz", c.Rate)
	}
	d := s.d
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	session, err := d.worker.Session(ctx)
	if err != nil {
		return fmt.Errorf("playing a clip: %w", err)
	}
	d.mu.Lock()
	d.clip++
	id := d.clip
	d.mu.Unlock()
	_, err = session.CallWithin(ctx, c.Duration()+playTimeout, kindPlay, encodePlay(id, c))
	if ctx.Err() != nil {
		// The stop itself must not be cancelled with what it stops.
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		_, err = session.Call(stop, kindStop, binary.LittleEndian.AppendUint32(nil, id))
		return errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return fmt.Errorf("playing a clip: %w", err)
	}
	return nil
}
