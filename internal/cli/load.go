package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/cli/review"
	"voicegateway/internal/config"
	"voicegateway/internal/configure"
	"voicegateway/internal/gateway"
)

// loaded is the configuration as the commands need it.
type loaded struct{ *configure.Loaded }

// load reads and checks the configuration.
func (a *app) load() (*loaded, error) {
	l, err := configure.Load(a.config, a.Environ)
	a.secrets = gateway.SecretsOf(l.Config, l.Secrets)
	if err != nil {
		return nil, err
	}
	return &loaded{l}, nil
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

// unusable is the error of a configuration of which a part cannot be made. It is a
// mistake in the call, which no restart mends, unless a file or a directory is in
// the way.
func unusable(l *loaded, err error) error {
	wrapped := fmt.Errorf("the configuration%s cannot be used: %w", configure.From(l.Path), err)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped
	}
	return usageError{wrapped}
}

// configCommand checks and shows the configuration.
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Check, show or change the configuration",
		Args: exactly(0, "check, show, set or secret"),
		RunE: func(c *cobra.Command, _ []string) error {
			return usageError{fmt.Errorf("%s needs check, show, set or secret", c.CommandPath())}
		},
	}
	c.AddCommand(
		a.setCommand(), a.secretCommand(),
		&cobra.Command{
			Use: "check", Short: "Validate the configuration", Args: exactly(0, "no arguments"),
			RunE: a.configured(func(_ context.Context, l *loaded, _ []string) error {
				if l.Locked != nil {
					return l.Locked
				}
				// Building the parts checks what only they know. It starts nothing.
				if _, err := gateway.New(l.Config, gateway.Options{
					Executable: a.Executable, Environ: a.Environ, Secrets: l.Secrets,
				}, slog.New(slog.DiscardHandler)); err != nil {
					return unusable(l, err)
				}
				fmt.Fprintln(a.Out, a.paint.Good("✓"), cmp.Or(l.Path, "the defaults (no file found)"), "and the environment are valid")
				for _, doubt := range l.Doubts() {
					fmt.Fprintln(a.Out, a.paint.Warn("!"), doubt)
				}
				return nil
			}),
		},
		&cobra.Command{
			Use: "show", Short: "Print every value and where it came from; secrets stay hidden", Args: exactly(0, "no arguments"),
			RunE: a.configured(func(_ context.Context, l *loaded, _ []string) error {
				return config.Show(a.Out, l.Config, l.Origins)
			}),
		},
	)
	return c
}

// restartHint is what makes a changed configuration count.
const restartHint = "a gateway that runs takes it at its next start: sudo systemctl restart voice-gateway"

// setCommand changes one value of the configuration file.
func (a *app) setCommand() *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Change one value of the configuration file; all other lines stay as they are",
		Long: `Changes one value, such as gateway.id, in the configuration file. The value is
YAML on one line: a text, a number, [a, list], or null, which takes an entry of a
map away. What the gateway could not work with is not written.`,
		Args: exactly(2, "a key, such as gateway.area, and a value"),
		RunE: func(_ *cobra.Command, args []string) error { return a.set(args[0], args[1]) },
	}
}

func (a *app) set(key, value string) error {
	file, err := configure.Open(a.config, a.Environ)
	if err != nil {
		return err
	}
	switch changed, err := file.Set(key, value); {
	case err != nil:
		return err
	case changed:
		fmt.Fprintf(a.Out, "%s %s is %s in %s; %s\n", a.paint.Good("✓"), key, cmp.Or(value, "empty"), file.Path, restartHint)
	default:
		fmt.Fprintf(a.Out, "%s %s says that already\n", a.paint.Good("✓"), file.Path)
	}
	return nil
}

// secretCommand puts a secret into a file of its own.
func (a *app) secretCommand() *cobra.Command {
	return &cobra.Command{
		Use: "secret KEY", Short: "Keep a secret that standard input holds in a file of its own, and name it in the configuration",
		Long: "Reads one line from standard input, keeps it beside the configuration where\nothers cannot read it, and names that file in the configuration. The keys are\n" +
			strings.Join(configure.Secrets(), ", ") + ".",
		Args: exactly(1, "a key, such as mqtt.password"),
		RunE: func(_ *cobra.Command, args []string) error { return a.keepSecret(args[0]) },
	}
}

func (a *app) keepSecret(key string) error {
	file, err := configure.Open(a.config, a.Environ)
	if err != nil {
		return err
	}
	if a.Terminal {
		fmt.Fprintf(a.Err, "%s, on one line: ", key)
	}
	line, err := bufio.NewReader(io.LimitReader(a.In, 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the secret: %w", err)
	}
	place, err := file.KeepSecret(key, strings.TrimRight(line, "\r\n"))
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s %s is kept in %s; %s\n", a.paint.Good("✓"), key, place, restartHint)
	return nil
}
