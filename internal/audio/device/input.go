//go:build cgo

package device

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gordonklaus/portaudio"

	"voicegateway/internal/audio"
)

// input is an open microphone: blocks of 20 ms at the card's own rate and
// channels, made into frames.
type input struct {
	stream   *portaudio.Stream
	buf      []int16 // one block, channels side by side
	rate     audio.Rate
	channels int
	channel  int // number of the channel that is used, from 0

	mono      []int16
	resampler *audio.Resampler // nil where the card can do 16 kHz
	out       []int16          // sound that does not fill a frame yet
}

// captureRates are tried in this order after 16 kHz and the card's own rate. The
// first is a whole multiple of 16 kHz: three to one.
var captureRates = [...]audio.Rate{48000, 44100, 32000, 96000, 24000, 22050, 8000}

// openInput opens a microphone with the rate and channels it can do.
func openInput(lib *library, dev *portaudio.DeviceInfo, channel int) (*input, error) {
	channel = max(1, channel)
	counts, err := channelCounts(stable(dev.Name), dev.MaxInputChannels, channel)
	if err != nil {
		return nil, err
	}
	var first error
	for _, rate := range slices.Concat([]audio.Rate{audio.SpeechRate, audio.Rate(dev.DefaultSampleRate)}, captureRates[:]) {
		if rate <= 0 {
			continue
		}
		in, err := openInputAt(lib, dev, rate, channel, counts)
		if err == nil {
			return in, nil
		}
		if first == nil {
			first = explain("opening the microphone "+stable(dev.Name), err)
		}
		if !errors.Is(err, portaudio.InvalidSampleRate) {
			break
		}
	}
	return nil, first
}

func openInputAt(lib *library, dev *portaudio.DeviceInfo, rate audio.Rate, channel int, counts []int) (*input, error) {
	var err error
	for _, channels := range counts {
		block := int(audio.FrameLength * time.Duration(rate) / time.Second)
		in := &input{buf: make([]int16, block*channels), rate: rate, channels: channels, channel: channel - 1}
		in.stream, err = lib.open(portaudio.StreamParameters{
			Input:           portaudio.StreamDeviceParameters{Device: dev, Channels: channels, Latency: captureLatency},
			SampleRate:      float64(rate),
			FramesPerBuffer: block,
		}, capturePeriods, &in.buf)
		if err == nil {
			return in, in.prepare(block)
		}
		if !errors.Is(err, portaudio.InvalidChannelCount) {
			return nil, err
		}
	}
	return nil, err
}

func (in *input) prepare(block int) error {
	in.mono = make([]int16, block)
	in.out = make([]int16, 0, 4*audio.FrameSamples)
	if in.rate == audio.SpeechRate {
		return nil
	}
	var err error
	in.resampler, err = audio.NewResampler(in.rate, audio.SpeechRate)
	return err
}

// convert takes the block that was read and returns the sound that is ready, and
// how much earlier than the block the sound ends. What the caller does not use of
// it goes back with keep.
func (in *input) convert() (ready []int16, behind time.Duration) {
	mono := in.buf
	if in.channels > 1 {
		mono = in.mono
		for i := range mono {
			mono[i] = in.buf[i*in.channels+in.channel]
		}
	}
	if in.resampler == nil {
		return append(in.out, mono...), 0
	}
	ready = in.resampler.Push(in.out, mono)
	return ready, in.resampler.Behind()
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
	lost   int // samples that were dropped because there was no room; only the reading side uses it
}

type captured struct {
	at      time.Duration // since the worker's start, of the last sample
	lost    int
	flags   byte
	samples [audio.FrameSamples]int16
}

func newRing() *ring { return &ring{ready: make(chan struct{}, 1), ended: make(chan struct{})} }

// put adds one frame, or counts it as lost; it never waits.
func (r *ring) put(samples []int16, at time.Duration, lost int, flags byte) {
	head := r.head.Load()
	if head-r.tail.Load() == ringFrames {
		r.lost += lost + len(samples)
		return
	}
	f := &r.frames[head%ringFrames]
	f.at, f.lost, f.flags = at, lost+r.lost, flags
	copy(f.samples[:], samples)
	r.lost = 0
	r.head.Store(head + 1)
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

// read only reads and converts, on a thread of its own, until ctx ends or the
// card fails.
func (m *microphone) read(ctx context.Context, in *input, r *ring) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(r.ended)
	length := time.Duration(len(in.mono)) * time.Second / time.Duration(in.rate)
	var clock stamps
	flags, jumped := flagFirst, false
	for ctx.Err() == nil {
		done := m.lib.guard.watch("reading the microphone", readLimit)
		err := in.stream.Read()
		done()
		overflow := errors.Is(err, portaudio.InputOverflowed) // the samples are good; some before them were lost
		if err != nil && !overflow {
			r.err = explain("reading the microphone", err)
			return
		}
		before := clock.last
		observed := m.look(in)
		// The library reports lost sound one block late, but the time already shows that a card
		// has restarted within this block. A second look at the clock keeps a machine that stood
		// still during the first look from being taken for that.
		jump := clock.late(observed, length)
		if jump {
			observed = m.look(in)
			jump = clock.late(observed, length)
		}
		gap := jump || overflow && !jumped
		jumped = jump
		at := clock.next(observed, length, gap)
		lost := 0
		if gap {
			lost = samplesBetween(before, at-length)
			flags |= flagOverflow
		}
		ready, behind := in.convert()
		for len(ready) >= audio.FrameSamples {
			end := at - behind - time.Duration(len(ready)-audio.FrameSamples)*time.Second/time.Duration(audio.SpeechRate)
			r.put(ready[:audio.FrameSamples], end, lost, flags)
			ready, lost, flags = ready[audio.FrameSamples:], 0, 0
		}
		in.out = append(in.out[:0], ready...)
		r.lost += lost // reported with the next frame
	}
}

// samplesBetween returns how many samples are missing between the end of one block
// and the beginning of the next, at least one.
func samplesBetween(end, begin time.Duration) int {
	if end == 0 {
		return 1 // there was no block before
	}
	return max(1, int((begin-end)*time.Duration(audio.SpeechRate)/time.Second))
}

// look returns the time at which the block that was read last ended, or a later
// one if the machine stands still meanwhile.
func (m *microphone) look(in *input) time.Duration {
	waiting, err := in.stream.AvailableToRead()
	if err != nil {
		waiting = 0
	}
	return time.Since(m.epoch) - time.Duration(waiting)*time.Second/time.Duration(in.rate)
}

// deliver writes frames to the parent until reading is over.
func (m *microphone) deliver(r *ring) error {
	var b []byte
	for {
		for tail := r.tail.Load(); tail < r.head.Load(); tail++ {
			f := &r.frames[tail%ringFrames]
			b = encodeFrame(b[:0], frame{at: f.at, lost: f.lost, flags: f.flags, samples: f.samples[:]})
			r.tail.Store(tail + 1)
			if err := m.status.out.Emit(eventFrame, b); err != nil {
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
