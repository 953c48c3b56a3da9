package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
)

// screen is where a rehearsal is shown, and how the running gateway is asked.
type screen struct {
	ask      doors.Exchange
	out, err io.Writer
	paint    console.Paint
	asJSON   bool
}

// Pauses between two looks at a rehearsal, and between two words of its progress.
const (
	rehearsalLook = 500 * time.Millisecond
	rehearsalWord = 5 * time.Second
)

// rehearse has the names of the house spoken and heard, and shows what came of it.
func rehearse(ctx context.Context, s screen) error {
	state, err := doors.StartRehearsal.Ask(ctx, s.ask, struct{}{})
	if err != nil {
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
		if state, err = doors.ShowRehearsal.Ask(ctx, s.ask, struct{}{}); err != nil {
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

// rehearseCommand has the names of the house spoken and heard.
func (a *app) rehearseCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "rehearse", Short: "Find names of the house that sound alike, and suggest others; nothing is played or carried out",
		Args: exactly(0, "no arguments"),
		RunE: a.withConfig(func(ctx context.Context, l *loaded, _ []string) error {
			return rehearse(ctx, screen{ask: l.daemon().order, out: a.Out, err: a.Err, paint: a.paint, asJSON: asJSON})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
