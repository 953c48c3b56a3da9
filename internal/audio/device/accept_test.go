//go:build accept && cgo

package device_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
)

const (
	loadLength = time.Minute // five in the soak test
	// stillstand is how long a machine may stand still before the card's second of
	// buffer is in danger. Sound that is lost then is not lost by the gateway.
	stillstand = 800 * time.Millisecond
	cycles     = 10
)

// burn keeps a processor busy in another process until the test ends.
func burn(t *testing.T) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "burn")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // the signal comes when this thread ends
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it is killed
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { <-ended })
}

// pauses watches how long the machine stands still.
type pauses struct {
	mu  sync.Mutex
	all []pause
	max time.Duration
}

type pause struct{ from, to time.Time }

// watch notes pauses until ctx ends.
func (p *pauses) watch(ctx context.Context) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const every = 10 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		p.mu.Lock()
		p.max = max(p.max, now.Sub(last)-every)
		if now.Sub(last) > stillstand {
			p.all = append(p.all, pause{from: last, to: now})
		}
		p.mu.Unlock()
		last = now
	}
}

// beside reports whether the machine stood still within two seconds before t.
func (p *pauses) beside(t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.all, func(x pause) bool {
		return x.from.Before(t.Add(time.Second)) && x.to.After(t.Add(-2*time.Second))
	})
}

// TestAcceptCaptureUnderLoad captures for a minute while two processes want all of the
// machine. The card loses what is not fetched within a second, and its
// ramp shows every sample that is missing.
func TestAcceptCaptureUnderLoad(t *testing.T) {
	t.Parallel()
	captureUnderLoad(t, loadLength)
}

// captureUnderLoad captures for so long.
func captureUnderLoad(t *testing.T, length time.Duration) {
	t.Helper()
	dir := t.TempDir()
	d := start(t, card(t, dir, "", ""), nil)
	soundAfter(t, d, time.Now())
	for range 2 {
		burn(t)
	}
	var machine pauses
	watching, cancel := context.WithCancel(t.Context())
	var watcher sync.WaitGroup
	watcher.Go(func() { machine.watch(watching) })
	defer watcher.Wait()
	defer cancel()
	var late []time.Duration
	var want int16 // the next sample; 0 for any. Sound is lost before a frame or within it
	var frames, lost, gaps, excused int
	for began := time.Now(); time.Since(began) < length; {
		f, err := d.Mic().Read(within(t, time.Minute))
		if err != nil {
			t.Fatalf("after %d frames: %v; state %+v", frames, err, d.State())
		}
		frames++
		late = append(late, time.Since(f.At))
		if f.Lost > 0 {
			lost += f.Lost
			if machine.beside(f.At) {
				excused += f.Lost
			}
		}
		for _, s := range f.Samples {
			if f.Lost == 0 && want != 0 && s != want {
				gaps++
			}
			if want = s + 1; want == 0 {
				want = 1
			}
		}
	}
	slices.Sort(late)
	s := d.State()
	t.Logf("%d frames in %v with two busy processes: %d samples lost (%d while the machine stood still), %d gaps untold, %d overflows, %d breaks",
		frames, length, lost, excused, gaps, s.Overflows, s.Breaks)
	t.Logf("delivered p50 %v, p99 %v, max %v after capture; the machine stood still for %v at most",
		late[len(late)/2], late[len(late)*99/100], late[len(late)-1], machine.max)
	if lost > excused {
		t.Errorf("%d samples were lost though the machine did not stand still", lost-excused)
	}
	if gaps > 0 {
		t.Errorf("%d samples do not follow the one before, and nothing was said to be lost", gaps)
	}
	if all := int64(frames * audio.FrameSamples); s.Captured < all || s.Captured > all+int64(audio.SpeechRate) {
		t.Errorf("the state counts %d samples, the reader %d", s.Captured, all)
	}
}

// TestAcceptReplug pulls the card out and plugs it in again, ten times.
func TestAcceptReplug(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	half := fmt.Sprintf("gone %q", gone)
	d := start(t, card(t, dir, half, half), nil)
	soundAfter(t, d, time.Now())
	var away []time.Duration
	for range cycles {
		touch(t, gone)
		until(t, d, "nobody has a card", func(s device.State) bool { return s.Problem != "" })
		remove(t, gone)
		back := time.Now()
		away = append(away, soundAfter(t, d, back).At.Sub(back))
		if err := d.Speaker().Play(within(t, time.Minute), tone(16000, 100*time.Millisecond)); err != nil {
			t.Errorf("playing after the card is back: %v", err)
		}
	}
	slices.Sort(away)
	t.Logf("sound after the card's return: p50 %v, max %v of %d; state %+v", away[len(away)/2], away[len(away)-1], cycles, d.State())
	if s := d.State(); s.Breaks < cycles {
		t.Errorf("%d breaks of sound were counted, want %d", s.Breaks, cycles)
	}
}

// TestAcceptWorkerKilled ends the worker ten times.
func TestAcceptWorkerKilled(t *testing.T) {
	dir := t.TempDir()
	d := start(t, card(t, dir, "", ""), nil)
	soundAfter(t, d, time.Now())
	var away []time.Duration
	for n := range cycles {
		kill(t, dir)
		killed := time.Now()
		until(t, d, "sound is back", func(s device.State) bool { return s.Breaks > n })
		away = append(away, time.Since(killed))
		soundAfter(t, d, time.Now())
	}
	slices.Sort(away)
	t.Logf("sound after the worker's death: p50 %v, max %v of %d; state %+v", away[len(away)/2], away[len(away)-1], cycles, d.State())
}
