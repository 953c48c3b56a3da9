package gateway

import (
	"bytes"
	"strings"
	"testing"

	"voicegateway/internal/config"
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
	empty := ServerConfig{}
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
		"wake engine":     {func(c *Config) { c.Wake.Engine = "telepathy" }, []string{"wake.engine", "telepathy", "pocketsphinx"}},
		"no wake word":    {func(c *Config) { c.Wake.Words = nil }, []string{"wake.words", "hey jarvis"}},
		"recogniser":      {func(c *Config) { c.STT.Engines = []string{"ears"} }, []string{"stt.engines", "pocketsphinx"}},
		"language":        {func(c *Config) { c.Gateway.Language = "tlh" }, []string{"gateway.language", "en"}},
		"gateway id":      {func(c *Config) { c.Gateway.ID = "a/b" }, []string{"gateway.id", "topic"}},
		"danger":          {func(c *Config) { c.Safety.Dangerous = "allow" }, []string{"safety.dangerous", "deny"}},
		"attempts":        {func(c *Config) { c.MCP.Retry.Attempts = 0 }, []string{"mcp.retry.attempts", "1"}},
		"delay":           {func(c *Config) { c.MCP.Retry.BaseDelay = 0 }, []string{"mcp.retry.base_delay", "2s"}},
		"recorder":        {func(c *Config) { c.Recorder.Enabled = true }, []string{"recorder.enabled"}},
		"packs":           {func(c *Config) { c.Intents.Packs = []string{"x"} }, []string{"intents.packs"}},
		"several at once": {func(c *Config) { c.Wake.Engine, c.Gateway.ID = "x", "" }, []string{"wake.engine", "gateway.id"}},
		"server without command": {func(c *Config) {
			c.MCP.Servers = map[string]ServerConfig{"toys": {Transport: "stdio", ConnectTimeout: 1, CallTimeout: 1}}
		}, []string{"mcp.servers.toys.command"}},
		"server without address": {func(c *Config) {
			c.MCP.Servers = map[string]ServerConfig{"toys": {Transport: "http", ConnectTimeout: 1, CallTimeout: 1}}
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
		})
	}
}
