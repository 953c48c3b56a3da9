package stt

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/language/speech"
)

// listener is a recogniser with a grammar that believes one text.
type listener struct {
	text          speech.Transcript
	from          int   // the frame from which Push has the text
	broken        error // of Begin, Push and Finish
	frames        int
	reopened      int
	grammar       speech.Grammar
	missing       []string
	neverReopened bool
	finished      func() // called by Finish; may be nil
}

func (l *listener) Attend() {}

func (l *listener) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (l *listener) Begin(context.Context) error   { l.frames = 0; return l.broken }
func (l *listener) Push(context.Context, audio.Frame) (speech.Partial, error) {
	l.frames++
	if l.frames < l.from {
		return speech.Partial{Stable: l.frames}, l.broken
	}
	return speech.Partial{Text: l.text.Text, Stable: l.frames}, l.broken
}

func (l *listener) Finish(context.Context) (speech.Transcript, error) {
	if l.finished != nil {
		l.finished()
	}
	return l.text, l.broken
}

func (l *listener) SetGrammar(_ context.Context, g speech.Grammar) ([]string, error) {
	l.grammar = g
	return l.missing, nil
}

func (l *listener) Reopen(context.Context) error {
	l.reopened++
	if l.neverReopened {
		return errors.New("no")
	}
	return nil
}

// reads is a network that answers each sound by its length in frames.
type reads struct {
	mu      sync.Mutex
	answer  func(frames int) (moonshine.Result, error)
	lengths []int
	grammar speech.Automaton
}

func (r *reads) Run(ctx context.Context) error { <-ctx.Done(); return nil }
func (r *reads) SetGrammar(_ context.Context, a speech.Automaton) error {
	r.grammar = a
	return nil
}

func (r *reads) Attend() {}

func (r *reads) Decode(_ context.Context, samples []int16) (moonshine.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lengths = append(r.lengths, len(samples)/audio.FrameSamples)
	return r.answer(len(samples) / audio.FrameSamples)
}

// said is a reading of one sentence that is also the free reading.
func said(text string) moonshine.Result {
	return moonshine.Result{Sentences: []moonshine.Reading{reading1(text, 4)}, Free: reading1(text, 4)}
}

func reading1(text string, rank float64) moonshine.Reading {
	r := moonshine.Reading{Text: text}
	r.Rank = rank
	return r
}

// reading2 is a reading of this probability.
func reading2(text string, score float64) moonshine.Reading {
	r := moonshine.Reading{Text: text}
	r.Score, r.Rank = score, score
	return r
}

func always(r moonshine.Result) func(int) (moonshine.Result, error) {
	return func(int) (moonshine.Result, error) { return r, nil }
}

// frames is sound of some frames: a tone at a level in dBFS, 0 for a quiet room.
func frames(n int, level float64) []audio.Frame {
	all := make([]audio.Frame, n)
	amplitude := 20.0
	if level != 0 {
		amplitude = math.Sqrt2 * 32768 * math.Pow(10, level/20)
	}
	for i := range all {
		samples := make([]int16, audio.FrameSamples)
		for j := range samples {
			samples[j] = int16(amplitude * math.Sin(2*math.Pi*440*float64(j)/float64(audio.SpeechRate)))
		}
		all[i] = audio.Frame{Samples: samples}
	}
	return all
}

const speaking = -20.0

func pushed(t *testing.T, e *neural, sound ...[]audio.Frame) speech.Partial {
	t.Helper()
	var p speech.Partial
	for _, f := range slices.Concat(sound...) {
		var err error
		if p, err = e.Push(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func begun(t *testing.T, l *listener, r *reads) *neural {
	t.Helper()
	e := newNeural(l, r, slog.New(slog.DiscardHandler))
	t.Cleanup(e.running.Wait)
	if err := e.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// The sound is read while the speaker is quiet, so that the text is there when the
// sentence is over.
func TestThePauseIsRead(t *testing.T) {
	t.Parallel()
	r := &reads{answer: always(said("turn on the light"))}
	e := begun(t, &listener{text: speech.Transcript{Text: "turn on the light switch"}}, r)
	if p := pushed(t, e, frames(20, 0), frames(40, speaking), frames(5, 0)); p.Text != "turn on the light switch" {
		t.Errorf("before the pause is long enough, the words are %+v", p)
	}
	p := pushed(t, e, frames(2, 0))
	if p.Text != "turn on the light" || p.Tail != 7*audio.FrameLength || p.Stable < 3 {
		t.Errorf("in the pause, the words are %+v", p)
	}
	text, err := e.Finish(t.Context())
	if err != nil || text.Text != "turn on the light" || text.Engine != "moonshine" || text.Confidence < 0.9 {
		t.Errorf("heard %+v, %v", text, err)
	}
	if len(r.lengths) != 1 {
		t.Errorf("the sound was read %d times", len(r.lengths))
	}
}

// TestAWholeSentenceIsReadAtOnce: the words of PocketSphinx tell that the quiet is probably
// the end. A soft last sound, the s of "lights", is read as well.
func TestAWholeSentenceIsReadAtOnce(t *testing.T) {
	t.Parallel()
	const soft = speaking - 25
	for name, tt := range map[string]struct {
		whole int // the frame from which PocketSphinx has the sentence
		sound [][]audio.Frame
		read  []int // frames
	}{
		"plainly over":          {0, [][]audio.Frame{frames(20, 0), frames(40, speaking), frames(8, 0)}, []int{58}},
		"over a frame later":    {62, [][]audio.Frame{frames(20, 0), frames(40, speaking), frames(8, 0)}, []int{59}},
		"over at last":          {64, [][]audio.Frame{frames(20, 0), frames(40, speaking), frames(8, 0)}, []int{60}},
		"a soft last sound":     {0, [][]audio.Frame{frames(20, 0), frames(40, speaking), frames(2, soft), frames(8, 0)}, []int{58, 60}},
		"a closure in a word":   {0, [][]audio.Frame{frames(20, 0), frames(40, speaking), frames(2, 0), frames(20, speaking), frames(8, 0)}, []int{58, 80}},
		"a sound after reading": {0, [][]audio.Frame{frames(20, 0), frames(40, speaking), frames(4, 0), frames(2, soft), frames(8, 0)}, []int{58}},
	} {
		r := &reads{answer: always(said("turn on the lights"))}
		e := begun(t, &listener{text: speech.Transcript{Text: "turn on the lights"}, from: tt.whole}, r)
		if _, err := e.SetGrammar(t.Context(), speech.Grammar{Closed: func(text string) bool { return text == "turn on the lights" }}); err != nil {
			t.Fatal(err)
		}
		if p := pushed(t, e, tt.sound...); p.Text != "turn on the lights" {
			t.Errorf("%s: %+v", name, p)
		}
		e.running.Wait()
		if slices.Sort(r.lengths); !slices.Equal(r.lengths, tt.read) {
			t.Errorf("%s: sounds of %v frames were read, want %v", name, r.lengths, tt.read)
		}
	}
}

// A sentence that only the search has found may be the beginning of another one.
func TestASentenceThatNobodyElseHeardWaits(t *testing.T) {
	t.Parallel()
	alone := said("turn it off")
	alone.Free = reading1("turn off", 4)
	for name, tt := range map[string]struct {
		r        moonshine.Result
		follower string
		quiet    int // frames
		want     string
	}{
		"found by the search alone":      {alone, "turn off", 7, "turn off"},
		"found alone, and silence":       {alone, "turn off", 15, "turn it off"},
		"heard by PocketSphinx":          {alone, "turn it off", 7, "turn it off"},
		"in the network's own words too": {said("turn it off"), "turn off", 7, "turn it off"},
	} {
		e := begun(t, &listener{text: speech.Transcript{Text: tt.follower}}, &reads{answer: always(tt.r)})
		if p := pushed(t, e, frames(20, 0), frames(40, speaking), frames(tt.quiet, 0)); p.Text != tt.want {
			t.Errorf("%s: %q, want %q", name, p.Text, tt.want)
		}
	}
}

func TestSpeechAfterAPauseIsReadToo(t *testing.T) {
	t.Parallel()
	r := &reads{answer: func(frames int) (moonshine.Result, error) {
		if frames > 60 {
			return said("set it to twenty one"), nil
		}
		return said("set it to twenty"), nil
	}}
	e := begun(t, &listener{}, r)
	if p := pushed(t, e, frames(20, 0), frames(30, speaking), frames(15, 0)); p.Text != "set it to twenty" {
		t.Errorf("in the pause, the words are %+v", p)
	}
	pushed(t, e, frames(10, speaking))
	text, err := e.Finish(t.Context()) // the source ended in the middle of a word
	if err != nil || text.Text != "set it to twenty one" || len(r.lengths) != 2 {
		t.Errorf("heard %+v, %v after reading %v frames", text, err, r.lengths)
	}
}

func TestGoingOn(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]*listener{"with PocketSphinx": {}, "without it": {neverReopened: true}} {
		r := &reads{answer: func(frames int) (moonshine.Result, error) {
			if frames > 70 {
				return said("open the curtains in the bedroom"), nil
			}
			return said("open the curtains"), nil
		}}
		e := begun(t, l, r)
		if err := e.Reopen(t.Context()); err == nil {
			t.Errorf("%s: an utterance that is open was gone on with", name)
		}
		pushed(t, e, frames(20, 0), frames(30, speaking), frames(8, 0))
		if text, err := e.Finish(t.Context()); err != nil || text.Text != "open the curtains" {
			t.Fatalf("%s: heard %+v, %v", name, text, err)
		}
		if err := e.Reopen(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pushed(t, e, frames(20, 0), frames(20, speaking), frames(8, 0))
		if text, err := e.Finish(t.Context()); err != nil || text.Text != "open the curtains in the bedroom" {
			t.Errorf("%s: heard %+v, %v", name, text, err)
		}
	}
}

// One recogniser that is out costs nothing; the act still happens.
func TestOneRecogniserIsEnough(t *testing.T) {
	t.Parallel()
	gone := errors.New("the worker has ended")
	dead := func(int) (moonshine.Result, error) { return moonshine.Result{}, gone }
	cases := map[string]struct {
		l      *listener
		r      *reads
		text   string
		engine string
		fails  bool
	}{
		"no PocketSphinx": {&listener{broken: gone}, &reads{answer: always(said("lights on"))}, "lights on", "moonshine", false},
		"no network":      {&listener{text: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}}, &reads{answer: dead}, "lights on", "pocketsphinx", false},
		"neither":         {&listener{broken: gone}, &reads{answer: dead}, "", "", true},
	}
	for name, c := range cases {
		e := begun(t, c.l, c.r)
		pushed(t, e, frames(20, 0), frames(30, speaking), frames(8, 0))
		text, err := e.Finish(t.Context())
		if (err != nil) != c.fails || text.Text != c.text || text.Engine != c.engine {
			t.Errorf("%s: heard %+v, %v", name, text, err)
		}
	}
}

// A network that hangs costs its time, and not the command.
func TestAHangingNetworkCostsNoCommand(t *testing.T) {
	t.Parallel()
	hung := make(chan struct{})
	r := &reads{answer: func(int) (moonshine.Result, error) {
		<-hung
		return said("lights off"), nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	l := &listener{text: speech.Transcript{Text: "lights on", Engine: "pocketsphinx"}, finished: cancel}
	e := newNeural(l, r, slog.New(slog.DiscardHandler))
	if err := e.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(frames(20, 0), frames(30, speaking), frames(4, 0)) {
		if _, err := e.Push(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := e.Finish(ctx)
	if err != nil || text.Text != "lights on" || text.Engine != "pocketsphinx" {
		t.Errorf("heard %+v, %v", text, err)
	}
	close(hung)
	e.running.Wait()
}

func TestNamesWithoutAPronunciationAreHeard(t *testing.T) {
	t.Parallel()
	l, r := &listener{missing: []string{"zigbee"}}, &reads{}
	e := newNeural(l, r, slog.New(slog.DiscardHandler))
	missing, err := e.SetGrammar(t.Context(), speech.Grammar{JSGF: "x", Automaton: speech.Automaton{Words: []string{"zigbee"}}})
	if err != nil || missing != nil || l.grammar.JSGF != "x" || !slices.Equal(r.grammar.Words, []string{"zigbee"}) {
		t.Errorf("missing %v, %v; PocketSphinx has %+v, the network %+v", missing, err, l.grammar, r.grammar)
	}
}

func TestTheNetworkHearsTheWideSentences(t *testing.T) {
	t.Parallel()
	l, r := &listener{}, &reads{}
	e := newNeural(l, r, slog.New(slog.DiscardHandler))
	narrow := speech.Automaton{Words: []string{"lights"}, States: make([]speech.AutomatonState, 1)}
	wide := speech.Automaton{Words: []string{"lights", "blue"}, States: make([]speech.AutomatonState, 2)}
	if _, err := e.SetGrammar(t.Context(), speech.Grammar{JSGF: "x", Automaton: narrow, Wide: wide}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.grammar.Automaton.Words, narrow.Words) || !slices.Equal(r.grammar.Words, wide.Words) {
		t.Errorf("PocketSphinx has %q, the network %q", l.grammar.Automaton.Words, r.grammar.Words)
	}
}

func TestWhatAReadingMeans(t *testing.T) {
	t.Parallel()
	free := func(text string, better float64) moonshine.Reading {
		r := moonshine.Reading{Text: text}
		r.Score = better
		return r
	}
	near, far := reading1("turn off the light", 3), reading1("turn off the lights", 1)
	cases := map[string]struct {
		r        moonshine.Result
		speaking time.Duration
		follower string
		half     bool // PocketSphinx heard only the beginning of a sentence
		want     speech.Transcript
		rejected bool
	}{
		"a sentence": {r: said("turn on the light"), want: speech.Transcript{Text: "turn on the light"}},
		"a sentence near others": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 4), near, far}, Free: free("turn on the light", 0)},
			want: speech.Transcript{Text: "turn on the light", Others: []string{"turn off the light"}},
		},
		"a sentence of which PocketSphinx heard another one": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("turn off the light", 4), reading1("turn on the light", 0.5)}, Free: free("turn off the light", 0)},
			follower: "turn on the night light",
			want:     speech.Transcript{Text: "turn off the light", Others: []string{"turn on the light"}},
		},
		"a sentence that PocketSphinx heard too": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("turn off the light", 4), reading1("turn on the light", 0.5)}, Free: free("turn off the light", 0)},
			follower: "turn off the lights", want: speech.Transcript{Text: "turn off the light"},
		},
		"half a sentence": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 1)}, Part: reading1("turn on", 2), Free: free("turn on", 0)},
			want: speech.Transcript{Text: "turn on", Unfinished: true},
		},
		"hardly more than half a sentence": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 2.1)}, Part: reading1("turn on the", 2), Free: free("turn on the light", 0)},
			want: speech.Transcript{Text: "turn on the", Unfinished: true},
		},
		"more than half a sentence in noise": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light in the large office", 1)}, Part: reading1("turn on the", 2), Free: free("turn on the lie in an art of it", 0)},
			want: speech.Transcript{Text: "turn on the light in the large office"}, speaking: 3 * time.Second,
		},
		"half a sentence, slowly": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light in the large office", 1)}, Part: reading1("turn on the", 2), Free: free("turn on the", 0)},
			want: speech.Transcript{Text: "turn on the", Unfinished: true}, speaking: 1500 * time.Millisecond,
		},
		"half a sentence and other speech": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light in the large office", -5)}, Part: reading1("turn on the", 2), Free: free("turn on the well i said to her", 0)},
			want: speech.Transcript{Text: "turn on the", Unfinished: true}, speaking: 3 * time.Second,
		},
		"half a sentence and a story": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light in the large office", 1)}, Part: reading1("turn on the", 2), Free: free("turn on the lie in an art of it", 1.5)},
			want: speech.Transcript{Text: "turn on the", Unfinished: true}, speaking: 3 * time.Second,
		},
		"half a sentence and a cough": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 2)}, Part: reading1("turn on the", 2), Free: free("turn on the", 0)},
			want: speech.Transcript{Text: "turn on the", Unfinished: true}, speaking: 3 * time.Second,
		},
		"a sentence that PocketSphinx heard go on": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3), reading1("dim the lights", 2)}, Free: free("dim the lighter", 0)},
			follower: "dim the light to", half: true, want: speech.Transcript{Text: "dim the light to", Unfinished: true},
		},
		"a sentence after which PocketSphinx heard another one begin": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3)}, Free: free("dim the lighter", 0)},
			follower: "dim the light and the", half: true, want: speech.Transcript{Text: "dim the light"},
		},
		"a sentence that only PocketSphinx heard go on": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3)}, Free: free("dim the light", 0)},
			follower: "dim the light to", half: true, want: speech.Transcript{Text: "dim the light"},
		},
		"a sentence that PocketSphinx heard half of": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3)}, Free: free("dim the lighter", 0)},
			follower: "dim the", half: true, want: speech.Transcript{Text: "dim the light"},
		},
		"a sentence and more that was not understood": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3)}, Free: free("dim the lie to the sty", 0)},
			want: speech.Transcript{Text: "dim the light", Unfinished: true}, speaking: 1700 * time.Millisecond,
		},
		"a sentence said slowly": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3)}, Free: free("dim the live it", 0)},
			want: speech.Transcript{Text: "dim the light"}, speaking: 1700 * time.Millisecond,
		},
		"a sentence written in more words": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("dim the light", 3)}, Free: free("dim the lie to the sty", 0)},
			want: speech.Transcript{Text: "dim the light"}, speaking: 1600 * time.Millisecond,
		},
		"a beginning that PocketSphinx heard too": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("turn it off", 3)}, Part: reading1("turn off", 1), Free: free("turn it off", 0)},
			follower: "turn off", half: true, want: speech.Transcript{Text: "turn off", Unfinished: true},
		},
		"a sentence of which PocketSphinx heard another beginning": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("turn it off", 3)}, Part: reading1("turn off", 1), Free: free("turn it off", 0)},
			follower: "turn on", half: true, want: speech.Transcript{Text: "turn it off"},
		},
		"a sentence far likelier than the beginning that PocketSphinx heard": {
			r:        moonshine.Result{Sentences: []moonshine.Reading{reading1("turn it off", 6.5)}, Part: reading1("turn off", 1), Free: free("turn it off", 0)},
			follower: "turn off", half: true, want: speech.Transcript{Text: "turn it off"},
		},
		"one word of other speech": {r: moonshine.Result{Part: reading1("what", 2), Free: free("what was time for you", 0)}, rejected: true},
		"one word":                 {r: moonshine.Result{Part: reading1("open", 2), Free: free("open", 0)}, want: speech.Transcript{Text: "open", Unfinished: true}},
		"only half a sentence":     {r: moonshine.Result{Part: reading1("set it to", 2), Free: free("set it to", 0)}, want: speech.Transcript{Text: "set it to", Unfinished: true}},
		"noise":                    {r: moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 1)}, Free: free("turn on the light", 16)}, rejected: true},
		"a word for a story":       {r: moonshine.Result{Sentences: []moonshine.Reading{reading1("yes", 1)}, Free: free("i want a large coffee with milk", 3)}, rejected: true},
		"nothing fits":             {r: moonshine.Result{Free: free("the weather is terrible", 0)}, rejected: true},
		"misheard by itself":       {r: moonshine.Result{Sentences: []moonshine.Reading{reading1("what's the date", 1)}, Free: free("constantly", 0.8)}, want: speech.Transcript{Text: "what's the date"}},
		"only PocketSphinx": {
			r: moonshine.Result{Free: free("lock of the front door", 0)}, follower: "lock the front door",
			want: speech.Transcript{Text: "lock of the front door", Others: []string{"lock the front door"}},
		},
		"own words that the house understands": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 1)}, Free: free("turn on the light and the fan", 5)},
			want: speech.Transcript{Text: "turn on the light and the fan"},
		},
		"own words nearly as likely as a sentence": {
			r:    moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 1)}, Free: free("turn on the light and the fan", 1)},
			want: speech.Transcript{Text: "turn on the light"},
		},
		"own words of which the network is not sure": {r: moonshine.Result{Sentences: []moonshine.Reading{reading2("turn on the light", -20)}, Free: free("turn on the light and the fan", -7)}, want: speech.Transcript{Text: "turn on the light"}},
		"a word that the house understands":          {r: moonshine.Result{Free: free("stop", 0)}, rejected: true},
		"PocketSphinx in a story":                    {r: moonshine.Result{Free: free("my book is about a boy", 0)}, follower: "lock the front door", rejected: true},
	}
	house := sayings{understood: func(text string) bool { return text == "turn on the light and the fan" || text == "stop" }, leadOn: []string{"and", "and then"}}
	for name, c := range cases {
		got := house.weigh(c.r, speech.Transcript{Text: c.follower, Unfinished: c.half}, c.speaking)
		if c.rejected {
			if got.Text != "" || got.Rejected == "" {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if got.Text != c.want.Text || got.Unfinished != c.want.Unfinished || !slices.Equal(got.Others, c.want.Others) || got.Rejected != "" {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// What fits no sentence is told as what it is where it is an order in other words, once the
// utterance has ended. A sentence of the grammar counts first, also one that was not finished.
func TestOtherWordsAreLoose(t *testing.T) {
	t.Parallel()
	readable := func(text string) bool { return strings.HasPrefix(text, "would you extinguish") }
	free := func(text string, better float64) moonshine.Reading {
		r := moonshine.Reading{Text: text}
		r.Score = better
		return r
	}
	const other = "would you extinguish the light"
	for name, c := range map[string]struct {
		r        moonshine.Result
		follower string
		want     speech.Transcript
	}{
		"an order in other words":       {moonshine.Result{Free: free(other, 0)}, "", speech.Transcript{Text: other, Loose: true}},
		"far from a sentence":           {moonshine.Result{Sentences: []moonshine.Reading{reading1("turn on the light", 1)}, Free: free(other, 20)}, "", speech.Transcript{Text: other, Loose: true}},
		"near a sentence":               {moonshine.Result{Sentences: []moonshine.Reading{reading1("extinguish the light", 1)}, Free: free(other, 3)}, "", speech.Transcript{Text: "extinguish the light"}},
		"the beginning of a sentence":   {moonshine.Result{Part: reading1("would you extinguish the", 2), Free: free(other, 3)}, "", speech.Transcript{Text: "would you extinguish the", Unfinished: true}},
		"PocketSphinx has another one":  {moonshine.Result{Free: free(other, 0)}, "extinguish the light", speech.Transcript{Text: other, Others: []string{"extinguish the light"}}},
		"other speech":                  {moonshine.Result{Free: free("my book is about a boy", 0)}, "", speech.Transcript{}},
		"two words":                     {moonshine.Result{Free: free("would you", 0)}, "", speech.Transcript{}},
		"the network is not sure of it": {moonshine.Result{Free: reading2(other, -7)}, "", speech.Transcript{}},
	} {
		e := begun(t, &listener{text: speech.Transcript{Text: c.follower}}, &reads{answer: always(c.r)})
		if _, err := e.SetGrammar(t.Context(), speech.Grammar{Readable: readable}); err != nil {
			t.Fatal(err)
		}
		p := pushed(t, e, frames(20, 0), frames(40, speaking), frames(20, 0))
		got, err := e.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != c.want.Text || got.Loose != c.want.Loose || got.Unfinished != c.want.Unfinished || !slices.Equal(got.Others, c.want.Others) || (got.Rejected == "") != (got.Text != "") {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if got.Loose && p.Text == got.Text {
			t.Errorf("%s: %q is told before the end", name, p.Text)
		}
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	room := -60.0
	cases := map[string]struct {
		sound [][]audio.Frame
		quiet time.Duration
		from  int // frame
	}{
		"nobody":             {[][]audio.Frame{frames(50, room)}, 0, 0},
		"a click":            {[][]audio.Frame{frames(30, room), frames(2, -10), frames(30, room)}, 0, 0},
		"speech":             {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(6, room)}, 6 * audio.FrameLength, 50 - 2 - 15},
		"a quiet last sound": {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(3, speaking-15), frames(4, room)}, 4 * audio.FrameLength, 50 - 2 - 15},
		"somebody far away":  {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(10, speaking-25)}, 10 * audio.FrameLength, 50 - 2 - 15},
	}
	for name, c := range cases {
		p := &pauses{}
		for _, f := range slices.Concat(c.sound...) {
			p.push(f.Samples)
		}
		if p.quiet() != c.quiet {
			t.Errorf("%s: quiet for %v, want %v", name, p.quiet(), c.quiet)
		}
		if from := (len(p.sound) - len(p.speechPart())) / audio.FrameSamples; from != c.from {
			t.Errorf("%s: the speech is kept from frame %d on, want %d", name, from, c.from)
		}
	}
	p := &pauses{}
	for _, f := range frames(2*longest/audio.FrameSamples, speaking) {
		p.push(f.Samples)
	}
	if len(p.sound) > longest {
		t.Errorf("%d samples are kept", len(p.sound))
	}
}

// TestSpeakingTime counts how long the user spoke: a pause is not speech, the gap between
// two syllables is.
func TestSpeakingTime(t *testing.T) {
	t.Parallel()
	room := -60.0
	for name, c := range map[string]struct {
		sound [][]audio.Frame
		want  int // frames
	}{
		"nobody":     {[][]audio.Frame{frames(50, room)}, 0},
		"one breath": {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(6, room)}, 22},
		"syllables":  {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(6, room), frames(20, speaking), frames(30, room)}, 48},
		"a pause":    {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(40, room), frames(20, speaking)}, 42},
		"two pauses": {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(40, room), frames(20, speaking), frames(15, room), frames(10, speaking)}, 52},
		"then quiet": {[][]audio.Frame{frames(50, room), frames(20, speaking), frames(200, room)}, 22},
	} {
		p := &pauses{}
		for _, f := range slices.Concat(c.sound...) {
			p.push(f.Samples)
		}
		if want := time.Duration(c.want) * audio.FrameLength; p.speaking() != want {
			t.Errorf("%s: somebody spoke for %v, want %v", name, p.speaking(), want)
		}
	}
}

func TestAutoTakesWhatIsInstalled(t *testing.T) {
	t.Parallel()
	cfg := Default()
	cfg.ModelsDir = t.TempDir()
	resolved, hint := cfg.Resolve()
	if !slices.Equal(resolved.Engines, []string{"pocketsphinx"}) || !strings.Contains(hint, "no model") {
		t.Errorf("nothing installed: %v, %q", resolved.Engines, hint)
	}
	if !slices.Equal(cfg.Engines, []string{"auto"}) {
		t.Errorf("the configuration itself was changed: %v", cfg.Engines)
	}
	cfg.Moonshine.Dir = "/somewhere"
	if resolved, hint = cfg.Resolve(); !slices.Equal(resolved.Engines, []string{"moonshine"}) || hint != "" {
		t.Errorf("a model is named: %v, %q", resolved.Engines, hint)
	}
	cfg.Engines = []string{"pocketsphinx"}
	if resolved, _ = cfg.Resolve(); !slices.Equal(resolved.Engines, cfg.Engines) {
		t.Errorf("a list that names engines is obeyed: %v", resolved.Engines)
	}
}

// TestSparingHearsWithOneAfterTheOther: where nobody waits, the network reads the whole
// sound when PocketSphinx has ended, and ends itself after that. The text is the same.
func TestSparingHearsWithOneAfterTheOther(t *testing.T) {
	var order []string
	note := func(what string) func() { return func() { order = append(order, what) } }
	l := &listener{finished: note("PocketSphinx has heard")}
	r := &reads{answer: func(int) (moonshine.Result, error) {
		order = append(order, "the network reads")
		return said("turn on the heater"), nil
	}}
	e := newNeural(l, r, slog.New(slog.DiscardHandler))
	e.dismiss = &struct{ follower, network func() }{note("PocketSphinx ends"), note("the network ends")}
	if err := e.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	pushed(t, e, frames(50, speaking), frames(30, 0))
	got, err := e.Finish(t.Context())
	if err != nil || got.Text != "turn on the heater" {
		t.Errorf("heard %+v, %v", got, err)
	}
	want := []string{"PocketSphinx has heard", "PocketSphinx ends", "the network reads", "the network ends"}
	if !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}
