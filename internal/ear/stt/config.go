package stt

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/ear/openai"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ear/wyoming"
)

// Config is the stt part of the configuration, and what the gateway adds to it.
// It is for all engines; each takes what it needs.
type Config struct {
	// Engines are keys of the tables, in the order of use: what the first does not understand
	// goes to the next.
	Engines []string `yaml:"engines"`
	// End is how the end of an utterance is found. It is for the code that makes
	// the endpointer.
	End endpoint.Config `yaml:",inline"`
	// Timeout is how long each recogniser other than this machine's own may take
	// for an utterance, once the utterance is over.
	Timeout  time.Duration `yaml:"timeout"`
	ModelDir string        `yaml:"model_dir"` // of the recogniser; empty means where its package puts it
	// Pronunciations maps words to CMU phones ("N AA B UW"), for names that are in
	// no dictionary. They take precedence over the dictionary and over guessing.
	Pronunciations map[string]string `yaml:"pronunciations"`
	// Denoise is "on", "off" or "auto", which is on for the engines that gain by
	// it.
	Denoise   string          `yaml:"denoise"`
	OpenAI    openai.Config   `yaml:"openai"`
	Wyoming   wyoming.Config  `yaml:"wyoming"`
	Moonshine MoonshineConfig `yaml:"moonshine"`

	ModelsDir string   `yaml:"-"` // where `models pull` installs networks
	Command   []string `yaml:"-"` // our own binary and `worker stt`
	Env       []string `yaml:"-"` // added to the worker's environment; for tests
	// Reject is the margin per frame of speech under which an utterance is not
	// taken for a command (sphinx.Result.Margin).
	Reject    float64      `yaml:"-"`
	Voice     Voice        `yaml:"-"` // tells people from other sound; nil: what stands still is no person
	Wakes     []string     `yaml:"-"` // wake phrases, which alone are never a command
	Challenge []string     `yaml:"-"` // the words of challenges; empty: none are asked
	Asking    []string     `yaml:"-"` // what our question for them begins with, in small letters: "say"
	Alert     []string     `yaml:"-"` // what is said to an alert that rings, and other short speech, so that it is not taken for that
	Language  string       `yaml:"-"` // what is spoken, ISO 639-1; for open recognisers
	Log       *slog.Logger `yaml:"-"` // nil means no log
	// Patience is how long a recogniser of this machine may take for an answer; 0: what
	// a working one needs. A measurement has more: a busy machine says nothing about how
	// well it hears.
	Patience time.Duration `yaml:"-"`
	// Idle is how long a worker may be idle before it ends until it is needed; 0: workers run
	// all the time.
	Idle time.Duration `yaml:"-"`
	// Sparing keeps one worker at a time for a recogniser that has two: each utterance is heard
	// by one after the other, which takes longer and finds the same text. Only with Idle, and
	// not for speech that somebody waits for.
	Sparing bool `yaml:"-"`
	// Restarted is called at every restart of a worker. It may be nil.
	Restarted func(worker string, refused bool) `yaml:"-"`
}

// openTimeout is how long a user waits for an answer.
const openTimeout = 8 * time.Second

// The limits of Timeout: no user waits longer for a recogniser, and two in a row still
// end within the turn's own deadline.
const (
	leastTimeout = 500 * time.Millisecond
	mostTimeout  = 15 * time.Second
)

// Default is the configuration without a worker command.
func Default() Config {
	return Config{
		Engines: []string{auto}, End: endpoint.Default(), Timeout: openTimeout, ModelDir: sphinx.DefaultModelDir,
		Pronunciations: map[string]string{}, Denoise: "auto", Reject: rejectMargin, Language: "en",
	}
}

// Validate says everything that is wrong, each with the key and what would be
// right.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("stt."+format, args...)) }
	if len(c.Engines) == 0 {
		bad("engines: is empty; name at least one of %s", strings.Join(Engines(), ", "))
	}
	for i, name := range c.Engines {
		if !slices.Contains(Engines(), name) {
			bad("engines: %q is unknown; expected %s", name, strings.Join(Engines(), ", "))
		}
		if slices.Contains(c.Engines[:i], name) {
			bad("engines: %s is named twice", name)
		}
	}
	if slices.Contains(c.Engines, "openai") || c.OpenAI.BaseURL != "" {
		if err := openai.Check(c.OpenAI.BaseURL); err != nil {
			bad("openai.base_url: %w", err)
		}
	}
	if slices.Contains(c.Engines, "wyoming") || c.Wyoming.URI != "" {
		if err := wyoming.Check(c.Wyoming.URI); err != nil {
			bad("wyoming.uri: %w", err)
		}
	}
	if c.Timeout < leastTimeout || c.Timeout > mostTimeout {
		bad("timeout: %s is outside %s to %s", c.Timeout, leastTimeout, mostTimeout)
	}
	if !slices.Contains(Denoise(), c.Denoise) {
		bad("denoise: %q is unknown; expected %s", c.Denoise, strings.Join(Denoise(), ", "))
	}
	return errors.Join(append(errs, c.pronounceable(), c.End.Validate())...)
}

// pronounceable says what is wrong with the pronunciations.
func (c Config) pronounceable() error {
	var errs []error
	for _, word := range slices.Sorted(maps.Keys(c.Pronunciations)) {
		if err := checkPhones(c.Pronunciations[word]); err != nil {
			errs = append(errs, fmt.Errorf("stt.pronunciations: of %q: %w", word, err))
		}
	}
	return errors.Join(errs...)
}
