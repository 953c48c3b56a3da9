package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ai"
	"voicegateway/internal/answer"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/broker"
	"voicegateway/internal/httpapi"
	"voicegateway/internal/intent/sentences"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/recorder"
	"voicegateway/internal/speech/stt"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/speech/wake"
	"voicegateway/internal/tools/local"
)

// Config is everything that can be set, section by section as in
// configs/voice-gateway.yaml. A part's own settings live with the part.
type Config struct {
	Gateway  Identity        `yaml:"gateway"`
	Audio    AudioConfig     `yaml:"audio"`
	Wake     wake.Config     `yaml:"wake"`
	STT      stt.Config      `yaml:"stt"`
	Intents  IntentsConfig   `yaml:"intents"`
	AI       ai.Config       `yaml:"ai"`
	TTS      tts.Config      `yaml:"tts"`
	MQTT     MQTTConfig      `yaml:"mqtt"`
	MCP      MCPConfig       `yaml:"mcp"`
	HTTP     httpapi.Config  `yaml:"http"`
	Tools    local.Config    `yaml:"tools"`
	Safety   answer.Safety   `yaml:"safety"`
	Recorder recorder.Config `yaml:"recorder"`
}

// Identity says which gateway this is and where it stands.
type Identity struct {
	ID       string `yaml:"id"`
	Area     string `yaml:"area"`
	Language string `yaml:"language"`
	StateDir string `yaml:"state_dir"` // empty: $STATE_DIRECTORY, else the XDG state directory
}

// AudioConfig chooses the sound devices, and the short sounds on them.
type AudioConfig struct {
	device.Config `yaml:",inline"`
	Earcons       earcon.Set `yaml:"earcons"`
}

// IntentsConfig lists sentence packs beside our own.
type IntentsConfig struct {
	Packs []string `yaml:"packs"`
}

// MQTTConfig is the broker to use; without one the embedded broker serves.
type MQTTConfig struct {
	mqtt.Config `yaml:",inline"`
	Embedded    broker.Config `yaml:"embedded"`
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

// Default is the configuration without any file. configs/voice-gateway.yaml says
// the same with comments, and a test holds the two together.
func Default() Config {
	return Config{
		Gateway: Identity{ID: "kitchen", Area: "Kitchen", Language: "en"},
		Audio:   AudioConfig{Config: device.Default(), Earcons: earcon.Soft},
		Wake:    wake.Default(),
		STT:     stt.Default(),
		Intents: IntentsConfig{Packs: []string{}},
		AI:      ai.Default(),
		TTS:     tts.Default(),
		MQTT:    MQTTConfig{Embedded: broker.Default()},
		MCP: MCPConfig{
			Retry:   RetryConfig(host.DefaultRetry()),
			Breaker: BreakerConfig{Threshold: 3, Recovery: time.Minute},
			Health:  HealthConfig{Interval: 30 * time.Second, Timeout: 5 * time.Second},
			Servers: map[string]ServerConfig{"zwave": DefaultServer()},
		},
		HTTP:     httpapi.Default(),
		Tools:    local.Default(),
		Safety:   answer.DefaultSafety(),
		Recorder: recorder.Default(),
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

// Validate reports everything that is wrong at once, each with the key's path,
// what was expected and what to write instead.
func (c Config) Validate() error {
	var errs []error
	for _, part := range []interface{ Validate() error }{
		c.Gateway, c.Audio, c.Wake, c.STT, c.Intents, c.MCP, c.Safety, c.Recorder,
	} {
		errs = append(errs, each(part.Validate())...)
	}
	for key, part := range map[string]interface{ Validate() error }{"ai": c.AI, "tts": c.TTS, "tools": c.Tools} {
		if err := part.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	return errors.Join(slices.SortedFunc(slices.Values(errs), func(a, b error) int {
		return strings.Compare(a.Error(), b.Error())
	})...)
}

// each takes apart what a part has found.
func each(err error) []error {
	switch e := any(err).(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		var out []error
		for _, one := range e.Unwrap() {
			out = append(out, each(one)...)
		}
		return out
	}
	return []error{err}
}

// Validate says everything that is wrong with who and where the gateway is.
func (i Identity) Validate() error {
	var errs []error
	if i.ID == "" || strings.ContainsAny(i.ID, "/+# \t") {
		errs = append(errs, fmt.Errorf("gateway.id: %q is not usable in a topic; use letters, digits and dashes, such as kitchen", i.ID))
	}
	if known := sentences.Languages(); !slices.Contains(known, i.Language) {
		errs = append(errs, fmt.Errorf("gateway.language: %q has no sentence pack here; expected one of %s", i.Language, strings.Join(known, ", ")))
	}
	return errors.Join(errs...)
}

// Validate says everything that is wrong with the sound.
func (a AudioConfig) Validate() error {
	errs := each(a.Config.Validate())
	if sets := []earcon.Set{earcon.Off, earcon.Soft, earcon.Full}; !slices.Contains(sets, a.Earcons) {
		errs = append(errs, fmt.Errorf("audio.earcons: %q is unknown; expected off, soft, full", a.Earcons))
	}
	return errors.Join(errs...)
}

// Validate says what is wrong with the sentence packs.
func (i IntentsConfig) Validate() error {
	if len(i.Packs) > 0 {
		return errors.New("intents.packs: other sentence packs cannot be loaded by this version; leave the list empty")
	}
	return nil
}

type reporter func(key, format string, args ...any)

func oneOf(bad reporter, key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		bad(key, "%q is unknown; expected %s", value, strings.Join(allowed, ", "))
	}
}

// Validate says everything that is wrong with the MCP servers.
func (m MCPConfig) Validate() error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", key, fmt.Sprintf(format, args...)))
	}
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
	return errors.Join(errs...)
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
