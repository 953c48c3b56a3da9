//go:build cgo

package device

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gordonklaus/portaudio"

	"voicegateway/internal/audio"
	"voicegateway/internal/worker"
)

// The speaker's buffer: long enough for a busy machine not to stutter, short
// enough to begin at once. Stopping does not wait for it.
const (
	playLatency = 200 * time.Millisecond
	playPeriods = 8
	playBlock   = 20 * time.Millisecond
)

// speaker plays clips one after another.
type speaker struct {
	name string
	lib  *library

	mu      sync.Mutex
	id      uint32 // of the clip that plays
	cancel  context.CancelFunc
	silent  chan struct{} // closed when it is silent
	stopped uint32        // the highest number that was told to stop
}

// playJob is a request to play, to be answered when the clip was heard.
type playJob struct {
	id      uint32
	clip    audio.Clip
	request worker.Request
}

// run plays until ctx ends.
func (s *speaker) run(ctx context.Context, jobs <-chan playJob) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-jobs:
			if err := s.job(ctx, j); err != nil {
				_ = j.request.Fail(err)
			} else {
				_ = j.request.Reply(nil)
			}
		}
	}
}

func (s *speaker) job(ctx context.Context, j playJob) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	if j.id <= s.stopped {
		s.mu.Unlock()
		return context.Canceled
	}
	silent := make(chan struct{})
	s.id, s.cancel, s.silent = j.id, cancel, silent
	s.mu.Unlock()
	defer close(silent)
	return s.play(ctx, j.clip)
}

// stop silences clip id, now or before it has begun, and waits for it.
func (s *speaker) stop(ctx context.Context, id uint32) {
	s.mu.Lock()
	s.stopped = max(s.stopped, id)
	silent := s.silent
	playing := s.id == id && silent != nil
	if playing {
		s.cancel()
	}
	s.mu.Unlock()
	if !playing {
		return
	}
	select {
	case <-silent:
	case <-ctx.Done():
	}
}

func (s *speaker) play(ctx context.Context, c audio.Clip) error {
	if err := s.lib.acquire(); err != nil {
		return err
	}
	defer s.lib.release()
	dev, err := s.lib.find(s.name, true)
	if errors.Is(err, portaudio.NoDefaultOutputDevice) {
		return errors.New("no speaker found; plug one in, or name one in audio.output")
	}
	if err != nil {
		return err
	}
	var buf []int16
	stream, c, err := s.open(dev, c, &buf)
	if err != nil {
		return err
	}
	err = s.write(ctx, stream, c, buf)
	defer s.lib.guard.watch("closing the speaker", slowLimit)()
	if err != nil {
		_ = stream.Abort() // drops what is in the buffer
	} else if stopped := stream.Stop(); stopped != nil { // waits until it was heard
		err = explain("playing to the end", stopped)
	}
	_ = stream.Close()
	return err
}

// open tries the clip's own rate first and then the usual ones.
func (s *speaker) open(dev *portaudio.DeviceInfo, c audio.Clip, buf *[]int16) (*portaudio.Stream, audio.Clip, error) {
	var first error
	for _, rate := range []audio.Rate{c.Rate, audio.Rate(dev.DefaultSampleRate), 48000, 44100, audio.SpeechRate} {
		if rate <= 0 {
			continue
		}
		block := int(playBlock * time.Duration(rate) / time.Second)
		*buf = make([]int16, block)
		stream, err := s.lib.open(portaudio.StreamParameters{
			Output:          portaudio.StreamDeviceParameters{Device: dev, Channels: 1, Latency: playLatency},
			SampleRate:      float64(rate),
			FramesPerBuffer: block,
		}, playPeriods, buf)
		if err == nil {
			c, err = audio.Resample(c, rate)
			return stream, c, err
		}
		if first == nil {
			first = explain(fmt.Sprintf("opening the speaker %s at %d Hz", dev.Name, rate), err)
		}
		if !errors.Is(err, portaudio.InvalidSampleRate) {
			break
		}
	}
	return nil, c, first
}

// write gives the clip to the device block by block, so that it can be stopped
// between two, and returns when nearly all of it was heard.
func (s *speaker) write(ctx context.Context, stream *portaudio.Stream, c audio.Clip, buf []int16) error {
	if err := stream.Start(); err != nil {
		return explain("starting the speaker", err)
	}
	began := time.Now()
	// From one block of silence on: a device that was started before its first
	// sound came loses what it is given first.
	for at := -len(buf); at < len(c.Samples); at += len(buf) {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(buf)
		if at >= 0 {
			copy(buf, c.Samples[at:])
		}
		done := s.lib.guard.watch("playing", fastLimit)
		err := stream.Write()
		done()
		if err != nil && !errors.Is(err, portaudio.OutputUnderflowed) { // normal after silence
			return explain("playing", err)
		}
	}
	// The rest is in the device's buffer, whose true size no library tells. Stop
	// would wait for it, but could not be stopped.
	timer := time.NewTimer(time.Until(began.Add(playBlock + c.Duration())))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
