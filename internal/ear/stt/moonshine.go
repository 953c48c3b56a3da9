package stt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/language/text"
)

// Gates of the network's readings, in natural logarithms of probabilities. They were
// found on the human recordings (docs/facts/engines.md, Moonshine along a grammar).
const (
	// mostLost is how much less probable than the network's own words a sentence may be.
	mostLost = 15.0
	// mostUnlike is the share of letters in which a sentence may differ from the network's
	// free reading. A short sentence fits many sounds, but then differs far more. A long
	// sentence that the network finds nearly as likely as its free reading (by eachLetter for
	// each letter beyond fewLetters) was said all the same.
	mostUnlike = 0.6
	eachLetter = 0.25
	fewLetters = 4
	// unfinishedBy is by how much a whole sentence has to be likelier than the beginning of a
	// sentence. If PocketSphinx has heard exactly the same beginning, unfinishedHeardBy
	// applies instead.
	unfinishedBy      = 1.0
	unfinishedHeardBy = 5.0
	// A beginning with so few words that each would have taken longer than longestWord cannot
	// be all that was said. Then a whole sentence was said, in noise, if it has at least
	// moreWords words, is hardly less likely, and is likelier than the network's free
	// reading.
	longestWord = 550 * time.Millisecond
	moreWords   = 3
	hardlyLess  = 2.0
	// A whole sentence cannot be all that was said either, if its words would have taken that
	// long and the free reading has at least leftOut more words.
	leftOut = 2
	// nearBy is how far below the best sentence another one may be and still count as a
	// possible reading. If PocketSphinx has heard that other sentence, nearHeardBy applies
	// instead.
	nearBy      = 2.5
	nearHeardBy = 4.0
	// The network's free reading counts if the house understands it, it has leastOwn words,
	// it is at least as likely as mostUnsure says, and it is betterOwn likelier than the
	// best sentence of the grammar.
	leastOwn   = 3
	mostUnsure = -6.0
	betterOwn  = 2.0
)

// MoonshineConfig says where the network is. If it is empty, the model that `models pull`
// has installed is used.
type MoonshineConfig struct {
	Dir     string `yaml:"dir"`     // of the model
	Runtime string `yaml:"runtime"` // file of ONNX Runtime, 1.23 or newer
}

// readTimeout is how long a reading may take before the text of PocketSphinx counts.
const readTimeout = 3 * time.Second

// neural hears with a network beside PocketSphinx. PocketSphinx follows the speech
// word by word and finds the end of the sentence early. The network reads the sound
// so far whenever the speaker pauses, and its text counts: when the pause turns out
// to be the end, the text is there already.
type neural struct {
	follower Engine // PocketSphinx
	network  network
	log      *slog.Logger
	patience time.Duration // how long a reading may take
	// dismiss ends the worker of PocketSphinx and that of the network, each when it has heard
	// an utterance (Config.Sparing); nil: both run beside each other.
	dismiss *struct{ follower, network func() }

	running sync.WaitGroup // readings

	mu      sync.Mutex
	house   sayings   // of the grammar
	current *followed // being spoken
	last    *followed // finished, and can be gone on with
}

// sayings is what is known of the sentences of the house beside the automaton.
type sayings struct {
	understood func(text string) bool // Grammar.Understood
	closed     func(text string) bool // Grammar.Closed
	readable   func(text string) bool // Grammar.Readable
	leadOn     []string               // Grammar.LeadOn
}

// network reads a sound along the grammar.
type network interface {
	Run(ctx context.Context) error
	Attend()
	SetGrammar(ctx context.Context, a speech.Automaton) error
	Decode(ctx context.Context, samples []int16) (moonshine.Result, error)
}

// followed is an utterance.
type followed struct {
	pauses
	reading *reading // the newest; nil before the first pause
	failed  error    // why PocketSphinx is out for this utterance

	expected speech.Expected
}

// reading is what the network makes of the first samples of an utterance.
type reading struct {
	speechEnd int // of the speech in it, in samples
	length    int // of the utterance when it was begun, in samples
	stop      context.CancelFunc
	done      chan struct{}
	result    moonshine.Result
	err       error
}

func newMoonshine(cfg Config) (Engine, error) {
	client, err := newNetwork(cfg)
	if err != nil {
		return nil, err
	}
	sphinx, err := newPocketSphinx(cfg)
	if err != nil {
		return nil, err
	}
	follower := Engine(sphinx)
	if cfg.Denoise != "off" {
		follower = withDenoiser(follower)
	}
	e := newNeural(follower, client, cfg.Log)
	e.patience = cmp.Or(cfg.Patience, readTimeout)
	if cfg.Sparing {
		e.dismiss = &struct{ follower, network func() }{sphinx.client.Dismiss, client.Dismiss}
	}
	return e, nil
}

// newNetwork makes the network without PocketSphinx beside it.
func newNetwork(cfg Config) (*moonshine.Client, error) {
	installed, err := cfg.moonshine()
	if err != nil {
		return nil, fmt.Errorf("stt: moonshine: %w; install it with: voice-gateway models pull moonshine-tiny-en", err)
	}
	command := slices.Clone(cfg.Command)
	if last := len(command) - 1; last >= 0 {
		command[last] += "-moonshine" // `worker stt` becomes `worker stt-moonshine`
	}
	return moonshine.New(moonshine.Config{Command: command, Env: cfg.Env, Library: installed.Library, Dir: installed.Dir, Log: cfg.Log, Patience: cfg.Patience, Restarted: cfg.Restarted, Idle: cfg.Idle})
}

// moonshine returns where the network for the language is.
func (c Config) moonshine() (moonshine.Installed, error) {
	if c.Moonshine.Dir == "" {
		in, err := moonshine.Find(c.ModelsDir, c.Language)
		if err == nil && c.Moonshine.Runtime != "" {
			in.Library = c.Moonshine.Runtime
		}
		return in, err
	}
	in := moonshine.Installed{Dir: c.Moonshine.Dir, Library: c.Moonshine.Runtime}
	if in.Library == "" {
		in.Library = filepath.Join(in.Dir, "libonnxruntime.so")
	}
	return in, nil
}

func newNeural(follower Engine, n network, log *slog.Logger) *neural {
	return &neural{follower: follower, network: n, log: log, patience: readTimeout}
}

// Run runs both recognisers. When one of them ends, the other keeps running.
func (e *neural) Run(ctx context.Context) error {
	var both sync.WaitGroup
	for name, run := range map[string]func(context.Context) error{"pocketsphinx": e.follower.Run, "moonshine": e.network.Run} {
		both.Go(func() {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				e.log.Warn("a recogniser ended; the other one goes on", "engine", name, "err", err)
			}
		})
	}
	<-ctx.Done()
	e.mu.Lock()
	e.current.drop()
	e.last.drop()
	e.current, e.last = nil, nil
	e.mu.Unlock()
	e.running.Wait()
	both.Wait()
	return nil
}

func (e *neural) Attend() {
	e.follower.Attend()
	e.network.Attend()
}

// SetGrammar never reports a missing word, because the network spells: it hears
// names that have no pronunciation.
func (e *neural) SetGrammar(ctx context.Context, g speech.Grammar) (missing []string, err error) {
	if _, err := e.follower.SetGrammar(ctx, g); err != nil {
		e.log.Warn("a recogniser did not take the grammar; the other one is asked", "engine", "pocketsphinx", "err", err)
	}
	e.mu.Lock()
	e.house = sayings{g.Understood, g.Closed, g.Readable, g.LeadOn}
	e.mu.Unlock()
	if len(g.Wide.States) > 0 {
		return nil, e.network.SetGrammar(ctx, g.Wide)
	}
	return nil, e.network.SetGrammar(ctx, g.Automaton)
}

// Observe lets PocketSphinx hear the room.
func (e *neural) Observe(f audio.Frame) {
	if room, ok := e.follower.(Listener); ok {
		room.Observe(f)
	}
}

// Forget says that the sound that follows comes from another room.
func (e *neural) Forget() {
	if room, ok := e.follower.(Listener); ok {
		room.Forget()
	}
}

// Begin never fails: if one recogniser cannot hear, the other one can.
func (e *neural) Begin(ctx context.Context) error { return e.BeginFor(ctx, speech.Sentence) }

// open makes an utterance the one that is being spoken. The error is that of
// PocketSphinx.
func (e *neural) open(u *followed, err error) {
	e.mu.Lock()
	e.current.drop()
	e.last.drop()
	e.current, e.last = u, nil
	e.mu.Unlock()
	e.noteLost(u, err)
}

// noteLost notes that PocketSphinx is out for an utterance.
func (e *neural) noteLost(u *followed, err error) {
	if err != nil && u.failed == nil {
		u.failed = err
		e.log.Warn("a recogniser failed; the other one is asked", "engine", "pocketsphinx", "err", err)
	}
}

func (e *neural) now() *followed {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current
}

// Push reads the sound at every pause. At waitAfter it waits for the reading, so that the
// same sound gives the same words at the same time on every machine. A sentence that
// matches neither the free reading nor PocketSphinx is reported only after a longer
// pause: from the "turn off" of "turn off the fan" the grammar makes "turn it off".
func (e *neural) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	u := e.now()
	if u == nil {
		return speech.Partial{}, errNotBegun
	}
	var p speech.Partial
	if u.failed == nil {
		var err error
		p, err = e.follower.Push(ctx, f)
		e.noteLost(u, err)
	}
	u.push(f.Samples)
	e.readInPause(ctx, u, p.Text)
	if u.expected != speech.Sentence || !u.read() || u.quiet() < waitAfter || !u.reading.over() || u.reading.err != nil {
		return p, nil
	}
	t := e.weigh(u.reading.result, speech.Transcript{}, u.speaking())
	alone := t.Text != u.reading.result.Free.Text && t.Text != p.Text
	if t.Rejected == "" && (!alone || u.quiet() >= aloneAfter) {
		return speech.Partial{Text: t.Text, Tail: u.quiet(), Stable: int(u.quiet() / audio.FrameLength)}, nil
	}
	return p, nil
}

// readInPause begins a reading in a pause of the speaker, and waits for it in a longer one.
// It begins as soon as the words of PocketSphinx are a sentence that cannot go on, and once
// more if a soft last sound came after that.
func (e *neural) readInPause(ctx context.Context, u *followed, words string) {
	switch quiet := u.quiet(); {
	case e.dismiss != nil:
	case quiet >= readEarly && quiet < readAfter && u.expected == speech.Sentence && words != "" && e.cannotGoOn(words):
		e.read(ctx, u)
	case quiet == readAfter:
		if u.read() && u.reading.length < u.soundEnd {
			u.drop()
			u.reading = nil
		}
		e.read(ctx, u)
	}
	if u.quiet() == waitAfter && u.read() {
		e.await(ctx, u.reading)
	}
}

// cannotGoOn reports whether words are a sentence that cannot go on, in the present house.
func (e *neural) cannotGoOn(words string) bool {
	e.mu.Lock()
	closed := e.house.closed
	e.mu.Unlock()
	return closed != nil && closed(words)
}

// read has the network read the sound so far, unless it has read all the speech. The
// reading continues after the call that began it.
func (e *neural) read(ctx context.Context, u *followed) {
	if u.read() {
		return
	}
	u.drop()
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), e.patience)
	r := &reading{speechEnd: u.speechEnd, length: len(u.sound), stop: stop, done: make(chan struct{})}
	u.reading = r
	sound := slices.Clone(u.speechPart())
	e.running.Go(func() {
		defer stop()
		defer close(r.done)
		r.result, r.err = e.network.Decode(ctx, sound)
	})
}

// await waits for a reading.
func (e *neural) await(ctx context.Context, r *reading) {
	select {
	case <-r.done:
	case <-ctx.Done():
	}
}

// over reports whether the result and the error of a reading are there.
func (r *reading) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// why returns the error of a reading that was waited for until it ended or ctx did.
func (r *reading) why(ctx context.Context) error {
	if r.over() {
		return r.err
	}
	return fmt.Errorf("waiting for the network: %w", context.Cause(ctx))
}

// read reports whether the newest reading has all the speech.
func (u *followed) read() bool { return u.reading != nil && u.reading.speechEnd == u.speechEnd }

// drop ends the reading.
func (u *followed) drop() {
	if u != nil && u.reading != nil {
		u.reading.stop()
	}
}

// Finish returns the network's text. Where the network fails, or does not answer in
// time, it is that of PocketSphinx.
func (e *neural) Finish(ctx context.Context) (speech.Transcript, error) {
	u := e.now()
	if u == nil {
		return speech.Transcript{}, errNotBegun
	}
	if e.dismiss == nil {
		e.read(ctx, u)
	}
	byFollower, err := e.follower.Finish(ctx) // also after a failed Push: it closes the utterance
	if e.dismiss != nil {
		e.dismiss.follower()
		e.read(ctx, u)
		defer e.dismiss.network()
	}
	if u.failed == nil && err != nil {
		u.failed = err
	}
	if u.failed != nil {
		byFollower = speech.Transcript{}
	}
	e.await(ctx, u.reading)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current, e.last = nil, u
	switch r := u.reading; {
	case u.expected != speech.Sentence && r.over() && r.err == nil:
		return joinListed(u.expected, byFollower, r.result.Free.Text), nil
	case r.over() && r.err == nil:
		t := e.house.decide(r.result, byFollower, u.speaking())
		t.Engine = "moonshine"
		return t, nil
	case u.failed == nil:
		e.log.Warn("a recogniser failed; the other one is asked", "engine", "moonshine", "err", r.why(ctx))
		return byFollower, nil
	default:
		return speech.Transcript{}, errors.Join(r.why(ctx), u.failed)
	}
}

// Reopen continues the last utterance, with PocketSphinx if that is possible.
func (e *neural) Reopen(ctx context.Context) error {
	e.mu.Lock()
	u := e.last
	e.mu.Unlock()
	if u == nil {
		return errors.New("going on with an utterance: there is none to go on with")
	}
	if again, ok := e.follower.(Reopener); ok && u.failed == nil {
		e.noteLost(u, again.Reopen(ctx))
	} else if u.failed == nil {
		e.noteLost(u, errors.New("it cannot go on with an utterance"))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current, e.last = u, nil
	return nil
}

// weigh decides what a reading means in the present house.
func (e *neural) weigh(r moonshine.Result, byFollower speech.Transcript, speaking time.Duration) speech.Transcript {
	e.mu.Lock()
	house := e.house
	e.mu.Unlock()
	return house.weigh(r, byFollower, speaking)
}

// weigh decides what a reading of a time of speech means. The network always finds a sentence
// of the grammar; what tells commands from other speech is how far it is from the network's
// free reading. The free reading counts if it is plainly a sentence that the grammar lacks,
// such as "turn on the light and the fan". If the sound is rejected but PocketSphinx has found
// a sentence like the free reading, the user is asked. A sentence that differs a little from
// the free reading, and that continues in what PocketSphinx heard, was not finished; neither
// was one that is much shorter than the speech.
func (s sayings) weigh(r moonshine.Result, byFollower speech.Transcript, speaking time.Duration) speech.Transcript {
	best, unfinished := likeliest(r, byFollower, speaking)
	lost := r.Free.Score - best.Score
	switch {
	case ownWords(r, best, s.understood):
		return speech.Transcript{Text: r.Free.Text, Confidence: ownConfidence(r.Free)}
	case far(r, best) && byFollower.Text != "" && !byFollower.Unfinished && text.Unlikeness(r.Free.Text, byFollower.Text) <= mostUnlike:
		return speech.Transcript{Text: r.Free.Text, Others: []string{byFollower.Text}}
	case far(r, best):
		return speech.Transcript{Rejected: fmt.Sprintf("like other speech: %q is %.1f less likely than %q, and %.0f %% unlike it",
			best.Text, lost, r.Free.Text, 100*text.Unlikeness(r.Free.Text, best.Text))}
	}
	t := speech.Transcript{Text: best.Text, Unfinished: unfinished, Confidence: 1 / (1 + math.Exp((lost-mostLost)/marginScale))}
	switch {
	case s.goesOn(byFollower, best.Text) && r.Free.Text != best.Text:
		t.Text, t.Unfinished = byFollower.Text, true
	case leavesOut(r.Free.Text, best.Text, speaking):
		t.Unfinished = true
	}
	if t.Unfinished {
		return t
	}
	for _, other := range r.Sentences[1:] {
		near := nearBy
		if sidesWith(byFollower, other.Text, best.Text) {
			near = nearHeardBy
		}
		if other.Rank > best.Rank-near {
			t.Others = append(t.Others, other.Text)
		}
	}
	return t
}

// goesOn reports whether PocketSphinx has heard a sentence and the beginning of more,
// as "dim the light to". In noise it often hears a word that would lead to another
// sentence, as "and": that leaves the first one whole.
func (s sayings) goesOn(byFollower speech.Transcript, sentence string) bool {
	more, longer := strings.CutPrefix(byFollower.Text, sentence+" ")
	return byFollower.Unfinished && longer && !slices.ContainsFunc(s.leadOn, func(j string) bool { return strings.HasPrefix(more+" ", j+" ") })
}

// leavesOut reports whether the network wrote more words than a sentence has, and there
// was time for more.
func leavesOut(free, sentence string, speaking time.Duration) bool {
	words := len(strings.Fields(sentence))
	return speaking > time.Duration(words)*longestWord && len(strings.Fields(free)) >= words+leftOut
}

// sidesWith reports whether PocketSphinx has heard the words of one sentence that tell
// it from another one, and had no doubt about them.
func sidesWith(byFollower speech.Transcript, one, another string) bool {
	of, not := apart(one, another), apart(another, one)
	if len(of) == 0 || len(not) == 0 || byFollower.Unfinished {
		return false
	}
	for _, text := range append([]string{byFollower.Text}, byFollower.Others...) {
		words := strings.Fields(text)
		holds := func(w string) bool { return slices.Contains(words, w) }
		if slices.ContainsFunc(not, holds) || slices.ContainsFunc(of, func(w string) bool { return !holds(w) }) {
			return false
		}
	}
	return true
}

// apart returns the words of a text that another text does not have.
func apart(text, from string) []string {
	other := strings.Fields(from)
	return slices.DeleteFunc(strings.Fields(text), func(w string) bool { return slices.Contains(other, w) })
}

// likeliest returns the best sentence, or the beginning of one if no whole sentence is
// clearly likelier. A beginning of one word counts only if it is the whole free reading,
// because one word begins many sentences that are not for the house.
func likeliest(r moonshine.Result, byFollower speech.Transcript, speaking time.Duration) (best moonshine.Reading, unfinished bool) {
	by := unfinishedBy
	if byFollower.Unfinished && byFollower.Text == r.Part.Text {
		by = unfinishedHeardBy
	}
	switch {
	case len(r.Sentences) > 0 && (r.Part.Text == "" || r.Sentences[0].Rank >= r.Part.Rank+by || longer(r, speaking)):
		return r.Sentences[0], false
	case r.Part.Text != r.Free.Text && len(strings.Fields(r.Part.Text)) == 1:
		return moonshine.Reading{}, false
	}
	return r.Part, r.Part.Text != ""
}

// longer reports whether so much speech was a whole sentence, although the beginning of
// one is more likely by itself.
func longer(r moonshine.Result, speaking time.Duration) bool {
	whole, few := r.Sentences[0], len(strings.Fields(r.Part.Text))
	return speaking > time.Duration(few)*longestWord && len(strings.Fields(whole.Text)) >= few+moreWords &&
		whole.Rank >= max(r.Part.Rank-hardlyLess, r.Free.Score)
}

// ownWords reports whether the network's free reading is a sentence that the house
// understands and the grammar lacks.
func ownWords(r moonshine.Result, best moonshine.Reading, understood func(string) bool) bool {
	switch {
	case understood == nil || r.Free.Score < mostUnsure || len(strings.Fields(r.Free.Text)) < leastOwn:
		return false
	case best.Text != "" && r.Free.Score-best.Score < betterOwn:
		return false
	}
	return understood(r.Free.Text)
}

// decide decides what an utterance means that is over. What would be rejected counts as the
// network wrote it, if that is an order in other words.
func (s sayings) decide(r moonshine.Result, byFollower speech.Transcript, speaking time.Duration) speech.Transcript {
	t := s.weigh(r, byFollower, speaking)
	if t.Rejected != "" && s.reads(r.Free) {
		return speech.Transcript{Text: r.Free.Text, Loose: true, Confidence: ownConfidence(r.Free)}
	}
	return t
}

// reads reports whether a free reading that fits no sentence is an order in other words.
func (s sayings) reads(free moonshine.Reading) bool {
	return s.readable != nil && free.Score >= mostUnsure && len(strings.Fields(free.Text)) >= leastOwn && s.readable(free.Text)
}

// ownConfidence is how sure the network is of its free reading, from 0 to 1: the mean
// probability of a word.
func ownConfidence(free moonshine.Reading) float64 {
	return math.Exp(free.Score / float64(len(strings.Fields(free.Text))))
}

// far reports whether a sentence is too far from what the network writes by itself.
func far(r moonshine.Result, best moonshine.Reading) bool {
	lost := r.Free.Score - best.Score
	if best.Text == "" || lost > mostLost {
		return true
	}
	return text.Unlikeness(r.Free.Text, best.Text) > mostUnlike && lost > eachLetter*float64(len(best.Text)-fewLetters)
}
