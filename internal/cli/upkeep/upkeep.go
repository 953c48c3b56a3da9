// Package upkeep has the commands about an installation: how it is set up, its
// configuration and its doctor.
package upkeep

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

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/interrupt"
)

// World is what the commands may use.
type World struct {
	In         io.Reader
	Out, Err   io.Writer
	Terminal   bool
	Paint      console.Paint
	Environ    []string
	Executable string
	Version    string
	File       string // --config
	Load       func(ctx context.Context) (*configure.Loaded, error)
	LoadDraft  func(ctx context.Context, d *configure.Draft) (*configure.Loaded, error) // in place of the file that would be used
	// Ask asks the gateway that runs; NoDaemon is its error where none does.
	Ask      func(ctx context.Context, l *configure.Loaded, path string, answer any) error
	NoDaemon error
	// Sound lists the sound devices of the gateway that runs, or of this machine where none
	// does; Here lists those of this machine.
	Sound, Here func(ctx context.Context, l *configure.Loaded) (audio.Equipment, error)
	// Pull fetches the models that a configuration uses, from a directory where one is
	// named.
	Pull func(ctx context.Context, l *configure.Loaded, from string) error
}

// Commands returns config, doctor, status and setup. world is called when one of them runs; exactly
// checks the number of arguments.
func Commands(world func() World, exactly func(n int, what string) cobra.PositionalArgs) []*cobra.Command {
	c := commands{world, exactly}
	return []*cobra.Command{c.config(), c.doctor(), c.status(), c.setup()}
}

type commands struct {
	world   func() World
	exactly func(n int, what string) cobra.PositionalArgs
}

// config checks, shows and changes the configuration.
func (u commands) config() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Check, show or change the configuration",
		Args: u.exactly(0, "check, show, set, secret, alias or pronounce"),
		RunE: func(c *cobra.Command, _ []string) error {
			return configure.AsUseError(fmt.Errorf("%s needs check, show, set, secret, alias or pronounce", c.CommandPath()))
		},
	}
	c.AddCommand(
		u.set(), u.secret(), u.alias(), u.pronounce(),
		&cobra.Command{
			Use: "check", Short: "Validate the configuration", Args: u.exactly(0, "no arguments"),
			RunE: func(c *cobra.Command, _ []string) error { return u.world().check(c.Context()) },
		},
		&cobra.Command{
			Use: "show", Short: "Print every value and where it came from; secrets stay hidden", Args: u.exactly(0, "no arguments"),
			RunE: func(c *cobra.Command, _ []string) error {
				w := u.world()
				l, err := w.Load(c.Context())
				if err != nil {
					return err
				}
				return config.Show(w.Out, l.Config, l.Origins)
			},
		},
	)
	return c
}

// check tells whether the configuration is valid, and what of that which it names is not
// there.
func (w World) check(ctx context.Context) error {
	l, err := w.Load(ctx)
	if err != nil {
		return err
	}
	if l.Locked != nil {
		return l.Locked
	}
	// Building the parts checks what only they know. It starts nothing.
	if _, err := gateway.New(l.Config, gateway.Options{
		Executable: w.Executable, Environ: w.Environ, Secrets: l.Secrets,
	}, slog.New(slog.DiscardHandler)); err != nil {
		return l.Unusable(err)
	}
	fmt.Fprintln(w.Out, w.Paint.Good("✓"), cmp.Or(l.Path, "the defaults (no file found)"), "and the environment are valid")
	for _, doubt := range l.Doubts() {
		fmt.Fprintln(w.Out, w.Paint.Warn("!"), doubt)
	}
	found := doctor.Check(ctx, w.patient(l))
	doctor.Tell(w.Out, w.Paint, slices.DeleteFunc(found, func(f doctor.Finding) bool { return f.State == doctor.Well }))
	return nil
}

// restartHint is what makes a changed configuration count.
func (w World) restartHint(file configure.File) string {
	return "a gateway that runs takes it at its next start: " + configure.RestartCommand(file.Path, w.Executable, w.command())
}

// set changes one value of the configuration file.
func (u commands) set() *cobra.Command {
	return &cobra.Command{
		Use: "set KEY VALUE", Short: "Change one value of the configuration file; all other lines stay as they are",
		Long: `Changes one value, such as gateway.id, in the configuration file. The value is
YAML on one line: a text, a number, [a, list], or null, which removes an entry of a
map. Put a part of the key that is not a plain word in double quotes, such as
home.aliases."Den Light". A value that the gateway cannot use is not written.`,
		Args: u.exactly(2, "a key, such as gateway.area, and a value"),
		RunE: func(_ *cobra.Command, args []string) error { return u.world().set(args[0], args[1]) },
	}
}

func (w World) set(key, value string) error {
	file, err := configure.Open(w.File, w.Environ)
	if err != nil {
		return err
	}
	switch changed, err := file.Set(key, value); {
	case err != nil:
		return err
	case changed:
		fmt.Fprintf(w.Out, "%s %s is %s in %s; %s\n", w.Paint.Good("✓"), key, cmp.Or(value, "empty"), file.Path, w.restartHint(file))
	default:
		fmt.Fprintf(w.Out, "%s %s says that already\n", w.Paint.Good("✓"), file.Path)
	}
	return nil
}

// secret puts a secret into a file of its own.
func (u commands) secret() *cobra.Command {
	return &cobra.Command{
		Use: "secret KEY", Short: "Store a secret from standard input in its own file, and name it in the configuration",
		Long: "Reads one line from standard input, keeps it beside the configuration where\nothers cannot read it, and names that file in the configuration. The keys are\n" +
			strings.Join(configure.Secrets(), ", ") + ",\nand for an MCP server\n" + strings.Join(configure.ServerSecrets(), ",\n") + ".\nA private key is read with all its lines.",
		Args: u.exactly(1, "a key, such as mqtt.password"),
		RunE: func(c *cobra.Command, args []string) error { return u.world().keepSecret(c.Context(), args[0]) },
	}
}

func (w World) keepSecret(ctx context.Context, key string) error {
	file, err := configure.Open(w.File, w.Environ)
	if err != nil {
		return err
	}
	if w.Terminal {
		how := "on one line"
		if configure.HasLines(key) {
			how = "all lines, ended by Ctrl-D"
		}
		fmt.Fprintf(w.Err, "%s, %s: ", key, how)
	}
	in := bufio.NewReader(io.LimitReader(w.In, 64<<10))
	line, err := interrupt.Read(ctx, func() (string, error) {
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
		fmt.Fprintf(w.Out, "%s there is no word before the key; most servers want “Bearer KEY”\n", w.Paint.Warn("!"))
	}
	fmt.Fprintf(w.Out, "%s %s is kept in %s; %s\n", w.Paint.Good("✓"), key, place, w.restartHint(file))
	return nil
}
