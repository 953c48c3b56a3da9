package audio_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
)

func Example() {
	clip := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 16000)}
	var file bytes.Buffer
	if err := audio.WriteWAV(&file, clip); err != nil {
		fmt.Println(err)
	}
	read, err := audio.ReadWAV(&file)
	fmt.Println(read.Rate, read.Duration(), err)
	// Output: 16000 1s <nil>
}

// wav builds a file by hand: format code, channels, rate, bits, data.
func wav(code, channels uint16, rate uint32, bits uint16, declared uint32, data []byte) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00")
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(channels)*uint32(bits)/8)
	b = binary.LittleEndian.AppendUint16(b, channels*bits/8)
	b = binary.LittleEndian.AppendUint16(b, bits)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, declared)
	return append(b, data...)
}

func TestReadWAV(t *testing.T) {
	float := binary.LittleEndian.AppendUint32(nil, math.Float32bits(0.5))
	tests := map[string]struct {
		file []byte
		want []int16
		err  string
	}{
		"16 bit":          {file: wav(1, 1, 16000, 16, 4, []byte{1, 0, 255, 255}), want: []int16{1, -1}},
		"stereo":          {file: wav(1, 2, 44100, 16, 8, []byte{10, 0, 20, 0, 0, 0, 2, 0}), want: []int16{15, 1}},
		"8 bit":           {file: wav(1, 1, 8000, 8, 2, []byte{128, 255}), want: []int16{0, 127 * 256}},
		"24 bit":          {file: wav(1, 1, 48000, 24, 3, []byte{0, 0, 64}), want: []int16{16384}},
		"32 bit":          {file: wav(1, 1, 48000, 32, 4, []byte{0, 0, 0, 192}), want: []int16{-16384}},
		"float":           {file: wav(3, 1, 48000, 32, 4, float), want: []int16{16384}},
		"streamed":        {file: wav(1, 1, 22050, 16, 0x7ffff000, []byte{1, 0, 2, 0}), want: []int16{1, 2}},
		"unknown length":  {file: wav(1, 1, 22050, 16, 0xffffffff, []byte{1, 0}), want: []int16{1}},
		"empty":           {file: nil, err: "shorter than a WAV header"},
		"mp3":             {file: []byte("ID3\x04 something else entirely"), err: `starts with "ID3\x04"`},
		"cut off":         {file: wav(1, 1, 16000, 16, 400, []byte{1, 0}), err: "2 of 400 bytes"},
		"compressed":      {file: wav(85, 1, 16000, 16, 2, []byte{1, 0}), err: "format 85"},
		"no channel":      {file: wav(1, 0, 16000, 16, 2, []byte{1, 0}), err: "0 channels"},
		"no rate":         {file: wav(1, 1, 0, 16, 2, []byte{1, 0}), err: "0 Hz"},
		"no data":         {file: wav(1, 1, 16000, 16, 0, nil)[:50], err: "no sound"},
		"a gigabyte long": {file: wav(1, 1, 16000, 16, 1<<30, nil), err: "1024 MB"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := audio.ReadWAV(bytes.NewReader(tc.file))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil || !slices.Equal(got.Samples, tc.want) {
				t.Errorf("got %v, %v; want %v", got.Samples, err, tc.want)
			}
		})
	}
}

func FuzzReadWAV(f *testing.F) {
	f.Add(wav(1, 2, 44100, 24, 6, []byte{1, 2, 3, 4, 5, 6}))
	f.Add(wav(0xfffe, 1, 16000, 16, 0xffffffff, []byte{1, 2}))
	f.Add([]byte("RIFF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := audio.ReadWAV(bytes.NewReader(b))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := audio.WriteWAV(&again, c); err != nil {
			t.Fatal(err)
		}
		d, err := audio.ReadWAV(&again)
		if err != nil || d.Rate != c.Rate || !slices.Equal(d.Samples, c.Samples) {
			t.Errorf("written and read again it differs: %v", err)
		}
	})
}

func TestRing(t *testing.T) {
	begin := time.Unix(1_700_000_000, 0)
	r := audio.NewRing(100 * time.Millisecond) // five frames
	for n := range 12 {
		r.Push(audio.Frame{At: begin.Add(time.Duration(n) * audio.FrameLength), Samples: []int16{int16(n)}})
	}
	numbers := func(fs []audio.Frame) (out []int16) {
		for _, f := range fs {
			out = append(out, f.Samples[0])
		}
		return out
	}
	if got := numbers(r.Since(time.Time{})); !slices.Equal(got, []int16{7, 8, 9, 10, 11}) {
		t.Errorf("all: %v", got)
	}
	// The frame that straddles the time is included whole; the frame that ends at
	// it is not.
	if got := numbers(r.Since(begin.Add(9*audio.FrameLength - 1))); !slices.Equal(got, []int16{9, 10, 11}) {
		t.Errorf("since frame 9: %v", got)
	}
	r.Clear()
	if got := r.Since(time.Time{}); len(got) > 0 {
		t.Errorf("after clearing: %v", got)
	}
	var none audio.Ring
	none.Push(audio.Frame{})
	if got := none.Since(time.Time{}); len(got) > 0 {
		t.Errorf("the zero ring keeps %v", got)
	}
}

func sine(rate audio.Rate, frequency, amplitude float64, length time.Duration) audio.Clip {
	c := audio.Clip{Rate: rate, Samples: make([]int16, int(length*time.Duration(rate)/time.Second))}
	for i := range c.Samples {
		c.Samples[i] = int16(math.Round(amplitude * math.Sin(2*math.Pi*frequency*float64(i)/float64(rate))))
	}
	return c
}

func TestResampleKeepsSpeechAndStopsAliases(t *testing.T) {
	pairs := [][2]audio.Rate{{22050, 16000}, {22050, 48000}, {48000, 16000}, {44100, 16000}, {16000, 44100}, {8000, 16000}, {24000, 16000}, {16000, 16000}, {11025, 16000}}
	for _, p := range pairs {
		t.Run(fmt.Sprintf("%d to %d", p[0], p[1]), func(t *testing.T) {
			in := sine(p[0], 1000, 10000, 500*time.Millisecond)
			got, err := audio.Resample(in, p[1])
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Duration() - in.Duration(); d.Abs() > time.Millisecond {
				t.Errorf("it is %v longer", d)
			}
			want := sine(p[1], 1000, 10000, 500*time.Millisecond)
			var wrong float64
			edge := int(p[1]) / 50 // the filter's half width has no neighbours at the ends
			n := min(len(got.Samples), len(want.Samples)) - edge
			for i := edge; i < n; i++ {
				d := float64(got.Samples[i]) - float64(want.Samples[i])
				wrong += d * d
			}
			if noise := 10 * math.Log10(wrong/float64(n-edge)/(10000*10000/2)+1e-12); noise > -60 {
				t.Errorf("the error is %.0f dB under the tone", -noise)
			}
			if p[1] >= p[0] {
				return
			}
			alias, err := audio.Resample(sine(p[0], float64(p[1])/2*1.1, 10000, 500*time.Millisecond), p[1])
			if err != nil {
				t.Fatal(err)
			}
			if level := audio.Level(alias.Samples[edge : len(alias.Samples)-edge]); level > -60 {
				t.Errorf("a tone above half the rate comes through at %.0f dB", level)
			}
		})
	}
	if _, err := audio.Resample(audio.Clip{Samples: []int16{1}}, 16000); err == nil {
		t.Error("a clip without a rate is resampled")
	}
}

func TestLevel(t *testing.T) {
	full := sine(16000, 1000, 32767, time.Second)
	offset := audio.Clip{Rate: 16000, Samples: make([]int16, 320)}
	for i := range offset.Samples {
		offset.Samples[i] = 1000
	}
	tests := map[string]struct {
		samples []int16
		want    float64
	}{
		"full scale": {full.Samples, -3}, "nothing": {nil, audio.Silence}, "digital silence": {make([]int16, 320), audio.Silence}, "DC": {offset.Samples, audio.Silence},
	}
	for name, tc := range tests {
		if got := audio.Level(tc.samples); math.Abs(got-tc.want) > 0.1 {
			t.Errorf("%s: %.1f dB, want %.1f", name, got, tc.want)
		}
	}
}

func TestNoiseFloor(t *testing.T) {
	var f audio.NoiseFloor
	push := func(n int, level float64) {
		for range n {
			f.Push(level)
		}
	}
	check := func(what string, from, to float64) {
		t.Helper()
		if got := f.Level(); got < from || got > to {
			t.Errorf("%s: %.1f dB", what, got)
		}
	}
	check("at first", -60, -60)
	push(40, -20)
	check("speech from the start", -60, -60)
	push(100, -50)
	check("a room", -51, -49)
	push(120, -20)
	check("a long sentence", -51, -49)
	push(300, -200)
	check("muted", -51, -20)
	push(150, -40)
	check("a fan", -41, -39)
}
