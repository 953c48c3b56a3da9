// Package stt turns the sound of an utterance into text. Engines are one file
// each and one line in the engines table; they stream: the turn pushes every
// frame while the user speaks and knows the text when the sentence ends.
//
// There are two kinds. An Engine knows a grammar and hears nothing else. An open
// recogniser writes anything down, and is asked when the utterance is over. A
// chain asks the configured ones in their order (see chain).
//
// To add an engine, write `newNAME(Config) (Engine, error)` in a file of its
// own and add it to the table of engines, or `newNAME(Config) (recogniser,
// error)` and a line in the table of recognisers. An engine without partial
// texts returns empty ones; the endpointer then goes by silence.
package stt

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// Engine is a transcriber. Begin, Push and Finish belong to one goroutine (the
// turn's); SetGrammar may be called from another at any time.
type Engine interface {
	// Run keeps what the engine needs (a worker process) until ctx ends.
	Run(ctx context.Context) error
	// Attend says that a microphone listens, so that a command may come at any moment:
	// workers that rested are started. It is cheap, never waits and may be called from any
	// goroutine.
	Attend()
	// Begin starts an utterance; one that is open is dropped.
	Begin(ctx context.Context) error
	// Push takes the next frame and returns what is believed after it.
	Push(ctx context.Context, f audio.Frame) (speech.Partial, error)
	// Finish ends the utterance. An empty text is not an error: Rejected says
	// why. After an error of Push, Finish still has to be called, or Begin.
	Finish(ctx context.Context) (speech.Transcript, error)
	// SetGrammar changes what can be said, as soon as no utterance is open. It
	// returns the words that have no pronunciation and so can never be heard.
	SetGrammar(ctx context.Context, g speech.Grammar) (missing []string, err error)
}

// Reopener is an Engine whose last utterance can continue after Finish, as if
// Finish had not been called. The engine may refuse that with an error.
type Reopener interface {
	Reopen(ctx context.Context) error
}

// engines hear what fits a grammar.
var engines = map[string]func(Config) (Engine, error){
	"pocketsphinx": func(c Config) (Engine, error) { return newPocketSphinx(c) },
	"moonshine":    newMoonshine,
}

// recognisers hear anything.
var recognisers = map[string]func(Config) (recogniser, error){
	"openai":  newOpenAI,
	"wyoming": newWyoming,
}

// languages are those of the engines that know only some.
var languages = map[string][]string{"pocketsphinx": {"en"}, "moonshine": {"en"}, auto: {"en"}}

// auto stands for the best engine with a grammar that is installed.
const auto = "auto"

// Resolve returns the configuration with the engine that auto stands for: moonshine
// where its model is installed, else pocketsphinx. The hint says how to get the
// better one, "" if it is there.
func (c Config) Resolve() (resolved Config, hint string) {
	i := slices.Index(c.Engines, auto)
	if i < 0 {
		return c, ""
	}
	c.Engines = slices.Clone(c.Engines)
	c.Engines[i] = "moonshine"
	if _, err := c.moonshine(); err != nil {
		c.Engines[i] = "pocketsphinx"
		hint = err.Error()
	}
	return c, hint
}

// Neural says whether the network is used where it is installed.
func (c Config) Neural() bool {
	return slices.Contains(c.Engines, auto) || slices.Contains(c.Engines, "moonshine")
}

// ByGrammar says whether an engine hears by a grammar and gives partial texts.
func ByGrammar(engine string) bool { return engines[engine] != nil || engine == auto }

// Knows says whether an engine can hear a language at all.
func Knows(engine, language string) bool {
	known, few := languages[engine]
	return !few || slices.Contains(known, language)
}

// New makes the configured engine, or the chain of them; it starts nothing.
func New(cfg Config) (Engine, error) {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg, hint := cfg.Resolve()
	if hint != "" {
		cfg.Log.Info("speech is recognised with pocketsphinx; a neural recogniser understands people better",
			"reason", hint, "hint", "voice-gateway models pull moonshine-tiny-en")
	}
	for i, name := range cfg.Engines {
		switch {
		case !slices.Contains(Engines(), name):
			return nil, fmt.Errorf("stt: there is no engine %q; there are: %s", name, strings.Join(Engines(), ", "))
		case slices.Contains(cfg.Engines[:i], name):
			return nil, fmt.Errorf("stt: the engine %s is named twice", name)
		}
	}
	if !slices.Contains(Denoise(), cfg.Denoise) && cfg.Denoise != "" {
		return nil, fmt.Errorf("stt: denoise is %q; expected %s", cfg.Denoise, strings.Join(Denoise(), ", "))
	}
	if name := cfg.Engines[0]; len(cfg.Engines) == 1 && engines[name] != nil {
		return newEngine(cfg, name, cfg.Denoise)
	}
	return newChain(cfg)
}

// newEngine makes one engine with a grammar, behind a denoiser if that helps the engine.
// Its text counts only if a person spoke.
func newEngine(cfg Config, name, clean string) (Engine, error) {
	e, err := engines[name](cfg)
	if err != nil {
		return nil, err
	}
	if clean == "on" || clean != "off" && gains[name] {
		e = withDenoiser(e)
	}
	return requireVoice(cfg.Voice, e), nil
}

// Engines are the names New knows.
func Engines() []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(engines)), maps.Keys(recognisers))
	names = append(names, auto)
	slices.Sort(names)
	return names
}
