// Package earcheck has the names of the house spoken and heard by a running gateway, and
// shows at a terminal which of them are confused.
package earcheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
)

// Screen is where it is shown, and how the gateway is asked.
type Screen struct {
	Ask      doors.Exchange
	Out, Err io.Writer
	Paint    console.Paint
	JSON     bool
}

// Pauses between two looks at a rehearsal, and between two words of its progress.
const (
	look = 500 * time.Millisecond
	told = 5 * time.Second
)

// Rehearse has the names of the house spoken and heard, and shows what came of it.
func Rehearse(ctx context.Context, s Screen) error {
	state, err := doors.StartRehearsal.Ask(ctx, s.Ask, struct{}{})
	if err != nil {
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
		if state, err = doors.ShowRehearsal.Ask(ctx, s.Ask, struct{}{}); err != nil {
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
