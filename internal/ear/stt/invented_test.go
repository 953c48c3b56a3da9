package stt_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
)

func TestCredible(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text   string
		speech time.Duration
		above  float64
		want   string // "": it is rejected
	}{
		"a command":            {" Turn on the kitchen light.\n", 1500 * time.Millisecond, 30, "Turn on the kitchen light."},
		"said fast":            {"turn off all the lights in the living room", 1400 * time.Millisecond, 20, "turn off all the lights in the living room"},
		"german":               {"Schalte das Licht in der Küche ein.", 1700 * time.Millisecond, 30, "Schalte das Licht in der Küche ein."},
		"one word":             {"Stop!", 250 * time.Millisecond, 20, "Stop!"},
		"with a remark":        {"[door closes] Good night. (sighs)", time.Second, 30, "Good night."},
		"as in a dialogue":     {"- Lights off.", time.Second, 30, "Lights off."},
		"no no no no":          {"no no no no", time.Second, 30, "no no no no"},
		"thanks, loud":         {"Thank you.", 600 * time.Millisecond, 30, "Thank you."},
		"thanks, of noise":     {"Thank you.", 200 * time.Millisecond, 9, ""},
		"you, of a click":      {" you", 140 * time.Millisecond, 25, ""},
		"blank audio":          {"[BLANK_AUDIO]", time.Second, 30, ""},
		"music":                {"(music)", time.Second, 30, ""},
		"notes":                {"♪ la la la ♪", time.Second, 30, ""},
		"dots":                 {" . . .", time.Second, 30, ""},
		"nothing":              {"", time.Second, 30, ""},
		"credits":              {"Thanks for watching!", 2 * time.Second, 30, ""},
		"credits in a text":    {"Okay. Please subscribe to the channel.", 3 * time.Second, 30, ""},
		"german credits":       {"Untertitel der Amara.org-Community", 3 * time.Second, 30, ""},
		"french credits":       {"Sous-titres réalisés para la communauté d'Amara.org", 3 * time.Second, 30, ""},
		"too much for so much": {"I would like to tell you a long story about everything", 500 * time.Millisecond, 30, ""},
		"a loop":               {strings.Repeat("turn on the light ", 6), 8 * time.Second, 30, ""},
		"a loop at the end":    {"turn on the kitchen and the and the and the and the", 5 * time.Second, 30, ""},
		"a loop of one":        {"no no no no no no no no", 3 * time.Second, 30, ""},
		"a novel":              {strings.Repeat("word after word it goes and never the same one twice is here ", 10), 9 * time.Second, 30, ""},
		"broken letters":       {"turn on\xff the light", 1200 * time.Millisecond, 30, "turn on the light"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, why := stt.Credible(tt.text, tt.speech, tt.above)
			if got != tt.want || (got == "") != (why != "") {
				t.Errorf("%q, because %q; expected %q", got, why, tt.want)
			}
		})
	}
}

// clip makes sound whose level at each sample is given by a function, in dBFS.
func clip(length time.Duration, level func(at time.Duration) float64) audio.Clip {
	random := rand.New(rand.NewPCG(1, 2))
	c := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, int(length.Seconds()*float64(audio.SpeechRate)))}
	for i := range c.Samples {
		at := time.Duration(i) * time.Second / time.Duration(audio.SpeechRate)
		c.Samples[i] = int16(random.NormFloat64() * 32768 * math.Pow(10, level(at)/20))
	}
	return c
}

// syllables is the level of speech: that of a room, and half of the time a higher
// one.
func syllables(at time.Duration) float64 {
	if at > 300*time.Millisecond && at%(200*time.Millisecond) < 120*time.Millisecond {
		return -25
	}
	return -55
}

func TestSpeechStandsOutOfTheRoom(t *testing.T) {
	t.Parallel()
	steady := func(level float64) func(time.Duration) float64 { return func(time.Duration) float64 { return level } }
	for name, level := range map[string]func(time.Duration) float64{
		"a quiet room": steady(-70), "a loud fan": steady(-30), "nothing at all": steady(-120),
		"a click": func(at time.Duration) float64 {
			return map[bool]float64{true: -20, false: -60}[at/(60*time.Millisecond) == 10]
		},
		"a room after a closed gate": func(at time.Duration) float64 { return map[bool]float64{true: -120, false: -40}[at < time.Second] },
	} {
		if got := stt.Spoken(clip(3*time.Second, level)); got >= 120*time.Millisecond {
			t.Errorf("%s: %s of speech", name, got)
		}
	}
	if got := stt.Spoken(clip(2*time.Second, syllables)); got < 900*time.Millisecond || got > 1300*time.Millisecond {
		t.Errorf("syllables: %s of speech", got)
	}
	if got := stt.Spoken(audio.Clip{}); got != 0 {
		t.Errorf("nothing: %s of speech", got)
	}
}

// TestRecordingsStandOut: at any level and in any noise, a command stands out
// enough to be asked about.
func TestRecordingsStandOut(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(fake.Shared(t, "speech", "clips", "manifest.jsonl"))
	files, err := filepath.Glob(filepath.Join(dir, "cmd_*0.wav"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, name := range files {
		c, err := file.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := stt.Spoken(c); got < 120*time.Millisecond {
			t.Errorf("%s: %s of speech", filepath.Base(name), got)
		}
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	if got := stt.Prompt([]string{"Kitchen", " Kitchen\n Light ", "", "Küche"}); got != "Kitchen, Kitchen Light, Küche." {
		t.Errorf("%q", got)
	}
	if got := stt.Prompt(nil); got != "" {
		t.Errorf("%q", got)
	}
	var many []string
	for i := range 232 {
		many = append(many, fmt.Sprintf("Device number %d", i))
	}
	if got := stt.Prompt(many); len(got) > 600 || len(got) < 500 {
		t.Errorf("%d bytes for a large house", len(got))
	}
}
