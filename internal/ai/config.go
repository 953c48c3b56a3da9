package ai

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Config is the ai part of the configuration. It does not hold the key, which is
// read elsewhere and given to NewOpenAI.
type Config struct {
	Enabled           string        `yaml:"enabled"`             // auto, true or false
	Profile           string        `yaml:"profile"`             // one of profiles
	BaseURL           string        `yaml:"base_url"`            // up to and including /v1
	Model             string        `yaml:"model"`               // "": the first one the server has
	APIKeyFile        string        `yaml:"api_key_file"`        //
	Timeout           time.Duration `yaml:"timeout"`             // of a whole reply, speaking not counted
	FirstTokenTimeout time.Duration `yaml:"first_token_timeout"` // longest silence of the model
	MaxTokens         int           `yaml:"max_tokens"`          // of one completion
	Temperature       float64       `yaml:"temperature"`         // 0: the model's own
	MaxTools          int           `yaml:"max_tools"`           // of one request
	Language          string        `yaml:"-"`                   // language of our own sentences; empty: en
}

// mostTools is how many tools a request may hold at most: endpoints refuse more.
const mostTools = 128

// localOllama is the default address. For a profile with an address of its own it
// counts as not set, so that one key is enough to change the profile.
const localOllama = "http://127.0.0.1:11434/v1"

// Default talks to an Ollama on this machine if there is one. 7 s of silence
// leave a second to say that it failed within the 8 s of REQUIREMENTS R.
func Default() Config {
	return Config{
		Enabled: "auto", Profile: "ollama", BaseURL: localOllama,
		Timeout: 20 * time.Second, FirstTokenTimeout: 7 * time.Second,
		MaxTokens: 400, Temperature: 0.2, MaxTools: 64,
	}
}

// profile is what is known about a provider.
type profile struct {
	url       string            // its address; "" when it must be configured
	cloud     bool              // lists models of all kinds, so one must be named
	headers   map[string]string // besides the usual ones
	keyHeader string            // a second place for the key
	warm      bool              // loads the model at the first request
	lists     bool              // its list of models is complete
}

// profiles holds every provider with a name; custom is any other endpoint.
var profiles = map[string]profile{
	"ollama": {url: localOllama, warm: true, lists: true},
	"openai": {url: "https://api.openai.com/v1", cloud: true},
	// The listing of models wants these two, the completions the usual header.
	"anthropic": {
		url: "https://api.anthropic.com/v1", cloud: true,
		keyHeader: "X-Api-Key", headers: map[string]string{"Anthropic-Version": "2023-06-01"},
	},
	"groq":   {url: "https://api.groq.com/openai/v1", cloud: true},
	"custom": {},
}

// named reports whether the user has set up a model. With the defaults alone the gateway
// only looks whether there is one on this machine.
func (c Config) named() bool {
	d := Default()
	return c.Enabled == "true" || c.Enabled != "false" && (c.Model != d.Model || c.Profile != d.Profile || c.BaseURL != d.BaseURL || c.APIKeyFile != d.APIKeyFile)
}

// Endpoint is the address that requests go to: the configured one or the profile's.
func (c Config) Endpoint() string {
	own := profiles[c.Profile].url
	if own != "" && c.BaseURL == localOllama {
		return own
	}
	return strings.TrimRight(cmp.Or(c.BaseURL, own), "/")
}

// Cloud reports whether the profile is a provider on the internet.
func (c Config) Cloud() bool { return profiles[c.Profile].cloud }

// OtherProfile names the profile to which the address of the configuration belongs, if it
// is another one than the configuration names; "" if it is not, or if no profile has it.
func (c Config) OtherProfile() string {
	at, err := url.Parse(c.BaseURL)
	if err != nil || at.Host == "" || c.Profile == "custom" {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		own, err := url.Parse(profiles[name].url)
		if err != nil || own.Host == "" {
			continue
		}
		same := own.Host == at.Host || name == "ollama" && at.Port() == own.Port() // Ollama's port is the same on every machine
		if same && name != c.Profile {
			return name
		}
	}
	return ""
}

// Validate reports everything that is wrong, each with its key and what was expected.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("ai."+format, args...)) }
	if !slices.Contains([]string{"auto", "true", "false"}, c.Enabled) {
		bad("enabled: %q is none of auto, true, false", c.Enabled)
	}
	p, known := profiles[c.Profile]
	switch {
	case !known:
		bad("profile: there is no profile %q; choose from %s", c.Profile, strings.Join(slices.Sorted(maps.Keys(profiles)), ", "))
	case p.cloud && c.Model == "" && c.Enabled != "false":
		bad("model: name a model; %s has many kinds and the first would be any of them", c.Profile)
	}
	return errors.Join(append(append(errs, c.validateAddress()), c.validateLimits()...)...)
}

func (c Config) validateAddress() error {
	u, err := url.Parse(c.Endpoint())
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		if strings.Contains(c.Endpoint(), "@") { // it may hold a password
			return fmt.Errorf("ai.base_url: this is not an http or https address, like %s", localOllama)
		}
		return fmt.Errorf("ai.base_url: %q is not an http or https address, like %s", c.Endpoint(), localOllama)
	}
	if u.User != nil {
		return fmt.Errorf("ai.base_url: holds a user or password; put the key into the file of ai.api_key_file")
	}
	return nil
}

func (c Config) validateLimits() (errs []error) {
	for key, d := range map[string]time.Duration{"timeout": c.Timeout, "first_token_timeout": c.FirstTokenTimeout} {
		if d < time.Second || d > 5*time.Minute {
			errs = append(errs, fmt.Errorf("ai.%s: %s is outside 1s to 5m", key, d))
		}
	}
	if c.MaxTokens < 16 || c.MaxTokens > 8192 {
		errs = append(errs, fmt.Errorf("ai.max_tokens: %d is outside 16 to 8192", c.MaxTokens))
	}
	if c.MaxTools < 1 || c.MaxTools > mostTools {
		errs = append(errs, fmt.Errorf("ai.max_tools: %d is outside 1 to %d", c.MaxTools, mostTools))
	}
	if c.Temperature < 0 || c.Temperature > 2 {
		errs = append(errs, fmt.Errorf("ai.temperature: %g is outside 0 to 2", c.Temperature))
	}
	return errs
}
