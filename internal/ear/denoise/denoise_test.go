package denoise_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/denoise"
)

// hiss is white noise of the given level in dBFS.
func hiss(seed uint64, n int, level float64) []int16 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(r.NormFloat64() * 32768 * math.Pow(10, level/20))
	}
	return out
}

// tone comes and goes four times a second, as syllables do.
func tone(n int, level float64) []int16 {
	out := make([]int16, n)
	for i := range out {
		if i/2000%2 == 0 {
			out[i] = int16(math.Sqrt2 * 32768 * math.Pow(10, level/20) * math.Sin(2*math.Pi*500*float64(i)/16000))
		}
	}
	return out
}

func mix(a, b []int16) []int16 {
	out := slices.Clone(a)
	for i := range b {
		out[i] += b[i]
	}
	return out
}

func TestNoiseGoesSpeechStays(t *testing.T) {
	const second = 16000
	noise := hiss(1, 4*second, -40)
	s := denoise.New()
	out := s.Clean(nil, mix(noise, append(make([]int16, second), tone(3*second, -25)...)))
	out = out[denoise.Delay:]
	if quiet := audio.Level(out[second/2 : second-1000]); quiet > -48 {
		t.Errorf("noise of -40 dB is left at %.1f", quiet)
	}
	var loud, pauses []int16
	for at := 2 * second; at+4000 <= len(out); at += 4000 {
		loud = append(loud, out[at+400:at+1600]...)
		pauses = append(pauses, out[at+2600:at+3800]...)
	}
	if got := audio.Level(loud); math.Abs(got+25) > 2 {
		t.Errorf("the tone of -25 dB comes out at %.1f", got)
	}
	if got := audio.Level(pauses); got > -50 {
		t.Errorf("between the tones noise of -40 dB is left at %.1f", got)
	}
}

func TestCleanSoundIsKept(t *testing.T) {
	in := append(hiss(1, 8000, -75), tone(32000, -20)...)
	out := denoise.New().Clean(nil, in)[denoise.Delay:]
	diff := make([]int16, len(out))
	for i := range out {
		diff[i] = out[i] - in[i]
	}
	if got := audio.Level(diff); got > -36 {
		t.Errorf("a clean tone of -20 dB was changed by %.1f dB", got)
	}
}

func TestWhatWasLearntCounts(t *testing.T) {
	s := denoise.New()
	s.Learn(hiss(1, 32000, -40))
	s.Begin()
	out := s.Clean(nil, hiss(2, 3200, -40)) // no lead-in
	if got := audio.Level(out[320:]); got > -50 {
		t.Errorf("noise that was learnt is left at %.1f", got)
	}
}

// TestPaddingIsNoRoom: a recording begins with zeros, and the noise after them is
// not taken for speech.
func TestPaddingIsNoRoom(t *testing.T) {
	s := denoise.New()
	s.Learn(make([]int16, 16000))
	out := s.Clean(nil, append(make([]int16, 8000), hiss(2, 8000, -40)...))
	if got := audio.Level(out[8000+1600:]); got > -48 {
		t.Errorf("noise after zeros is left at %.1f", got)
	}
}

func TestChunksDoNotMatter(t *testing.T) {
	in := mix(hiss(3, 16000, -45), tone(16000, -30))
	whole := denoise.New().Clean(nil, in)
	for _, n := range []int{1, 7, 160, 320, 333} {
		s := denoise.New()
		var out []int16
		for at := 0; at < len(in); at += n {
			out = s.Clean(out, in[at:min(at+n, len(in))])
		}
		if !slices.Equal(out, whole) {
			t.Errorf("chunks of %d samples change the result", n)
		}
	}
}

func TestExtremes(t *testing.T) {
	for name, in := range map[string][]int16{
		"silence": make([]int16, 16000), "nothing": nil, "one sample": {1},
		"full scale": slices.Repeat([]int16{math.MaxInt16, math.MinInt16}, 8000),
	} {
		out := denoise.New().Clean(nil, in)
		if want := len(in) / 160 * 160; len(out) != want {
			t.Errorf("%s: %d samples became %d, want %d", name, len(in), len(out), want)
		}
		if name == "silence" && audio.Level(out) != audio.Silence {
			t.Errorf("silence became %.1f dB", audio.Level(out))
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	s := denoise.New()
	in, out := hiss(1, 320, -40), make([]int16, 0, 640)
	if n := testing.AllocsPerRun(100, func() {
		s.Learn(in)
		out = s.Clean(out[:0], in)
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func BenchmarkClean(b *testing.B) {
	s := denoise.New()
	in, out := hiss(1, audio.FrameSamples, -40), make([]int16, 0, audio.FrameSamples)
	for b.Loop() {
		out = s.Clean(out[:0], in)
	}
}

func BenchmarkLearn(b *testing.B) {
	s := denoise.New()
	in := hiss(1, audio.FrameSamples, -40)
	for b.Loop() {
		s.Learn(in)
	}
}
