package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/keep/record"
)

// askPatience bounds one turn from the command line: the wait for the servers'
// first round and the longest answer of a model.
const askPatience = 90 * time.Second

// question is one turn from the command line, with its flags.
type question struct {
	app            *app
	area           string
	dryRun, asJSON bool
}

// askCommand answers one text, through the running daemon or in this process.
func (a *app) askCommand() *cobra.Command {
	q := question{app: a}
	c := &cobra.Command{
		Use: "ask TEXT", Short: "Carry out one turn from a text",
		Args: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return configure.AsUseError(fmt.Errorf("%s needs a text, such as \"turn on the kitchen light\"", c.CommandPath()))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			if !c.Flags().Changed("area") {
				q.area = l.Gateway.Area
			}
			ctx, cancel := context.WithTimeout(c.Context(), askPatience)
			defer cancel()
			rec, err := q.turn(ctx, l, strings.Join(args, " "))
			if err != nil {
				return err
			}
			if q.asJSON {
				if err := printJSON(a.Out, "the record", rec); err != nil {
					return err
				}
			} else {
				q.tell(rec)
			}
			if rec.Outcome == record.Failed {
				return console.ToldError{Err: errors.New("the turn failed")}
			}
			return nil
		},
	}
	c.Flags().StringVar(&q.area, "area", "", "the area the speaker is in (default: the gateway's)")
	c.Flags().BoolVar(&q.dryRun, "dry-run", false, "show intent, tools and risk, do nothing")
	c.Flags().BoolVar(&q.asJSON, "json", false, "print the turn record")
	return c
}

// tell prints the reply, and for a dry run or --verbose the whole story.
func (q question) tell(rec record.Record) {
	if q.dryRun || q.app.verbose {
		console.Turn(q.app.Out, q.app.paint, rec)
		if rec.Risk != "" {
			fmt.Fprintf(q.app.Out, "  %s %s\n", q.app.paint.Dim("risk    "), rec.Risk)
		}
		return
	}
	fmt.Fprintln(q.app.Out, rec.Reply)
	if rec.Keepable {
		fmt.Fprintf(q.app.Err, "To have these words understood without a model: voice-gateway remember %s\n", rec.ID)
	}
}

// turn asks the daemon, or answers in this process if none runs.
func (q question) turn(ctx context.Context, l *loaded, text string) (record.Record, error) {
	req := record.Request{Text: text, Area: q.area, Source: record.FromCLI, DryRun: q.dryRun}
	rec, err := doors.Ask.Ask(ctx, l.daemon().request, doors.AskRequest{Text: req.Text, Area: req.Area, DryRun: req.DryRun})
	if !errors.Is(err, errNoDaemon) {
		return rec, err
	}
	g, err := q.gateway(l)
	if err != nil {
		return rec, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var runErr error
	wg.Go(func() { runErr = g.Run(ctx) })
	rec = g.Ask(ctx, req)
	cancel()
	wg.Wait()
	return rec, runErr
}

// gateway makes a gateway for text only in this process. It does not take a
// daemon's port.
func (q question) gateway(l *loaded) (*gateway.Gateway, error) {
	if l.Locked != nil {
		return nil, l.Locked
	}
	cfg := l.Config
	cfg.HTTP.Listen = ""
	g, err := gateway.New(cfg, gateway.Options{
		Executable: q.app.Executable, Version: q.app.version, Environ: q.app.Environ, Secrets: l.Secrets, TextOnly: true,
		Source: record.FromCLI,
	}, q.app.logger(slog.LevelError))
	if err != nil {
		return nil, fmt.Errorf("assembling the gateway: %w", err)
	}
	return g, nil
}
