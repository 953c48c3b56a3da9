package tts

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ear/openai"
	"voicegateway/internal/ear/wyoming"
)

// Config is the tts part of the configuration.
type Config struct {
	Engines []string       `yaml:"engines"` // tried in this order
	Timeout time.Duration  `yaml:"timeout"` // for one sentence and one engine
	Espeak  Espeak         `yaml:"espeak"`
	Flite   Flite          `yaml:"flite"`
	Piper   Piper          `yaml:"piper"`
	OpenAI  OpenAI         `yaml:"openai"`
	Wyoming wyoming.Config `yaml:"wyoming"`
}

// Espeak configures espeak-ng.
type Espeak struct {
	Voice string `yaml:"voice"` // as `espeak-ng --voices` lists them: en-gb, de, en-us+f3
	Rate  int    `yaml:"rate"`  // words a minute
}

// Flite configures flite, which speaks English only.
type Flite struct {
	Voice string `yaml:"voice"` // one of fliteVoices
}

// Piper configures the piper program.
type Piper struct {
	Command string `yaml:"command"` // a name looked up in PATH, or a path
	Model   string `yaml:"model"`   // path of the .onnx file; its .onnx.json lies beside it
}

// OpenAI configures a server with /v1/audio/speech.
type OpenAI struct {
	BaseURL    string `yaml:"base_url"` // up to and including /v1
	Model      string `yaml:"model"`
	Voice      string `yaml:"voice"`
	APIKeyFile string `yaml:"api_key_file"`
	Key        string `yaml:"-"` // not part of the configuration: the program that loads a configuration reads it separately
}

// espeak-ng refuses no rate, but only those within these limits can be
// understood.
const minRate, maxRate = 80, 450

// longestTimeout keeps a typing error from making a reply wait for minutes.
const longestTimeout = time.Minute

// Default is espeak-ng alone: it is one apt package and speaks within 10 ms. The
// time-out is far above what an engine that works needs for a sentence.
func Default() Config {
	return Config{
		Engines: []string{"espeak"},
		Timeout: 5 * time.Second,
		Espeak:  Espeak{Voice: "en", Rate: 165},
		Flite:   Flite{Voice: "slt"},
		Piper:   Piper{Command: "piper"},
	}
}

// fliteVoices are those built into Debian's flite. A name it does not know makes
// flite use another one without a word, so the list is checked here.
func fliteVoices() []string { return []string{"slt", "rms", "awb", "kal16", "kal"} }

// espeakVoice matches the name of a voice; it leaves no room for an option or a
// path.
var espeakVoice = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*(\+[A-Za-z0-9]+)?$`)

// Validate says everything that is wrong, each with the key and what would be right.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("tts."+format, args...)) }
	if len(c.Engines) == 0 {
		bad("engines: is empty; name at least one of %s", names())
	}
	for i, name := range c.Engines {
		if _, known := engines[name]; !known {
			bad("engines: there is no engine %q in this version; choose from %s", name, names())
		}
		if slices.Contains(c.Engines[:i], name) {
			bad("engines: %s is named twice", name)
		}
	}
	if c.Timeout < 100*time.Millisecond || c.Timeout > longestTimeout {
		bad("timeout: %s is outside 100ms to %s", c.Timeout, longestTimeout)
	}
	if !espeakVoice.MatchString(c.Espeak.Voice) {
		bad("espeak.voice: %q is not the name of a voice; `espeak-ng --voices` lists them", c.Espeak.Voice)
	}
	if c.Espeak.Rate < minRate || c.Espeak.Rate > maxRate {
		bad("espeak.rate: %d words a minute is outside %d to %d", c.Espeak.Rate, minRate, maxRate)
	}
	if !slices.Contains(fliteVoices(), c.Flite.Voice) {
		bad("flite.voice: there is no voice %q; choose from %s", c.Flite.Voice, strings.Join(fliteVoices(), ", "))
	}
	if slices.Contains(c.Engines, "piper") && (c.Piper.Command == "" || c.Piper.Model == "") {
		bad("piper: the engine piper needs a command and a model (the path of a voice's .onnx file)")
	}
	return errors.Join(append(errs, c.validateServers()...)...)
}

// validateServers checks the addresses of what speaks elsewhere.
func (c Config) validateServers() (errs []error) {
	if slices.Contains(c.Engines, "openai") || c.OpenAI.BaseURL != "" {
		if err := openai.Check(c.OpenAI.BaseURL); err != nil {
			errs = append(errs, fmt.Errorf("tts.openai.base_url: %w", err))
		}
	}
	if slices.Contains(c.Engines, "wyoming") || c.Wyoming.URI != "" {
		if err := wyoming.Check(c.Wyoming.URI); err != nil {
			errs = append(errs, fmt.Errorf("tts.wyoming.uri: %w", err))
		}
	}
	return errs
}
