package device

import (
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
)

func TestPick(t *testing.T) {
	usb := candidate{name: "USB Mic: Audio (hw:1,0)", inputs: 1}
	moved := candidate{name: "USB Mic: Audio (hw:3,0)", inputs: 1}
	built := candidate{name: "Built-in: ALC (hw:0,0)", inputs: 2, outputs: 2}
	system := candidate{name: "default", inputs: 32, outputs: 32, defaultInput: true, defaultOutput: true}
	other := candidate{name: "Webcam: Audio (hw:1,0)", inputs: 2}
	tests := map[string]struct {
		all    []candidate
		want   string
		output bool
		index  int
	}{
		"the default":                      {all: []candidate{usb, system}, want: "default", index: 1},
		"nothing is configured":            {all: []candidate{usb, system}, index: 1},
		"no default":                       {all: []candidate{usb}, want: "default", index: -1},
		"part of the name, any case":       {all: []candidate{built, usb}, want: "usb mic", index: 1},
		"the whole name":                   {all: []candidate{built, usb}, want: "USB Mic: Audio (hw:1,0)", index: 1},
		"plugged in under another number":  {all: []candidate{built, moved}, want: "USB Mic: Audio (hw:1,0)", index: 1},
		"its number is another's now":      {all: []candidate{other, moved}, want: "USB Mic: Audio (hw:1,0)", index: 1},
		"part of the name and old number":  {all: []candidate{built, moved}, want: "mic: audio (hw:1,0)", index: 1},
		"by number alone":                  {all: []candidate{built, usb}, want: "hw:1,0", index: 1},
		"of two alike the one meant":       {all: []candidate{moved, usb}, want: "USB Mic: Audio (hw:1,0)", index: 1},
		"of two alike the first":           {all: []candidate{moved, usb}, want: "usb", index: 0},
		"the exact name beats a part":      {all: []candidate{{name: "mic array", inputs: 1}, {name: "mic", inputs: 1}}, want: "mic", index: 1},
		"a microphone is no speaker":       {all: []candidate{usb, built}, want: "usb", output: true, index: -1},
		"another one is not taken instead": {all: []candidate{built, system}, want: "usb", index: -1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, why := pick(tc.all, tc.want, tc.output)
			if got != tc.index {
				t.Errorf("picked %d (%s), want %d", got, why, tc.index)
			}
			if (got >= 0) != (why != "") {
				t.Errorf("the reason for %d is %q", got, why)
			}
		})
	}
}

func TestAbsentNamesTheOthers(t *testing.T) {
	all := []candidate{{name: "Webcam: Audio (hw:1,0)", inputs: 2}, {name: "HDMI (hw:0,3)", outputs: 8}}
	tests := map[string]struct {
		want   string
		output bool
		says   string
	}{
		"named":      {want: "usb", says: `no microphone is called "usb"; there are: Webcam: Audio; plug it in, or change audio.input`},
		"speaker":    {want: "usb", output: true, says: `no speaker is called "usb"; there are: HDMI; plug it in, or change audio.output`},
		"by default": {want: "default", says: "no microphone found; plug one in, or name one in audio.input"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := absent(all, tc.want, tc.output).Error(); got != tc.says {
				t.Errorf("%q, want %q", got, tc.says)
			}
		})
	}
	if got := absent(nil, "usb", false).Error(); !strings.Contains(got, "there is no other") {
		t.Errorf("without any device: %q", got)
	}
}

func TestDescribe(t *testing.T) {
	all := []candidate{
		{name: "USB Mic: Audio (hw:1,0)", inputs: 2, rate: 48000},
		{name: "Twin: Audio (hw:2,0)", inputs: 1},
		{name: "Twin: Audio (hw:3,0)", inputs: 1},
		{name: "default", inputs: 32, outputs: 32, rate: 44100, defaultInput: true, defaultOutput: true},
	}
	got := describe(all, openRequest{Input: "usb", Output: "default", Channel: 3})
	if w := (audio.Device{
		Name: "USB Mic: Audio", Hardware: "hw:1,0", Inputs: 2, Rate: 48000, Used: "input",
		Why: "cannot be used: audio.channel is 3, but USB Mic: Audio has 2 channels; set audio.channel to 1 … 2",
	}); got[0] != w {
		t.Errorf("%+v, want %+v", got[0], w)
	}
	if got[1].Name == got[2].Name {
		t.Errorf("two devices are called %q", got[1].Name)
	}
	if w := (audio.Device{Name: "default", Inputs: 32, Outputs: 32, Rate: 44100, Default: true, Used: "output", Why: "the system's default speaker"}); got[3] != w {
		t.Errorf("%+v, want %+v", got[3], w)
	}
	got = describe(all, openRequest{})
	if got[3].Used != "input, output" || got[3].Why != "the system's default microphone; the system's default speaker" {
		t.Errorf("the default for both is used as %q because %q", got[3].Used, got[3].Why)
	}
}

func TestStampsAreNeverLateForLong(t *testing.T) {
	const length = 20 * time.Millisecond
	var s stamps
	var last time.Duration
	for n := 1; n <= 1000; n++ {
		captured := time.Duration(n) * length
		seen := captured
		if n%50 == 10 { // stopped between reading and looking at the clock
			seen += 600 * time.Millisecond
		}
		at := s.next(seen, length, false)
		if at <= last {
			t.Fatalf("block %d is stamped %v, the one before it %v", n, at, last)
		}
		if late := at - captured; late < 0 || late > time.Millisecond {
			t.Fatalf("block %d is stamped %v late", n, late)
		}
		last = at
	}
	jump := last + time.Second
	if at := s.next(jump, length, true); at != jump {
		t.Errorf("after lost sound: %v, want %v", at, jump)
	}
}

// TestStampsFollowTheCard uses a card that is slower than our clock.
func TestStampsFollowTheCard(t *testing.T) {
	const length, real = 20 * time.Millisecond, 20010 * time.Microsecond
	var s stamps
	for n := 1; n <= 10000; n++ {
		captured := time.Duration(n) * real
		if late := s.next(captured, length, false) - captured; late.Abs() > time.Millisecond {
			t.Fatalf("block %d is stamped %v late", n, late)
		}
	}
}

func FuzzProtocol(f *testing.F) {
	f.Add(encodeFrame(nil, frame{at: time.Second, lost: 3, flags: flagFirst, samples: []int16{1, -1}}))
	f.Add(encodePlay(7, audio.Clip{Rate: 16000, Samples: []int16{1, 2, 3}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := decodeFrame(b); err == nil {
			again, err := decodeFrame(encodeFrame(nil, got))
			if err != nil || again.at != got.at || again.lost != got.lost || again.flags != got.flags || len(again.samples) != len(got.samples) {
				t.Errorf("%+v comes back as %+v, %v", got, again, err)
			}
		}
		if id, clip, err := decodePlay(b); err == nil {
			if back, again, err := decodePlay(encodePlay(id, clip)); err != nil || back != id || again.Rate != clip.Rate || len(again.Samples) != len(clip.Samples) {
				t.Errorf("clip %d of %d Hz comes back as %d of %d, %v", id, clip.Rate, back, again.Rate, err)
			}
		}
	})
}
