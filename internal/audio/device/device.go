// Package device is the microphone and the speaker, through PortAudio in the
// supervised process `voice-gateway worker audio`. The library aborts and spins
// when a sound card is pulled out, so the daemon never calls it: Device is the
// pure-Go side that speaks to the worker, Work is the worker.
//
// To use another sound library, implement the worker's protocol (protocol.go)
// with it; the daemon's side stays as it is.
package device

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
)

// Config says which devices to use and how to start the worker.
type Config struct {
	Input   string `yaml:"input"`   // "default", or part of a device's name
	Output  string `yaml:"output"`  // the same
	Channel int    `yaml:"channel"` // of a microphone with several, counted from 1; 0 counts as 1
	Muted   bool   `yaml:"-"`       // begin with the microphone closed

	Command []string     `yaml:"-"` // our own binary and `worker audio`
	Env     []string     `yaml:"-"` // added to the worker's environment; for tests
	Log     *slog.Logger `yaml:"-"`
	// Restarted is called at every restart of the worker. It may be nil.
	Restarted func(worker string, refused bool) `yaml:"-"`
}

// Default uses the devices the system calls its default.
func Default() Config { return Config{Input: "default", Output: "default", Channel: 1} }

// Validate says what is wrong, with the key and what would be right.
func (c Config) Validate() error {
	if c.Channel < 1 {
		return fmt.Errorf("audio.channel: %d is none; channels count from 1", c.Channel)
	}
	return nil
}

const (
	// callTimeout bounds small requests; the worker answers them at once.
	callTimeout = 3 * time.Second
	// slowTimeout bounds the requests for which the worker asks the sound system.
	slowTimeout = 10 * time.Second
	// playTimeout is how much longer than its sound a clip may take: for opening
	// the device, for its buffer, and for a device that another program holds.
	playTimeout = 8 * time.Second
	// kept is how much sound waits for a slow reader before frames are lost.
	kept = 8 * time.Second
	// restartDelay is the longest pause between two restarts of the worker: sound
	// has to be back within two seconds of the card's return.
	restartDelay = time.Second
)

// Device is one sound card, or two. Mic and Speaker work while Run does.
type Device struct {
	cfg    Config
	log    *slog.Logger
	worker *worker.Worker
	frames chan audio.Frame
	turn   chan struct{} // one clip at a time

	muting  sync.Mutex // held while a request to mute or open the microphone runs
	session *worker.Session

	mu    sync.Mutex
	state State
	clock clock
	clip  uint32 // number of the last clip
}

// State is what is known about the sound devices. Its counts run for the life of
// the daemon, whatever happens to the worker.
type State struct {
	Input   string `json:"input"`   // the microphone in use; "" when there is none
	Problem string `json:"problem"` // why there is no microphone, and what still works
	Muted   bool   `json:"muted"`   // the microphone is closed on request
	Rate    int    `json:"rate"`    // at which the microphone is read, in Hz; resampled if it is not 16000
	// Buffer is how much sound the card keeps while the machine is busy; the
	// hardware may give less than was asked for.
	Buffer time.Duration `json:"buffer"`

	Output        string `json:"output"`         // the speaker; "" when there is none
	OutputProblem string `json:"output_problem"` // why the last clip was not heard

	Captured  int64 `json:"captured"`  // samples that came, at 16 kHz
	Lost      int64 `json:"lost"`      // samples that a running microphone gave and that never reached a reader
	Overflows int   `json:"overflows"` // how often the card's buffer ran over because the machine was busy
	Breaks    int   `json:"breaks"`    // how often sound stopped and came back: unplugged, or the worker ended
	Noise     int   `json:"noise"`     // messages of ALSA and JACK that were kept off the log
}

// New checks the configuration; Run starts the worker.
func New(cfg Config) (*Device, error) {
	if cfg.Channel < 0 {
		return nil, fmt.Errorf("opening the sound devices: channel %d; channels count from 1", cfg.Channel)
	}
	d := &Device{
		cfg:    cfg,
		log:    cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)),
		frames: make(chan audio.Frame, kept/audio.FrameLength),
		turn:   make(chan struct{}, 1),
		state:  State{Muted: cfg.Muted},
	}
	w, err := worker.New(worker.Config{
		Name: "audio", Command: cfg.Command, Env: cfg.Env, Timeout: callTimeout,
		Setup: d.setup, Event: d.event, MaxDelay: restartDelay, Restarted: cfg.Restarted, Log: d.log,
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

// setup prepares a new worker. The device has no microphone until that worker reports one.
func (d *Device) setup(ctx context.Context, s *worker.Session) error {
	err := d.prepare(ctx, s)
	d.mu.Lock()
	defer d.mu.Unlock()
	if refusal, ok := errors.AsType[*worker.Refusal](err); ok {
		d.state.Problem = refusal.Text
	}
	return err
}

// prepare compares clocks with a new worker and lets it capture, if it may.
func (d *Device) prepare(ctx context.Context, s *worker.Session) error {
	base, err := epoch(ctx, s)
	if err != nil {
		return err
	}
	d.muting.Lock()
	defer d.muting.Unlock()
	d.mu.Lock()
	d.clock.base = base
	if d.session != nil {
		d.state.Input, d.state.Problem = "", "the sound library did not work any more; its process has been started again"
	}
	muted := d.state.Muted
	d.mu.Unlock()
	d.session = s
	payload, err := json.Marshal(openRequest{Input: d.cfg.Input, Output: d.cfg.Output, Channel: d.cfg.Channel, Muted: muted})
	if err != nil {
		return fmt.Errorf("encoding for the audio worker: %w", err)
	}
	_, err = s.Call(ctx, kindOpen, payload)
	return err
}

const (
	clockTries = 8                    // to find the worker's clock
	clockTrip  = 2 * time.Millisecond // an answer this fast is good enough to stop trying
)

// epoch returns the worker's time zero on our clock. It lies between the question
// and the answer, so the fastest answer tells it best.
func epoch(ctx context.Context, s *worker.Session) (time.Time, error) {
	var base time.Time
	best := time.Hour
	for range clockTries {
		before := time.Now()
		answer, err := s.Call(ctx, kindClock, nil)
		if err != nil {
			return time.Time{}, err
		}
		if len(answer) != 8 {
			return time.Time{}, errors.New("the audio worker's clock has no 8 bytes")
		}
		if trip := time.Since(before); trip < best {
			best = trip
			base = before.Add(trip / 2).Add(-time.Duration(binary.LittleEndian.Uint64(answer)))
		}
		if best < clockTrip {
			break
		}
	}
	return base, nil
}

// Mute really closes the microphone, so that the system shows that it is not in use, or
// opens it again. It returns when that is done; the setting holds even if the worker is
// restarted meanwhile. While muted, Mic.Read waits.
func (d *Device) Mute(ctx context.Context, on bool) error {
	d.muting.Lock()
	defer d.muting.Unlock()
	d.mu.Lock()
	d.state.Muted = on
	d.clock.last, d.clock.dropped = time.Time{}, 0 // sound that was not captured on request does not count as lost
	d.mu.Unlock()
	if on {
		defer d.drop()
	}
	if d.session == nil {
		return nil // the worker gets the setting when it starts
	}
	payload := []byte{0}
	if on {
		payload[0] = 1
	}
	_, err := d.session.CallWithin(ctx, slowTimeout, kindMute, payload)
	if err == nil || errors.Is(err, worker.ErrEnded) { // a dead worker captures nothing
		return nil
	}
	return fmt.Errorf("muting the microphone: %w", err)
}

// drop discards the sound that has not been read.
func (d *Device) drop() {
	for {
		select {
		case <-d.frames:
		default:
			return
		}
	}
}

// event handles what the worker sends without being asked.
func (d *Device) event(kind byte, payload []byte) {
	switch kind {
	case eventFrame:
		d.queue(payload)
	case eventState:
		d.learn(payload)
	}
}

// learn takes the worker's part of the state.
func (d *Device) learn(payload []byte) {
	var s State
	if err := json.Unmarshal(payload, &s); err != nil {
		return
	}
	d.mu.Lock()
	old := d.state
	s.Muted, s.Captured, s.Lost, s.Overflows, s.Breaks = old.Muted, old.Captured, old.Lost, old.Overflows, old.Breaks
	d.state = s
	d.mu.Unlock()
	switch {
	case s.Problem != "" && s.Problem != old.Problem:
		d.log.Warn("no microphone", "part", "audio", "err", s.Problem)
	case s.Input != "" && s.Input != old.Input:
		d.log.Info("microphone open", "part", "audio", "device", s.Input, "rate", s.Rate, "buffer", s.Buffer)
	}
	if s.OutputProblem != "" && s.OutputProblem != old.OutputProblem {
		d.log.Warn("no speaker", "part", "audio", "err", s.OutputProblem)
	}
}

// queue queues one frame. When the reader is too slow the newest frames are lost
// and counted: the older ones belong to what is being said.
func (d *Device) queue(payload []byte) {
	f, err := decodeFrame(payload)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state.Muted {
		return
	}
	gap, again := d.clock.gap(f)
	if again {
		d.state.Breaks++
	}
	if f.flags&flagOverflow != 0 {
		d.state.Overflows++
	}
	d.state.Lost += int64(f.lost)
	select {
	case d.frames <- audio.Frame{At: d.clock.base.Add(f.at), Samples: f.samples, Lost: f.lost + gap + d.clock.dropped}:
		d.state.Captured += int64(len(f.samples))
		d.clock.last, d.clock.dropped = d.clock.base.Add(f.at), 0
	default:
		d.state.Lost += int64(len(f.samples))
		d.clock.dropped += f.lost + gap + len(f.samples)
		d.clock.last = d.clock.base.Add(f.at)
	}
}

// clock turns the worker's time into ours and finds what no worker captured.
type clock struct {
	base    time.Time // the worker's time zero on our clock
	last    time.Time // of the newest frame that came; zero for none
	dropped int       // samples that found no room since the last frame that did
}

// gap returns the number of samples between the last frame and f that no open
// microphone gave. again reports whether f is the first frame after such a break.
func (c *clock) gap(f frame) (samples int, again bool) {
	if f.flags&flagFirst == 0 || c.last.IsZero() {
		return 0, false
	}
	missing := c.base.Add(f.at).Sub(c.last) - time.Duration(len(f.samples))*time.Second/time.Duration(audio.SpeechRate)
	return max(1, int(missing*time.Duration(audio.SpeechRate)/time.Second)), true
}

// Mic returns the microphone.
func (d *Device) Mic() *Mic { return &Mic{d: d} }

// Mic is the microphone. Read belongs to one goroutine.
type Mic struct{ d *Device }

// Read returns the next frame. While there is no microphone, or it is muted, it
// waits; the reason has been logged once and is in Device.State.
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

// Play plays a clip of any rate and returns when it has been heard. Ending ctx
// silences it within 50 ms. Clips play one after another.
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
		// The request to stop must not be cancelled together with the clip.
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
