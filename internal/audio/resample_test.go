package audio_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/audio"
)

// rates are those of real microphones.
var rates = []audio.Rate{8000, 11025, 22050, 24000, 32000, 44100, 48000, 88200, 96000, 192000}

func noise(rate audio.Rate, d time.Duration) audio.Clip {
	r := rand.New(rand.NewPCG(1, uint64(rate)))
	c := audio.Clip{Rate: rate, Samples: make([]int16, int(d*time.Duration(rate)/time.Second))}
	for i := range c.Samples {
		c.Samples[i] = int16(r.IntN(40000) - 20000)
	}
	return c
}

func TestResamplerDoesNotCareHowSoundIsCut(t *testing.T) {
	for _, rate := range rates {
		in := noise(rate, 300*time.Millisecond)
		want, err := audio.Resample(in, audio.SpeechRate)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 7, int(rate) / 50, len(in.Samples)} {
			t.Run(fmt.Sprintf("%d Hz by %d", rate, size), func(t *testing.T) {
				r, err := audio.NewResampler(rate, audio.SpeechRate)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // after Flush it begins anew
					var got []int16
					for part := range slices.Chunk(in.Samples, size) {
						got = r.Push(got, part)
					}
					if got = r.Flush(got); !slices.Equal(got, want.Samples) {
						t.Fatalf("%d samples, want the %d of the whole clip", len(got), len(want.Samples))
					}
				}
			})
		}
	}
}

// TestResamplerKeepsTime runs an hour of time: as many samples come out as an
// hour has, and the delay told is that of the filter.
func TestResamplerKeepsTime(t *testing.T) {
	for _, rate := range []audio.Rate{44100, 48000, 11025} {
		r, err := audio.NewResampler(rate, audio.SpeechRate)
		if err != nil {
			t.Fatal(err)
		}
		in := make([]int16, rate)
		var out []int16
		samples := 0
		const seconds = 100
		for range seconds {
			out = r.Push(out[:0], in)
			samples += len(out)
		}
		missing := time.Duration(seconds*int(audio.SpeechRate)-samples) * time.Second / time.Duration(audio.SpeechRate)
		if behind := r.Behind(); behind < 0 || behind > 3*time.Millisecond || (missing-behind).Abs() > 100*time.Microsecond {
			t.Errorf("%d Hz: %v are missing of %d s, and the resampler says it is %v behind", rate, missing, seconds, behind)
		}
	}
}

func TestResamplerDoesNotAllocate(t *testing.T) {
	for _, rate := range []audio.Rate{44100, 48000} {
		r, err := audio.NewResampler(rate, audio.SpeechRate)
		if err != nil {
			t.Fatal(err)
		}
		in, out := make([]int16, rate/50), make([]int16, 0, 2*audio.FrameSamples)
		push := func() { out = r.Push(out[:0], in) }
		for range 50 {
			push()
		}
		if n := testing.AllocsPerRun(100, push); n != 0 {
			t.Errorf("%d Hz: %v allocations a frame", rate, n)
		}
	}
}

func TestResamplerRefusesRates(t *testing.T) {
	for _, pair := range [][2]audio.Rate{{0, 16000}, {-1, 16000}, {16000, 0}} {
		if _, err := audio.NewResampler(pair[0], pair[1]); err == nil {
			t.Errorf("from %d to %d Hz is no error", pair[0], pair[1])
		}
	}
}

func BenchmarkResample(b *testing.B) {
	for _, rate := range []audio.Rate{44100, 48000} {
		b.Run(fmt.Sprintf("frame/%d", rate), func(b *testing.B) {
			r, err := audio.NewResampler(rate, audio.SpeechRate)
			if err != nil {
				b.Fatal(err)
			}
			in, out := noise(rate, 20*time.Millisecond).Samples, make([]int16, 0, 2*audio.FrameSamples)
			for b.Loop() {
				out = r.Push(out[:0], in)
			}
		})
	}
}
