package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/console"
	"voicegateway/internal/mcpint"
)

// errorWidth is how much of a last error the table shows, in characters; the whole
// error is printed below the table.
const errorWidth = 60

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
			tellServers(a.Out, a.paint, list, time.Now())
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the servers as JSON")
	c.AddCommand(a.retryCommand(), a.acceptCommand())
	return c
}

// tellServers prints the table for a person.
func tellServers(out io.Writer, paint console.Paint, list mcpint.StatusList, now time.Time) {
	fmt.Fprintf(out, "MCP servers: %s\n", paint.Bold(string(list.Overall)))
	var rows [][]string
	for _, s := range list.Servers {
		name := s.ID
		if s.Essential {
			name += " *"
		}
		rows = append(rows, []string{
			name, string(s.Status), toolCount(s), string(s.Health), string(s.Breaker), retries(s), nextTry(s, now), shortened(lastError(s)),
		})
	}
	console.Table(out, paint, []string{"server", "state", "tools", "health", "breaker", "retries", "next try", "last error"}, rows)
	if slices.ContainsFunc(list.Servers, func(s mcpint.Status) bool { return s.Essential }) {
		fmt.Fprintln(out, paint.Dim("  * essential"))
	}
	for _, s := range list.Servers {
		for _, text := range notes(s) {
			fmt.Fprintf(out, "\n  %s: %s\n", paint.Bold(s.ID), text)
		}
	}
}

// notes returns what does not fit into the table.
func notes(s mcpint.Status) []string {
	var all []string
	if text := lastError(s); text != shortened(text) {
		all = append(all, text)
	}
	if s.Status == mcpint.Connected && s.HealthReason != nil {
		all = append(all, fmt.Sprintf("%s: %s", s.Health, *s.HealthReason))
	}
	return append(all, s.Unused()...)
}

func toolCount(s mcpint.Status) string {
	if s.Tools == nil {
		return "-"
	}
	return strconv.Itoa(*s.Tools)
}

// retries is the number of retries and its limit; for a server that is retried
// beyond the limit only the number.
func retries(s mcpint.Status) string {
	if s.RetryCount > s.MaxRetries {
		return strconv.Itoa(s.RetryCount)
	}
	return fmt.Sprintf("%d of %d", s.RetryCount, s.MaxRetries)
}

// nextTry is when the next attempt comes, in seconds from now.
func nextTry(s mcpint.Status, now time.Time) string {
	switch {
	case s.NextRetryTime == nil:
		return "-"
	case !s.NextRetryTime.After(now):
		return "now"
	}
	return fmt.Sprintf("in %.0f s", max(s.NextRetryTime.Sub(now).Seconds(), 1))
}

// lastError is the reason of the last failure on one line.
func lastError(s mcpint.Status) string {
	if s.ErrorMessage == nil {
		return "-"
	}
	text := strings.Join(strings.Fields(*s.ErrorMessage), " ")
	return strings.TrimPrefix(text, fmt.Sprintf("connection to %s server '%s' failed: ", s.Transport, s.ID))
}

func shortened(text string) string {
	if r := []rune(text); len(r) > errorWidth {
		return string(r[:errorWidth-1]) + "…"
	}
	return text
}

// acceptCommand lets tools be used that rest because they are new or have changed.
func (a *app) acceptCommand() *cobra.Command {
	return &cobra.Command{
		Use: "accept SERVER [TOOL]", Short: "Use tools that rest because they are new or have changed",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usageError{fmt.Errorf("%s needs the name of a server, and perhaps that of one of its tools", c.CommandPath())}
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
			fmt.Fprintf(a.Out, "%s %s: %s of its tools are used\n", a.paint.Good("✓"), s.ID, toolCount(s))
			for _, text := range s.Unused() {
				fmt.Fprintf(a.Out, "  %s\n", text)
			}
			return nil
		}),
	}
}
