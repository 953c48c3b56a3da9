// Package vad says whether a frame holds speech. Engines are one file each and
// one line in the engines table.
//
// To add an engine, write `newNAME(Config) (Engine, error)` in a file of its
// own and add it to the table.
package vad

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/audio"
)

// Engine judges sound frame by frame. It needs every frame, and belongs to one
// goroutine.
type Engine interface {
	Push(f audio.Frame) Judgement
}

// Judgement is what an engine says about one frame.
type Judgement struct {
	Speech bool
	Level  float64 // of the frame, dBFS
	Floor  float64 // of the room, dBFS
}

// Config is for all engines.
type Config struct {
	Engine string // a key of the engines table
}

// Default is the engine that needs no model.
func Default() Config { return Config{Engine: "energy"} }

var engines = map[string]func(Config) (Engine, error){
	"energy": newEnergy,
}

// New makes the configured engine.
func New(cfg Config) (Engine, error) {
	newEngine, ok := engines[cfg.Engine]
	if !ok {
		return nil, fmt.Errorf("vad: there is no engine %q; there are: %s", cfg.Engine, strings.Join(Engines(), ", "))
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
