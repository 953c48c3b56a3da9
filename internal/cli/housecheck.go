package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/housecheck"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/home/form"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// houseCheckCommand compares a server with the form of a house.
func (a *app) houseCheckCommand() *cobra.Command {
	var asJSON bool
	var tokenFile string
	c := &cobra.Command{
		Use: "check SERVER | URL | -- COMMAND [ARG…]", Short: "Examine whether a server offers a house as the gateway needs it; switches nothing",
		Long: `Starts or reaches a server, compares what it offers with the form of a house, and says
what is wrong and how to mend it. It switches nothing. SERVER is the name of a configured
one. The bearer token of a server at an address comes from --token-file alone: the variable
MCP_HTTP_TOKEN belongs to a server of yours, and is sent nowhere.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return configure.AsUseError(fmt.Errorf("%s needs the name of a configured server, an address or a command", c.CommandPath()))
			}
			return nil
		},
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			server, err := a.serverFor(l, args, tokenFile)
			if err != nil {
				return err
			}
			r, err := housecheck.Examine(ctx, server, client.Options{
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
	c.Flags().StringVar(&tokenFile, "token-file", "", "a file with the bearer token of the server at a URL")
	return c
}

// serverFor is the server that arguments name: a configured one, with what the gateway gives
// it, or one that is reached or started for this.
func (a *app) serverFor(l *loaded, args []string, tokenFile string) (mcpint.Server, error) {
	address := len(args) == 1 && (strings.HasPrefix(args[0], "http://") || strings.HasPrefix(args[0], "https://"))
	if tokenFile != "" && !address {
		return mcpint.Server{}, configure.AsUseError(errors.New("--token-file is for a server at an address; a configured one has its token in its headers"))
	}
	if address {
		token, err := houseToken(tokenFile)
		if err != nil {
			return mcpint.Server{}, err
		}
		server := mcpint.Server{ID: "address", Transport: "http", URL: args[0]}
		if token != "" {
			server.Headers = map[string]string{"Authorization": "Bearer " + token}
			a.warnOfPlainText(args[0])
		}
		return server, nil
	}
	if len(args) == 1 {
		for _, s := range gateway.Servers(l.Config, gateway.Options{Executable: a.Executable, Environ: a.Environ, Secrets: l.Secrets}) {
			if s.ID == args[0] {
				return s, nil
			}
		}
	}
	return mcpint.Server{ID: filepath.Base(args[0]), Transport: "stdio", Command: args[0], Args: args[1:]}, nil
}

// houseToken reads the bearer token for a server at an address; "" without a file.
func houseToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", configure.AsUseError(fmt.Errorf("--token-file: %w", err))
	}
	token := strings.TrimSpace(string(data))
	if token == "" || strings.ContainsFunc(token, unicode.IsSpace) {
		return "", configure.AsUseError(fmt.Errorf("--token-file: %s holds no token; expected one, on one line", file))
	}
	return token, nil
}

// warnOfPlainText says that a token can be read by others on its way.
func (a *app) warnOfPlainText(address string) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "http" && !httpguard.Loopback(u.Hostname()) {
		fmt.Fprintln(a.Err, a.paint.Warn("!"), "the token goes over the network as plain text")
	}
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
