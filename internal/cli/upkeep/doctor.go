package upkeep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors/console"
)

// doctor looks at every part of an installation.
func (u commands) doctor() *cobra.Command {
	return u.withFindings(&cobra.Command{
		Use: "doctor", Short: "Check every part, and name the command that fixes each problem",
		Long: `Looks at the microphone, the models, the broker, the ports, the MCP servers and the
house, with or without a running gateway, and changes nothing. Each line gives the
state of a part (✓ works, ! could be better, ✗ does not work); under each problem is
the command that fixes it, or what you have to do by hand.`,
	}, doctor.Examine)
}

// command is how our own program is called here, with the configuration that was named.
func (w World) command() string { return configure.Invocation(w.Executable, w.File) }

// status asks the gateway that runs how it is.
func (u commands) status() *cobra.Command {
	return u.withFindings(&cobra.Command{
		Use: "status", Short: "Show which gateway runs, and which of its parts have a problem",
		Long: `Asks the running gateway, and shows its process, version and configuration, and each
part that has a problem (! could be better, ✗ does not work), as its page does. It also
says whether that gateway has another configuration or is another version than this
command. The command doctor examines more.`,
	}, doctor.Status)
}

// withFindings completes a command that prints what an examination finds.
func (u commands) withFindings(c *cobra.Command, examine func(context.Context, doctor.Patient) []doctor.Finding) *cobra.Command {
	c.Args = u.exactly(0, "no arguments")
	asJSON := c.Flags().Bool("json", false, "print the findings as JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		w := u.world()
		l, err := w.Load(c.Context())
		if err != nil {
			return err
		}
		return w.tell(examine(c.Context(), w.patient(l)), *asJSON)
	}
	return c
}

// tell prints findings; it is an error if something does not work.
func (w World) tell(all []doctor.Finding, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(w.Out).Encode(all); err != nil {
			return fmt.Errorf("printing the findings: %w", err)
		}
	} else {
		doctor.Tell(w.Out, w.Paint, all)
	}
	if doctor.Worst(all) == doctor.Ill {
		return console.ToldError{Err: errors.New("something does not work")}
	}
	return nil
}

// patient is this installation, as the doctor looks at it.
func (w World) patient(l *configure.Loaded) doctor.Patient {
	who := strconv.Itoa(os.Getuid())
	if me, err := user.Current(); err == nil {
		who = me.Username
	}
	if strings.HasPrefix(l.Gateway.StateDir, "/var/lib/voice-gateway") {
		who = "voice-gateway"
	}
	return doctor.Patient{
		Loaded: l, Executable: w.Executable, Version: w.Version, Command: w.command(), User: who, NoDaemon: w.NoDaemon, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Ask: func(ctx context.Context, path string, answer any) error { return w.Ask(ctx, l, path, answer) },
		Sound: func(ctx context.Context, runs bool) (audio.Equipment, error) {
			if runs {
				return w.Sound(ctx, l)
			}
			return w.Here(ctx, l)
		},
	}
}
