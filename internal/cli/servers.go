package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/mcpint"
)

// serversCommand shows the MCP servers; its subcommand retries them.
func (a *app) serversCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "servers", Short: "MCP servers with state, next retry and last error",
		Args: exactly(0, "no arguments, retry or accept"),
		RunE: a.configured(func(ctx context.Context, l *loaded, _ []string) error {
			if asJSON {
				return l.daemon().passOn(ctx, a.Out, "/mcp/servers")
			}
			var list mcpint.StatusList
			if err := l.daemon().show(ctx, "/mcp/servers", &list); err != nil {
				return err
			}
			console.Servers(a.Out, a.paint, list, time.Now())
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the servers as JSON")
	c.AddCommand(a.retryCommand(), a.acceptCommand())
	return c
}

// acceptCommand lets tools be used that rest because they are new or have changed.
func (a *app) acceptCommand() *cobra.Command {
	return &cobra.Command{
		Use: "accept SERVER [TOOL]", Short: "Use tools that rest because they are new or have changed",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return configure.Misused(fmt.Errorf("%s needs the name of a server, and perhaps that of one of its tools", c.CommandPath()))
			}
			return nil
		},
		RunE: a.configured(func(ctx context.Context, l *loaded, args []string) error {
			tool := strings.Join(args[1:], "")
			body, err := json.Marshal(map[string]string{"tool": tool})
			if err != nil {
				return fmt.Errorf("preparing the request: %w", err)
			}
			ctx, cancel := context.WithTimeout(ctx, daemonPatience)
			defer cancel()
			var s mcpint.Status
			d := l.daemon()
			if err := d.needed(d.request(ctx, http.MethodPost, "/mcp/servers/"+url.PathEscape(args[0])+"/accept", body, &s)); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s %s: %s of its tools are used\n", a.paint.Good("✓"), s.ID, console.ToolCount(s))
			for _, text := range s.Unused() {
				fmt.Fprintf(a.Out, "  %s\n", text)
			}
			return nil
		}),
	}
}
