package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/cli/review"
	"voicegateway/internal/config"
	"voicegateway/internal/gateway"
)

// configPlaces are the paths where the configuration is looked for; the first that
// exists is used.
var configPlaces = []string{"/etc/voice-gateway/voice-gateway.yaml", "configs/voice-gateway.yaml"}

// prefix begins the variables that override keys.
const prefix = "VOICE_GATEWAY_"

// loaded is a configuration with its origin and its secrets.
type loaded struct {
	gateway.Config
	path    string // empty: defaults only
	origins *config.Origins
	options config.Options
	secrets gateway.Secrets
	// locked is why a secret cannot be read that only a gateway needs. A command that
	// asks a running gateway may ignore it.
	locked error
}

// load reads and checks the configuration.
func (a *app) load() (*loaded, error) {
	l := &loaded{Config: gateway.Default(), path: a.config}
	if l.path == "" {
		for _, place := range configPlaces {
			if _, err := os.Stat(place); err == nil {
				l.path = place
				break
			}
		}
	}
	l.options = config.Options{Prefix: prefix, Environ: a.Environ, Known: []string{
		prefix + "MQTT_PASSWORD", prefix + "AI_API_KEY", prefix + "HTTP_TOKEN", prefix + "TOOLS_SEARCH_KEY",
	}}
	var err error
	if l.origins, err = config.Load(l.path, &l.Config, l.options); err != nil {
		return nil, usageError{fmt.Errorf("the configuration cannot be used:\n%w", err)}
	}
	a.secrets = gateway.SecretsOf(l.Config, l.secrets)
	once, err := disablesRetry(l.options.Getenv("DISABLE_RETRY"))
	if err != nil {
		return nil, usageError{err}
	}
	l.MCP.Retry.Enabled = l.MCP.Retry.Enabled && !once
	if err := l.Validate(); err != nil {
		return nil, usageError{fmt.Errorf("the configuration%s cannot be used:\n%w", from(l.path), err)}
	}
	if l.Gateway.StateDir, err = l.options.StateDir(l.Gateway.StateDir, "voice-gateway"); err != nil {
		return nil, fmt.Errorf("finding the state directory: %w", err)
	}
	l.locked = l.readSecrets()
	if l.secrets.HTTPToken, err = l.options.Secret("http.token", l.HTTP.TokenFile); err != nil {
		return nil, fmt.Errorf("reading a secret: %w", err)
	}
	a.secrets = gateway.SecretsOf(l.Config, l.secrets)
	return l, nil
}

// review is what the commands about turns of before need.
func (a *app) review() (review.World, error) {
	l, err := a.load()
	if err != nil {
		return review.World{}, err
	}
	ask := func(ctx context.Context, method, path string, body []byte, answer any) error {
		ctx, cancel := context.WithTimeout(ctx, daemonPatience)
		defer cancel()
		return l.daemon().request(ctx, method, path, body, answer)
	}
	return review.World{
		Out: a.Out, Err: a.Err, Paint: a.paint, Executable: a.Executable, Log: a.logger(slog.LevelError), Config: l.Config,
		Daemon: ask, NoDaemon: errNoDaemon, Needed: l.daemon().needed, Sentences: sentences, Usage: func(err error) error { return usageError{err} },
	}, nil
}

// disablesRetry reads DISABLE_RETRY: whether there is exactly one attempt to connect
// to an MCP server (REQUIREMENTS M2). Empty leaves it to the configuration.
func disablesRetry(value string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off", "":
		return false, nil
	}
	return false, fmt.Errorf("DISABLE_RETRY is %q; expected true, 1, yes or on for one attempt, false, 0, no or off to let mcp.retry decide, or nothing", value)
}

func (l *loaded) readSecrets() error {
	for _, s := range []struct {
		key, file string
		to        *string
	}{
		{"mqtt.password", l.MQTT.PasswordFile, &l.secrets.MQTTPassword},
		{"ai.api_key", l.AI.APIKeyFile, &l.secrets.AIKey},
		{"stt.openai.api_key", l.STT.OpenAI.APIKeyFile, &l.secrets.STTKey},
		{"tts.openai.api_key", l.TTS.OpenAI.APIKeyFile, &l.TTS.OpenAI.Key},
		{"tools.search.key", l.Tools.Search.KeyFile, &l.secrets.SearchKey},
	} {
		secret, err := l.options.Secret(s.key, s.file)
		if err != nil {
			return fmt.Errorf("reading a secret: %w", err)
		}
		*s.to = secret
	}
	return nil
}

// unusable is the error of a configuration of which a part cannot be made. It is a
// mistake in the call, which no restart mends, unless a file or a directory is in
// the way.
func unusable(l *loaded, err error) error {
	wrapped := fmt.Errorf("the configuration%s cannot be used: %w", from(l.path), err)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped
	}
	return usageError{wrapped}
}

func from(path string) string {
	if path == "" {
		return ""
	}
	return " of " + path
}

// configCommand checks and shows the configuration.
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Check or show the configuration",
		Args: exactly(0, "check or show"),
		RunE: func(c *cobra.Command, _ []string) error {
			return usageError{fmt.Errorf("%s needs check or show", c.CommandPath())}
		},
	}
	c.AddCommand(
		&cobra.Command{
			Use: "check", Short: "Validate the configuration", Args: exactly(0, "no arguments"),
			RunE: a.configured(func(_ context.Context, l *loaded, _ []string) error {
				if l.locked != nil {
					return l.locked
				}
				// Building the parts checks what only they know. It starts nothing.
				if _, err := gateway.New(l.Config, gateway.Options{
					Executable: a.Executable, Environ: a.Environ, Secrets: l.secrets,
				}, slog.New(slog.DiscardHandler)); err != nil {
					return unusable(l, err)
				}
				fmt.Fprintln(a.Out, a.paint.Good("✓"), cmp.Or(l.path, "the defaults (no file found)"), "and the environment are valid")
				for _, doubt := range l.Doubts() {
					fmt.Fprintln(a.Out, a.paint.Warn("!"), doubt)
				}
				return nil
			}),
		},
		&cobra.Command{
			Use: "show", Short: "Print every value and where it came from; secrets stay hidden", Args: exactly(0, "no arguments"),
			RunE: a.configured(func(_ context.Context, l *loaded, _ []string) error {
				return config.Show(a.Out, l.Config, l.origins)
			}),
		},
	)
	return c
}
