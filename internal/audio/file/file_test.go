package file_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	_ "voicegateway/internal/fake/bubble"
)

func ramp(rate audio.Rate, n int) audio.Clip {
	c := audio.Clip{Rate: rate, Samples: make([]int16, n)}
	for i := range c.Samples {
		c.Samples[i] = int16(i + 1)
	}
	return c
}

func TestPlaysClipsWithSilences(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	mic, err := file.New(file.Config{
		Clips: []audio.Clip{ramp(audio.SpeechRate, 500), ramp(audio.SpeechRate, 300)},
		Lead:  10 * time.Millisecond, Tail: 20 * time.Millisecond, Start: start,
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []int16
	for {
		f, err := mic.Read(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f.Samples...)
		if want := start.Add(time.Duration(len(all)) * time.Second / 16000); !f.At.Equal(want) {
			t.Errorf("after %d samples the time is %v, want %v", len(all), f.At, want)
		}
	}
	if len(all) != 160+500+320+300+320 || all[159] != 0 || all[160] != 1 || all[659] != 500 || all[660] != 0 || all[980] != 1 {
		t.Errorf("%d samples in the wrong places", len(all))
	}
}

func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mic, err := file.New(file.Config{Clips: []audio.Clip{ramp(audio.SpeechRate, 16000)}, Paced: true})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for n := 1; n <= 25; n++ {
			f, err := mic.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := began.Add(time.Duration(n) * audio.FrameLength); !time.Now().Equal(want) || !f.At.Equal(want) {
				t.Fatalf("frame %d of %v came at %v, want %v", n, f.At, time.Now(), want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := mic.Read(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

func TestOtherRatesAreConverted(t *testing.T) {
	mic, err := file.New(file.Config{Clips: []audio.Clip{ramp(48000, 48000)}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		f, err := mic.Read(t.Context())
		if err != nil {
			break
		}
		n += len(f.Samples)
	}
	if n != 16000 {
		t.Errorf("a second at 48 kHz became %d samples", n)
	}
	if _, err := file.New(file.Config{Clips: []audio.Clip{{Samples: []int16{1}}}}); err == nil {
		t.Error("a clip without a rate is played")
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wav")
	if err := os.WriteFile(path, []byte("not a recording, really"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Load(path); err == nil || !strings.Contains(err.Error(), "a.wav") || !strings.Contains(err.Error(), "not a WAV") {
		t.Errorf("got %v, want the file and the reason", err)
	}
	if _, err := file.Load(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
