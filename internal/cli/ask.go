package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/record"
)

// askPatience bounds one turn from the command line: the wait for the servers'
// first round and the longest answer of a model.
const askPatience = 90 * time.Second

// askCommand answers one text, through the running daemon or in this process.
func (a *app) askCommand() *cobra.Command {
	var area string
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use: "ask TEXT", Short: "One turn from text",
		Args: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return usageError{fmt.Errorf("%s needs a text, such as \"turn on the kitchen light\"", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.load()
			if err != nil {
				return err
			}
			if !c.Flags().Changed("area") {
				area = l.Gateway.Area
			}
			ctx, cancel := context.WithTimeout(c.Context(), askPatience)
			defer cancel()
			rec, err := a.ask(ctx, l, record.Request{
				Text: strings.Join(args, " "), Area: area, Source: record.FromCLI, DryRun: dryRun,
			})
			if err != nil {
				return err
			}
			if asJSON {
				if err := json.NewEncoder(a.Out).Encode(rec); err != nil {
					return fmt.Errorf("printing the record: %w", err)
				}
			} else {
				a.tellAsk(rec, dryRun)
			}
			if rec.Outcome == record.Failed {
				return console.ToldError{Err: errors.New("the turn failed")}
			}
			return nil
		},
	}
	c.Flags().StringVar(&area, "area", "", "the area the speaker is in (default: the gateway's)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show intent, tools and risk, do nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "print the turn record")
	return c
}

// tellAsk prints the reply, and for a dry run or --verbose the whole story.
func (a *app) tellAsk(rec record.Record, dryRun bool) {
	if dryRun || a.verbose {
		console.Turn(a.Out, a.paint, rec)
		if rec.Risk != "" {
			fmt.Fprintf(a.Out, "  %s %s\n", a.paint.Dim("risk    "), rec.Risk)
		}
		return
	}
	fmt.Fprintln(a.Out, rec.Reply)
}

// ask goes to the daemon, else answers here.
func (a *app) ask(ctx context.Context, l *loaded, q record.Request) (record.Record, error) {
	var rec record.Record
	err := a.post(ctx, l, "/api/ask", map[string]any{"text": q.Text, "area": q.Area, "dry_run": q.DryRun}, &rec)
	if !errors.Is(err, errNoDaemon) {
		return rec, err
	}
	g, err := a.textGateway(l, slog.LevelError)
	if err != nil {
		return rec, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var runErr error
	wg.Go(func() { runErr = g.Run(ctx) })
	rec = g.Ask(ctx, q)
	cancel()
	wg.Wait()
	return rec, runErr
}

// textGateway is a gateway in this process for text only, out of a daemon's way.
func (a *app) textGateway(l *loaded, level slog.Level) (*gateway.Gateway, error) {
	if l.locked != nil {
		return nil, l.locked
	}
	cfg := l.Config
	cfg.HTTP.Listen = ""
	g, err := gateway.New(cfg, gateway.Options{
		Executable: a.Executable, Version: a.version, Environ: a.Environ, Secrets: l.secrets, TextOnly: true,
		Source: record.FromCLI,
	}, a.logger(level))
	if err != nil {
		return nil, fmt.Errorf("assembling the gateway: %w", err)
	}
	return g, nil
}
