// Package earcheck shows at a terminal what a running gateway knows of its own ear and
// voice: false wakes, names that are confused, how loud it speaks. To show more, write another function
// of a Screen and its line in the commands.
package earcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/rehearsal"
	"voicegateway/internal/ear/wakebudget"
)

// Screen is where it is shown, and how the gateway is asked.
type Screen struct {
	Ask      func(ctx context.Context, method, path string, body []byte, answer any) error
	Out, Err io.Writer
	Paint    console.Paint
	JSON     bool
}

// Pauses between two looks at a rehearsal, and between two words of its progress.
const (
	look = 500 * time.Millisecond
	told = 5 * time.Second
)

// Wakes shows the false wakes and the thresholds.
func Wakes(ctx context.Context, s Screen) error {
	var state wakebudget.State
	if err := s.Ask(ctx, http.MethodGet, "/api/wakes", nil, &state); err != nil {
		return err
	}
	if s.JSON {
		return s.print(state)
	}
	console.Wakes(s.Out, s.Paint, state)
	return nil
}

// Rehearse has the names of the house spoken and heard, and shows what came of it.
func Rehearse(ctx context.Context, s Screen) error {
	var state rehearsal.State
	if err := s.Ask(ctx, http.MethodPost, "/api/rehearsal", []byte("{}"), &state); err != nil {
		return err
	}
	tick := time.NewTicker(look)
	defer tick.Stop()
	for next := time.Now().Add(told / 2); state.Running; {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the rehearsal: %w", ctx.Err())
		case now := <-tick.C:
			if now.After(next) {
				next = now.Add(told)
				_, _ = fmt.Fprintf(s.Err, "%d of %d names heard\n", state.Done, state.Names)
			}
		}
		if err := s.Ask(ctx, http.MethodGet, "/api/rehearsal", nil, &state); err != nil {
			return err
		}
	}
	switch {
	case state.Trouble != "" || state.Report == nil:
		return errors.New("the names were not rehearsed: " + state.Trouble)
	case s.JSON:
		return s.print(state.Report)
	}
	console.Rehearsal(s.Out, s.Paint, *state.Report)
	return nil
}

func (s Screen) print(what any) error {
	if err := json.NewEncoder(s.Out).Encode(what); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}
