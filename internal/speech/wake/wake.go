// Package wake hears the phrase that starts a turn. Engines are one file each
// and one line in the engines table; every one takes all live sound, frame by
// frame, and says when a phrase has been spoken.
//
// To add an engine, write `newNAME(Config) (Engine, error)` in a file of its
// own and add it to the table.
package wake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech"
)

// Engine is a wake word detector. Detect belongs to one goroutine.
type Engine interface {
	// Run keeps what the engine needs (a worker process) until ctx ends.
	Run(ctx context.Context) error
	// Detect takes the next frame. The error is the engine's condition (its
	// worker is down), not the frame's: it may be gone with the next one.
	Detect(ctx context.Context, f audio.Frame) (speech.Detection, bool, error)
}

// Config is for all engines; each takes what it needs.
type Config struct {
	Engine string   // a key of the engines table, or "auto"
	Words  []string // the phrases, as people write them

	// Thresholds per phrase, in the engine's own measure; the engine's default
	// where a phrase is missing.
	Thresholds map[string]float64

	// Stop are words that end what is being said, heard while ListenForStop says
	// so. Only the engine micro hears them; a word without a model is left out.
	Stop []string

	ModelsDir string // of the engine micro: NAME.tflite files

	Wyoming string // of the engine wyoming: the service's address

	Command  []string // our own binary and `worker stt`
	Env      []string // added to the worker's environment; for tests
	ModelDir string   // of the recogniser; its package's place when empty
	// Pronounce finds the phones of words the dictionary lacks; it returns the
	// words it knows. Nil means that such words cannot be used.
	Pronounce func(ctx context.Context, words []string) (found map[string][]string, missing []string, err error)

	Log *slog.Logger // nil means no log
}

// Default listens for "hey jarvis" with the best engine there is.
func Default() Config { return Config{Engine: "auto", Words: []string{"hey jarvis"}} }

var engines = map[string]func(Config) (Engine, error){
	"auto":         newAuto,
	"micro":        newMicro,
	"pocketsphinx": newPocketSphinx,
	"none":         newNone,
	"wyoming":      newWyoming,
}

// New makes the configured engine; it starts nothing.
func New(cfg Config) (Engine, error) {
	newEngine, ok := engines[cfg.Engine]
	if !ok {
		return nil, fmt.Errorf("wake: there is no engine %q; there are: %s", cfg.Engine, strings.Join(Engines(), ", "))
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return newEngine(cfg)
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

// plain is a phrase as recognisers know it: lower case words.
func plain(phrase string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(phrase), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\''
	}), " ")
}

// none is push to talk only: turns begin by MQTT, HTTP or the command line.
type none struct{}

func newNone(Config) (Engine, error) { return none{}, nil }

func (none) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (none) Detect(context.Context, audio.Frame) (speech.Detection, bool, error) {
	return speech.Detection{}, false, nil
}

var errNoWords = errors.New("wake: no wake words are configured; give one, or set the engine to none")
