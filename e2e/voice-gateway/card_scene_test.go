//go:build accept

package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
)

// A scene is one long recording made of short ones: a room's noise, and in it
// again and again a wake word by a person, a pause and a command by a synthetic
// voice or by a man. What is said, and when it truly ends, is known to ten milliseconds; for the
// man, whose recordings have noise, it is when it no longer stands out of that.

// said is one wake word with its command in a scene. Times count from the
// scene's first sample.
type said struct {
	file, text string
	wake       string        // the recording of the wake word
	from       time.Duration // begin of the wake word
	begin, end time.Duration // of the command's speech
	until      time.Duration // begin of the next one
}

// scene is the sound and what is in it.
type scene struct {
	clip   audio.Clip
	spoken []said
}

// people are wake words spoken by people, with the beginning and the end of the word in
// seconds: the recordings also hold the noise of a room, a click or a breath.
var people = []struct {
	file     string
	from, to float64
}{
	{"real_hey_jarvis_a.wav", 0.58, 1.25},
	{"real_okay_nabu_w.wav", 0.63, 1.58},
	{"real_hey_jarvis_w.wav", 0.48, 1.18},
	{"real_alexa_a.wav", 0.48, 1.05},
	{"real_hey_mycroft_a.wav", 0.53, 1.22},
	{"real_hey_mycroft_short.wav", 0.04, 0.83},
}

// cardWords are what these people say.
const cardWords = "hey jarvis,okay nabu,alexa,hey mycroft"

// sayable leaves out what would disturb the commands after it: a room full of lights
// leads to a question, timers ring, the volume is our own, doors are refused, and while a
// blind or a bolt moves the turn is not over.
func sayable(text string) bool {
	for _, words := range []string{
		"all the lights", "timer", "time is left", "volume", "speaker", "good night", "leaving", "activate",
		"unlock", "lock the", "open the", "close the", "blinds", "vacuum",
	} {
		if strings.Contains(text, words) {
			return false
		}
	}
	return true
}

// Levels in dBFS and rules of a scene. A command's end is the last 10 ms within
// 35 dB of its loudness, as in the study the endpointer's rule comes from.
const (
	voiceLevel = -22.0 // loudness of every voice: the 80th percentile of its 10 ms levels
	endWithin  = 35.0  // dB under it
	gapAfter   = 1500 * time.Millisecond
	pauseLeast = 100 * time.Millisecond // between wake word and command
	pauseMost  = 500 * time.Millisecond
	hopLength  = 10 * time.Millisecond
	hopSamples = 160
)

// labelled is a line of the shared list of recordings.
type labelled struct {
	File, Text, Voice, Wake, Kind string
	SNR                           any
}

// manifest reads a list of the shared recordings, clips or human, and where they are.
func manifest(tb testing.TB, set string) (dir string, all []labelled) {
	tb.Helper()
	path := fake.Shared(tb, "speech", set, "manifest.jsonl")
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			tb.Fatal(err)
		}
		all = append(all, l)
	}
	return filepath.Dir(path), all
}

// levels are the loudness of every 10 ms.
func levels(samples []int16) []float64 {
	var l []float64
	for at := 0; at+hopSamples <= len(samples); at += hopSamples {
		l = append(l, audio.Level(samples[at:at+hopSamples]))
	}
	return l
}

// sound reads a recording at the gateway's rate.
func sound(tb testing.TB, path string) []int16 {
	tb.Helper()
	clip, err := file.Load(path)
	if err != nil {
		tb.Fatal(err)
	}
	if clip, err = audio.Resample(clip, audio.SpeechRate); err != nil {
		tb.Fatal(err)
	}
	return clip.Samples
}

// loudness is the 80th percentile of the levels of 10 ms of speech; silence around
// it is none.
func loudness(all []float64) float64 {
	loud := audio.Silence
	for range 2 {
		spoken := slices.DeleteFunc(slices.Sorted(slices.Values(all)), func(l float64) bool { return l < loud-endWithin })
		loud = spoken[len(spoken)*8/10]
	}
	return loud
}

// trimmed cuts a recording without noise to its speech.
func trimmed(samples []int16) []int16 {
	all := levels(samples)
	least := loudness(all) - endWithin
	begin, end := 0, len(all)
	for all[begin] <= least {
		begin++
	}
	for all[end-1] <= least {
		end--
	}
	return samples[begin*hopSamples : end*hopSamples]
}

// voiced brings speech to voiceLevel and softens its edges.
func voiced(samples []int16) []int16 {
	gain := math.Pow(10, (voiceLevel-loudness(levels(samples)))/20)
	out := make([]int16, len(samples))
	for i, s := range samples {
		fade := min(1, float64(i)/hopSamples, float64(len(samples)-1-i)/hopSamples)
		out[i] = clipped(float64(s) * gain * fade)
	}
	return out
}

func clipped(v float64) int16 { return int16(max(math.MinInt16, min(math.MaxInt16, math.Round(v)))) }

// pink is noise as rooms have it, at a level in dBFS: white noise through a
// filter of three poles (Kellet's).
func pink(r *rand.Rand, n int, level float64) []int16 {
	raw := make([]float64, n)
	var a, b, c, square float64
	for i := range raw {
		w := r.NormFloat64()
		a = 0.99765*a + w*0.0990460
		b = 0.96300*b + w*0.2965164
		c = 0.57000*c + w*1.0526913
		raw[i] = a + b + c + w*0.1848
		square += raw[i] * raw[i]
	}
	scale := 32768 * math.Pow(10, level/20) / math.Sqrt(square/float64(n))
	out := make([]int16, n)
	for i, v := range raw {
		out[i] = clipped(v * scale)
	}
	return out
}

// commandsToSay are the clean recordings of commands by voices the recogniser is
// made for, in random order.
func commandsToSay(tb testing.TB, r *rand.Rand, wanted func(text string) bool) (dir string, list []labelled) {
	tb.Helper()
	dir, all := manifest(tb, "clips")
	for _, l := range all {
		if l.Kind == "command" && l.SNR == "clean" && !strings.HasPrefix(l.Voice, "espeak") && wanted(l.Text) {
			list = append(list, l)
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return dir, list
}

// commandsOfPerson are the home commands of one man, without the one that needs the internet.
func commandsOfPerson(tb testing.TB, wanted func(text string) bool) (dir string, list []labelled) {
	tb.Helper()
	dir, all := manifest(tb, "human")
	for _, l := range all {
		if filepath.Dir(l.File) == "home" && wanted(l.Text) && !strings.Contains(l.Text, "weather") {
			list = append(list, l)
		}
	}
	return dir, list
}

// outOfNoise cuts a recording to what stands out of the noise of its room for at least three
// of five levels: a click at its beginning does not.
func outOfNoise(samples []int16) []int16 {
	const over, need, of = 8.0, 3, 5
	all := levels(samples)
	least := slices.Sorted(slices.Values(all))[len(all)/10] + over
	begin, end := -1, 0
	for i := range all[:len(all)-of+1] {
		loud := slices.DeleteFunc(slices.Clone(all[i:i+of]), func(l float64) bool { return l < least })
		if len(loud) < need {
			continue
		}
		if begin < 0 {
			begin = i
		}
		end = i + of
	}
	for all[end-1] < least {
		end--
	}
	return samples[begin*hopSamples : end*hopSamples]
}

// script is what is to be said in a scene.
type script struct {
	seed   uint64
	n      int                    // commands
	below  float64                // dB of the room's noise under the voices
	lead   time.Duration          // of the empty room
	wanted func(text string) bool // which commands
	person bool                   // a man says them, and not synthetic voices
	gap    time.Duration          // after each; 0: the usual
}

// compose makes the scene. The noise runs through all of it.
func compose(tb testing.TB, c script) scene {
	tb.Helper()
	r := rand.New(rand.NewPCG(c.seed, 1))
	words, cut := fake.Shared(tb, "speech", "clips"), trimmed
	var dir string
	var commands []labelled
	if c.person {
		cut = outOfNoise
		dir, commands = commandsOfPerson(tb, c.wanted)
	} else {
		dir, commands = commandsToSay(tb, r, c.wanted)
	}
	out := make([]int16, samplesOf(c.lead))
	now := func() time.Duration { return time.Duration(len(out)) * time.Second / time.Duration(audio.SpeechRate) }
	var s scene
	for i := range c.n {
		person, command := people[i%len(people)], commands[i%len(commands)]
		one := said{file: command.File, text: command.Text, wake: person.file, from: now()}
		word := sound(tb, filepath.Join(words, person.file))
		rate := float64(audio.SpeechRate)
		out = append(out, voiced(word[int(person.from*rate):int(person.to*rate)])...)
		out = append(out, make([]int16, samplesOf(pauseLeast+time.Duration(r.Int64N(int64(pauseMost-pauseLeast)))))...)
		one.begin = now()
		out = append(out, voiced(cut(sound(tb, filepath.Join(dir, command.File))))...)
		one.end = now()
		out = append(out, make([]int16, samplesOf(cmp.Or(c.gap, gapAfter)))...)
		one.until = now()
		s.spoken = append(s.spoken, one)
	}
	out = append(out, make([]int16, samplesOf(2*time.Second))...)
	for i, v := range pink(r, len(out), voiceLevel-c.below) {
		out[i] = clipped(float64(out[i]) + float64(v))
	}
	s.clip = audio.Clip{Rate: audio.SpeechRate, Samples: out}
	return s
}

// samplesOf is whole samples, and whole 10 ms.
func samplesOf(d time.Duration) int { return int(d/hopLength) * hopSamples }

// save writes a clip to a file of the test.
func save(tb testing.TB, c audio.Clip) string {
	tb.Helper()
	out, err := os.CreateTemp(tb.TempDir(), "*.wav")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	if err := audio.WriteWAV(out, c); err != nil {
		tb.Fatal(err)
	}
	return out.Name()
}
