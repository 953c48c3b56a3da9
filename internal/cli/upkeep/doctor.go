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
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check every part, and name the command that fixes each problem",
		Long: `Looks at the microphone, the models, the broker, the ports, the MCP servers and the
house, with or without a running gateway, and changes nothing. Each line gives the
state of a part (✓ works, ! could be better, ✗ does not work); under each problem is
the command that fixes it, or what you have to do by hand.`,
		Args: u.exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			w := u.world()
			l, err := w.Load(c.Context())
			if err != nil {
				return err
			}
			all := doctor.Examine(c.Context(), w.patient(l))
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
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// command is how our own program is called here, with the configuration that was named.
func (w World) command() string { return configure.Invocation(w.Executable, w.File) }

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
		Loaded: l, Executable: w.Executable, Command: w.command(), User: who, NoDaemon: w.NoDaemon, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Ask:   func(ctx context.Context, path string, answer any) error { return w.Ask(ctx, l, path, answer) },
		Sound: func(ctx context.Context) (audio.Equipment, error) { return w.Sound(ctx, l) },
	}
}
