//go:build cgo

package device_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
)

// errNoALSA means that the simulated card cannot be built here, which is not a
// fault of the device.
var errNoALSA = errors.New("no ALSA to build the simulated sound card with")

// simcard builds the simulated sound card, once for all tests. TestMain removes
// what it leaves.
var simcard = sync.OnceValues(func() (library string, err error) {
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "alsa").Output()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoALSA, err)
	}
	library = filepath.Join(scratch(), "libasound_module_pcm_simcard.so")
	args := append([]string{"-O2", "-fPIC", "-shared", "-DPIC", "-Wall", "-Werror", "-o", library, "testdata/simcard.c"}, strings.Fields(string(flags))...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the simulated sound card: %w: %s", err, out)
	}
	return library, nil
})

// card returns the environment in which the simulated sound card is the only
// one. mic and speaker configure the default device's two halves; more is
// further configuration, with pcms of type simcard.
func card(t *testing.T, dir, mic, speaker string, more ...string) []string {
	t.Helper()
	library, err := simcard()
	if errors.Is(err, errNoALSA) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "asound.conf")
	text := fmt.Sprintf(`pcm_type.simcard { lib %q }
pcm.simmic { type simcard %s }
pcm.simspk { type simcard %s }
pcm.!default { type asym capture.pcm "simmic" playback.pcm "simspk" }
%s
`, library, mic, speaker, strings.Join(more, "\n"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"ALSA_CONFIG_PATH=" + config, "HOME=" + dir}
}

// start runs a device until the test ends.
func start(t *testing.T, env []string, log *slog.Logger) *device.Device {
	t.Helper()
	cfg := device.Default()
	cfg.Env, cfg.Log = env, log
	return startWith(t, cfg)
}

// startWith is start with a configuration; it lacks only the command.
func startWith(t *testing.T, cfg device.Config) *device.Device {
	t.Helper()
	cfg.Command = []string{os.Args[0], "worker", "audio"}
	d, err := device.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := d.Run(ctx); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return d
}

// until waits until the device reaches a state.
func until(t *testing.T, d *device.Device, what string, reached func(device.State) bool) device.State {
	t.Helper()
	ctx := within(t, time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		s := d.State()
		if reached(s) {
			return s
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waiting until %s: the state is %+v", what, s)
		case <-tick.C:
		}
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestCaptureHasNoGaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := start(t, card(t, dir, "", fmt.Sprintf("raw %q", filepath.Join(dir, "out.raw"))), nil)
	ctx := within(t, time.Minute)
	want := int16(1)
	var last time.Time
	for n := range 150 { // 3 s
		f, err := d.Mic().Read(ctx)
		if err != nil {
			t.Fatalf("frame %d: %v", n, err)
		}
		if f.Lost > 0 { // the machine was too busy for a second; the card says so
			t.Logf("frame %d: %d samples lost", n, f.Lost)
			want = f.Samples[len(f.Samples)-1] + 1 // sound was lost before this frame or within it
			last = f.At
			continue
		}
		if len(f.Samples) != audio.FrameSamples {
			t.Fatalf("frame %d has %d samples", n, len(f.Samples))
		}
		for i, s := range f.Samples {
			if s != want {
				t.Fatalf("frame %d sample %d: %d, want %d", n, i, s, want)
			}
			if want++; want == 0 {
				want = 1
			}
		}
		if !f.At.After(last) {
			t.Fatalf("frame %d was captured at %v, not after %v", n, f.At, last)
		}
		last = f.At
	}
	if age := time.Since(last); age < -time.Second || age > 30*time.Second { // it is reckoned back from the end of what was read
		t.Errorf("the newest frame says it was captured %v ago", age)
	}
	if s := d.State(); s.Input == "" || s.Problem != "" {
		t.Errorf("state %+v, want a microphone and no problem", s)
	}
}

func tone(rate audio.Rate, d time.Duration) audio.Clip {
	c := audio.Clip{Rate: rate, Samples: make([]int16, int(d*time.Duration(rate)/time.Second))}
	for i := range c.Samples {
		c.Samples[i] = int16(10000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)))
	}
	return c
}

func TestPlaybackIsHeardWhileCapturing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		clip   audio.Rate
		card   audio.Rate
		repeat int
	}{
		"own rate":              {clip: 16000, card: 16000, repeat: 2},
		"espeak on a USB stick": {clip: 22050, card: 48000, repeat: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			raw := filepath.Join(dir, "out.raw")
			d := start(t, card(t, dir, "", fmt.Sprintf("raw %q rate %d", raw, tc.card)), nil)
			ctx := within(t, time.Minute)
			if _, err := d.Mic().Read(ctx); err != nil {
				t.Fatal(err)
			}
			clip := tone(tc.clip, 500*time.Millisecond)
			for range tc.repeat {
				began := time.Now()
				if err := d.Speaker().Play(ctx, clip); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took < clip.Duration() {
					t.Errorf("Play returned after %v, before %v of sound can have been heard", took, clip.Duration())
				}
			}
			heard, err := os.ReadFile(raw)
			if err != nil {
				t.Fatal(err)
			}
			want, err := audio.Resample(clip, tc.card)
			if err != nil {
				t.Fatal(err)
			}
			got := arrived(heard, want.Samples, int(tc.card)/50, tc.repeat)
			if got < 0.9 {
				t.Errorf("%.0f %% of the clip are in the %d bytes that were played", 100*got, len(heard))
			}
			t.Logf("%.0f %% arrived", 100*got)
		})
	}
}

// arrived returns the share of the clip's blocks that are found in order in what
// was played. On a busy machine the card runs dry at times and a block is lost,
// as on a real card.
func arrived(heard []byte, clip []int16, block, times int) float64 {
	found, all := 0, 0
	for range times {
		for at := 0; at+block <= len(clip); at += block {
			all++
			if i := bytes.Index(heard, audio.AppendPCM(nil, clip[at:at+block])); i >= 0 {
				found++
				heard = heard[i+2*block:]
			}
		}
	}
	return float64(found) / float64(all)
}

func TestStoppingSilencesTheSpeaker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	raw := filepath.Join(dir, "out.raw")
	stopped := filepath.Join(dir, "stopped")
	d := start(t, card(t, dir, "", fmt.Sprintf("raw %q stopped %q", raw, stopped)), nil)
	ctx, cancel := context.WithCancel(within(t, time.Minute))
	defer cancel()
	played := make(chan error, 1)
	go func() { played <- d.Speaker().Play(ctx, tone(16000, 20*time.Second)) }()
	for deadline := within(t, time.Minute); deadline.Err() == nil; {
		if info, err := os.Stat(raw); err == nil && info.Size() > 16000 { // half a second
			break
		}
		if _, err := d.Mic().Read(deadline); err != nil { // 20 ms
			t.Fatal(err)
		}
	}
	cancel()
	cancelled := time.Now()
	if err := <-played; !errors.Is(err, context.Canceled) {
		t.Errorf("Play returned %v, want that it was cancelled", err)
	}
	t.Logf("Play returned %v after it was cancelled", time.Since(cancelled))
	// Sound that the card was given and that was not heard was dropped, not played.
	var at, given, heard int64
	if note, err := os.ReadFile(stopped); err != nil {
		t.Errorf("the card was not stopped with sound in its buffer: %v", err)
	} else if _, err := fmt.Sscan(string(note), &at, &given, &heard); err != nil || heard >= given {
		t.Errorf("the card was stopped after %d of %d samples: %v", heard, given, err)
	} else {
		t.Logf("the card fell silent %v after it was cancelled, with %v unheard", time.Duration(at-cancelled.UnixNano()), time.Duration(given-heard)*time.Second/16000)
	}
	info, err := os.Stat(raw)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 10*32000 {
		t.Errorf("%d bytes were played of 640000; it was not stopped", info.Size())
	}
	size := info.Size()
	if err := d.Speaker().Play(within(t, time.Minute), tone(16000, 100*time.Millisecond)); err != nil {
		t.Errorf("playing after stopping: %v", err)
	}
	if info, err := os.Stat(raw); err != nil || info.Size() > size+64000 {
		t.Errorf("%d bytes after a clip of 3200 were added to %d: %v", info.Size(), size, err)
	}
}

func TestWithoutMicrophone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "asound.conf")
	// A default device that cannot be opened: the machine without a sound card.
	text := "pcm.!default { type hw card 31 }\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log lines
	d := start(t, []string{"ALSA_CONFIG_PATH=" + config, "HOME=" + dir}, slog.New(slog.NewTextHandler(&log, nil)))
	got := until(t, d, "there is no microphone", func(s device.State) bool { return s.Problem != "" }).Problem
	if !strings.Contains(got, "MQTT and ask still work") {
		t.Errorf("problem %q does not say what goes on", got)
	}
	err := d.Speaker().Play(within(t, time.Minute), tone(16000, time.Second))
	if err == nil || !strings.Contains(err.Error(), "speaker") {
		t.Errorf("Play without a speaker: %v, want that there is none", err)
	}
	if n := strings.Count(log.String(), "no microphone"); n != 2 { // message and reason
		t.Errorf("the log says it %d times in:\n%s", n, log.String())
	}
}

// lines is a log to which several goroutines write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestUnpluggedAndBack pulls the card out, at which PortAudio spins for ever,
// and puts it back.
func TestUnpluggedAndBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	d := start(t, card(t, dir, fmt.Sprintf("gone %q", gone), fmt.Sprintf("raw %q gone %q", filepath.Join(dir, "out.raw"), gone)), nil)
	ctx := within(t, time.Minute)
	if _, err := d.Mic().Read(ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gone, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for d.State().Problem == "" {
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		_, err := d.Mic().Read(short)
		cancel()
		if ctx.Err() != nil {
			t.Fatalf("nobody has noticed that the card is gone: %v", err)
		}
	}
	t.Logf("noticed: %s", d.State().Problem)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	for {
		f, err := d.Mic().Read(ctx)
		if err != nil {
			t.Fatalf("no sound after the card is back: %v; state %+v", err, d.State())
		}
		if f.At.After(back) {
			t.Logf("sound is back after %v", f.At.Sub(back))
			break
		}
	}
}
