package e2e

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
)

// captureLength is a short version of what the acceptance test does for minutes.
const captureLength = 20 * time.Second

// BenchmarkCaptureUnderLoad captures from the simulated card, by the real worker,
// while two other programs want all of the machine. The card loses what is not
// fetched within a second.
func BenchmarkCaptureUnderLoad(b *testing.B) {
	setting := silentRoom(b)
	for range 2 {
		start(b, environ(b), "/bin/sh", "-c", "while :; do :; done")
	}
	d, err := device.New(device.Config{
		Input: "default", Output: "default", Command: []string{filepath.Join(bin, "voice-gateway"), "worker", "audio"},
		Env: []string{setting, "HOME=" + b.TempDir()},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = d.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if _, err := d.Mic().Read(ctx); err != nil {
		b.Fatal(err)
	}
	lost, longest := 0, time.Duration(0)
	for b.Loop() {
		last := time.Now()
		for end := last.Add(captureLength); last.Before(end); {
			f, err := d.Mic().Read(ctx)
			if err != nil {
				b.Fatal(err)
			}
			now := time.Now()
			longest, last = max(longest, now.Sub(last)), now
			lost += f.Lost
		}
	}
	b.ReportMetric(float64(lost)/audio.FrameSamples, "frames-lost")
	b.ReportMetric(float64(longest), "longest-ns")
	b.ReportMetric(0, "ns/op") // it is real time
	if s := d.State(); strings.Contains(s.Problem, "microphone") {
		b.Fatal(s.Problem)
	}
}
