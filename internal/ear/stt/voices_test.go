//go:build cgo

package stt_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/language/speech"
)

// voices are those that say the sentences of a test.
var voices = []string{"slt", "rms", "awb", "espeak"}

// say returns a sentence in one of the voices, without silence around it.
func say(tb testing.TB, voice, text string) []int16 {
	tb.Helper()
	wav := filepath.Join(tb.TempDir(), "said.wav")
	cmd := exec.CommandContext(tb.Context(), "flite", "-voice", voice, "-o", wav, "-t", text)
	if voice == "espeak" {
		cmd = exec.CommandContext(tb.Context(), "espeak-ng", "-v", "en-us", "-w", wav, text)
	}
	if _, err := exec.LookPath(cmd.Args[0]); err != nil {
		tb.Skipf("%s is not installed", cmd.Args[0])
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("saying %q: %v: %s", text, err, out)
	}
	data, err := os.ReadFile(wav)
	if err != nil {
		tb.Fatal(err)
	}
	clip, err := audio.ReadWAV(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	if clip, err = audio.Resample(clip, audio.SpeechRate); err != nil {
		tb.Fatal(err)
	}
	loud := func(v int16) bool { return v > 60 || v < -60 }
	from := max(0, slices.IndexFunc(clip.Samples, loud))
	to := len(clip.Samples)
	for to > from && !loud(clip.Samples[to-1]) {
		to--
	}
	return clip.Samples[from:to]
}

// quietRoom is the level of a quiet room in dBFS.
const quietRoom = -58.0

// inRoom puts speech into pink noise of a level in dBFS, with 0.6 s before it and
// some seconds after it.
func inRoom(said []int16, after, level float64, seed uint64) audio.Clip {
	const before = 0.6
	rate := float64(audio.SpeechRate)
	lead := int(before * rate)
	out := make([]int16, lead+len(said)+int(after*rate))
	r := rand.New(rand.NewPCG(seed, 1))
	// Pink noise is made of white noise through low passes of one pole each, which
	// halve in frequency.
	var pole [3]float64
	loud := 32768 * math.Pow(10, level/20)
	for i := range out {
		white := r.NormFloat64()
		pole[0] = 0.997*pole[0] + 0.099*white
		pole[1] = 0.963*pole[1] + 0.297*white
		pole[2] = 0.570*pole[2] + 1.053*white
		sum := loud * (pole[0] + pole[1] + pole[2] + 0.185*white) / 2.5
		if i >= lead && i-lead < len(said) {
			sum += float64(said[i-lead])
		}
		out[i] = int16(min(math.MaxInt16, max(math.MinInt16, sum)))
	}
	return audio.Clip{Rate: audio.SpeechRate, Samples: out}
}

// loudness is the level of speech in dBFS.
func loudness(said []int16) float64 {
	var levels []float64
	for frame := range slices.Chunk(said, audio.FrameSamples) {
		levels = append(levels, audio.Level(frame))
	}
	slices.Sort(levels)
	return levels[len(levels)*7/10]
}

// ready starts the recogniser with the whole grammar of the recordings' house.
func ready(tb testing.TB) (stt.Engine, *grammar.Grammar) {
	tb.Helper()
	e := start(tb)
	data, err := os.ReadFile(fake.Shared(tb, "speech", "clips", "home.json"))
	if err != nil {
		tb.Fatal(err)
	}
	house, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	for i, entity := range house.Entities {
		house.Entities[i].Control = &home.Control{Tool: "control", ID: entity.ID}
	}
	g, err := grammar.New(intent.English(), house)
	if err != nil {
		tb.Fatal(err)
	}
	for {
		missing, err := e.SetGrammar(within(tb), speech.Grammar{JSGF: g.JSGF(), Automaton: g.Automaton(), Join: g.Joins(), Words: g.Words()})
		if err != nil {
			tb.Fatal(err)
		}
		if len(missing) == 0 {
			return e, g
		}
		g, _ = g.Without(missing)
	}
}

// sentencesSaid are whole sentences about the recordings' house.
func sentencesSaid(tb testing.TB) []string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "sentences.txt"))
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
