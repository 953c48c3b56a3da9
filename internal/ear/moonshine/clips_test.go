//go:build cgo

package moonshine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
	"voicegateway/internal/ground/worker"
	"voicegateway/internal/language/speech"
)

// started returns a client with a running worker and the model that make installs.
func started(tb testing.TB) *Client {
	tb.Helper()
	in, err := Find(fake.Models(tb), "en")
	if err != nil {
		tb.Skip(err)
	}
	c, err := New(Config{Command: []string{os.Args[0], "worker"}, Library: in.Library, Dir: in.Dir})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return c
}

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

func clip(tb testing.TB, name string) []int16 {
	tb.Helper()
	c, err := file.Load(fake.Shared(tb, "speech", "clips", name))
	if err != nil {
		tb.Fatal(err)
	}
	return c.Samples
}

var home = []string{
	"turn on the kitchen light", "turn off the kitchen light", "turn on the heater", "turn on the desk lamp", "good night",
	"turn on the office lights", "turn on the office light",
}

func TestClipsAreRead(t *testing.T) {
	c := started(t)
	if err := c.SetGrammar(within(t), automaton(home...)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"cmd_flite-slt_clean_000.wav": "turn on the kitchen light",
		"cmd_flite-slt_clean_022.wav": "turn on the heater",
		"cmd_flite-rms_clean_057.wav": "good night",
	} {
		r, err := c.Decode(within(t), clip(t, name))
		if err != nil || len(r.Sentences) == 0 || r.Sentences[0].Text != want {
			t.Errorf("%s: %+v, %v, want %q", name, r, err, want)
			continue
		}
		again, err := c.Decode(within(t), clip(t, name))
		if err != nil || again.Sentences[0] != r.Sentences[0] || again.Free != r.Free {
			t.Errorf("%s: the second time %+v, %v, the first %+v", name, again, err, r)
		}
	}
}

// A speaker stops in the middle of a sentence, and another person says something.
func TestHalfASentenceAndOtherSpeech(t *testing.T) {
	c := started(t)
	if err := c.SetGrammar(within(t), automaton(home...)); err != nil {
		t.Fatal(err)
	}
	whole := clip(t, "cmd_flite-slt_clean_000.wav") // "turn on the kitchen light", the last word in the last 0.35 s of speech
	end := len(whole)
	for end > 0 && audio.Level(whole[max(0, end-audio.FrameSamples):end]) < -45 {
		end -= audio.FrameSamples
	}
	r, err := c.Decode(within(t), whole[:end-int(audio.SpeechRate)*35/100])
	if err != nil || r.Part.Text != "turn on the kitchen" && r.Part.Text != "turn on the" || len(r.Sentences) > 0 && r.Sentences[0].Rank > r.Part.Rank {
		t.Errorf("half a sentence: %+v, %v", r, err)
	}
	names, err := filepath.Glob(filepath.Join(fake.Shared(t, "speech", "clips"), "oog_flite-slt_clean_*.wav"))
	if err != nil || len(names) == 0 {
		t.Fatal("no recordings of other speech", err)
	}
	for _, name := range names {
		r, err := c.Decode(within(t), clip(t, filepath.Base(name)))
		if err != nil || len(r.Sentences) > 0 && r.Free.Score-r.Sentences[0].Score < 5 {
			t.Errorf("%s: %+v, %v", filepath.Base(name), r, err)
		}
	}
}

// A worker that dies in the middle costs its time, and never the sound.
func TestADeadWorkerIsReplaced(t *testing.T) {
	c := started(t)
	if err := c.SetGrammar(within(t), automaton(home...)); err != nil {
		t.Fatal(err)
	}
	before := children(t)
	heard := make(chan error, 1)
	go func() {
		r, err := c.Decode(within(t), clip(t, "cmd_flite-slt_clean_022.wav"))
		if err == nil && (len(r.Sentences) == 0 || r.Sentences[0].Text != "turn on the heater") {
			err = errors.New("another sentence was heard")
		}
		heard <- err
	}()
	for _, pid := range before {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-heard; err != nil {
		t.Error(err)
	}
	if now := children(t); len(before) != 1 || len(now) != 1 || now[0] == before[0] {
		t.Errorf("workers before %v, after %v", before, now)
	}
}

// children are the process numbers of this process's children.
func children(tb testing.TB) []int {
	tb.Helper()
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		tb.Fatal(err)
	}
	var all []int
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(data)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				tb.Fatal(err)
			}
			all = append(all, pid)
		}
	}
	return all
}

func TestALaterSoundOvertakes(t *testing.T) {
	c := started(t)
	if err := c.SetGrammar(within(t), automaton(home...)); err != nil {
		t.Fatal(err)
	}
	long := make([]int16, 8*int(audio.SpeechRate))
	for at, sound := 0, clip(t, "cmd_flite-slt_clean_000.wav"); at < len(long); at += len(sound) {
		copy(long[at:], sound)
	}
	for range 20 {
		errs := make(chan error, 2)
		for _, sound := range [][]int16{long, clip(t, "cmd_flite-slt_clean_022.wav")} {
			go func() {
				_, err := c.Decode(within(t), sound)
				errs <- err
			}()
		}
		overtaken := 0
		for range 2 {
			var refused *worker.Refusal
			switch err := <-errs; {
			case errors.As(err, &refused) && strings.Contains(err.Error(), errOvertaken.Error()):
				overtaken++
			case err != nil:
				t.Fatal(err)
			}
		}
		switch overtaken {
		case 1:
			return
		case 2:
			t.Fatal("neither sound was decoded")
		}
	}
	t.Error("no sound was ever given up for a later one")
}

func TestRefusals(t *testing.T) {
	c := started(t)
	if r, err := c.Decode(within(t), make([]int16, audio.SpeechRate)); err == nil {
		t.Errorf("without a grammar: %+v", r)
	}
	bad := speech.Automaton{Words: []string{"on"}, States: []speech.AutomatonState{{Moves: []speech.AutomatonMove{{Word: 7, To: 0}}}}}
	if err := c.SetGrammar(within(t), bad); err == nil {
		t.Error("a grammar with a word that does not exist was taken")
	}
	if err := c.SetGrammar(within(t), automaton(home...)); err != nil {
		t.Fatal(err)
	}
	if r, err := c.Decode(within(t), make([]int16, 100)); err != nil || len(r.Sentences) > 0 {
		t.Errorf("a hundred samples: %+v, %v", r, err)
	}
}

func TestAWrongModelSaysSo(t *testing.T) {
	in, err := Find(fake.Models(t), "en")
	if err != nil {
		t.Skip(err)
	}
	for name, dir := range map[string]func(string) error{
		"nothing": func(string) error { return nil },
		"a vocabulary that is none": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, fileTokens), []byte{200}, 0o600)
		},
	} {
		where := t.TempDir()
		if err := dir(where); err != nil {
			t.Fatal(err)
		}
		if m, err := newModel(in.Library, where); err == nil {
			m.free()
			t.Errorf("%s: loaded", name)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	c := started(b)
	if err := c.SetGrammar(within(b), automaton(home...)); err != nil {
		b.Fatal(err)
	}
	sound := clip(b, "cmd_flite-slt_clean_000.wav")
	for b.Loop() {
		if _, err := c.Decode(within(b), sound); err != nil {
			b.Fatal(err)
		}
	}
}
