//go:build accept

package e2e

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
)

// piece is a stretch of the hour, at the gateway's rate.
type piece struct {
	name    string
	word    string // the wake word in it, "" for none
	samples []int16
}

// gains are the loudness of the pieces in turn, in dB. None is louder than the
// recordings, which would be cut off at full scale.
var gains = []float64{0, -6, -12, -3}

// dayOfSound is everything the shared recordings hold, with noise and music.
func dayOfSound(t *testing.T) []piece {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 9))
	dir, all := manifest(t, "clips")
	var pieces []piece
	for _, l := range all {
		pieces = append(pieces, piece{l.File, strings.ReplaceAll(l.Wake, "_", " "), sound(t, filepath.Join(dir, l.File))})
	}
	n := 20 * int(audio.SpeechRate)
	for _, level := range []float64{-60, -40, -25} {
		pieces = append(pieces, piece{fmt.Sprintf("pink noise at %.0f dB", level), "", pink(r, n, level)})
	}
	pieces = append(pieces, piece{"music", "", melody(r, 3*n)}, piece{"digital silence", "", make([]int16, n)})
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces
}

// melody is a chord of three voices with overtones that moves four times a second.
func melody(r *rand.Rand, n int) []int16 {
	out := make([]int16, n)
	scale := []float64{0, 2, 4, 5, 7, 9, 11, 12}
	notes := [3]float64{}
	for i := range out {
		within := i % (int(audio.SpeechRate) / 4)
		if within == 0 {
			for k := range notes {
				notes[k] = 110 * math.Pow(2, float64(k)+scale[r.IntN(len(scale))]/12)
			}
		}
		v, at := 0.0, float64(i)/float64(audio.SpeechRate)
		for _, f := range notes {
			for overtone := 1.0; overtone <= 4; overtone++ {
				v += math.Sin(2*math.Pi*f*overtone*at) / overtone
			}
		}
		out[i] = clipped(2500 * v * math.Exp(-4*float64(within)/float64(audio.SpeechRate)))
	}
	return out
}

// hour is what an hour of sound came to.
type hour struct {
	hits, chances map[string]int // by word
	wrong         map[string]int
	where         map[string]int // false wakes, by word and piece
	frames        int
	cpu           time.Duration
	mallocs       uint64
	grown         int64 // bytes of heap
}

// cpuTime is what this process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// listen plays pieces, one after the other and louder or softer each time, until
// the time is full.
func (h *hour) listen(t *testing.T, words []string, pieces []piece, length time.Duration) {
	t.Helper()
	e, err := wake.New(wake.Config{Engine: "micro", Words: words, ModelsDir: fake.Shared(t, "speech", "models"), Command: []string{"none"}})
	if err != nil {
		t.Fatal(err)
	}
	whole := int(length / audio.FrameLength)
	type hit struct {
		piece int
		word  string
	}
	found := make([]hit, 0, 10_000)
	played := make([]int, len(pieces))
	frame := audio.Frame{At: time.Unix(1_700_000_000, 0), Samples: make([]int16, audio.FrameSamples)}
	ctx := t.Context()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began := cpuTime(t)
	for i := 0; h.frames < whole; i++ {
		p := pieces[i%len(pieces)]
		gain := math.Pow(10, gains[(i+i/len(pieces))%len(gains)]/20)
		played[i%len(pieces)]++
		for rest := p.samples; len(rest) >= audio.FrameSamples && h.frames < whole; rest = rest[audio.FrameSamples:] {
			for k, v := range rest[:audio.FrameSamples] {
				frame.Samples[k] = int16(float64(v) * gain)
			}
			frame.At = frame.At.Add(audio.FrameLength)
			h.frames++
			d, ok, err := e.Detect(ctx, frame)
			if err != nil {
				t.Fatal(err)
			}
			if ok && len(found) < cap(found) {
				found = append(found, hit{i % len(pieces), d.Word})
			}
		}
	}
	h.cpu = cpuTime(t) - began
	runtime.ReadMemStats(&after)
	h.mallocs = after.Mallocs - before.Mallocs
	runtime.GC()
	runtime.ReadMemStats(&after)
	h.grown = int64(after.HeapAlloc) - int64(before.HeapAlloc)
	for i, p := range pieces {
		for _, w := range words {
			if p.word != "" && strings.HasPrefix(w, p.word) {
				h.chances[w] += played[i]
			}
		}
	}
	for n, f := range found {
		p := pieces[f.piece]
		// A word at the very end of a piece is heard in the next one.
		last := pieces[(f.piece+len(pieces)-1)%len(pieces)]
		switch {
		case p.word != "" && strings.HasPrefix(f.word, p.word):
			h.hits[f.word]++
		case last.word != "" && strings.HasPrefix(f.word, last.word) && (n == 0 || found[n-1].piece != (f.piece+len(pieces)-1)%len(pieces)):
			h.hits[f.word]++
		default:
			h.wrong[f.word]++
			h.where[f.word+" in "+p.name]++
		}
	}
}

// TestAcceptHourOfSound: an hour of speech, noise and music goes through the wake word,
// and ten minutes through all of them, as fast as it can. It costs no memory, and the
// default word causes no false wake.
func TestAcceptHourOfSound(t *testing.T) {
	hearsAll(t, time.Hour, []string{"hey jarvis"})
	hearsAll(t, 10*time.Minute, everyWord)
}

// everyWord are the wake words whose models are installed.
var everyWord = []string{"hey jarvis", "okay nabu", "okay nabu multi", "hey mycroft", "alexa", "stop"}

// hearsAll plays so much of a day's sound to the wake words.
func hearsAll(t *testing.T, length time.Duration, lists ...[]string) {
	t.Helper()
	pieces := dayOfSound(t)
	for _, words := range lists {
		h := hour{hits: map[string]int{}, chances: map[string]int{}, wrong: map[string]int{}, where: map[string]int{}}
		h.listen(t, words, pieces, length)
		length := time.Duration(h.frames) * audio.FrameLength
		shows(t, "%d wake words, %v of sound: %v of CPU, %.2f ms a second of sound; %d objects allocated, the heap grew by %d kB",
			len(words), length, h.cpu.Round(time.Millisecond), h.cpu.Seconds()/length.Seconds()*1000, h.mallocs, h.grown>>10)
		for _, w := range words {
			shows(t, "  %-16s heard %3d of %3d, falsely %d", w, h.hits[w], h.chances[w], h.wrong[w])
		}
		for _, place := range slices.Sorted(maps.Keys(h.where)) {
			shows(t, "    falsely %s: %d times", place, h.where[place])
		}
		// The runtime itself allocates now and then; a frame must not.
		if h.mallocs > uint64(h.frames)/100 {
			t.Errorf("%d objects were allocated for %d frames", h.mallocs, h.frames)
		}
		if h.grown > 4<<20 {
			t.Errorf("the heap grew by %d kB in an hour", h.grown>>10)
		}
		if n := h.wrong["hey jarvis"]; n > 0 {
			t.Errorf("the default word was heard %d times in what it is not", n)
		}
		if h.hits["hey jarvis"]*10 < h.chances["hey jarvis"]*9 {
			t.Errorf("the default word was heard %d of %d times", h.hits["hey jarvis"], h.chances["hey jarvis"])
		}
	}
}
