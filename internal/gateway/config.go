package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ai"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/intent/sentences"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/speech/sphinx"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/speech/wake"
	"voicegateway/internal/speech/wyoming"
	"voicegateway/internal/tools/local"
)

// Config is everything that can be set, section by section as in
// configs/voice-gateway.yaml. A part's own settings live with the part.
type Config struct {
	Gateway  Identity       `yaml:"gateway"`
	Audio    AudioConfig    `yaml:"audio"`
	Wake     WakeConfig     `yaml:"wake"`
	STT      STTConfig      `yaml:"stt"`
	Intents  IntentsConfig  `yaml:"intents"`
	AI       ai.Config      `yaml:"ai"`
	TTS      tts.Config     `yaml:"tts"`
	MQTT     MQTTConfig     `yaml:"mqtt"`
	MCP      MCPConfig      `yaml:"mcp"`
	HTTP     HTTPConfig     `yaml:"http"`
	Tools    local.Config   `yaml:"tools"`
	Safety   SafetyConfig   `yaml:"safety"`
	Recorder RecorderConfig `yaml:"recorder"`
}

// Identity says which gateway this is and where it stands.
type Identity struct {
	ID       string `yaml:"id"`
	Area     string `yaml:"area"`
	Language string `yaml:"language"`
	StateDir string `yaml:"state_dir"` // empty: $STATE_DIRECTORY, else the XDG state directory
}

// AudioConfig chooses the sound devices.
type AudioConfig struct {
	Input   string `yaml:"input"`
	Output  string `yaml:"output"`
	Channel int    `yaml:"channel"` // of a microphone with several, from 1
	Earcons string `yaml:"earcons"` // off, soft or full
}

// WakeConfig chooses the wake word engine and what it listens for.
type WakeConfig struct {
	Engine     string             `yaml:"engine"`
	Words      []string           `yaml:"words"`
	Thresholds map[string]float64 `yaml:"thresholds"` // per word, in the engine's own measure
	Stop       []string           `yaml:"stop"`       // words that end what is being said; models of micro
	ModelsDir  string             `yaml:"models_dir"`
	Wyoming    WyomingConfig      `yaml:"wyoming"`
}

// STTConfig chooses the recognisers: what the first does not understand goes to
// the next.
type STTConfig struct {
	Engines []string `yaml:"engines"`
	// Endpoint is "sentence", or "silence" for a fixed one of Silence.
	Endpoint string        `yaml:"endpoint"`
	Silence  time.Duration `yaml:"silence"`
	// Timeout is for one utterance and one recogniser beyond this machine's own.
	Timeout        time.Duration     `yaml:"timeout"`
	ModelDir       string            `yaml:"model_dir"`
	Pronunciations map[string]string `yaml:"pronunciations"` // word to CMU phones, for names no dictionary has
	// Denoise is "on", "off" or "auto": for recognisers that gain by it.
	Denoise string        `yaml:"denoise"`
	OpenAI  OpenAIConfig  `yaml:"openai"`
	Wyoming WyomingConfig `yaml:"wyoming"`
}

// OpenAIConfig is a transcription endpoint.
type OpenAIConfig struct {
	BaseURL    string `yaml:"base_url"`
	Model      string `yaml:"model"`
	APIKeyFile string `yaml:"api_key_file"`
}

// WyomingConfig is a Wyoming service.
type WyomingConfig struct {
	URI string `yaml:"uri"`
}

// IntentsConfig lists sentence packs beside our own.
type IntentsConfig struct {
	Packs []string `yaml:"packs"`
}

// MQTTConfig is the broker to use; without one the embedded broker serves.
type MQTTConfig struct {
	Broker        string         `yaml:"broker"`
	Username      string         `yaml:"username"`
	PasswordFile  string         `yaml:"password_file"`
	CAFile        string         `yaml:"ca_file"`
	AllowInsecure bool           `yaml:"allow_insecure"`
	Embedded      EmbeddedConfig `yaml:"embedded"`
}

// EmbeddedConfig is the broker inside the gateway.
type EmbeddedConfig struct {
	Listen string `yaml:"listen"`
}

// MCPConfig is how MCP servers are reached and kept.
type MCPConfig struct {
	Retry   RetryConfig             `yaml:"retry"`
	Breaker BreakerConfig           `yaml:"breaker"`
	Health  HealthConfig            `yaml:"health"`
	Servers map[string]ServerConfig `yaml:"servers"`
}

// RetryConfig is the schedule of connection attempts (REQUIREMENTS M2, M3).
type RetryConfig struct {
	Enabled      bool          `yaml:"enabled"`
	Attempts     int           `yaml:"attempts"`
	BaseDelay    time.Duration `yaml:"base_delay"`
	Multiplier   float64       `yaml:"multiplier"`
	MaxDelay     time.Duration `yaml:"max_delay"`
	SlowInterval time.Duration `yaml:"slow_interval"`
}

// BreakerConfig is the circuit breaker of a server (REQUIREMENTS M9).
type BreakerConfig struct {
	Threshold int           `yaml:"threshold"`
	Recovery  time.Duration `yaml:"recovery"`
}

// HealthConfig is the health check of a server (REQUIREMENTS M8).
type HealthConfig struct {
	Interval time.Duration `yaml:"interval"`
	Timeout  time.Duration `yaml:"timeout"`
}

// ServerConfig is one MCP server.
type ServerConfig struct {
	Transport      string            `yaml:"transport"`
	Command        string            `yaml:"command"`
	Args           []string          `yaml:"args"`
	Env            map[string]string `yaml:"env"`
	Dir            string            `yaml:"cwd"`
	URL            string            `yaml:"url"`
	Headers        map[string]string `yaml:"headers"`
	Essential      bool              `yaml:"essential"`
	ServerRules    `yaml:",inline"`
	ConnectTimeout time.Duration `yaml:"connect_timeout"`
	CallTimeout    time.Duration `yaml:"call_timeout"`
}

// ServerRules is what one server needs, how it is tried, and what of it is used.
type ServerRules struct {
	Requires        []string      `yaml:"requires"`         // mqtt, tcp://host:port, http://host/path
	RequiresTimeout time.Duration `yaml:"requires_timeout"` // after which it is started all the same
	Retry           ServerRetry   `yaml:"retry"`
	Tools           ToolRules     `yaml:"tools"`
}

// ServerRetry is a server's own schedule; what is zero is as in RetryConfig.
type ServerRetry struct {
	Attempts     int           `yaml:"attempts"`
	BaseDelay    time.Duration `yaml:"base_delay"`
	Multiplier   float64       `yaml:"multiplier"`
	MaxDelay     time.Duration `yaml:"max_delay"`
	SlowInterval time.Duration `yaml:"slow_interval"`
}

// over returns the general schedule with the server's own settings over it.
func (r ServerRetry) over(general RetryConfig) host.Retry {
	return host.Retry{
		Enabled: general.Enabled, Attempts: cmp.Or(r.Attempts, general.Attempts),
		BaseDelay: cmp.Or(r.BaseDelay, general.BaseDelay), Multiplier: cmp.Or(r.Multiplier, general.Multiplier),
		MaxDelay: cmp.Or(r.MaxDelay, general.MaxDelay), SlowInterval: cmp.Or(r.SlowInterval, general.SlowInterval),
	}
}

// ToolRules choose among a server's tools by patterns such as get_*.
type ToolRules struct {
	Allow []string `yaml:"allow"` // empty: all
	Deny  []string `yaml:"deny"`
}

// HTTPConfig is our own HTTP interface.
type HTTPConfig struct {
	Listen    string   `yaml:"listen"`
	TokenFile string   `yaml:"token_file"`
	Hosts     []string `yaml:"hosts"` // names of this machine that requests may use
}

// SafetyConfig bounds what is done without asking (REQUIREMENTS 8).
type SafetyConfig struct {
	Dangerous   string `yaml:"dangerous"`     // deny; allowing comes with a spoken confirmation
	FanOutLimit int    `yaml:"fan_out_limit"` // a command for more devices than this is asked back
}

// RecorderConfig keeps utterances for later listening; off by default (H10).
type RecorderConfig struct {
	Enabled bool          `yaml:"enabled"`
	Dir     string        `yaml:"dir"` // empty: recordings in the state directory
	MaxAge  time.Duration `yaml:"max_age"`
	MaxMB   int           `yaml:"max_mb"` // of all recordings together
}

// Default is the configuration without any file. configs/voice-gateway.yaml says
// the same with comments, and a test holds the two together.
func Default() Config {
	sound, wakes := device.Default(), wake.Default()
	return Config{
		Gateway: Identity{ID: "kitchen", Area: "Kitchen", Language: "en"},
		Audio:   AudioConfig{Input: sound.Input, Output: sound.Output, Channel: 1, Earcons: "soft"},
		Wake: WakeConfig{
			Engine: wakes.Engine, Words: wakes.Words, Thresholds: map[string]float64{}, Stop: []string{"stop"},
			ModelsDir: "/var/lib/voice-gateway/models",
		},
		STT: STTConfig{
			Engines: []string{"pocketsphinx"}, ModelDir: sphinx.DefaultModelDir, Pronunciations: map[string]string{},
			Denoise: "auto", Endpoint: "sentence", Silence: 700 * time.Millisecond, Timeout: 8 * time.Second,
		},
		Intents: IntentsConfig{Packs: []string{}},
		AI:      ai.Default(),
		TTS:     tts.Default(),
		MQTT:    MQTTConfig{Embedded: EmbeddedConfig{Listen: "127.0.0.1:1884"}},
		MCP: MCPConfig{
			Retry:   RetryConfig(host.DefaultRetry()),
			Breaker: BreakerConfig{Threshold: 3, Recovery: time.Minute},
			Health:  HealthConfig{Interval: 30 * time.Second, Timeout: 5 * time.Second},
			Servers: map[string]ServerConfig{"zwave": DefaultServer()},
		},
		HTTP:   HTTPConfig{Listen: "127.0.0.1:8765", Hosts: []string{}},
		Tools:  local.Default(),
		Safety: SafetyConfig{Dangerous: "deny", FanOutLimit: 5},

		Recorder: RecorderConfig{MaxAge: 7 * 24 * time.Hour, MaxMB: 200},
	}
}

// DefaultServer is the Z-Wave server as it is started without any setting.
func DefaultServer() ServerConfig {
	s := ServerConfig{Command: "zwave-mcp-server", Args: []string{"--require-broker", "2s"}, Essential: true}
	s.SetDefaults()
	return s
}

// SetDefaults fills what a new server's entry may leave out.
func (s *ServerConfig) SetDefaults() {
	s.Transport = "stdio"
	s.RequiresTimeout, s.ConnectTimeout, s.CallTimeout = time.Minute, 10*time.Second, 30*time.Second
}

// Less silence than this is a pause between words, and more would outlast the
// longest utterance.
const (
	leastSilence = 100 * time.Millisecond
	mostSilence  = 5 * time.Second
)

// Validate reports everything that is wrong at once, each with the key's path,
// what was expected and what to write instead.
func (c Config) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
	for key, part := range map[string]interface{ Validate() error }{
		"ai": c.AI, "tts": c.TTS, "tools": c.Tools,
	} {
		if err := part.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	if c.Gateway.ID == "" || strings.ContainsAny(c.Gateway.ID, "/+# \t") {
		bad("gateway.id", "%q is not usable in a topic; use letters, digits and dashes, such as kitchen", c.Gateway.ID)
	}
	if !slices.Contains(sentences.Languages(), c.Gateway.Language) {
		bad("gateway.language", "%q has no sentence pack here; expected one of %s", c.Gateway.Language, strings.Join(sentences.Languages(), ", "))
	}
	if c.Audio.Channel < 1 {
		bad("audio.channel", "%d is none; channels count from 1", c.Audio.Channel)
	}
	oneOf(bad, "audio.earcons", c.Audio.Earcons, "off", "soft", "full")
	oneOf(bad, "safety.dangerous", c.Safety.Dangerous, "deny")
	if c.Safety.FanOutLimit < 1 {
		bad("safety.fan_out_limit", "%d is too small; expected 1 or more devices", c.Safety.FanOutLimit)
	}
	if len(c.Intents.Packs) > 0 {
		bad("intents.packs", "other sentence packs cannot be loaded by this version; leave the list empty")
	}
	c.Recorder.validate(bad)
	c.Wake.validate(bad)
	c.STT.validate(bad)
	oneOf(bad, "stt.endpoint", c.STT.Endpoint, "sentence", "silence")
	if c.STT.Silence < leastSilence || c.STT.Silence > mostSilence {
		bad("stt.silence", "%s cannot end an utterance; expected %s to %s, such as 700ms", c.STT.Silence, leastSilence, mostSilence)
	}
	c.MCP.validate(bad)
	return errors.Join(slices.SortedFunc(slices.Values(errs), func(a, b error) int {
		return strings.Compare(a.Error(), b.Error())
	})...)
}

func (w WakeConfig) validate(bad reporter) {
	oneOf(bad, "wake.engine", w.Engine, wake.Engines()...)
	if w.Engine == "wyoming" || w.Wyoming.URI != "" {
		if err := wyoming.Check(w.Wyoming.URI); err != nil {
			bad("wake.wyoming.uri", "%v", err)
		}
	}
	if w.Engine != "none" && len(w.Words) == 0 {
		bad("wake.words", "there is no wake word; give one, such as hey jarvis, or set wake.engine to none")
	}
}

type reporter func(key, format string, args ...any)

func oneOf(bad reporter, key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		bad(key, "%q is unknown; expected %s", value, strings.Join(allowed, ", "))
	}
}

func (m MCPConfig) validate(bad reporter) {
	if m.Retry.Attempts < 1 {
		bad("mcp.retry.attempts", "%d is too small; expected 1 or more", m.Retry.Attempts)
	}
	if m.Retry.Multiplier < 1 {
		bad("mcp.retry.multiplier", "%g is too small; expected 1 or more", m.Retry.Multiplier)
	}
	for key, d := range map[string]time.Duration{
		"mcp.retry.base_delay": m.Retry.BaseDelay, "mcp.retry.max_delay": m.Retry.MaxDelay,
		"mcp.retry.slow_interval": m.Retry.SlowInterval, "mcp.health.interval": m.Health.Interval,
		"mcp.health.timeout": m.Health.Timeout, "mcp.breaker.recovery": m.Breaker.Recovery,
	} {
		if d <= 0 {
			bad(key, "%s is not a waiting time; expected something like 2s", d)
		}
	}
	for id, s := range m.Servers {
		key := "mcp.servers." + id
		oneOf(bad, key+".transport", s.Transport, "stdio", "http", "sse")
		switch {
		case s.Transport == "stdio" && s.Command == "":
			bad(key+".command", "a stdio server needs the command that starts it")
		case (s.Transport == "http" || s.Transport == "sse") && s.URL == "":
			bad(key+".url", "a server reached by %s needs its address", s.Transport)
		}
		if s.ConnectTimeout <= 0 || s.CallTimeout <= 0 {
			bad(key, "connect_timeout and call_timeout must be longer than zero, such as 10s")
		}
		s.validate(key, bad)
	}
	if m.Breaker.Threshold < 1 {
		bad("mcp.breaker.threshold", "%d is too small; expected 1 or more calls", m.Breaker.Threshold)
	}
}

func (r ServerRules) validate(key string, bad reporter) {
	for _, need := range r.Requires {
		if err := mcpint.CheckRequirement(need); err != nil {
			bad(key+".requires", "%v", err)
		}
	}
	if len(r.Requires) > 0 && r.RequiresTimeout <= 0 {
		bad(key+".requires_timeout", "%s is not a waiting time; expected something like 60s", r.RequiresTimeout)
	}
	if err := mcpint.CheckPatterns(slices.Concat(r.Tools.Allow, r.Tools.Deny)...); err != nil {
		bad(key+".tools", "%v", err)
	}
	own := r.Retry
	if own.Attempts < 0 || own.BaseDelay < 0 || own.MaxDelay < 0 || own.SlowInterval < 0 {
		bad(key+".retry", "nothing in it can be less than zero; leave it out to take what mcp.retry says")
	}
	if own.Multiplier != 0 && own.Multiplier < 1 {
		bad(key+".retry.multiplier", "%g is too small; expected 1 or more", own.Multiplier)
	}
}

// client is the part of the settings that the MQTT client wants.
func (m MQTTConfig) client(url, id, password string) mqtt.Config {
	return mqtt.Config{
		URL: url, Username: m.Username, Password: password, CAFile: m.CAFile,
		AllowInsecure: m.AllowInsecure, ClientID: id,
	}
}
