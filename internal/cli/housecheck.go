package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/housecheck"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home/form"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// houseCheckCommand compares a server with the form of a house.
func (a *app) houseCheckCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "check SERVER | URL | -- COMMAND [ARG…]", Short: "Examine whether a server offers a house as the gateway needs it; switches nothing",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return configure.AsUseError(fmt.Errorf("%s needs the name of a configured server, an address or a command", c.CommandPath()))
			}
			return nil
		},
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			r, err := housecheck.Examine(ctx, a.serverFor(l, args), client.Options{
				Name: "voice-gateway", Version: a.version, ExecDir: filepath.Dir(a.Executable), Environ: a.Environ,
				Log: a.logger(slog.LevelError),
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(a.Out, "what was found", r)
			} else {
				fmt.Fprint(a.Out, housecheck.Tell(a.paint, r))
			}
			if err == nil && !r.Fit() {
				err = console.ToldError{Err: errors.New("it cannot be used as a house")}
			}
			return err
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	return c
}

// serverFor is the server that arguments name: a configured one, with what the gateway gives
// it, or one that is reached or started for this.
func (a *app) serverFor(l *loaded, args []string) mcpint.Server {
	if len(args) == 1 {
		for _, s := range gateway.Servers(l.Config, gateway.Options{Executable: a.Executable, Environ: a.Environ, Secrets: l.Secrets}) {
			if s.ID == args[0] {
				return s
			}
		}
		if strings.HasPrefix(args[0], "http://") || strings.HasPrefix(args[0], "https://") {
			return mcpint.Server{ID: "address", Transport: "http", URL: args[0]}
		}
	}
	return mcpint.Server{ID: filepath.Base(args[0]), Transport: "stdio", Command: args[0], Args: args[1:]}
}

// houseSchemaCommand prints the form of a house.
func (a *app) houseSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the form of a house as a JSON Schema, for writers of house servers",
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Out.Write(form.Schema())
			return err
		},
	}
}
