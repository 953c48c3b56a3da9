//go:build cgo

package device

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/gordonklaus/portaudio"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
)

// The speaker's buffer: long enough for a busy machine not to stutter, short
// enough to begin at once. Stopping does not wait for it.
const (
	playLatency = 200 * time.Millisecond
	playPeriods = 20
	playBlock   = 10 * time.Millisecond
)

const (
	// busyLimit is how long a clip waits for a speaker that another program holds:
	// long enough for a notification's sound, too short for a film.
	busyLimit = 3 * time.Second
	busyEvery = 100 * time.Millisecond
	// refreshEvery is how often the list of devices may be refreshed, so that a speaker that
	// stays away does not interrupt the microphone at every clip.
	refreshEvery = 10 * time.Second
)

// speaker plays clips one after another.
type speaker struct {
	name    string
	lib     *library
	status  *status
	refresh func() // makes the microphone release the library for a moment, so that the list of devices can be refreshed

	refreshed time.Time // when the list was last refreshed
	holding   bool      // the speaker is a user of the library
	settled   bool      // another speaker stands in for the default one, and a new list changed nothing

	mu      sync.Mutex
	id      uint32 // of the clip that plays
	cancel  context.CancelFunc
	silent  chan struct{} // closed when the clip is silent
	stopped uint32        // the highest number of a clip that was stopped
}

// playJob is a request to play, to be answered when the clip was heard.
type playJob struct {
	id      uint32
	clip    audio.Clip
	request worker.Request
}

// run plays until ctx ends.
func (s *speaker) run(ctx context.Context, jobs <-chan playJob) {
	s.look()
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

// look finds out which speaker will be used before there is anything to play.
func (s *speaker) look() {
	if s.acquire() != nil {
		return // the first clip will report it
	}
	defer s.release()
	dev, err := s.lib.find(s.name, true)
	s.tell(dev, err)
}

func (s *speaker) acquire() error {
	err := s.lib.acquire()
	s.holding = err == nil
	return err
}

func (s *speaker) release() {
	if s.holding {
		s.holding = false
		s.lib.release()
	}
}

func (s *speaker) tell(dev *portaudio.DeviceInfo, err error) {
	s.status.update(func(state *State) {
		state.Output, state.OutputProblem = "", ""
		if err != nil {
			state.OutputProblem = err.Error()
		} else if dev != nil {
			state.Output = stable(dev.Name)
		}
	})
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
	if err := s.acquire(); err != nil {
		return err
	}
	defer s.release()
	dev, err := s.play(ctx, j.clip)
	if ctx.Err() == nil {
		s.tell(dev, err)
	}
	return err
}

// stop silences clip id, at once or before it has begun, and waits until it is
// silent.
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

func (s *speaker) play(ctx context.Context, c audio.Clip) (*portaudio.DeviceInfo, error) {
	o, err := s.ready(ctx, c)
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, o)
	defer s.lib.guard.watch("closing the speaker", slowLimit)()
	if err != nil {
		_ = o.stream.Abort() // drops what is in the buffer
	} else if stopped := o.stream.Stop(); stopped != nil { // waits until it was heard
		err = explain("playing to the end", stopped)
	}
	_ = o.stream.Close()
	return o.dev, err
}

// ready opens the speaker. It waits a little if another program holds the speaker, and
// refreshes the list of devices if the speaker was absent when the list was made.
func (s *speaker) ready(ctx context.Context, c audio.Clip) (*output, error) {
	for end := time.Now().Add(busyLimit); ; {
		o, err := s.open(c)
		if err == nil {
			return o, nil
		}
		if !s.busy(err) {
			if !s.found(err) {
				return nil, err
			}
			if err := s.renew(); err != nil {
				return nil, err
			}
			continue
		}
		if !time.Now().Before(end) {
			return nil, fmt.Errorf("the speaker is in use by another program; close that, or let a sound server share the card: %w", err)
		}
		timer := time.NewTimer(busyEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// busy reports whether another program holds the speaker, which may then be
// missing in the library's list.
func (s *speaker) busy(err error) bool {
	if errors.Is(err, portaudio.DeviceUnavailable) {
		return true
	}
	_, missing := errors.AsType[*absentError](err)
	return missing && errors.Is(s.lib.probe(s.name, true), syscall.EBUSY)
}

// found reports whether the speaker may be there although the library does not
// list it.
func (s *speaker) found(err error) bool {
	if time.Since(s.refreshed) < refreshEvery {
		return false
	}
	_, missing := errors.AsType[*absentError](err)
	return s.lib.outdated() || missing && s.lib.probe(s.name, true) == nil
}

// find is like the library's find, with one difference: if the default speaker was absent
// when the list was made, so that another device stands in for it, and can be opened now,
// find returns an absentError so that the list is refreshed.
func (s *speaker) find() (*portaudio.DeviceInfo, error) {
	dev, err := s.lib.find(s.name, true)
	if err != nil || !isDefaultName(s.name) || dev.Name == byDefault {
		s.settled = false
		return dev, err
	}
	if time.Since(s.refreshed) < refreshEvery {
		s.settled = true
		return dev, nil
	}
	if s.settled && !s.lib.outdated() || s.lib.probe(s.name, true) != nil {
		return dev, nil
	}
	return nil, &absentError{output: true}
}

// renew refreshes the list of devices.
func (s *speaker) renew() error {
	s.refreshed = time.Now()
	s.release()
	s.refresh()
	return s.acquire()
}

// output is an open speaker and what it will play.
type output struct {
	dev    *portaudio.DeviceInfo
	stream *portaudio.Stream
	clip   audio.Clip // at the stream's rate
	buf    []int16    // one block, channels side by side
	block  int        // samples of one channel in it
}

// open tries the clip's own rate first and then the usual ones; one channel
// first and then two.
func (s *speaker) open(c audio.Clip) (*output, error) {
	dev, err := s.find()
	if err != nil {
		return nil, err
	}
	var first error
	for _, rate := range []audio.Rate{c.Rate, audio.Rate(dev.DefaultSampleRate), 48000, 44100, audio.SpeechRate} {
		if rate <= 0 {
			continue
		}
		o, err := s.openAt(dev, rate)
		if err == nil {
			o.clip, err = audio.Resample(c, rate)
			return o, err
		}
		if first == nil {
			first = explain(fmt.Sprintf("opening the speaker %s at %d Hz", stable(dev.Name), rate), err)
		}
		if !errors.Is(err, portaudio.InvalidSampleRate) {
			break
		}
	}
	return nil, first
}

func (s *speaker) openAt(dev *portaudio.DeviceInfo, rate audio.Rate) (*output, error) {
	var err error
	for _, channels := range []int{1, 2, dev.MaxOutputChannels} {
		o := &output{dev: dev, block: int(playBlock * time.Duration(rate) / time.Second)}
		o.buf = make([]int16, o.block*channels)
		o.stream, err = s.lib.open(portaudio.StreamParameters{
			Output:          portaudio.StreamDeviceParameters{Device: dev, Channels: channels, Latency: playLatency},
			SampleRate:      float64(rate),
			FramesPerBuffer: o.block,
		}, playPeriods, &o.buf)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, portaudio.InvalidChannelCount) {
			break
		}
	}
	return nil, err
}

// fill puts the block that begins at sample number at into the buffer, the same
// on every channel. Before and after the clip there is silence.
func (o *output) fill(at int) {
	clear(o.buf)
	channels := len(o.buf) / o.block
	for i := range o.block {
		if n := at + i; n >= 0 && n < len(o.clip.Samples) {
			for k := range channels {
				o.buf[i*channels+k] = o.clip.Samples[n]
			}
		}
	}
}

// write gives the clip to the device block by block, so that it can be stopped
// between two blocks, and returns when nearly all of it was heard.
func (s *speaker) write(ctx context.Context, o *output) error {
	if err := o.stream.Start(); err != nil {
		return explain("starting the speaker", err)
	}
	began := time.Now()
	// The first block is silence: a device that was started before its first sound
	// came loses what it is given first.
	for at := -o.block; at < len(o.clip.Samples); at += o.block {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.fill(at)
		done := s.lib.guard.watch("playing", fastLimit)
		err := o.stream.Write()
		done()
		if err != nil && !errors.Is(err, portaudio.OutputUnderflowed) { // normal after silence
			return explain("playing", err)
		}
	}
	// The rest is in the device's buffer, and no library tells how large that
	// really is. Stop would wait for it, but could not be interrupted.
	timer := time.NewTimer(time.Until(began.Add(playBlock + o.clip.Duration())))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
