package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/gateway"
	"voicegateway/internal/turn"
)

// askPatience bounds one turn from the command line: the wait for the servers'
// first round and the longest answer of a model.
const askPatience = 90 * time.Second

// errNoDaemon means that nobody listens at the daemon's address.
var errNoDaemon = errors.New("no daemon runs")

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
			rec, err := a.ask(ctx, l, turn.Question{
				Text: strings.Join(args, " "), Area: area, Source: turn.FromCLI, DryRun: dryRun,
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
			if rec.Outcome == turn.OutFailed {
				return silentError{errors.New("the turn failed")}
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
func (a *app) tellAsk(rec turn.Record, dryRun bool) {
	if dryRun || a.verbose {
		tellTurn(a.Out, a.paint, rec)
		if rec.Risk != "" {
			fmt.Fprintf(a.Out, "  %s %s\n", a.paint.dim("risk    "), rec.Risk)
		}
		return
	}
	fmt.Fprintln(a.Out, rec.Reply)
}

// ask goes to the daemon, else answers here.
func (a *app) ask(ctx context.Context, l *loaded, q turn.Question) (turn.Record, error) {
	var rec turn.Record
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
	cfg := l.Config
	cfg.HTTP.Listen = ""
	g, err := gateway.New(cfg, gateway.Options{
		Executable: a.Executable, Version: a.version, Environ: a.Environ, Secrets: l.secrets, TextOnly: true,
		Source: turn.FromCLI,
	}, a.logger(level))
	if err != nil {
		return nil, fmt.Errorf("assembling the gateway: %w", err)
	}
	return g, nil
}

// post sends one request to the daemon's HTTP interface.
func (a *app) post(ctx context.Context, l *loaded, path string, body, answer any) error {
	if l.HTTP.Listen == "" {
		return errNoDaemon
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("preparing the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.HTTP.Listen+path, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("preparing the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if l.secrets.HTTPToken != "" {
		req.Header.Set("Authorization", "Bearer "+l.secrets.HTTPToken)
	}
	resp, err := http.DefaultClient.Do(req)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return errNoDaemon
	}
	if err != nil {
		return fmt.Errorf("asking the daemon at %s: %w", l.HTTP.Listen, err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("reading the daemon's answer: %w", err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		var problem struct{ Title, Detail string }
		_ = json.Unmarshal(got, &problem)
		return fmt.Errorf("the daemon at %s refused: %s %s (%s)", l.HTTP.Listen, problem.Title, problem.Detail, resp.Status)
	}
	if answer == nil || len(got) == 0 {
		return nil
	}
	if err := json.Unmarshal(got, answer); err != nil {
		return fmt.Errorf("what answers at %s is not the daemon: %w", l.HTTP.Listen, err)
	}
	return nil
}
