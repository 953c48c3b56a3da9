//go:build cgo

package sphinx_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/fake"
	"voicegateway/internal/ground/worker"
)

const grammar = "#JSGF V1.0;\ngrammar g;\npublic <s> = turn ( on | off ) the ( kitchen light | hallway light | heater | living room lights ) ;\n"

var words = strings.Fields("turn on off the kitchen light hallway heater living room lights")

func start(tb testing.TB, change func(*sphinx.Config)) *sphinx.Client {
	tb.Helper()
	cfg := sphinx.Config{Name: "stt", Command: []string{os.Args[0], "worker", "stt"}, Reject: true}
	if change != nil {
		change(&cfg)
	}
	c, err := sphinx.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(c.Dictionary()); err != nil && cfg.ModelDir == "" {
		tb.Skipf("the English model is not installed: %v", err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Run(ctx); err != nil {
			tb.Errorf("Run: %v", err)
		}
	})
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return c
}

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

func setGrammar(tb testing.TB, c *sphinx.Client) {
	tb.Helper()
	found, err := sphinx.Lookup(c.Dictionary(), words)
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.SetGrammar(within(tb), grammar, found); err != nil {
		tb.Fatal(err)
	}
}

func load(tb testing.TB, name string) []int16 {
	tb.Helper()
	f, err := os.Open(fake.Shared(tb, "speech", "clips", name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	c, err := audio.ReadWAV(f)
	if err != nil {
		tb.Fatal(err)
	}
	return c.Samples
}

// hear decodes samples in frames and returns all different partial texts.
func hear(tb testing.TB, c *sphinx.Client, samples []int16) (partials []string, r sphinx.Result) {
	tb.Helper()
	u, err := c.Start(within(tb))
	if err != nil {
		tb.Fatal(err)
	}
	for at := 0; at < len(samples); at += audio.FrameSamples {
		p, err := u.Push(within(tb), samples[at:min(at+audio.FrameSamples, len(samples))])
		if err != nil {
			tb.Fatal(err)
		}
		if len(partials) == 0 || partials[len(partials)-1] != p.Text {
			partials = append(partials, p.Text)
		}
	}
	if r, err = u.Finish(within(tb)); err != nil {
		tb.Fatal(err)
	}
	return partials, r
}

func TestGrammarStreams(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	samples := load(t, "cmd_flite-slt_clean_000.wav")
	var first sphinx.Result
	for n := range 3 { // the state of one utterance does not harm the next
		partials, r := hear(t, c, samples)
		if r.Text != "turn on the kitchen light" {
			t.Errorf("utterance %d: heard %q", n, r.Text)
		}
		if got := strings.Join(partials, "/"); !strings.Contains(got, "turn on the/") {
			t.Errorf("utterance %d: the partial texts are %q", n, got)
		}
		if r.Margin() < 0 || r.Speech < 50 || r.Speech > r.Span || r.Span > r.Frames {
			t.Errorf("utterance %d: %+v with a margin of %.1f", n, r, r.Margin())
		}
		if n == 0 {
			first = r
		}
	}
	_, other := hear(t, c, load(t, "oog_flite-slt_clean_115.wav"))
	if other.Text != "" && other.Margin() > first.Margin()-20 {
		t.Errorf("other speech fits by %.1f, a command by %.1f", other.Margin(), first.Margin())
	}
}

// TestAWorkerThatRestedLosesNoWords: speech that finds no worker starts one, and is heard
// from its first word; the grammar was set while there was none.
func TestAWorkerThatRestedLosesNoWords(t *testing.T) {
	c := start(t, func(cfg *sphinx.Config) { cfg.Idle = time.Hour })
	setGrammar(t, c)
	for n := range 2 {
		if before := children(t); len(before) != 0 {
			t.Errorf("before utterance %d there are workers: %v", n, before)
		}
		if _, r := hear(t, c, load(t, "cmd_flite-slt_clean_000.wav")); r.Text != "turn on the kitchen light" {
			t.Errorf("utterance %d: heard %q", n, r.Text)
		}
		c.Dismiss()
		for deadline := within(t); len(children(t)) > 0; {
			select {
			case <-deadline.Done():
				t.Fatal("the worker goes on")
			case <-time.After(time.Millisecond):
			}
		}
	}
}

func TestNothingHeardIsNoText(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	for name, samples := range map[string][]int16{"nothing": nil, "a sample": {1}, "silence": make([]int16, 16000)} {
		if _, r := hear(t, c, samples); r.Text != "" {
			t.Errorf("%s: heard %q", name, r.Text)
		}
	}
}

func TestMistakesAreExplained(t *testing.T) {
	c := start(t, nil)
	if _, err := c.Start(within(t)); err == nil || !strings.Contains(err.Error(), "no grammar") {
		t.Errorf("starting without a grammar: %v", err)
	}
	tests := map[string]struct {
		jsgf  string
		words map[string][]string
		want  string
	}{
		"unknown word": {"#JSGF V1.0;\ngrammar g;\npublic <s> = unmute ;\n", nil, "unmute"},
		"no JSGF":      {"turn on the light", nil, "setting the grammar"},
		"no phones":    {grammar, map[string][]string{"turn": {"XX YY"}}, `"turn"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := c.SetGrammar(within(t), tc.jsgf, tc.words)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want it to name %s", err, tc.want)
			}
		})
	}
	setGrammar(t, c) // and it still works
	if _, r := hear(t, c, load(t, "cmd_flite-slt_clean_022.wav")); r.Text != "turn on the heater" {
		t.Errorf("heard %q", r.Text)
	}
}

func TestMissingModel(t *testing.T) {
	c := start(t, func(cfg *sphinx.Config) { cfg.ModelDir = filepath.Join(t.TempDir(), "none") })
	_, err := c.Start(within(t))
	if err == nil || !strings.Contains(err.Error(), "install pocketsphinx-en-us") {
		t.Errorf("got %v, want what to install", err)
	}
}

// children are the processes this test has started.
func children(tb testing.TB) []int {
	tb.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		tb.Skip("the kernel does not list a process's children")
	}
	var pids []int
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		for f := range strings.FieldsSeq(string(b)) {
			if pid, err := strconv.Atoi(f); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// kill ends the worker in the middle of whatever it does.
func kill(tb testing.TB) {
	tb.Helper()
	for _, pid := range children(tb) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			tb.Fatal(err)
		}
	}
}

// TestACrashCostsNothing: the words stay the same if the worker is killed while the user
// speaks.
func TestACrashCostsNothing(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	samples := load(t, "cmd_flite-slt_clean_000.wav")
	_, want := hear(t, c, samples)
	const early = 15 // frames, 0.3 s
	frames := len(samples) / audio.FrameSamples
	tests := map[string]struct {
		at     int // frame before which it is killed
		finish bool
	}{
		"before the first frame": {at: 0},
		"after 0.3 s":            {at: early},
		"in the middle":          {at: frames / 2},
		"before the end":         {at: frames},
		"while it ends":          {at: -1, finish: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			u, err := c.Start(within(t))
			if err != nil {
				t.Fatal(err)
			}
			for n := range frames + 1 {
				if n == tc.at {
					kill(t)
				}
				part := samples[n*audio.FrameSamples : min(len(samples), (n+1)*audio.FrameSamples)]
				if _, err := u.Push(within(t), part); err != nil {
					t.Fatal(err)
				}
			}
			if tc.at == frames {
				kill(t)
			}
			var killing sync.WaitGroup
			if tc.finish {
				killing.Go(func() { kill(t) })
			}
			r, err := u.Finish(within(t))
			killing.Wait()
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != want.Text || r.Score != want.Score || r.Margin() != want.Margin() {
				t.Errorf("heard %+v, undisturbed %+v", r, want)
			}
		})
	}
}

// TestACrashBeforeAnybodySpoke: the next utterance begins in the next worker.
func TestACrashBeforeAnybodySpoke(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	kill(t)
	if _, r := hear(t, c, load(t, "cmd_flite-slt_clean_000.wav")); r.Text != "turn on the kitchen light" {
		t.Errorf("heard %q", r.Text)
	}
}

// TestACrashInAnAddition: the sentence before it is not lost either.
func TestACrashInAnAddition(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	samples := load(t, "cmd_flite-slt_clean_000.wav")
	u, err := c.Start(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Push(within(t), samples); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Finish(within(t)); err != nil {
		t.Fatal(err)
	}
	kill(t)
	if err := u.Reopen(within(t), ""); err != nil {
		t.Fatal(err)
	}
	kill(t)
	if r, err := u.Finish(within(t)); err != nil || r.Text != "turn on the kitchen light" {
		t.Errorf("heard %+v, %v", r, err)
	}
}

// TestALongTalkDiesWithItsWorker: only so much is kept.
func TestALongTalkDiesWithItsWorker(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	u, err := c.Start(within(t))
	if err != nil {
		t.Fatal(err)
	}
	for range 11 {
		if _, err := u.Push(within(t), make([]int16, audio.SpeechRate)); err != nil {
			t.Fatal(err)
		}
	}
	kill(t)
	for err == nil {
		_, err = u.Push(within(t), make([]int16, audio.FrameSamples))
	}
	if !errors.Is(err, worker.ErrEnded) {
		t.Errorf("pushing to a dead worker: %v", err)
	}
	if _, r := hear(t, c, load(t, "cmd_flite-slt_clean_000.wav")); r.Text != "turn on the kitchen light" {
		t.Errorf("after the restart it heard %q", r.Text)
	}
}

// TestScore: the sentence that was said fits best of those that could be meant, and
// only what fits nearly as well is weighed.
func TestScore(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	u, err := c.Start(within(t))
	if err != nil {
		t.Fatal(err)
	}
	const everything = 10000
	if _, err := u.Score(within(t), []string{"turn on the heater"}, everything); err == nil {
		t.Error("an utterance that is open can be scored")
	}
	if _, err := u.Push(within(t), load(t, "cmd_flite-slt_clean_000.wav")); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Finish(within(t)); err != nil {
		t.Fatal(err)
	}
	score := func(most int, sentences ...string) []int {
		t.Helper()
		scores, err := u.Score(within(t), sentences, most)
		if err != nil {
			t.Fatal(err)
		}
		return scores
	}
	on, several, off := "turn on the kitchen light", "turn on the kitchen lights", "turn off the kitchen light"
	scores := score(everything, on, several, off)
	if len(scores) != 3 || scores[1] >= scores[0] || scores[2] >= scores[0] {
		t.Fatalf("the scores are %v; the first was said", scores)
	}
	if again := score(everything, off, several, on); len(again) != 3 || again[0] != scores[2] || again[1] != scores[1] || again[2] != scores[0] {
		t.Errorf("in another order the scores are %v, before %v", again, scores)
	}
	if again := score(0, off, several, on); len(again) != 3 {
		t.Errorf("what was said fits better, and is not weighed: %v", again)
	}
	const slack = 200
	apart := scores[0] - scores[1]
	if got := score(apart-slack, on, several, off); len(got) != 0 {
		t.Errorf("%d apart, and it is weighed for less: %v", apart, got)
	}
	if got := score(apart+slack/4, on, several, off); len(got) != 3 {
		t.Errorf("%d apart, and it is not weighed for more", apart)
	}
	if err := u.Reopen(within(t), ""); err != nil {
		t.Fatal(err)
	}
	if r, err := u.Finish(within(t)); err != nil || r.Text != on {
		t.Errorf("reopened after that it heard %+v, %v", r, err)
	}
}

// TestForesee: an answer that was found while the user was still speaking changes no
// score, whether the user was done then or continued.
func TestForesee(t *testing.T) {
	c := start(t, nil)
	setGrammar(t, c)
	on, several, off := "turn on the kitchen light", "turn on the kitchen lights", "turn off the kitchen light"
	light := append(load(t, "cmd_flite-slt_clean_000.wav"), make([]int16, audio.SpeechRate/4)...)
	for name, tt := range map[string]struct {
		sound  []int16
		within int
		asked  []string // at the end
	}{
		"nothing is near":     {light, 50, []string{on, several, off}},
		"others are near":     {light, 10000, []string{on, several, off}},
		"other words":         {light, 10000, []string{off, on}},
		"the speaker goes on": {slices.Concat(light, light), 10000, []string{on, several, off}},
	} {
		score := func(foresee bool) []int {
			u, err := c.Start(within(t))
			if err != nil {
				t.Fatal(err)
			}
			for frame := range slices.Chunk(tt.sound, audio.FrameSamples) {
				p, err := u.Push(within(t), frame)
				if err == nil && foresee && p.Text == on {
					err = u.Foresee(within(t), []string{on, several, off}, sphinx.Nearness{Clear: tt.within})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := u.Finish(within(t)); err != nil {
				t.Fatal(err)
			}
			scores, err := u.Score(within(t), tt.asked, tt.within)
			if err != nil {
				t.Fatal(err)
			}
			return scores
		}
		if seen, plain := score(true), score(false); !slices.Equal(seen, plain) {
			t.Errorf("%s: foreseen %v, else %v", name, seen, plain)
		}
	}
}

// BenchmarkScore asks about five rivals of a command of 1.3 s, as after each command.
func BenchmarkScore(b *testing.B) {
	c := start(b, nil)
	setGrammar(b, c)
	u, err := c.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := u.Push(b.Context(), load(b, "cmd_flite-slt_clean_000.wav")); err != nil {
		b.Fatal(err)
	}
	if _, err := u.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
	sentences := []string{"turn on the kitchen light", "turn off the kitchen light", "turn on the hallway light", "turn on the living room lights", "turn on the heater", "turn off the heater"}
	before := used(b)
	for b.Loop() {
		if _, err := u.Score(b.Context(), sentences, 300); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((used(b)-before).Microseconds())/float64(b.N)/1000, "worker-ms/op")
}

// used is the processor time of the worker so far.
func used(tb testing.TB) (sum time.Duration) {
	tb.Helper()
	const tick = 10 * time.Millisecond // of the kernel's counters
	for _, pid := range children(tb) {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if _, rest, ok := strings.Cut(string(stat), ") "); ok {
			fields := strings.Fields(rest)
			for _, f := range fields[11:13] { // of the process and in the kernel
				n, _ := strconv.Atoi(f)
				sum += time.Duration(n) * tick
			}
		}
	}
	return sum
}

// BenchmarkPush sends one frame of a command to the worker and back, decoding
// included.
func BenchmarkPush(b *testing.B) {
	c := start(b, nil)
	setGrammar(b, c)
	samples := load(b, "cmd_flite-slt_clean_006.wav")
	frames := len(samples) / audio.FrameSamples
	u, err := c.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; b.Loop(); n++ {
		at := n % frames * audio.FrameSamples
		if at == 0 && n > 0 {
			if _, err := u.Finish(b.Context()); err != nil {
				b.Fatal(err)
			}
			if u, err = c.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := u.Push(b.Context(), samples[at:at+audio.FrameSamples]); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	for _, pid := range children(b) {
		status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		for line := range strings.Lines(string(status)) {
			if kb, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				if n, err := strconv.Atoi(strings.Fields(kb)[0]); err == nil {
					b.ReportMetric(float64(n)/1024, "worker-MB")
				}
			}
		}
	}
}
