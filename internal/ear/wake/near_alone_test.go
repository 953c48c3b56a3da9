//go:build alone

package wake_test

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
)

// words are the wake words whose models are measured.
var words = []string{"hey jarvis", "okay nabu", "hey mycroft", "alexa"}

// nearMisses sound nearly like a wake word, by wake word.
var nearMisses = map[string][]string{
	"hey jarvis": {
		"hey jealous", "hey Marvin", "hey service", "hey Travis", "hey Jarrett", "hey Gervase", "hey Charles", "hey Charlie", "hey harvest", "hey jars",
		"a Jarvis", "they carve this", "say Jervis", "hey, start this", "day service", "hey nervous", "hay harvest", "Jarvis",
	},
	"okay nabu": {
		"okay Nadu", "okay now but", "okay nab you", "okay taboo", "okay Abu", "okay no boo", "okay Malibu", "okay now you", "okay Cebu", "okay, never",
		"okay bamboo", "okay, not blue", "OK map", "okay, that blue", "hockey nab", "okay Lulu", "okay Nala", "nabu",
	},
	"hey mycroft": {
		"hey Microsoft", "hey mica", "hey Minecraft", "hey my craft", "hey my cough", "hey my croft", "hey Michael", "hey microphone", "hey my cross",
		"hey my crib", "say my craft", "hey, my car's off", "hey Moncrieff", "they might cough", "hey Bancroft", "hey Lara Croft", "hey microwave", "Mycroft",
	},
	"alexa": {
		"a Lexus", "Alex", "Alexis", "Alexander", "a lecture", "election", "a Texan", "electric", "a leg so", "annexa", "I like sir", "elixir",
		"a flexor", "Ollie likes a", "Alaska", "a lick, sir", "relax a bit", "Alec said", "all excellent", "a lexicon",
	},
}

// carriers are what a near miss stands in; said alone it has the pause of a command.
var carriers = []string{"%s.", "I told you, %s, we should go.", "and then she said %s, or something like it.", "%s, where did you put the keys?"}

// speakers are programs with a voice and a pace each.
var speakers = []struct{ program, voice, pace string }{
	{"flite", "slt", "1.0"},
	{"flite", "rms", "1.0"},
	{"flite", "awb", "1.0"},
	{"flite", "slt", "1.25"},
	{"flite", "rms", "0.85"},
	{"flite", "kal16", "1.1"},
	{"espeak-ng", "en-us", "150"},
	{"espeak-ng", "en-gb+f3", "175"},
	{"espeak-ng", "en-us+m3", "200"},
	{"espeak-ng", "en-gb", "160"},
}

// synthesised is a sentence in a speaker's voice.
func synthesised(t *testing.T, program, voice, pace, text string) audio.Clip {
	t.Helper()
	name := filepath.Join(t.TempDir(), "near.wav")
	args := []string{"-voice", voice, "--setf", "duration_stretch=" + pace, "-o", name}
	if program == "espeak-ng" {
		args = []string{"-v", voice, "-s", pace, "--stdin", "-w", name}
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	c, err := file.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// room is an endless sound that one model of each wake word listens to.
type room struct {
	words map[string]wake.Engine
	at    time.Time
	heard map[string]int
}

func newRoom(t *testing.T) *room {
	t.Helper()
	r := &room{words: map[string]wake.Engine{}, at: time.Unix(1_700_000_000, 0), heard: map[string]int{}}
	for _, word := range words {
		e, err := wake.New(wake.Config{Engine: "micro", Words: []string{word}, ModelsDir: filepath.Dir(fake.Shared(t, "speech", "models", "alexa.tflite"))})
		if err != nil {
			t.Fatal(err)
		}
		r.words[word] = e
	}
	return r
}

// play plays a clip into the room and returns which words were heard, and for how
// long it was listened.
func (r *room) play(t *testing.T, c audio.Clip) (heard []string, long time.Duration) {
	t.Helper()
	cfg := file.Default()
	cfg.Clips, cfg.Start, cfg.Lead = []audio.Clip{c}, r.at, 700*time.Millisecond
	mic, err := file.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	began := r.at
	for {
		f, err := mic.Read(t.Context())
		if errors.Is(err, io.EOF) {
			return heard, r.at.Sub(began)
		}
		if err != nil {
			t.Fatal(err)
		}
		r.at = f.At
		for word, e := range r.words {
			if _, hit, err := e.Detect(t.Context(), f); err != nil {
				t.Fatal(err)
			} else if hit {
				heard = append(heard, word)
			}
		}
	}
}

// told prints how often an hour each word was heard falsely.
func told(t *testing.T, what string, long time.Duration, heard map[string]int) {
	t.Helper()
	var rows []string
	for _, word := range words {
		rows = append(rows, fmt.Sprintf("%s %d (%.1f/h)", word, heard[word], float64(heard[word])/long.Hours()))
	}
	t.Logf("%s, %.0f min: %s", what, long.Minutes(), strings.Join(rows, ", "))
}

// TestHearNearMisses measures what wakes falsely: words that sound nearly like a
// wake word, in synthetic voices, and what people said to others. There is no floor:
// the figures stand in docs/facts/engines.md.
func TestHearNearMisses(t *testing.T) {
	all := newRoom(t)
	var long time.Duration
	said := map[string]int{}
	for _, word := range words {
		for n, phrase := range nearMisses[word] {
			for s, by := range speakers {
				carrier := carriers[(n+s)%len(carriers)]
				heard, took := all.play(t, synthesised(t, by.program, by.voice, by.pace, fmt.Sprintf(carrier, phrase)))
				long += took
				for _, h := range heard {
					all.heard[h]++
					said[h+" in "+strconv.Quote(phrase)+", "+by.program+" "+by.voice]++
				}
			}
		}
	}
	told(t, "near misses", long, all.heard)
	for what, n := range said {
		t.Logf("  %d × %s", n, what)
	}
	people := newRoom(t)
	people.others(t, "human/coffee/*.wav", "coffee orders of people")
	people.heard = map[string]int{}
	people.others(t, "human/wake/*.wav", "people who say alexa")
}

// others plays recordings and tells what they set off.
func (r *room) others(t *testing.T, pattern, what string) {
	t.Helper()
	names, err := filepath.Glob(fake.Shared(t, "speech") + "/" + pattern)
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings", err)
	}
	slices.Sort(names)
	var long time.Duration
	for _, name := range names {
		c, err := file.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		heard, took := r.play(t, c)
		long += took
		for _, h := range heard {
			r.heard[h]++
		}
	}
	told(t, what, long, r.heard)
}
