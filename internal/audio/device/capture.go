//go:build cgo

package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/ground/reconnect"
)

// The capture buffer (docs/facts/sound.md, The capture buffer): stalls of a
// busy machine were up to 0.6 s, so one second loses nothing; fifty periods
// keep the delivery at 20 ms.
const (
	captureLatency = time.Second
	capturePeriods = 50
	ringFrames     = 256 // 5 s, a power of two; the daemon takes what comes at once
)

// microphone captures for ever: it opens the device, delivers frames, and looks
// for it again when it is gone. While it is muted the device is closed.
type microphone struct {
	name     string
	channel  int
	lib      *library
	status   *status
	epoch    time.Time // the worker's time zero
	changed  chan struct{}
	lastUsed string // the device used last
	there    bool   // it could be opened last time; used by run only

	mu    sync.Mutex
	muted bool
	open  *capture // nil while the device is closed
}

// capture is one opening of the device, from the attempt to open it until it is
// closed.
type capture struct {
	cut    context.CancelFunc
	closed chan struct{}
}

// run returns when ctx ends.
func (m *microphone) run(ctx context.Context) {
	waits := reconnect.Pauses{First: firstWait, Longest: m.longest()}
	for ctx.Err() == nil {
		began := time.Now()
		err := m.capture(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errMuted):
			m.stayMuted(ctx)
			waits.Reset()
			continue
		case errors.Is(err, errCut):
			continue
		}
		if time.Since(began) > slowWait {
			waits.Reset()
		}
		m.there = false
		m.reportClosed(problem(err))
		m.rest(ctx, waits.Next())
	}
}

// stayMuted waits until the microphone is no longer muted. A microphone that is missing
// is reported meanwhile, because nobody can be heard after the muting either. One that
// worked is not touched until a sound card comes or goes.
func (m *microphone) stayMuted(ctx context.Context) {
	if m.there {
		m.reportClosed("")
	}
	before := cards()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for next := time.Now(); ; {
		if !m.there && !time.Now().Before(next) {
			m.seek()
			next = time.Now().Add(mutedWait)
		}
		select {
		case <-ctx.Done():
			return
		case <-m.changed:
			return
		case <-tick.C:
			if now := cards(); now != before {
				before, m.there, next = now, false, time.Now()
			}
		}
	}
}

// seek finds out whether there is a microphone, and does not open it.
func (m *microphone) seek() {
	err := m.lib.acquire()
	if err == nil {
		_, err = m.lib.find(m.name, false)
		m.lib.release()
	}
	if err != nil {
		m.reportClosed(problem(err))
		return
	}
	m.reportClosed("")
}

var (
	errMuted = errors.New("the microphone is muted")
	errCut   = errors.New("the microphone is opened anew")
)

const (
	firstWait = 500 * time.Millisecond
	slowWait  = 5 * time.Second
	namedWait = 1500 * time.Millisecond
	lookEvery = 250 * time.Millisecond
	// mutedWait is how often a missing microphone is looked for while it is muted.
	mutedWait = 5 * time.Second
	// preferEvery is how often a better microphone is looked for.
	preferEvery = time.Second
)

// longest is the longest wait before the list of devices is refreshed. A device chosen by
// part of its name may come back under a name that the old list does not have.
func (m *microphone) longest() time.Duration {
	if isDefaultName(m.name) {
		return slowWait
	}
	return namedWait
}

// rest waits, but returns early when a sound card comes or goes, or when the
// device can be opened again. Both are cheap to find out; starting PortAudio
// takes a tenth of a second.
func (m *microphone) rest(ctx context.Context, wait time.Duration) {
	name := cmp.Or(m.lastUsed, m.name)
	before, works := cards(), m.lib.probe(name, false) == nil
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for end := time.Now().Add(wait); ; {
		select {
		case <-ctx.Done():
			return
		case <-m.changed:
			return
		case now := <-tick.C:
			if !now.Before(end) || cards() != before || (m.lib.probe(name, false) == nil) != works {
				return
			}
		}
	}
}

// reportClosed tells the daemon that there is no microphone, and why.
func (m *microphone) reportClosed(why string) {
	m.status.update(func(s *State) { s.Input, s.Problem, s.Rate, s.Buffer = "", why, 0, 0 })
}

func problem(err error) string {
	if missing, ok := errors.AsType[*absentError](err); ok {
		return fmt.Sprintf("%v; MQTT and ask still work", missing)
	}
	return fmt.Sprintf("the microphone does not work: %v; MQTT and ask still work; it is tried again", err)
}

// mute closes the device and returns when it is closed, or lets run open it
// again.
func (m *microphone) mute(on bool) {
	m.mu.Lock()
	m.muted = on
	m.mu.Unlock()
	if on && m.reopen() {
		m.reportClosed("")
	}
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// reopen closes the device and returns; run then opens it again at once, unless
// it is muted. It reports whether the device was open.
func (m *microphone) reopen() bool {
	m.mu.Lock()
	open := m.open
	m.mu.Unlock()
	if open == nil {
		return false
	}
	open.cut()
	<-open.closed
	return true
}

// capture runs until the device fails, ctx ends or it is closed on request.
func (m *microphone) capture(ctx context.Context) error {
	m.mu.Lock()
	if m.muted {
		m.mu.Unlock()
		return errMuted
	}
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	c := &capture{cut: cut, closed: make(chan struct{})}
	m.open = c
	m.mu.Unlock()
	err := m.listen(ctx)
	if ctx.Err() != nil {
		err = errCut
	}
	m.mu.Lock()
	m.open = nil
	m.mu.Unlock()
	close(c.closed)
	return err
}

// listen opens the device and delivers what it hears.
func (m *microphone) listen(ctx context.Context) error {
	if err := m.lib.acquire(); err != nil {
		return err
	}
	defer m.lib.release()
	dev, err := m.lib.find(m.name, false)
	if err != nil {
		return err
	}
	m.lastUsed = dev.Name
	in, err := openInput(m.lib, dev, m.channel)
	if err != nil {
		return err
	}
	defer m.shut(in)
	if err := in.stream.Start(); err != nil {
		return explain("starting the microphone "+stable(dev.Name), err)
	}
	m.there = true
	m.status.update(func(s *State) {
		s.Input, s.Problem, s.Rate, s.Buffer = stable(dev.Name), "", int(in.rate), 0
		if info := in.stream.Info(); info != nil {
			s.Buffer = info.InputLatency
		}
	})
	r := newRing()
	go m.read(ctx, in, r)
	if isDefaultName(m.name) && dev.Name != byDefault {
		var watching sync.WaitGroup
		defer watching.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		watching.Go(func() { m.prefer(ctx) })
	}
	return m.deliver(r)
}

// prefer waits for the default device to come while another one stands in for it,
// and then has it opened.
func (m *microphone) prefer(ctx context.Context) {
	works := m.lib.probe(byDefault, false) == nil // it can be opened although the library does not list it
	tick := time.NewTicker(preferEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if m.lib.outdated() || !works && m.lib.probe(byDefault, false) == nil {
				m.mu.Lock()
				if m.open != nil {
					m.open.cut()
				}
				m.mu.Unlock()
				return
			}
		}
	}
}

// shut closes a stream. The calls may block for as long as the device is gone.
func (m *microphone) shut(in *input) {
	defer m.lib.guard.watch("closing the microphone", slowLimit)()
	_ = in.stream.Abort()
	_ = in.stream.Close()
}
