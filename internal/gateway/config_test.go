package gateway

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/ground/config"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/mcpint"
)

const shipped = "../../configs/voice-gateway.yaml"

// shown is what `config show` would print, without the origins: two
// configurations are equal when it is.
func shown(t *testing.T, c Config) string {
	t.Helper()
	var b bytes.Buffer
	if err := config.Show(&b, c, &config.Origins{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The shipped file, read over nothing, must be the defaults: so it holds every
// key, and each with the value it has without the file.
func TestShippedConfigurationEqualsTheDefaults(t *testing.T) {
	t.Parallel()
	var c Config
	if _, err := config.Load(shipped, &c, config.Options{Environ: []string{}}); err != nil {
		t.Fatal(err)
	}
	server := c.MCP.Servers["zwave"]
	empty := mcpint.Server{}
	empty.SetDefaults()
	for key, same := range map[string]bool{"command": server.Command == empty.Command, "essential": server.Essential == empty.Essential} {
		if same {
			t.Errorf("mcp.servers.zwave.%s is not in %s", key, shipped)
		}
	}
	if got, want := shown(t, c), shown(t, Default()); got != want {
		g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
		for i := range min(len(g), len(w)) {
			if g[i] != w[i] {
				t.Fatalf("%s has %q where the default is %q", shipped, g[i], w[i])
			}
		}
		t.Fatalf("%s has %d lines, the defaults %d", shipped, len(g), len(w))
	}
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateNamesKeyAndExpectation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Config)
		want   []string
	}{
		"wake engine":   {func(c *Config) { c.Wake.Engine = "telepathy" }, []string{"wake.engine", "telepathy", "pocketsphinx"}},
		"no wake word":  {func(c *Config) { c.Wake.Words = nil }, []string{"wake.words", "hey jarvis"}},
		"no recogniser": {func(c *Config) { c.STT.Engines = nil }, []string{"stt.engines", "auto, moonshine, openai, pocketsphinx, wyoming"}},
		"recogniser":    {func(c *Config) { c.STT.Engines = []string{"pocketsphinx", "vosk", "vosk"} }, []string{`"vosk" is unknown`, "vosk is named twice"}},
		"no speech server": {
			func(c *Config) { c.STT.Engines = []string{"pocketsphinx", "openai", "wyoming"} },
			[]string{"stt.openai.base_url", "https://api.openai.com/v1", "stt.wyoming.uri", "tcp://127.0.0.1:10300"},
		},
		"speech by stdio": {func(c *Config) { c.STT.Wyoming.URI = "stdio://" }, []string{"stt.wyoming.uri", "not supported"}},
		"a password for a speech server": {func(c *Config) {
			c.STT.OpenAI.BaseURL, c.STT.Wyoming.URI, c.TTS.OpenAI.BaseURL = "http://me:hush@x:port/v1", "me:hush@x:1", "http://me:hush@x/v1"
		}, []string{"stt.openai.base_url", "stt.wyoming.uri", "tts.openai.base_url"}},
		"speech's time":    {func(c *Config) { c.STT.Timeout = time.Hour }, []string{"stt.timeout", "500ms to 15s"}},
		"wake word server": {func(c *Config) { c.Wake.Engine = "wyoming" }, []string{"wake.wyoming.uri", "tcp://"}},
		"location":         {func(c *Config) { c.Gateway.Location = "52.5" }, []string{"gateway.location", "52.5, 13.4"}},
		"a far location":   {func(c *Config) { c.Gateway.Location = "152.5, 13" }, []string{"gateway.location", "-90 to 90"}},
		"units":            {func(c *Config) { c.Gateway.Units = "imperial" }, []string{"gateway.units", "auto, metric, us"}},
		"language":         {func(c *Config) { c.Gateway.Language = "tlh" }, []string{"gateway.language", "en"}},
		"gateway id":       {func(c *Config) { c.Gateway.ID = "a/b" }, []string{"gateway.id", "topic"}},
		"danger":           {func(c *Config) { c.Safety.Dangerous = "allow" }, []string{"safety.dangerous", "deny"}},
		"attempts":         {func(c *Config) { c.MCP.Retry.Attempts = 0 }, []string{"mcp.retry.attempts", "1"}},
		"delay":            {func(c *Config) { c.MCP.Retry.BaseDelay = 0 }, []string{"mcp.retry.base_delay", "2s"}},
		"recorder's age":   {func(c *Config) { c.Recorder = recorder.Config{Enabled: true, MaxMB: 1} }, []string{"recorder.max_age", "168h"}},
		"recorder's size":  {func(c *Config) { c.Recorder = recorder.Config{Enabled: true, MaxAge: time.Hour} }, []string{"recorder.max_mb", "1 or more"}},
		"recorder's place": {func(c *Config) {
			c.Recorder = recorder.Config{Enabled: true, MaxAge: time.Hour, MaxMB: 1, Dir: "here"}
		}, []string{"recorder.dir", "whole path"}},
		"packs":           {func(c *Config) { c.Intents.Packs = []string{"x"} }, []string{"intents.packs"}},
		"several at once": {func(c *Config) { c.Wake.Engine, c.Gateway.ID = "x", "" }, []string{"wake.engine", "gateway.id"}},
		"server without command": {func(c *Config) {
			c.MCP.Servers = map[string]mcpint.Server{"toys": {Transport: "stdio", ConnectTimeout: 1, CallTimeout: 1}}
		}, []string{"mcp.servers.toys.command"}},
		"breaker": {func(c *Config) { c.MCP.Breaker.Threshold = 0 }, []string{"mcp.breaker.threshold", "1"}},
		"server's needs": {func(c *Config) {
			change(c, func(s *mcpint.Server) { s.Requires = []string{"mqtt", "coffee"} })
		}, []string{"mcp.servers.zwave.requires", "coffee", "tcp://host:port"}},
		"server's patience": {func(c *Config) {
			change(c, func(s *mcpint.Server) { s.Requires, s.RequiresTimeout = []string{"mqtt"}, 0 })
		}, []string{"mcp.servers.zwave.requires_timeout", "60s"}},
		"server's schedule": {func(c *Config) {
			change(c, func(s *mcpint.Server) { s.Retry = mcpint.Schedule{Attempts: -1, Multiplier: 0.5} })
		}, []string{"mcp.servers.zwave.retry", "mcp.servers.zwave.retry.multiplier", "1 or more"}},
		"server's tools": {func(c *Config) {
			change(c, func(s *mcpint.Server) { s.Tools.Deny = []string{"get_["} })
		}, []string{"mcp.servers.zwave.tools", "get_[", "get_*"}},
		"transport": {func(c *Config) {
			change(c, func(s *mcpint.Server) { s.Transport = "pigeon" })
		}, []string{"mcp.servers.zwave.transport", "pigeon", "stdio, http, sse"}},
		"old server without address": {func(c *Config) {
			change(c, func(s *mcpint.Server) { s.Transport = "sse" })
		}, []string{"mcp.servers.zwave.url"}},
		"server without address": {func(c *Config) {
			c.MCP.Servers = map[string]mcpint.Server{"toys": {Transport: "http", ConnectTimeout: 1, CallTimeout: 1}}
		}, []string{"mcp.servers.toys.url"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Default()
			tt.change(&c)
			err := c.Validate()
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("a password is told: %v", err)
			}
		})
	}
}

// change changes the Z-Wave server's entry.
func change(c *Config, set func(*mcpint.Server)) {
	s := c.MCP.Servers["zwave"]
	set(&s)
	c.MCP.Servers = map[string]mcpint.Server{"zwave": s}
}

// What one server sets reaches it through the file.
func TestServerKeysOfTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := `
mcp:
  servers:
    music:
      transport: sse
      url: http://music.example/sse
      headers: {Authorization: Bearer x}
      requires: [mqtt, "tcp://music.example:80"]
      retry: {attempts: 5, base_delay: 1s}
      tools: {allow: [play_*], deny: [play_loud]}
      call_timeout: 7s
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Default()
	if _, err := config.Load(file, &c, config.Options{Environ: []string{}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	s := c.MCP.Servers["music"]
	if s.Retry.Over(c.MCP.Retry.Schedule).Attempts != 5 || s.Retry.Over(c.MCP.Retry.Schedule).SlowInterval != time.Minute || len(s.Requires) != 2 ||
		s.RequiresTimeout != time.Minute || s.Tools.Allow[0] != "play_*" || s.Tools.Deny[0] != "play_loud" || s.CallTimeout != 7*time.Second {
		t.Errorf("read %+v", s)
	}
}

// TestOurHouseServerIsKnown: an entry whose command is our own server of Home Assistant is
// trusted and has a house. An entry with another command or with an address is not.
func TestOurHouseServerIsKnown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"{command: home-assistant-mcp-server, env: {HASS_URL: x}}":            true,
		"{command: home-assistant-mcp-server, house: false, trust: read}":     false,
		"{command: /tmp/home-assistant-mcp-server}":                           false,
		"{transport: http, url: \"http://homeassistant.local:8123/api/mcp\"}": false,
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte("mcp: {servers: {homeassistant: "+text+"}}"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := Default()
		if _, err := config.Load(file, &c, config.Options{Environ: []string{}}); err != nil {
			t.Fatal(err)
		}
		if s := c.MCP.Servers["homeassistant"]; s.House != want || (s.Trust == mcpint.TrustFull) != want {
			t.Errorf("%s: house %v, trust %s", text, s.House, s.Trust)
		}
	}
}

// TestTheOrderOfServersIsThatOfTheFile: a server that only we know stands first.
func TestTheOrderOfServersIsThatOfTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("mcp: {servers: {notes: {command: n}, music: {command: m}, aaa: {command: a}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Default()
	if _, err := config.Load(file, &c, config.Options{Environ: []string{}}); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, s := range c.MCP.Config().Servers {
		ids = append(ids, s.ID)
	}
	if want := []string{"zwave", "notes", "music", "aaa"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

// TestWhoHearsALanguage: PocketSphinx, which would take German for English, is left
// out; a gateway is deaf only if no other recogniser is configured.
func TestWhoHearsALanguage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		language string
		engines  []string
		hear     []string
	}{
		"english":         {"en", []string{"pocketsphinx", "openai"}, []string{"pocketsphinx", "openai"}},
		"german":          {"de", []string{"pocketsphinx", "openai", "wyoming"}, []string{"openai", "wyoming"}},
		"german and deaf": {"de", []string{"pocketsphinx"}, []string{}},
	} {
		c := Default()
		c.Gateway.Language, c.STT.Engines = tt.language, tt.engines
		if got := c.recognisers(); !slices.Equal(got, tt.hear) {
			t.Errorf("%s: %q hear, expected %q", name, got, tt.hear)
		}
		if s := (setup{cfg: c}); s.deaf() != (len(tt.hear) == 0) {
			t.Errorf("%s: deaf %t", name, s.deaf())
		}
	}
}
