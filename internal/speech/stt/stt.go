// Package stt turns the sound of an utterance into text. Engines are one file
// each and one line in the engines table; they stream: the turn pushes every
// frame while the user speaks and knows the text when the sentence ends.
//
// To add an engine, write `newNAME(Config) (Engine, error)` in a file of its
// own and add it to the table. An engine without partial texts returns empty
// ones; the endpointer then goes by silence.
package stt

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
	"voicegateway/internal/speech/denoise"
)

// Engine is a transcriber. Begin, Push and Finish belong to one goroutine (the
// turn's); SetGrammar may be called from another at any time.
type Engine interface {
	// Run keeps what the engine needs (a worker process) until ctx ends.
	Run(ctx context.Context) error
	// Begin starts an utterance; one that is open is dropped.
	Begin(ctx context.Context) error
	// Push takes the next frame and returns what is believed after it.
	Push(ctx context.Context, f audio.Frame) (speech.Partial, error)
	// Finish ends the utterance. An empty text is not an error: Rejected says
	// why. After an error of Push, Finish still has to be called, or Begin.
	Finish(ctx context.Context) (speech.Transcript, error)
	// SetGrammar changes what can be said, as soon as no utterance is open. It
	// returns the words that have no pronunciation and so can never be heard.
	SetGrammar(ctx context.Context, g Grammar) (missing []string, err error)
}

// Grammar is everything that can be said.
type Grammar struct {
	JSGF  string   // a JSGF grammar with one public rule, all lower case
	Words []string // every word in it
}

// Config is for all engines; each takes what it needs.
type Config struct {
	Engine string // a key of the engines table

	Command  []string // our own binary and `worker stt`
	Env      []string // added to the worker's environment; for tests
	ModelDir string   // of the recogniser; its package's place when empty

	// Pronunciations from the configuration, word to phones ("N AA B UW"). They
	// go before the dictionary and before guessing.
	Pronunciations map[string]string
	// Reject is the margin per frame of speech under which an utterance is not
	// taken for a command (sphinx.Result.Margin).
	Reject float64
	// Denoise is "on", "off" or "auto": for engines that gain by it.
	Denoise string

	Log *slog.Logger // nil means no log
}

// Default is the configuration without a worker command.
func Default() Config { return Config{Engine: "pocketsphinx", Reject: rejectMargin, Denoise: "auto"} }

var engines = map[string]func(Config) (Engine, error){
	"pocketsphinx": newPocketSphinx,
}

// New makes the configured engine; it starts nothing.
func New(cfg Config) (Engine, error) {
	newEngine, ok := engines[cfg.Engine]
	if !ok {
		return nil, fmt.Errorf("stt: there is no engine %q; there are: %s", cfg.Engine, strings.Join(Engines(), ", "))
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	e, err := newEngine(cfg)
	if err != nil {
		return nil, err
	}
	switch {
	case cfg.Denoise == "on", (cfg.Denoise == "auto" || cfg.Denoise == "") && gains[cfg.Engine]:
		return &denoised{Engine: e, noise: denoise.New()}, nil
	case !slices.Contains(Denoise(), cfg.Denoise) && cfg.Denoise != "":
		return nil, fmt.Errorf("stt: denoise is %q; expected %s", cfg.Denoise, strings.Join(Denoise(), ", "))
	}
	return e, nil
}

// Engines are the names New knows.
func Engines() []string {
	var names []string
	for name := range engines {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
