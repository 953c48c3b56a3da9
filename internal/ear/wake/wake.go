// Package wake hears the phrase that starts a turn. Engines are one file each
// and one line in the engines table; every one takes all live sound, frame by
// frame, and says when a phrase has been spoken.
//
// To add an engine, write `newNAME(Config) (Engine, error)` in a file of its
// own and add it to the table.
package wake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// Engine is a wake word detector. Detect belongs to one goroutine.
type Engine interface {
	// Run keeps what the engine needs (a worker process) until ctx ends.
	Run(ctx context.Context) error
	// Detect takes the next frame. The error is the engine's condition (its
	// worker is down), not the frame's: it may be gone with the next one.
	Detect(ctx context.Context, f audio.Frame) (speech.Detection, bool, error)
}

// Adjustable is an engine whose thresholds can be moved while it listens.
type Adjustable interface {
	// Thresholds are those the engine began with, by phrase.
	Thresholds() map[string]float64
	// SetThresholds is used from the next frame on. It may be called from any
	// goroutine; phrases that are missing keep theirs.
	SetThresholds(by map[string]float64)
}

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
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return newEngine(cfg)
}

// Engines are the names New knows.
func Engines() []string {
	return slices.Sorted(maps.Keys(engines))
}

// plainPhrase is a phrase as recognisers know it: lower case words.
func plainPhrase(phrase string) string {
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
