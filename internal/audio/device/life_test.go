//go:build cgo

package device_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
)

// workers returns the worker processes of this test: those with its directory in
// their environment.
func workers(t *testing.T, dir string) []int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skip("this kernel does not list the children of a process")
	}
	var all []int
	for _, path := range lists {
		text, _ := os.ReadFile(path) // a thread may have ended, and so may a child
		for word := range strings.FieldsSeq(string(text)) {
			environment, _ := os.ReadFile(filepath.Join("/proc", word, "environ"))
			if pid, err := strconv.Atoi(word); err == nil && bytes.Contains(environment, []byte(dir)) {
				all = append(all, pid)
			}
		}
	}
	return all
}

// kill ends the worker.
func kill(t *testing.T, dir string) {
	t.Helper()
	pids := workers(t, dir)
	if len(pids) != 1 {
		t.Fatalf("there are %d workers, want one", len(pids))
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// soundAfter reads until a frame was captured after then.
func soundAfter(t *testing.T, d *device.Device, then time.Time) audio.Frame {
	t.Helper()
	ctx := within(t, time.Minute)
	for {
		f, err := d.Mic().Read(ctx)
		if err != nil {
			t.Fatalf("no sound: %v; state %+v", err, d.State())
		}
		if f.At.After(then) {
			return f
		}
	}
}

func TestListShowsWhatIsUsedAndWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := device.Default()
	cfg.Command = []string{os.Args[0], "worker", "audio"}
	cfg.Input = "array"
	cfg.Env = card(t, dir, "", "", `pcm.six_array { type simcard rate 48000 channels 6 }`)
	check := func(list []audio.Device, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		find := func(name string) audio.Device {
			i := slices.IndexFunc(list, func(i audio.Device) bool { return i.Name == name })
			if i < 0 {
				t.Fatalf("no %s in %+v", name, list)
			}
			return list[i]
		}
		array, system := find("six_array"), find("default")
		if array.Inputs != 6 || array.Used != "input" || array.Why != `its name contains "array"` || array.Default {
			t.Errorf("the array is %+v", array)
		}
		if system.Used != "output" || !system.Default || system.Outputs < 1 {
			t.Errorf("the default is %+v", system)
		}
	}
	check(device.List(t.Context(), cfg))
	d := startWith(t, cfg)
	if _, err := d.Mic().Read(within(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	check(d.Devices(t.Context()))
	before := soundAfter(t, d, time.Now())
	if before.Lost > 0 {
		t.Logf("%d samples lost", before.Lost)
	}
	cfg.Command = []string{"/nowhere/voice-gateway"}
	if _, err := device.List(within(t, time.Minute), cfg); err == nil {
		t.Error("listing with a worker that cannot start is no error")
	}
}

func TestMuteClosesTheMicrophone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	d := start(t, card(t, dir, fmt.Sprintf("open %q", open), ""), nil)
	isOpen := func() bool {
		_, err := os.Stat(open)
		return err == nil
	}
	soundAfter(t, d, time.Now())
	if !isOpen() {
		t.Fatal("there is sound and the card is not open")
	}
	if err := d.Mute(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if isOpen() {
		t.Error("the card is open though the microphone is muted")
	}
	if s := d.State(); !s.Muted || s.Input != "" || s.Problem != "" {
		t.Errorf("muted, the state is %+v", s)
	}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if f, err := d.Mic().Read(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("muted, Read returns %d samples and %v", len(f.Samples), err)
	}
	kill(t, dir) // a new worker knows nothing of it
	until(t, d, "a new worker answers, so it was told", func(device.State) bool {
		_, err := d.Devices(t.Context())
		return err == nil
	})
	if s := d.State(); isOpen() && s.Input != "" || !s.Muted {
		t.Errorf("after the worker's death the microphone is open: %+v", s)
	}
	remains := d.State().Captured
	if err := d.Mute(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	f := soundAfter(t, d, time.Now())
	if s := d.State(); s.Muted || s.Input == "" || s.Captured <= remains || s.Lost > 0 && f.Lost == 0 {
		t.Errorf("after muting the state is %+v", s)
	}
}

func TestMutedFromTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	cfg := device.Default()
	cfg.Muted, cfg.Env = true, card(t, dir, fmt.Sprintf("started %q", started), "")
	d := startWith(t, cfg)
	if err := d.Speaker().Play(within(t, time.Minute), tone(16000, 100*time.Millisecond)); err != nil {
		t.Errorf("playing while muted: %v", err)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("the microphone was opened")
	}
	if err := d.Mute(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	soundAfter(t, d, time.Now())
}

// TestMutingHidesNoMissingMicrophone: a person who sees that the microphone is muted and
// opens it would still not be heard.
func TestMutingHidesNoMissingMicrophone(t *testing.T) {
	t.Parallel()
	missing := func(s device.State) bool { return s.Muted && s.Problem != "" }
	for name, fromTheStart := range map[string]bool{"muted later": false, "muted from the start": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			gone := filepath.Join(dir, "gone")
			touch(t, gone)
			cfg := device.Default()
			absent := fmt.Sprintf("gone %q", gone)
			cfg.Muted, cfg.Env = fromTheStart, card(t, dir, absent, absent)
			d := startWith(t, cfg)
			if !fromTheStart {
				until(t, d, "the microphone is missing", func(s device.State) bool { return s.Problem != "" })
				if err := d.Mute(t.Context(), true); err != nil {
					t.Fatal(err)
				}
			}
			until(t, d, "it is muted and missing", missing)
			remove(t, gone)
			until(t, d, "it is back, and still muted", func(s device.State) bool { return s.Muted && s.Problem == "" && s.Input == "" })
		})
	}
}

func TestSoundLibraryIsQuiet(t *testing.T) {
	t.Parallel()
	// The system's own configuration, with all its devices that are not there.
	var log lines
	d := start(t, []string{"ALSA_CONFIG_PATH=/usr/share/alsa/alsa.conf", "HOME=" + t.TempDir()},
		slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	until(t, d, "the devices were looked for", func(s device.State) bool { return s.Problem != "" || s.Input != "" })
	if _, err := d.Devices(within(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Contains(text, "worker said") {
		t.Errorf("the worker writes to stderr:\n%s", text)
	}
	if s := d.State(); s.Problem != "" && s.Noise == 0 {
		t.Errorf("ALSA has said nothing at all without a card: %+v", s)
	}
}

func TestBusyMicrophone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	busy := filepath.Join(dir, "busy")
	touch(t, busy)
	d := start(t, card(t, dir, fmt.Sprintf("busy %q", busy), ""), nil)
	until(t, d, "the microphone is refused", func(s device.State) bool { return s.Problem != "" })
	remove(t, busy)
	back := time.Now()
	t.Logf("sound %v after the other program has ended", soundAfter(t, d, back).At.Sub(back))
}

// TestWorkerKilled kills the worker several times while sound is captured; capture
// continues with every new worker.
func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, card(t, dir, "", ""), nil)
	for n := range 3 {
		soundAfter(t, d, time.Now())
		kill(t, dir)
		killed := time.Now()
		f := soundAfter(t, d, killed)
		for f.Lost == 0 && d.State().Breaks == n { // a frame that was on its way
			f = soundAfter(t, d, killed)
		}
		t.Logf("sound %v after the worker was killed", f.At.Sub(killed))
	}
	if s := d.State(); s.Breaks != 3 || s.Lost > 0 && s.Overflows == 0 {
		t.Errorf("after three deaths the state is %+v", s)
	}
}

// TestReplugUnderAnotherName takes the card away and brings it back as another.
func TestReplugUnderAnotherName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	touch(t, second)
	cfg := device.Default()
	cfg.Input = "usb"
	cfg.Env = card(t, dir, "", "",
		fmt.Sprintf("pcm.my_usb_1 { type simcard gone %q }", first), fmt.Sprintf("pcm.my_usb_2 { type simcard gone %q rate 48000 }", second))
	d := startWith(t, cfg)
	soundAfter(t, d, time.Now())
	if s := d.State(); s.Input != "my_usb_1" {
		t.Fatalf("state %+v", s)
	}
	touch(t, first)
	until(t, d, "nobody has a card", func(s device.State) bool { return s.Problem != "" })
	remove(t, second)
	back := time.Now()
	t.Logf("sound %v after the card is back", soundAfter(t, d, back).At.Sub(back))
	if s := d.State(); s.Input != "my_usb_2" {
		t.Errorf("state %+v", s)
	}
}

// TestLostSamplesAreCounted stops the worker for longer than the card's buffer.
func TestLostSamplesAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, card(t, dir, "", ""), nil)
	soundAfter(t, d, time.Now())
	pid := workers(t, dir)[0]
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(2 * time.Second)
	defer timer.Stop()
	<-timer.C
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	lost := 0
	ctx := within(t, time.Minute)
	for lost == 0 {
		f, err := d.Mic().Read(ctx)
		if err != nil {
			t.Fatalf("nothing was lost: %v; state %+v", err, d.State())
		}
		lost = f.Lost
	}
	s := d.State()
	t.Logf("%d samples lost in 2 s; state %+v", lost, s)
	if s.Breaks == 0 && (s.Overflows == 0 || s.Lost < int64(audio.SpeechRate)/2) {
		t.Errorf("after a stop of 2 s the state is %+v", s)
	}
}

// TestAnotherMicrophoneStandsIn lets another microphone take the place of the
// default one until the default one is there.
func TestAnotherMicrophoneStandsIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	touch(t, gone)
	d := start(t, card(t, dir, fmt.Sprintf("gone %q", gone), ""), nil)
	soundAfter(t, d, time.Now())
	if s := d.State(); s.Input == "default" || s.Input == "" {
		t.Errorf("state %+v, want another microphone than the default one", s)
	}
	remove(t, gone)
	until(t, d, "the default microphone is used", func(s device.State) bool { return s.Input == "default" })
	soundAfter(t, d, time.Now())
}

// TestLibraryThatAborts uses a configuration at which PortAudio ends the process:
// every device can be opened and none is the default.
func TestLibraryThatAborts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := card(t, dir, "", "")
	library, err := simcard()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("pcm_type.simcard { lib %q }\npcm.lonely { type simcard }\n", library)
	if err := os.WriteFile(filepath.Join(dir, "asound.conf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t, env, nil)
	until(t, d, "it is known that the library does not work", func(s device.State) bool {
		return s.Problem != "" || s.Input != "" // a newer library does not abort
	})
}
