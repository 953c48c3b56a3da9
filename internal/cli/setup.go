package cli

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/setup"
	"voicegateway/internal/ground/process"
)

// setupCommand makes the first configuration of a house.
func (a *app) setupCommand() *cobra.Command {
	var answers setup.Answers
	var found bool
	c := &cobra.Command{
		Use: "setup", Short: "Find the microphone, the speaker, the broker and the house, and write the configuration",
		Long: `Looks for what the gateway needs, asks about what it finds, writes the configuration
with comments, and ends with three sentences that work in this house. It can be run
again: it keeps the values of the configuration, and if flags name the changes, it
changes and asks nothing else. --yes asks no questions and uses what is found.`,
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			return setup.Run(c.Context(), a.newcomer(c.Context()), answers, found)
		},
	}
	f := c.Flags()
	f.BoolVar(&found, "yes", false, "ask nobody, and take what is found")
	f.StringVar(&answers.Language, "language", "", "of sentences and replies: en, de, es, fr, or a name such as Deutsch")
	f.StringVar(&answers.Area, "area", "", "the room of the microphone")
	f.StringVar(&answers.ID, "id", "", "the name of this gateway at the broker")
	f.StringVar(&answers.House, "house", "", "the house: zwave, homeassistant, both or none")
	f.StringVar(&answers.HassURL, "hass-url", "", "the address of Home Assistant, such as http://192.168.1.20:8123")
	f.StringVar(&answers.HassTokenFile, "hass-token-file", "", "a file with a long-lived access token of Home Assistant; it is tried once")
	f.StringVar(&answers.HassCert, "hass-cert-sha256", "", "the SHA-256 of the only certificate that Home Assistant may show")
	f.StringVar(&answers.Broker, "broker", "", "the MQTT broker, such as mqtt://192.168.1.10; none: the gateway's own")
	f.StringVar(&answers.User, "broker-user", "", "the user at the broker")
	f.StringVar(&answers.PasswordFile, "broker-password-file", "", "a file with the password at the broker")
	f.BoolVar(&answers.Insecure, "broker-insecure", false, "use a broker of another host without a password")
	f.StringVar(&answers.Prefix, "prefix", "", "the prefix of zwave-js-ui at the broker")
	f.StringVar(&answers.Microphone, "microphone", "", "the microphone, or a part of its name; voice-gateway devices lists them")
	f.StringVar(&answers.Speaker, "speaker", "", "the speaker, or a part of its name")
	f.StringVar(&answers.WakeWord, "wake-word", "", "the wake word; voice-gateway models list names those there are")
	f.StringVar(&answers.Models, "models", "", "of what is missing: pull, skip, or a directory that holds them")
	f.StringVar(&answers.Model, "model", "", "the OpenAI-compatible address of a language model, or none")
	f.StringVar(&answers.Listen, "listen", "", "where the page is served, such as 127.0.0.1:8765")
	return c
}

// newcomer is the world, as setting up uses it.
func (a *app) newcomer(ctx context.Context) setup.World {
	return setup.World{
		In: a.In, Out: a.Out, Paint: a.paint, Someone: a.Terminal && setup.Someone(a.In), Environ: a.Environ,
		Executable: a.Executable, Version: a.version, File: a.config,
		Ask: func(ctx context.Context, l *configure.Loaded, path string, answer any) error {
			return (&loaded{l}).daemon().ask(ctx, http.MethodGet, path, nil, answer)
		},
		Sound: func(ctx context.Context, l *configure.Loaded) (audio.Equipment, error) {
			return equipment(ctx, &loaded{l}, a.Executable, slog.New(slog.DiscardHandler))
		},
		Pull: func(ctx context.Context, l *configure.Loaded, from string) error {
			return (&modelsWork{app: a}).pullFor(ctx, &loaded{l}, from)
		},
		Load: func(d *configure.Draft) (*configure.Loaded, error) {
			l, err := a.loadDraft(ctx, d)
			if err != nil {
				return nil, err
			}
			return l.Loaded, nil
		},
		Service: setup.Service{Serves: serves, Restart: restart},
		Command: func(l *configure.Loaded) (command, user string) {
			p := a.patient(&loaded{l})
			return p.Command, p.User
		},
	}
}

// systemctl asks the service manager of this machine, or tells it something.
func systemctl(ctx context.Context, args ...string) (string, error) {
	out, err := process.Run(ctx, process.Task{
		Program:   process.Program{Path: "systemctl", Args: append([]string{"--no-ask-password"}, args...), Env: process.SmallEnv()},
		MaxOutput: 64 << 10,
	})
	return string(out), err
}

// serves reports whether the service runs with that configuration file.
func serves(ctx context.Context, file string) bool {
	said, err := systemctl(ctx, "show", "--property=ActiveState,ExecStart", "voice-gateway")
	return err == nil && strings.Contains(said, "ActiveState=active") && slices.Contains(strings.Fields(said), file)
}

func restart(ctx context.Context) error {
	_, err := systemctl(ctx, "restart", "voice-gateway")
	return err
}
