//go:build cgo

package device

/*
#cgo pkg-config: portaudio-2.0 alsa
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/gordonklaus/portaudio"
)

// library counts the users of PortAudio. The list of devices is made only by
// Initialize, so new devices are seen by the first user after all others have
// gone.
type library struct {
	mu    sync.Mutex
	users int
	found string // the cards that were there when the list was made
	guard *watchdog
}

func (l *library) acquire() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 {
		C.vg_quiet()
		defer l.guard.watch("looking for sound devices", slowLimit)()
		l.found = cards()
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

// outdated reports whether cards have come or gone since the list was made.
func (l *library) outdated() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.users > 0 && cards() != l.found
}

// cards returns a text that changes when a sound card comes or goes; asking for
// it costs nothing.
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

// open opens a stream with its own number of periods: 50 for the microphone, so
// that one second of buffer is still delivered every 20 ms; few for the speaker.
func (l *library) open(p portaudio.StreamParameters, periods int, buf *[]int16) (*portaudio.Stream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.guard.watch("opening a sound device", slowLimit)()
	C.vg_periods(C.int(periods))
	return portaudio.OpenStream(p, buf)
}

// devices is the library's list, in the same order as ours.
func (l *library) devices() ([]*portaudio.DeviceInfo, []candidate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := portaudio.Devices()
	if err != nil {
		return nil, nil, explain("listing the sound devices", err)
	}
	in, _ := portaudio.DefaultInputDevice() // an error means that there is none
	out, _ := portaudio.DefaultOutputDevice()
	list := make([]candidate, len(all))
	for i, d := range all {
		list[i] = candidate{
			name: d.Name, inputs: d.MaxInputChannels, outputs: d.MaxOutputChannels, rate: int(d.DefaultSampleRate),
			defaultInput: in != nil && in.Index == d.Index, defaultOutput: out != nil && out.Index == d.Index,
		}
	}
	return all, list, nil
}

// find returns the device of that name, or an absentError. If another program
// holds the default device, the library alone would take any other one.
func (l *library) find(name string, output bool) (*portaudio.DeviceInfo, error) {
	all, list, err := l.devices()
	if err != nil {
		return nil, err
	}
	i, _ := pick(list, name, output)
	if isDefaultName(name) && (i < 0 || list[i].name != byDefault) && errors.Is(l.probe(byDefault, output), syscall.EBUSY) {
		return nil, explain("opening the default "+direction(output), portaudio.DeviceUnavailable)
	}
	if i < 0 {
		return nil, absent(list, name, output)
	}
	return all[i], nil
}

// probe returns nil if ALSA can open the device of that name, else why it cannot.
func (l *library) probe(name string, output bool) error {
	if isDefaultName(name) {
		name = byDefault
	}
	defer l.guard.watch("looking for "+name, slowLimit)()
	C.vg_quiet()
	text := C.CString(cmp.Or(hardware(name), name)) // what ALSA itself calls the device
	defer C.free(unsafe.Pointer(text))
	direction := C.int(0)
	if output {
		direction = 1
	}
	if code := C.vg_probe(text, direction); code < 0 {
		return syscall.Errno(-code)
	}
	return nil
}

// noise is how many messages of ALSA and JACK were kept off the log.
func noise() int { return int(C.vg_messages()) }

// explain adds what ALSA said to PortAudio's error, whose own text is often
// empty.
func explain(doing string, err error) error {
	runtime.LockOSThread() // ALSA keeps the message for each thread
	defer runtime.UnlockOSThread()
	said := strings.TrimSpace(C.GoString(C.vg_message()))
	switch {
	case errors.Is(err, portaudio.DeviceUnavailable):
		return fmt.Errorf("%s: another program uses it: %w", doing, err)
	case err.Error() == "" && said == "":
		return fmt.Errorf("%s: the sound server or device is gone", doing)
	case err.Error() == "":
		return fmt.Errorf("%s: %s", doing, said)
	case said == "":
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s: %w (%s)", doing, err, said)
}
