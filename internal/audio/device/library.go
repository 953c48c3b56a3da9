//go:build cgo

package device

/*
#cgo pkg-config: portaudio-2.0 alsa
#cgo LDFLAGS: -ldl
#include "glue.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gordonklaus/portaudio"
)

// library counts the users of PortAudio. The list of devices is only made by
// Initialize, so whoever comes first after all have gone sees new devices.
type library struct {
	mu    sync.Mutex
	users int
	guard *watchdog
}

func (l *library) acquire() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 {
		C.vg_quiet()
		defer l.guard.watch("looking for sound devices", slowLimit)()
		if err := portaudio.Initialize(); err != nil {
			return explain("starting PortAudio", err)
		}
	}
	l.users++
	return nil
}

func (l *library) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users == 0 {
		defer l.guard.watch("closing PortAudio", slowLimit)()
		_ = portaudio.Terminate() // nothing is open any more, and there is nothing to do about it
	}
}

// open opens a stream with its own number of periods: 50 for the microphone, so
// that one second of buffer is still delivered every 20 ms; few for the speaker.
func (l *library) open(p portaudio.StreamParameters, periods int, buf *[]int16) (*portaudio.Stream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.guard.watch("opening a sound device", slowLimit)()
	C.vg_periods(C.int(periods))
	return portaudio.OpenStream(p, buf)
}

// find returns the default device, or the first whose name contains name.
func (l *library) find(name string, output bool) (*portaudio.DeviceInfo, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if name == "" || name == "default" {
		if output {
			return portaudio.DefaultOutputDevice()
		}
		return portaudio.DefaultInputDevice()
	}
	all, err := portaudio.Devices()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range all {
		if output && d.MaxOutputChannels == 0 || !output && d.MaxInputChannels == 0 {
			continue
		}
		if strings.Contains(strings.ToLower(d.Name), strings.ToLower(name)) {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return nil, fmt.Errorf("no device is called %q; there are: %s", name, strings.Join(names, "; "))
}

// explain adds what ALSA said to PortAudio's error, whose own text is often
// empty.
func explain(doing string, err error) error {
	runtime.LockOSThread() // the message is the thread's
	defer runtime.UnlockOSThread()
	said := strings.TrimSpace(C.GoString(C.vg_message()))
	switch {
	case err.Error() == "" && said == "":
		return fmt.Errorf("%s: the sound server or device is gone", doing)
	case err.Error() == "":
		return fmt.Errorf("%s: %s", doing, said)
	case said == "":
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w (%s)", doing, err, said)
}

// Limits of calls into the library. A read takes 20 ms, a write at most the
// speaker's buffer; opening takes some seconds on a bad day.
const (
	fastLimit = 2 * time.Second
	slowLimit = 6 * time.Second
)

// errStuck ends the worker: a call that does not return cannot be cancelled, and
// closing the stream under it aborts the process or blocks as well.
var errStuck = errors.New("the sound library hangs; its process is started again")

// watchdog notices calls that do not return.
type watchdog struct {
	mu   sync.Mutex
	next int
	busy map[int]call
}

type call struct {
	doing string
	until time.Time
}

// watch begins a call; the returned function ends it.
func (w *watchdog) watch(doing string, limit time.Duration) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy == nil {
		w.busy = map[int]call{}
	}
	w.next++
	id := w.next
	w.busy[id] = call{doing: doing, until: time.Now().Add(limit)}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.busy, id)
	}
}

// run returns an error when a call is over its limit, nil when ctx ends.
func (w *watchdog) run(ctx context.Context) error {
	tick := time.NewTicker(fastLimit / 8)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if doing := w.overdue(time.Now()); doing != "" {
			return fmt.Errorf("%s: %w", doing, errStuck)
		}
	}
}

func (w *watchdog) overdue(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.busy {
		if now.After(c.until) {
			return c.doing
		}
	}
	return ""
}
