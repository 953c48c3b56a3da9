//go:build cgo

package device_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
)

// recording writes a tone as the sound of a simulated microphone that can do no
// rate but this one.
func recording(t *testing.T, dir string, rate audio.Rate, length time.Duration) string {
	t.Helper()
	var wav bytes.Buffer
	if err := audio.WriteWAV(&wav, tone(rate, length)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "tone.wav")
	if err := os.WriteFile(path, wav.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// besideTone returns the sound that is not a tone of 440 Hz, in dB under the tone: what
// is left after the best fitting sine is subtracted.
func besideTone(samples []int16) float64 {
	var s, c, all float64
	for i, v := range samples {
		x := 2 * math.Pi * 440 * float64(i) / float64(audio.SpeechRate)
		s += float64(v) * math.Sin(x)
		c += float64(v) * math.Cos(x)
		all += float64(v) * float64(v)
	}
	fit := 2 * (s*s + c*c) / float64(len(samples))
	if fit == 0 {
		return 0
	}
	return 10 * math.Log10(fit/max(all-fit, 1e-9))
}

func TestCaptureAtTheCardsRateAndChannel(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rate     audio.Rate
		channels int
		channel  int // configured, and the only one with sound
	}{
		"USB stick":               {rate: 48000, channels: 1, channel: 1},
		"old USB stick":           {rate: 44100, channels: 1, channel: 1},
		"webcam, left":            {rate: 48000, channels: 2, channel: 1},
		"webcam, right":           {rate: 44100, channels: 2, channel: 2},
		"array at our rate":       {rate: 16000, channels: 6, channel: 4},
		"array at its own rate":   {rate: 48000, channels: 8, channel: 7},
		"a rate that fits poorly": {rate: 22050, channels: 1, channel: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mic := fmt.Sprintf("wav %q rate %d channels %d only %d", recording(t, dir, tc.rate, time.Minute), tc.rate, tc.channels, tc.channel)
			cfg := device.Default()
			cfg.Channel, cfg.Env = tc.channel, card(t, dir, mic, "")
			d := startWith(t, cfg)
			ctx := within(t, time.Minute)
			var heard []int16
			for len(heard) < int(audio.SpeechRate) {
				f, err := d.Mic().Read(ctx)
				if err != nil {
					t.Fatalf("%v; state %+v", err, d.State())
				}
				if f.Lost > 0 {
					t.Logf("%d samples lost", f.Lost)
					heard = nil
					continue
				}
				heard = append(heard, f.Samples...)
			}
			heard = heard[audio.FrameSamples:]                               // the filter's beginning
			if clean := besideTone(heard[:len(heard)/400*400]); clean < 55 { // whole periods of 440 Hz
				t.Errorf("the rest is only %.0f dB under the tone", clean)
			}
			if level := audio.Level(heard); math.Abs(level-audio.Level(tone(16000, time.Second).Samples)) > 0.5 {
				t.Errorf("the level is %.1f dB", level)
			}
			if s := d.State(); s.Rate != int(tc.rate) {
				t.Errorf("the state says %d Hz, want %d", s.Rate, tc.rate)
			}
		})
	}
}

func TestChannelThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := device.Default()
	cfg.Channel, cfg.Env = 5, card(t, dir, "channels 2", "")
	d := startWith(t, cfg)
	s := until(t, d, "the channel is refused", func(s device.State) bool { return s.Problem != "" })
	for _, want := range []string{"audio.channel is 5", "2 channels", "1 … 2"} {
		if !strings.Contains(s.Problem, want) {
			t.Errorf("%q does not say %q", s.Problem, want)
		}
	}
	cfg.Channel = -1
	if _, err := device.New(cfg); err == nil {
		t.Error("channel -1 is no error")
	}
}

func TestMicrophoneByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := device.Default()
	cfg.Input = "Conference"
	cfg.Env = card(t, dir, "", "", `pcm.conference_mic { type simcard rate 48000 }`)
	d := startWith(t, cfg)
	if _, err := d.Mic().Read(within(t, time.Minute)); err != nil {
		t.Fatal(err)
	}
	if s := d.State(); s.Input != "conference_mic" || s.Rate != 48000 {
		t.Errorf("state %+v, want conference_mic at 48000 Hz", s)
	}
}
