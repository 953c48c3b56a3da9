package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/process"
)

// configCommand checks, shows and changes the configuration.
func (a *app) configCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Check, show or change the configuration",
		Args: exactly(0, "check, show, set, secret, alias or pronounce"),
		RunE: func(c *cobra.Command, _ []string) error {
			return configure.AsUseError(fmt.Errorf("%s needs check, show, set, secret, alias or pronounce", c.CommandPath()))
		},
	}
	c.AddCommand(
		a.setCommand(), a.secretCommand(), a.aliasCommand(), a.pronounceCommand(),
		&cobra.Command{
			Use: "check", Short: "Validate the configuration", Args: exactly(0, "no arguments"),
			RunE: func(c *cobra.Command, _ []string) error { return a.checkConfig(c.Context()) },
		},
		&cobra.Command{
			Use: "show", Short: "Print every value and where it came from; secrets stay hidden", Args: exactly(0, "no arguments"),
			RunE: func(c *cobra.Command, _ []string) error {
				l, err := a.load(c.Context())
				if err != nil {
					return err
				}
				return config.Show(a.Out, l.Config, l.Origins)
			},
		},
	)
	return c
}

// checkConfig tells whether the configuration is valid, and what of that which it names is not
// there.
func (a *app) checkConfig(ctx context.Context) error {
	l, err := a.load(ctx)
	if err != nil {
		return err
	}
	if l.Locked != nil {
		return l.Locked
	}
	// Building the parts checks what only they know. It starts nothing.
	if _, err := gateway.New(l.Config, gateway.Options{
		Executable: a.Executable, Environ: a.Environ, Secrets: l.Secrets,
	}, slog.New(slog.DiscardHandler)); err != nil {
		return l.Unusable(err)
	}
	fmt.Fprintln(a.Out, a.paint.Good("✓"), cmp.Or(l.Path, "the defaults (no file found)"), "and the environment are valid")
	for _, doubt := range l.Doubts() {
		fmt.Fprintln(a.Out, a.paint.Warn("!"), doubt)
	}
	found := doctor.Check(ctx, a.patient(l))
	doctor.Tell(a.Out, a.paint, slices.DeleteFunc(found, func(f doctor.Finding) bool { return f.State == doctor.Well }))
	return nil
}

// restartHint is what makes a changed configuration count.
func (a *app) restartHint(file configure.File) string {
	return "a gateway that runs takes it at its next start: " + configure.RestartCommand(file.Path, a.Executable, a.invocation())
}

// setCommand changes one value of the configuration file.
func (a *app) setCommand() *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Change one value of the configuration file; all other lines stay as they are",
		Long: `Changes one value, such as gateway.id, in the configuration file. The value is
YAML on one line: a text, a number, [a, list], or null, which removes an entry of a
map. Put a part of the key that is not a plain word in double quotes, such as
home.aliases."Den Light". A value that the gateway cannot use is not written.`,
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
		fmt.Fprintf(a.Out, "%s %s is %s in %s; %s\n", a.paint.Good("✓"), key, cmp.Or(value, "empty"), file.Path, a.restartHint(file))
	default:
		fmt.Fprintf(a.Out, "%s %s says that already\n", a.paint.Good("✓"), file.Path)
	}
	return nil
}

// secretCommand puts a secret into a file of its own.
func (a *app) secretCommand() *cobra.Command {
	return &cobra.Command{
		Use: "secret KEY", Short: "Store a secret from standard input in its own file, and name it in the configuration",
		Long: "Reads one line from standard input, keeps it beside the configuration where\nothers cannot read it, and names that file in the configuration. The keys are\n" +
			strings.Join(configure.Secrets(), ", ") + ",\nand for an MCP server\n" + strings.Join(configure.ServerSecrets(), ",\n") + ".\nA private key is read with all its lines.",
		Args: exactly(1, "a key, such as mqtt.password"),
		RunE: func(c *cobra.Command, args []string) error { return a.keepSecret(c.Context(), args[0]) },
	}
}

func (a *app) keepSecret(ctx context.Context, key string) error {
	file, err := configure.Open(a.config, a.Environ)
	if err != nil {
		return err
	}
	if a.Terminal {
		how := "on one line"
		if configure.HasLines(key) {
			how = "all lines, ended by Ctrl-D"
		}
		fmt.Fprintf(a.Err, "%s, %s: ", key, how)
	}
	in := bufio.NewReader(io.LimitReader(a.In, 64<<10))
	line, err := process.ReadUntil(ctx, func() (string, error) {
		if configure.HasLines(key) {
			text, err := io.ReadAll(in)
			return string(text), err
		}
		return in.ReadString('\n')
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the secret: %w", err)
	}
	secret := strings.TrimRight(line, "\r\n")
	place, err := file.KeepSecret(key, secret)
	if err != nil {
		return err
	}
	if strings.HasSuffix(key, ".headers.Authorization") && !strings.Contains(secret, " ") {
		fmt.Fprintf(a.Out, "%s there is no word before the key; most servers want “Bearer KEY”\n", a.paint.Warn("!"))
	}
	fmt.Fprintf(a.Out, "%s %s is kept in %s; %s\n", a.paint.Good("✓"), key, place, a.restartHint(file))
	return nil
}
