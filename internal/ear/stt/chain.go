package stt

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/denoise"
	"voicegateway/internal/language/speech"
)

// unclaimed is how long a finished utterance waits for Second. A turn that wants
// to know more asks at once; after this time the services are let go.
const unclaimed = 3 * time.Second

// chain hears an utterance with several engines and takes the first text in the configured order. An engine with a
// grammar is quick: if it is the first, Finish returns what it accepts. In every other case (it rejects the sound, hears
// the beginning of a sentence only, fails, or is not the first) Second asks the engines one after the other, each within
// its time. So an engine that crashed, stalled or heard nothing costs its time, and never the command.
//
// Behind a grammar the open recognisers get no sound before they are asked: what the grammar understands, and talk that
// is not meant for the gateway, stays on this machine. If an open recogniser is the first, the open ones hear the sound
// while it is spoken.
type chain struct {
	order   []string // names, as configured
	grammar Engine   // nil where no engine has one
	name    string   // of the engine with the grammar
	open    map[string]recogniser
	noise   *denoise.Suppressor // nil: each engine gets the sound as it is, or cleans it itself
	timeout time.Duration
	log     *slog.Logger

	mu      sync.Mutex
	names   []string // of the house
	current *attempt // being spoken
	last    *attempt // finished, and not yet asked about
}

// attempt is one utterance with everything that hears it.
type attempt struct {
	utterance
	streams   map[string]stream
	byGrammar speech.Transcript // result of the engine with the grammar
	err       error             // why it heard nothing, or failed
	timer     *time.Timer
	alone     bool // only the engine with the grammar hears it, see reopenable
}

func newChain(cfg Config) (Engine, error) {
	c := &chain{order: cfg.Engines, open: map[string]recogniser{}, timeout: cfg.Timeout, log: cfg.Log}
	if c.timeout <= 0 {
		c.timeout = openTimeout
	}
	own := cfg.Denoise
	if own == "on" {
		c.noise, own = denoise.New(), "off"
	}
	for _, name := range cfg.Engines {
		if newRecogniser, ok := recognisers[name]; ok {
			r, err := newRecogniser(cfg)
			if err != nil {
				return nil, err
			}
			c.open[name] = r
			continue
		}
		if c.grammar != nil {
			return nil, fmt.Errorf("stt: %s and %s both hear by the grammar; leave one out", c.name, name)
		}
		e, err := newEngine(cfg, name, own)
		if err != nil {
			return nil, err
		}
		c.grammar, c.name = e, name
	}
	if again, ok := c.grammar.(Reopener); ok && c.order[0] == c.name {
		return &reopenable{c, again}, nil
	}
	return c, nil
}

// Run runs all engines. When one of them ends, the others keep running.
func (c *chain) Run(ctx context.Context) error {
	var all sync.WaitGroup
	start := func(name string, run func(context.Context) error) {
		all.Go(func() {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				c.log.Warn("a recogniser ended; the others go on", "engine", name, "err", err)
			}
		})
	}
	if c.grammar != nil {
		start(c.name, c.grammar.Run)
	}
	for name, r := range c.open {
		start(name, r.run)
	}
	<-ctx.Done()
	c.mu.Lock()
	c.current.drop()
	c.last.drop()
	c.current, c.last = nil, nil
	c.mu.Unlock()
	all.Wait()
	return nil
}

// Attend does nothing for recognisers elsewhere: they have no worker here.
func (c *chain) Attend() {
	if c.grammar != nil {
		c.grammar.Attend()
	}
}

// SetGrammar gives the grammar to the engine that hears by one, and the names to
// those that only want to spell them.
func (c *chain) SetGrammar(ctx context.Context, g speech.Grammar) (missing []string, err error) {
	c.mu.Lock()
	c.names = slices.Clone(g.Names)
	c.mu.Unlock()
	if c.grammar == nil {
		return nil, nil
	}
	return c.grammar.SetGrammar(ctx, g)
}

// Observe lets the engines hear the room.
func (c *chain) Observe(f audio.Frame) {
	if c.noise != nil {
		c.noise.Learn(f.Samples)
	}
	if room, ok := c.grammar.(Listener); ok {
		room.Observe(f)
	}
}

// Forget says that the sound that follows comes from another room.
func (c *chain) Forget() {
	if c.noise != nil {
		c.noise = denoise.New()
	}
	if room, ok := c.grammar.(Listener); ok {
		room.Forget()
	}
}

// Begin never fails: if one engine cannot hear, another can.
func (c *chain) Begin(ctx context.Context) error { return c.BeginFor(ctx, speech.Sentence) }

// beginWith starts an utterance, in the engine with the grammar by begin.
func (c *chain) beginWith(begin func(Engine) error) {
	a := &attempt{streams: map[string]stream{}}
	if c.order[0] != c.name {
		for name, r := range c.open {
			a.streams[name] = r.begin()
		}
	}
	c.mu.Lock()
	c.current.drop()
	c.last.drop()
	a.names = c.names
	c.current, c.last = a, nil
	c.mu.Unlock()
	if c.noise != nil {
		c.noise.Begin()
	}
	if c.grammar != nil {
		c.noteFailure(a, begin(c.grammar))
	}
}

// noteFailure notes that the engine with the grammar is out for this utterance.
func (c *chain) noteFailure(a *attempt, err error) {
	if err == nil {
		return
	}
	a.err = err
	c.log.Warn("a recogniser failed; the next one is asked", "engine", c.name, "err", err)
}

var errNotBegun = errors.New("recognising speech: no utterance has begun")

func (c *chain) Push(ctx context.Context, f audio.Frame) (speech.Partial, error) {
	a := c.now()
	if a == nil {
		return speech.Partial{}, errNotBegun
	}
	if c.noise != nil {
		f.Samples = c.noise.Clean(make([]int16, 0, len(f.Samples)), f.Samples)
	}
	if room := longest - len(a.sound); room > 0 && !a.alone {
		fits := f.Samples[:min(len(f.Samples), room)]
		a.sound = append(a.sound, fits...)
		for _, s := range a.streams {
			s.push(fits)
		}
	}
	if c.grammar == nil {
		for _, name := range c.order {
			if text := a.streams[name].partial(); text != "" {
				return speech.Partial{Text: strings.Join(splitWords(text), " ")}, nil
			}
		}
		return speech.Partial{}, nil
	}
	if a.err != nil {
		return speech.Partial{}, nil
	}
	p, err := c.grammar.Push(ctx, f)
	c.noteFailure(a, err)
	return p, nil
}

func (c *chain) now() *attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// Finish returns the text of the engine with the grammar, if that engine is the
// first in the order and took the utterance for a whole command. Otherwise the text
// is empty, and Second finds it out: what seems to be the beginning of a sentence may
// be a sentence of words that the grammar lacks.
func (c *chain) Finish(ctx context.Context) (speech.Transcript, error) {
	a := c.now()
	if a == nil {
		return speech.Transcript{}, errNotBegun
	}
	if c.grammar != nil {
		// The utterance has to be closed after a failed Push as well.
		transcript, err := c.grammar.Finish(ctx)
		if a.err == nil {
			a.byGrammar = transcript
			c.noteFailure(a, err)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current = nil
	if a.alone {
		return a.byGrammar, a.err
	}
	if c.order[0] == c.name && a.err == nil && a.byGrammar.Text != "" && !a.byGrammar.Unfinished && !a.byGrammar.Loose {
		a.drop()
		return a.byGrammar, nil
	}
	c.last = a
	a.timer = time.AfterFunc(unclaimed, a.release)
	return speech.Transcript{Engine: a.byGrammar.Engine, Rejected: a.byGrammar.Rejected}, nil
}

// Second asks all engines, in their order, about the utterance that was finished last,
// until one has a text. The beginning of a sentence, or a text that fits no sentence, counts
// only if no engine has more. If
// all engines that work reject the utterance, the text is empty and Rejected says why; it
// is an error only if none of them worked.
func (c *chain) Second(ctx context.Context) (speech.Transcript, error) {
	c.mu.Lock()
	a := c.last
	c.last = nil
	c.mu.Unlock()
	if a == nil || (a.timer != nil && !a.timer.Stop()) {
		return speech.Transcript{}, errNotBegun
	}
	defer a.drop()
	loud := measure(a.sound)
	var rejected, failures []string
	var begun speech.Transcript
	for _, name := range c.order {
		t, err := c.askOne(ctx, name, a, loud)
		switch {
		case ctx.Err() != nil:
			return speech.Transcript{}, fmt.Errorf("recognising speech: %w", context.Cause(ctx))
		case err != nil:
			failures = append(failures, name+": "+err.Error())
		case t.Unfinished, t.Loose:
			begun = t
		case t.Text != "":
			return t, nil
		default:
			rejected = append(rejected, name+": "+t.Rejected)
		}
	}
	if begun.Text != "" {
		return begun, nil
	}
	if len(rejected) == 0 {
		return speech.Transcript{}, errors.New(strings.Join(failures, "; "))
	}
	return speech.Transcript{Engine: c.order[len(c.order)-1], Rejected: strings.Join(append(rejected, failures...), "; ")}, nil
}

// askOne returns what one engine makes of an utterance.
func (c *chain) askOne(ctx context.Context, name string, a *attempt, loud loudness) (speech.Transcript, error) {
	if name == c.name {
		return a.byGrammar, a.err
	}
	t := speech.Transcript{Engine: name}
	if loud.speech < leastTime {
		t.Rejected = "nothing in the sound stands out as speech"
		return t, nil
	}
	s, begun := a.streams[name]
	if !begun {
		s = c.open[name].begin()
		s.push(a.sound)
		a.streams[name] = s
	}
	got, err := ask(ctx, s, a.utterance, c.timeout)
	if err != nil {
		if ctx.Err() == nil {
			c.log.Warn("a recogniser failed", "engine", name, "err", err)
		}
		return t, err
	}
	t.Text, t.Rejected = credible(got, loud)
	if t.Text != "" {
		t.Confidence = got.confidence
	}
	return t, nil
}

// drop ends all work on the utterance.
func (a *attempt) drop() {
	if a == nil {
		return
	}
	if a.timer != nil {
		a.timer.Stop()
	}
	a.release()
}

func (a *attempt) release() {
	for _, s := range a.streams {
		s.drop()
	}
}

// reopenable is a chain whose first engine can continue its last utterance. Only that
// engine hears the addition: another engine's text would be that of the whole utterance,
// in which the addition could not be told from what was already done. The user has not
// spoken a new command either, so Second ignores the addition, and its sound is not kept.
type reopenable struct {
	*chain
	again Reopener
}

// Reopen continues the last utterance.
func (r *reopenable) Reopen(ctx context.Context) error {
	if err := r.again.Reopen(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last.drop()
	r.current, r.last = &attempt{alone: true}, nil
	return nil
}
