//go:build cgo

package ear_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
)

// listener is a mind that takes every text for an act and notes what it is given.
type listener struct {
	*mind.Mind
	grammar *grammar.Grammar
	texts   []string
}

// Judge judges by the grammar.
func (l *listener) Judge(partial string) speech.Completeness { return l.grammar.Judge(partial) }

// Answer notes the text.
func (l *listener) Answer(_ context.Context, t record.Turn) {
	l.texts = append(l.texts, t.Text)
	t.Record.Outcome, t.Record.Route, t.Record.Risk = record.Done, record.RouteLocal, "reversible"
}

// Extend notes the whole text.
func (l *listener) Extend(_ context.Context, _ record.Turn, whole speech.Transcript) {
	l.texts = append(l.texts, whole.Text)
}

// literal is a recogniser that does not complete sentences: if the words before the end
// were half a sentence, they are the text. It notes its failures.
type literal struct {
	stt.Engine
	grammar *grammar.Grammar
	sofar   string
	failed  error
}

// Begin begins an utterance.
func (l *literal) Begin(ctx context.Context) error {
	err := l.Engine.Begin(ctx)
	l.failed = cmp.Or(l.failed, err)
	return err
}

// Push keeps the words so far.
func (l *literal) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	p, err := l.Engine.Push(ctx, f)
	l.sofar, l.failed = p.Text, cmp.Or(l.failed, err)
	return p, err
}

// Finish gives half a sentence as it is.
func (l *literal) Finish(ctx context.Context) (speech.Transcript, error) {
	t, err := l.Engine.Finish(ctx)
	l.failed = cmp.Or(l.failed, err)
	if l.sofar != "" && l.grammar.Judge(l.sofar) == speech.Incomplete {
		t.Text, t.Unfinished = l.sofar, true
	}
	return t, err
}

// Reopen continues the utterance.
func (l *literal) Reopen(ctx context.Context) error {
	again, ok := l.Engine.(stt.Reopener)
	if !ok {
		return errors.New("the recogniser cannot go on")
	}
	err := again.Reopen(ctx)
	l.failed = cmp.Or(l.failed, err)
	return err
}

// pausing is what is said with a pause, and the texts that the mind gets.
type pausing struct {
	first, then string
	pause       time.Duration
	texts       []string
}

// pauses are the pauses of slow speakers: one that is over before the sentence ends, one
// during which it ends, and one inside half a sentence.
var pauses = map[string]pausing{
	"a room after a moment":     {"open the curtains", "in the bedroom", 200 * time.Millisecond, []string{"open the curtains in the bedroom"}},
	"a room":                    {"open the curtains", "in the bedroom", 600 * time.Millisecond, []string{"open the curtains", "open the curtains in the bedroom"}},
	"a room after some thought": {"open the curtains", "in the bedroom", time.Second, []string{"open the curtains", "open the curtains in the bedroom"}},
	"a number": {
		"set the bedroom heating to twenty", "one degrees", 600 * time.Millisecond,
		[]string{"set the bedroom heating to twenty", "set the bedroom heating to twenty one degrees"},
	},
	"half a sentence": {
		"set the bedroom heating to", "twenty one degrees", time.Second,
		[]string{"set the bedroom heating to", "set the bedroom heating to twenty one degrees"},
	},
}

// TestPausesWithRealVoices: with the real recogniser, what is said after a pause
// reaches the mind with what was said before it. Each pause is made by one of the
// voices; the acceptance test has both make all.
func TestPausesWithRealVoices(t *testing.T) {
	if testing.Short() {
		t.Skip("it decodes speech")
	}
	names := slices.Sorted(maps.Keys(pauses))
	reachTheMind(t, func(voice int, name string) bool { return slices.Index(names, name)%2 == voice })
}

// reachTheMind has two voices make those pauses that are asked for.
func reachTheMind(t *testing.T, made func(voice int, name string) bool) {
	t.Helper()
	house, pack := fake.Villa("en"), intent.English()
	g, err := grammar.New(pack, house)
	if err != nil {
		t.Fatal(err)
	}
	ear := &literal{Engine: recogniser(t, g), grammar: g}
	for n, voice := range []string{"slt", "rms"} {
		for name, p := range pauses {
			if !made(n, name) {
				continue
			}
			t.Run(voice+", "+name, func(t *testing.T) {
				answers, err := mind.New(&fake.Matcher{Home: house}, &fake.Caller{}, &fake.Assistant{}, fake.English(),
					guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				clip := paused(t, voice, p)
				var got []string
				for range 10 { // on a busy machine a worker may be given up
					mind, observer := &listener{Mind: answers, grammar: g}, &fake.Observer{}
					ear.failed = nil
					hear(t, ear, mind, observer, clip)
					got = mind.texts
					if r := observer.Records(); len(r) != 1 {
						t.Fatalf("%d turns, expected one", len(r))
					}
					if ear.failed == nil {
						break
					}
					t.Logf("it is heard again: %v", ear.failed)
				}
				if n := len(p.texts); len(got) != n || got[n-1] != p.texts[n-1] {
					t.Errorf("the mind got %q, expected %q", got, p.texts)
				}
			})
		}
	}
}

// recogniser starts the real recogniser with a grammar.
func recogniser(t *testing.T, g *grammar.Grammar) stt.Engine {
	t.Helper()
	if _, err := os.Stat(sphinx.DefaultModelDir); err != nil {
		t.Skipf("the English model is not installed: %v", err)
	}
	cfg := stt.Default()
	cfg.Engines, cfg.Command = []string{"pocketsphinx"}, []string{fake.Worker(t), "worker", "stt"}
	e, err := stt.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	if _, err := e.SetGrammar(ctx, speech.Grammar{JSGF: g.JSGF(), Join: g.Joins(), Words: g.Words()}); err != nil {
		t.Fatal(err)
	}
	return e
}

// hear lets the loop listen to a clip as an utterance.
func hear(t *testing.T, recogniser *literal, mind ear.Mind, observer ear.Observer, c audio.Clip) {
	t.Helper()
	cfg := file.Default()
	cfg.Clips, cfg.Start = []audio.Clip{c}, time.Unix(1_700_000_000, 0)
	mic, err := file.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if room, ok := recogniser.Engine.(stt.Listener); ok {
		room.Forget()
	}
	loop, err := ear.NewLoop(ear.Config{Source: record.FromFile, PushToTalk: true}, ear.Parts{
		Mic: mic, Stt: recogniser, End: endpoint.New(endpoint.Default()), Mind: mind, Observer: observer, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// paused is the sound of words, a pause and more words in a quiet room.
func paused(t *testing.T, voice string, p pausing) audio.Clip {
	t.Helper()
	quiet := func(d time.Duration) []int16 {
		return make([]int16, int(d.Seconds()*float64(audio.SpeechRate)))
	}
	c := audio.Clip{Rate: audio.SpeechRate, Samples: quiet(time.Second)}
	c.Samples = append(c.Samples, say(t, voice, p.first)...)
	c.Samples = append(c.Samples, quiet(p.pause)...)
	c.Samples = append(c.Samples, say(t, voice, p.then)...)
	c.Samples = append(c.Samples, quiet(2*time.Second)...)
	room := rand.New(rand.NewPCG(1, 2))
	for i := range c.Samples {
		c.Samples[i] += int16(room.NormFloat64() * 15) // -67 dBFS
	}
	return c
}

// say is the sound of words by a voice of flite, without the silence around them.
func say(t *testing.T, voice, words string) []int16 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "words.wav")
	if out, err := exec.CommandContext(t.Context(), "flite", "-voice", voice, "-t", words, "-o", path).CombinedOutput(); err != nil {
		t.Skipf("flite: %v\n%s", err, out)
	}
	c, err := file.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = audio.Resample(c, audio.SpeechRate); err != nil {
		t.Fatal(err)
	}
	const piece, silent = 160, -50.0 // 10 ms, dBFS
	s := c.Samples
	for len(s) > piece && audio.Level(s[:piece]) < silent {
		s = s[piece:]
	}
	for len(s) > piece && audio.Level(s[len(s)-piece:]) < silent {
		s = s[:len(s)-piece]
	}
	return s
}
