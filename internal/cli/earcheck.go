package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/wakes"
)

// screen is where is shown what a running gateway knows of its own ear and voice, and how
// the gateway is asked.
type screen struct {
	ask      func(ctx context.Context, method, path string, body []byte, answer any) error
	out, err io.Writer
	paint    console.Paint
	asJSON   bool
}

// Pauses between two looks at a rehearsal, and between two words of its progress.
const (
	rehearsalLook = 500 * time.Millisecond
	rehearsalWord = 5 * time.Second
)

// showWakes shows the false wakes and the thresholds.
func showWakes(ctx context.Context, s screen) error {
	var state wakes.State
	if err := s.ask(ctx, http.MethodGet, "/api/wakes", nil, &state); err != nil {
		return err
	}
	if s.asJSON {
		return s.print(state)
	}
	console.Wakes(s.out, s.paint, state)
	return nil
}

// rehearse has the names of the house spoken and heard, and shows what came of it.
func rehearse(ctx context.Context, s screen) error {
	var state names.State
	if err := s.ask(ctx, http.MethodPost, "/api/rehearsal", []byte("{}"), &state); err != nil {
		return err
	}
	tick := time.NewTicker(rehearsalLook)
	defer tick.Stop()
	for next := time.Now().Add(rehearsalWord / 2); state.Running; {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the rehearsal: %w", ctx.Err())
		case now := <-tick.C:
			if now.After(next) {
				next = now.Add(rehearsalWord)
				_, _ = fmt.Fprintf(s.err, "%d of %d names heard\n", state.Done, state.Names)
			}
		}
		if err := s.ask(ctx, http.MethodGet, "/api/rehearsal", nil, &state); err != nil {
			return err
		}
	}
	switch {
	case state.Trouble != "" || state.Report == nil:
		return errors.New("the names were not rehearsed: " + state.Trouble)
	case s.asJSON:
		return s.print(state.Report)
	}
	console.Rehearsal(s.out, s.paint, *state.Report)
	return nil
}

func (s screen) print(what any) error {
	if err := json.NewEncoder(s.out).Encode(what); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

// checkCommand makes of c a command that shows what the running gateway finds out about its own ear.
func (a *app) checkCommand(c *cobra.Command, check func(context.Context, screen) error) *cobra.Command {
	var asJSON bool
	c.Args = exactly(0, "no arguments")
	c.RunE = a.configured(func(ctx context.Context, l *loaded, _ []string) error {
		return check(ctx, screen{ask: l.daemon().order, out: a.Out, err: a.Err, paint: a.paint, asJSON: asJSON})
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
