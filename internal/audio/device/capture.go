//go:build cgo

package device

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gordonklaus/portaudio"

	"voicegateway/internal/audio"
	"voicegateway/internal/worker"
)

// The buffer of AUDIO.md 3: stalls of a busy machine were up to 0.6 s, so one
// second loses nothing; fifty periods keep the delivery at 20 ms.
const (
	captureLatency = time.Second
	capturePeriods = 50
	ringFrames     = 512 // 10 s, a power of two
)

// microphone captures for ever: it opens the device, delivers frames, and looks
// for it again when it is gone.
type microphone struct {
	name  string
	lib   *library
	out   *worker.Outlet
	epoch time.Time // the worker's time 0

	overflows int
	told      string // the last state sent
}

// run returns when ctx ends.
func (m *microphone) run(ctx context.Context) {
	wait := firstWait
	for ctx.Err() == nil {
		began := time.Now()
		err := m.capture(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > slowWait {
			wait = firstWait
		}
		m.tell(State{Problem: problem(err)})
		rest(ctx, wait)
		wait = min(2*wait, slowWait)
	}
}

const (
	firstWait = 500 * time.Millisecond
	slowWait  = 5 * time.Second
	lookEvery = 500 * time.Millisecond
)

// rest waits, but not when a sound card comes or goes: looking into a directory
// costs nothing, starting PortAudio a tenth of a second.
func rest(ctx context.Context, wait time.Duration) {
	before := cards()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for end := time.Now().Add(wait); ; {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if !now.Before(end) || cards() != before {
				return
			}
		}
	}
}

func cards() string {
	entries, err := os.ReadDir("/dev/snd")
	if err != nil {
		return ""
	}
	var names strings.Builder
	for _, e := range entries {
		names.WriteString(e.Name() + " ")
	}
	return names.String()
}

func problem(err error) string {
	if errors.Is(err, portaudio.NoDefaultInputDevice) {
		return "no microphone found; MQTT and ask still work; plug one in, or name one in audio.input"
	}
	return fmt.Sprintf("the microphone does not work: %v; MQTT and ask still work; it is tried again", err)
}

func (m *microphone) tell(s State) {
	s.Overflows = m.overflows
	b, err := json.Marshal(s)
	if err != nil || string(b) == m.told {
		return
	}
	m.told = string(b)
	_ = m.out.Emit(eventState, b) // a broken pipe ends the worker elsewhere
}

// capture runs until the device fails or ctx ends.
func (m *microphone) capture(ctx context.Context) error {
	if err := m.lib.acquire(); err != nil {
		return err
	}
	defer m.lib.release()
	dev, err := m.lib.find(m.name, false)
	if err != nil {
		return err
	}
	buf := make([]int16, audio.FrameSamples)
	stream, err := m.lib.open(portaudio.StreamParameters{
		Input:           portaudio.StreamDeviceParameters{Device: dev, Channels: 1, Latency: captureLatency},
		SampleRate:      float64(audio.SpeechRate),
		FramesPerBuffer: audio.FrameSamples,
	}, capturePeriods, &buf)
	if err != nil {
		return explain("opening "+dev.Name+" at 16 kHz mono", err)
	}
	defer m.shut(stream)
	if err := stream.Start(); err != nil {
		return explain("starting "+dev.Name, err)
	}
	state := State{Input: dev.Name}
	if info := stream.Info(); info != nil {
		state.Buffer = info.InputLatency
	}
	m.tell(state)
	r := &ring{ready: make(chan struct{}, 1), ended: make(chan struct{})}
	go m.read(ctx, stream, buf, r)
	return m.deliver(r)
}

// shut closes a stream. The calls may block for as long as the device is gone.
func (m *microphone) shut(s *portaudio.Stream) {
	defer m.lib.guard.watch("closing the microphone", slowLimit)()
	_ = s.Abort()
	_ = s.Close()
}

// ring hands frames from the thread that reads the card to the one that writes
// the pipe, without a lock and without an allocation on the reading side.
type ring struct {
	frames [ringFrames]captured
	head   atomic.Uint64 // frames written
	tail   atomic.Uint64 // frames taken
	ready  chan struct{}
	ended  chan struct{} // closed when reading is over, with err set
	err    error
}

type captured struct {
	at       time.Duration // since the worker's start, of the last sample
	lost     int
	overflow bool
	samples  [audio.FrameSamples]int16
}

// read does nothing but read, on a thread of its own.
func (m *microphone) read(ctx context.Context, s *portaudio.Stream, buf []int16, r *ring) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(r.ended)
	lost := 0
	for ctx.Err() == nil {
		done := m.lib.guard.watch("reading the microphone", fastLimit)
		err := s.Read()
		done()
		overflow := errors.Is(err, portaudio.InputOverflowed) // the samples are good, some before them are not
		if err != nil && !overflow {
			r.err = explain("reading the microphone", err)
			return
		}
		waiting, err := s.AvailableToRead()
		if err != nil {
			waiting = 0
		}
		head := r.head.Load()
		if head-r.tail.Load() == ringFrames {
			lost += len(buf)
			continue
		}
		f := &r.frames[head%ringFrames]
		f.at = time.Since(m.epoch) - time.Duration(waiting)*time.Second/time.Duration(audio.SpeechRate)
		f.lost, f.overflow = lost, overflow
		copy(f.samples[:], buf)
		lost = 0
		r.head.Store(head + 1)
		select {
		case r.ready <- struct{}{}:
		default:
		}
	}
}

// deliver writes frames to the parent until reading is over.
func (m *microphone) deliver(r *ring) error {
	var b []byte
	var last time.Duration
	for {
		for tail := r.tail.Load(); tail < r.head.Load(); tail++ {
			f := &r.frames[tail%ringFrames]
			lost := f.lost
			if f.overflow {
				m.overflows++
				lost += missing(f.at - last)
			}
			last = f.at
			b = encodeFrame(b[:0], f.at, lost, f.samples[:])
			r.tail.Store(tail + 1)
			if err := m.out.Emit(eventFrame, b); err != nil {
				<-r.ended
				return fmt.Errorf("handing sound to the gateway: %w", err)
			}
		}
		select {
		case <-r.ready:
		case <-r.ended:
			if r.tail.Load() == r.head.Load() {
				return r.err
			}
		}
	}
}

// missing is what an overflow cost: the samples that the time between two
// frames had more than one frame.
func missing(between time.Duration) int {
	return max(1, int((between-audio.FrameLength)*time.Duration(audio.SpeechRate)/time.Second))
}
