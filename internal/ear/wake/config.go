package wake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ear/wyoming"
	"voicegateway/internal/language/speech"
)

// Config is the wake part of the configuration, and what the gateway adds to it.
// It is for all engines; each takes what it needs.
type Config struct {
	Engine string   `yaml:"engine"` // a key of the engines table
	Words  []string `yaml:"words"`  // the phrases, as people write them
	// Thresholds per phrase, in the engine's own measure; the engine's default
	// where a phrase is missing.
	Thresholds map[string]float64 `yaml:"thresholds"`
	// Stop are words that end what is being said, heard while ListenForStop says
	// so. Only the engine micro hears them; a word without a model is left out.
	Stop []string `yaml:"stop"`
	// Budget is how many false wakes a day there should be at most; 0 leaves the
	// thresholds where they are.
	Budget    int            `yaml:"budget"`
	ModelsDir string         `yaml:"models_dir"` // of the engine micro: NAME.tflite files; empty: models in the state directory
	Wyoming   wyoming.Config `yaml:"wyoming"`

	Command  []string `yaml:"-"` // our own binary and `worker stt`
	Env      []string `yaml:"-"` // added to the worker's environment; for tests
	ModelDir string   `yaml:"-"` // of the recogniser; its package's place when empty
	// Pronounce finds the phones of words the dictionary lacks; it returns the
	// words it knows. Nil means that such words cannot be used.
	Pronounce func(ctx context.Context, words []string) (found map[string][]string, missing []string, err error) `yaml:"-"`

	// Near is called with sound that was nearly a wake word, with its best score, by engines
	// that are Adjustable. It must return quickly; it may be nil.
	Near func(d speech.Detection) `yaml:"-"`

	Log *slog.Logger `yaml:"-"` // nil means no log
	// Idle is how long a worker may be idle, without a frame of sound, before it ends until the
	// next one; 0: it runs all the time.
	Idle time.Duration `yaml:"-"`
	// Restarted is called at every restart of a worker. It may be nil.
	Restarted func(worker string, refused bool) `yaml:"-"`
}

// Default listens for "hey jarvis" with the best engine there is.
func Default() Config {
	return Config{
		Engine: "auto", Words: []string{"hey jarvis"}, Thresholds: map[string]float64{}, Stop: []string{"stop"},
		Budget: 1,
	}
}

// mostBudget is a false wake every quarter of an hour; no user would accept more.
const mostBudget = 96

// Validate says everything that is wrong, each with the key and what would be
// right.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("wake."+format, args...)) }
	if !slices.Contains(Engines(), c.Engine) {
		bad("engine: %q is unknown; expected %s", c.Engine, strings.Join(Engines(), ", "))
	}
	if c.Engine == "wyoming" || c.Wyoming.URI != "" {
		if err := wyoming.Check(c.Wyoming.URI); err != nil {
			bad("wyoming.uri: %w", err)
		}
	}
	if c.Budget < 0 || c.Budget > mostBudget {
		bad("budget: %d false wakes a day; expected 0 (the thresholds stay) to %d", c.Budget, mostBudget)
	}
	if c.Engine != "none" && len(c.Words) == 0 {
		bad("words: there is no wake word; give one, such as hey jarvis, or set wake.engine to none")
	}
	return errors.Join(errs...)
}
