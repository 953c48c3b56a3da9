package cli

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
)

// doctorCommand looks at every part of an installation.
func (a *app) doctorCommand() *cobra.Command {
	return a.withFindings(&cobra.Command{
		Use: "doctor", Short: "Check every part, and name the command that fixes each problem",
		Long: `Looks at the microphone, the models, the broker, the ports, the MCP servers and the
house, with or without a running gateway, and changes nothing. Each line gives the
state of a part (✓ works, ! could be better, ✗ does not work); under each problem is
the command that fixes it, or what you have to do by hand.`,
	}, doctor.Examine)
}

// invocation is how our own program is called here, with the configuration that was named.
func (a *app) invocation() string { return configure.Invocation(a.Executable, a.config) }

// statusCommand asks the gateway that runs how it is.
func (a *app) statusCommand() *cobra.Command {
	return a.withFindings(&cobra.Command{
		Use: "status", Short: "Show which gateway runs, and which of its parts have a problem",
		Long: `Asks the running gateway, and shows its process, version and configuration, and each
part that has a problem (! could be better, ✗ does not work), as its page does. It also
says whether that gateway has another configuration or is another version than this
command. The command doctor examines more.`,
	}, doctor.Status)
}

// withFindings completes a command that prints what an examination finds.
func (a *app) withFindings(c *cobra.Command, examine func(context.Context, doctor.Patient) []doctor.Finding) *cobra.Command {
	c.Args = exactly(0, "no arguments")
	asJSON := c.Flags().Bool("json", false, "print the findings as JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		l, err := a.load(c.Context())
		if err != nil {
			return err
		}
		return a.tellFindings(examine(c.Context(), a.patient(l)), *asJSON)
	}
	return c
}

// tellFindings prints findings; it is an error if something does not work.
func (a *app) tellFindings(all []doctor.Finding, asJSON bool) error {
	if asJSON {
		if err := printJSON(a.Out, "the findings", all); err != nil {
			return err
		}
	} else {
		doctor.Tell(a.Out, a.paint, all)
	}
	if doctor.Worst(all) == doctor.Ill {
		return console.ToldError{Err: errors.New("something does not work")}
	}
	return nil
}

// patient is this installation, as the doctor looks at it.
func (a *app) patient(l *loaded) doctor.Patient {
	who := strconv.Itoa(os.Getuid())
	if me, err := user.Current(); err == nil {
		who = me.Username
	}
	if strings.HasPrefix(l.Gateway.StateDir, "/var/lib/voice-gateway") {
		who = "voice-gateway"
	}
	return doctor.Patient{
		Loaded: l.Loaded, Executable: a.Executable, Version: a.version, Command: a.invocation(), User: who, NoDaemon: errNoDaemon, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Ask: func(ctx context.Context, path string, answer any) error {
			return l.daemon().ask(ctx, http.MethodGet, path, nil, answer)
		},
		Sound: func(ctx context.Context, runs bool) (audio.Equipment, error) {
			if runs {
				return equipment(ctx, l, a.Executable, slog.New(slog.DiscardHandler))
			}
			return gateway.ListSound(ctx, l.Config, a.Executable, slog.New(slog.DiscardHandler))
		},
		Reads: func(ctx context.Context) (time.Duration, error) {
			return lab.TimeReading(ctx, l.Config, a.Executable, slog.New(slog.DiscardHandler))
		},
	}
}
