// Package vad says whether a frame holds speech. It exists because neither of
// the two ways to tell is enough: loudness takes a door or music for speech, and
// a network misses slow words in an echoing room, so what either hears may count.
// Engines are one file each and one line in the engines table.
//
// To add an engine, write `newNAME(Config) (Engine, error)` in a file of its
// own and add it to the table.
package vad

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/micro"
)

// Engine judges sound frame by frame. It needs every frame once, in order, and
// belongs to one goroutine.
type Engine interface {
	Push(f audio.Frame) Judgement
}

// Judgement is what an engine says about one frame.
type Judgement struct {
	Speech bool    // by any of the engine's ways
	Voice  bool    // a model hears somebody speak
	Model  bool    // a model is installed; without one, Voice says nothing
	Level  float64 // of the frame, dBFS
	Floor  float64 // of the room, dBFS
}

// Config is for all engines.
type Config struct {
	Engine    string       // a key of the engines table
	ModelsDir string       // where vad.tflite may be; "" is nowhere
	Log       *slog.Logger // nil means no log
}

// Default goes by loudness until it is given a model.
func Default() Config { return Config{Engine: "auto"} }

var engines = map[string]func(Config) (Engine, error){
	"auto":   newAuto,
	"energy": newEnergy,
	"model":  newModel,
}

// New makes the configured engine.
func New(cfg Config) (Engine, error) {
	newEngine, ok := engines[cfg.Engine]
	if !ok {
		return nil, fmt.Errorf("vad: there is no engine %q; there are: %s", cfg.Engine, strings.Join(Engines(), ", "))
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return newEngine(cfg)
}

// Engines are the names New knows.
func Engines() []string {
	return slices.Sorted(maps.Keys(engines))
}

// newAuto takes the model where it is installed, else loudness alone.
func newAuto(cfg Config) (Engine, error) {
	e, err := newModel(cfg)
	switch {
	case err == nil:
		return e, nil
	case errors.Is(err, micro.ErrNoModel):
		cfg.Log.Info("speech is told from noise by its loudness; a model tells it better", "hint", err)
	default:
		cfg.Log.Warn("speech is told from noise by its loudness", "err", err)
	}
	return newEnergy(cfg)
}
