// Package cli is the command line of voice-gateway: it reads flags, calls the other
// packages and prints words. It exists so that everything a person reads on a
// terminal is in one place. A command that only asks the running gateway for something is
// derived from the table of package doors; add its Usage there. Any other new command is a
// file with a func (a *app) …Command() *cobra.Command and a line in the root's list; its
// work is a type of its own or plain functions.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ground/secret"
)

// IO is what a command may use of the outside world.
type IO struct {
	In         io.Reader
	Out, Err   io.Writer
	Environ    []string // KEY=value
	Executable string   // our own binary, for the workers and its neighbours
	Terminal   bool     // Out is a terminal: colours are welcome
}

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
	// exitInterrupted and exitTerminated are 128 and the number of the signal, SIGINT
	// or SIGTERM, as shells have it.
	exitInterrupted = 130
	exitTerminated  = 143
)

// ErrTerminated is the cause of a context that SIGTERM has ended.
var ErrTerminated = errors.New("the program was told to end")

// app is what the commands share: the world and the flags of the root.
type app struct {
	IO
	config  string
	verbose bool
	paint   console.Paint
	version string
	secrets *secret.Set // of the configuration, once it is read
}

// Main runs the command line and returns the exit status.
func Main(ctx context.Context, args []string, version string, world IO) int {
	colours := world.Terminal && valueIn(world.Environ, "NO_COLOR") == "" && valueIn(world.Environ, "TERM") != "dumb"
	world.Out, world.Err = console.NewScreen(world.Out, colours), console.NewScreen(world.Err, colours)
	a := &app{IO: world, paint: console.Paint(colours), version: version}
	root := a.root() //nolint:contextcheck // a command gets its context when it runs
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		if errors.Is(context.Cause(ctx), ErrTerminated) {
			return exitTerminated
		}
		return exitInterrupted // the one who sent the signal knows why the command ended
	}
	return a.status(err)
}

// Root is the command with all its commands, for those who write about them.
func Root() *cobra.Command { return (&app{}).root() }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "voice-gateway",
		Short:         "A voice gateway for home automation",
		Version:       a.version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return configure.AsUseError(fmt.Errorf("unknown command %q; voice-gateway --help lists them", args[0]))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return configure.AsUseError(fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath()))
	})
	root.PersistentFlags().StringVar(&a.config, "config", "", "configuration file (default: the first of "+strings.Join(configure.Places(), ", ")+")")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log every step on stderr")
	derived := a.deriveCommands()
	derived["servers"].AddCommand(a.retryCommand())
	derived["home"].AddCommand(a.houseCheckCommand(), a.houseSchemaCommand())
	root.AddCommand(slices.Collect(maps.Values(derived))...)
	root.AddCommand(
		a.configCommand(), a.doctorCommand(), a.statusCommand(), a.setupCommand(),
		a.runCommand(), a.demoCommand(), a.hearCommand(), a.askCommand(), a.sayCommand(),
		a.turnsCommand(), a.whyCommand(), a.replayCommand(), a.wrongCommand(), a.marksCommand(), a.rememberCommand(), a.wordingsCommand(),
		a.matchCommand(), a.timersCommand(),
		a.devicesCommand(), a.listenCommand(), a.wakeTestCommand(),
		a.rehearseCommand(), a.modelsCommand(), a.workerCommand(),
	)
	return root
}

// status prints the error of a command and returns the exit status.
func (a *app) status(err error) int {
	var misused configure.UseError
	var told console.ToldError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &told):
		return exitError
	case errors.As(err, &misused):
		fmt.Fprintln(a.Err, "voice-gateway:", a.secrets.HideError(err))
		return exitUsage
	default:
		fmt.Fprintln(a.Err, "voice-gateway:", a.secrets.HideError(err))
		return exitError
	}
}

// exactly is cobra's argument check with our exit status and a sentence.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return configure.AsUseError(fmt.Errorf("%s needs %s; %d arguments were given", c.CommandPath(), what, len(args)))
		}
		return nil
	}
}

// withConfig is cobra's function for a command that works with the configuration.
func (a *app) withConfig(work func(ctx context.Context, l *loaded, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		l, err := a.load(c.Context())
		if err != nil {
			return err
		}
		return work(c.Context(), l, args)
	}
}

// printJSON prints a value as JSON on one line; what names it in an error.
func printJSON(out io.Writer, what string, value any) error {
	if err := json.NewEncoder(out).Encode(value); err != nil {
		return fmt.Errorf("printing %s: %w", what, err)
	}
	return nil
}

// logger writes to stderr: a daemon's log for run, only warnings for commands
// that a person reads, everything with --verbose.
func (a *app) logger(level slog.Level) *slog.Logger {
	if a.verbose {
		level = slog.LevelDebug
	}
	text := slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: level})
	return slog.New(secret.Handler(&paragraphs{Handler: text, mu: &sync.Mutex{}, w: a.Err}, a.secrets.Certain()))
}

// getenv looks a variable up in the command's environment.
func (a *app) getenv(name string) string { return valueIn(a.Environ, name) }

// valueIn looks a variable up in an environment.
func valueIn(environ []string, name string) string {
	for _, kv := range environ {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}
