package upkeep

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/setup"
	"voicegateway/internal/ground/process"
)

// setup makes the first configuration of a house.
func (u commands) setup() *cobra.Command {
	var a setup.Answers
	var found bool
	c := &cobra.Command{
		Use: "setup", Short: "Find the microphone, the speaker, the broker and the house, and write the configuration",
		Long: `Looks for what the gateway needs, asks about what it finds, writes the configuration
with comments, and ends with three sentences that work in this house. It can be run
again: it keeps the values of the configuration, and if flags name the changes, it
changes and asks nothing else. --yes asks no questions and uses what is found.`,
		Args: u.exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			w := u.world()
			return setup.Run(c.Context(), w.newcomer(c.Context()), a, found)
		},
	}
	f := c.Flags()
	f.BoolVar(&found, "yes", false, "ask nobody, and take what is found")
	f.StringVar(&a.Language, "language", "", "of sentences and replies: en, de, es, fr, or a name such as Deutsch")
	f.StringVar(&a.Area, "area", "", "the room of the microphone")
	f.StringVar(&a.ID, "id", "", "the name of this gateway at the broker")
	f.StringVar(&a.Broker, "broker", "", "the MQTT broker, such as mqtt://192.168.1.10; none: the gateway's own")
	f.StringVar(&a.User, "broker-user", "", "the user at the broker")
	f.StringVar(&a.PasswordFile, "broker-password-file", "", "a file with the password at the broker")
	f.BoolVar(&a.Insecure, "broker-insecure", false, "use a broker of another host without a password")
	f.StringVar(&a.Prefix, "prefix", "", "the prefix of zwave-js-ui at the broker")
	f.StringVar(&a.Microphone, "microphone", "", "the microphone, or a part of its name; voice-gateway devices lists them")
	f.StringVar(&a.Speaker, "speaker", "", "the speaker, or a part of its name")
	f.StringVar(&a.WakeWord, "wake-word", "", "the wake word; voice-gateway models list names those there are")
	f.StringVar(&a.Models, "models", "", "of what is missing: pull, skip, or a directory that holds them")
	f.StringVar(&a.Model, "model", "", "the OpenAI-compatible address of a language model, or none")
	f.StringVar(&a.Listen, "listen", "", "where the page is served, such as 127.0.0.1:8765")
	return c
}

// newcomer is the world, as setting up uses it.
func (w World) newcomer(ctx context.Context) setup.World {
	return setup.World{
		In: w.In, Out: w.Out, Paint: w.Paint, Someone: w.Terminal && setup.Someone(w.In), Environ: w.Environ,
		Executable: w.Executable, Version: w.Version, File: w.File, Ask: w.Ask, Sound: w.Sound, Pull: w.Pull,
		Load:    func(d *configure.Draft) (*configure.Loaded, error) { return w.LoadDraft(ctx, d) },
		Service: setup.Service{Serves: serves, Restart: restart},
		Command: func(l *configure.Loaded) (command, user string) {
			p := w.patient(l)
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
