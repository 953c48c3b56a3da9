//go:build cgo

package device_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
)

func TestBusySpeaker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	busy, raw := filepath.Join(dir, "busy"), filepath.Join(dir, "out.raw")
	touch(t, busy)
	d := start(t, card(t, dir, "", fmt.Sprintf("raw %q busy %q", raw, busy)), nil)
	soundAfter(t, d, time.Now())
	err := d.Speaker().Play(within(t, time.Minute), tone(16000, 100*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("playing on a busy speaker: %v, want that another program has it", err)
	}
	if s := d.State(); s.OutputProblem == "" || s.Problem != "" {
		t.Errorf("state %+v, want a problem of the speaker alone", s)
	}
	if s := d.State(); s.Lost > 0 || s.Breaks > 0 {
		t.Logf("the microphone has lost sound: %+v", s)
	}
	played := make(chan error, 1)
	go func() { played <- d.Speaker().Play(within(t, time.Minute), tone(16000, 200*time.Millisecond)) }()
	for range 10 { // the microphone goes on
		soundAfter(t, d, time.Now())
	}
	remove(t, busy)
	if err := <-played; err != nil {
		t.Errorf("playing when the speaker is free again: %v", err)
	}
	if heard, err := os.ReadFile(raw); err != nil || len(heard) < 6400 {
		t.Errorf("%d bytes were played, want 6400 and more: %v", len(heard), err)
	}
	if s := d.State(); s.Output == "" || s.OutputProblem != "" {
		t.Errorf("state %+v, want a speaker", s)
	}
}

func TestSpeakersOfAllKinds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rate     audio.Rate
		channels int
	}{
		"stereo only":          {rate: 16000, channels: 2},
		"stereo at 44.1 kHz":   {rate: 44100, channels: 2},
		"surround at 48 kHz":   {rate: 48000, channels: 6},
		"a telephone's 8 kHz":  {rate: 8000, channels: 1},
		"an interface, 96 kHz": {rate: 96000, channels: 2},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			raw := filepath.Join(dir, "out.raw")
			cfg := device.Default()
			cfg.Output, cfg.Muted = "kitchen", true
			cfg.Env = card(t, dir, "", "", fmt.Sprintf("pcm.kitchen { type simcard raw %q rate %d channels %d }", raw, tc.rate, tc.channels))
			d := startWith(t, cfg)
			clip := tone(22050, 400*time.Millisecond)
			var quiet int  // the channel that is not loud enough
			for range 10 { // on a busy machine the card may run dry all the time
				if err := d.Speaker().Play(within(t, time.Minute), clip); err != nil {
					t.Fatal(err)
				}
				if quiet = quietChannel(t, raw, tc.channels, audio.Level(clip.Samples)); quiet == 0 {
					break
				}
				remove(t, raw)
			}
			if quiet != 0 {
				t.Errorf("the clip is not heard on channel %d", quiet)
			}
			if s := d.State(); s.Output != "kitchen" {
				t.Errorf("state %+v", s)
			}
		})
	}
}

// quietChannel returns the first of a speaker's two channels, counted from 1, on
// which the sound of that level is missing; 0 if it is missing on neither.
func quietChannel(t *testing.T, raw string, channels int, level float64) int {
	t.Helper()
	pcm, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	heard := audio.PCM(pcm)
	for k := range min(2, channels) {
		var one []int16
		for i := k; i < len(heard); i += channels {
			one = append(one, heard[i])
		}
		if audio.Level(one) < level-3 {
			return k + 1
		}
	}
	return 0
}

// TestSpeakerThatComesLater plays on a speaker that the library did not know when
// the microphone was opened.
func TestSpeakerThatComesLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gone, raw := filepath.Join(dir, "gone"), filepath.Join(dir, "out.raw")
	touch(t, gone)
	cfg := device.Default()
	cfg.Output = "kitchen"
	cfg.Env = card(t, dir, "", "", fmt.Sprintf("pcm.kitchen { type simcard raw %q gone %q }", raw, gone))
	d := startWith(t, cfg)
	soundAfter(t, d, time.Now())
	err := d.Speaker().Play(within(t, time.Minute), tone(16000, 100*time.Millisecond))
	if err == nil || !strings.Contains(err.Error(), `no speaker is called "kitchen"`) {
		t.Errorf("playing on a speaker that is not there: %v", err)
	}
	remove(t, gone)
	if err := d.Speaker().Play(within(t, time.Minute), tone(16000, 100*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(raw); err != nil {
		t.Error("nothing was played")
	}
	soundAfter(t, d, time.Now())
}
