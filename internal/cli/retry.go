package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/mcpint"
)

// Times of servers retry.
const (
	lookAgain     = 100 * time.Millisecond // between two looks at a server
	firstProgress = time.Second            // after so long the user sees that it still lasts
	moreProgress  = 5 * time.Second        // when that is told again
	lifePatience  = time.Minute            // for a sign of life of a connected server: longer than a call and two health checks
)

// retryCommand connects one server or all servers afresh.
func (a *app) retryCommand() *cobra.Command {
	var all, noWait bool
	c := &cobra.Command{
		Use: "retry NAME|--all", Short: "Try a server again at once, with a fresh count of retries, and wait for the outcome",
		Args: func(c *cobra.Command, args []string) error {
			if all == (len(args) == 1) || len(args) > 1 {
				return configure.AsUseError(fmt.Errorf("%s needs the name of one server, or --all", c.CommandPath()))
			}
			return nil
		},
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			d := l.daemon()
			r := retrying{out: a.Out, progress: a.Err, paint: a.paint, noWait: noWait, look: d.server, force: d.retry}
			if all {
				return r.all(ctx, d)
			}
			return r.one(ctx, args[0])
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "every server that is not connected")
	c.Flags().BoolVar(&noWait, "no-wait", false, "do not wait for the outcome of the attempt")
	return c
}

// server is the state of one MCP server.
func (d daemon) server(ctx context.Context, id string) (mcpint.Status, error) {
	return doors.ShowServer.Ask(ctx, d.order, doors.ByID{ID: id})
}

// retry has the daemon try a server at once, and returns its state.
func (d daemon) retry(ctx context.Context, id string) (mcpint.Status, error) {
	r, err := doors.RetryServer.Ask(ctx, d.order, doors.ByID{ID: id})
	return r.Status, err
}

// retrying is the work of servers retry.
type retrying struct {
	out, progress io.Writer
	paint         console.Paint
	noWait        bool
	look, force   func(ctx context.Context, id string) (mcpint.Status, error)
}

func (r retrying) one(ctx context.Context, id string) error {
	before, err := r.look(ctx, id)
	if err != nil {
		return err
	}
	now, err := r.force(ctx, id)
	if err != nil {
		return err
	}
	return r.tell(ctx, []attempt{{before: before, now: now}})
}

func (r retrying) all(ctx context.Context, d daemon) error {
	before, err := doors.ListServers.Ask(ctx, d.order, struct{}{})
	if err != nil {
		return err
	}
	after, err := doors.RetryServers.Ask(ctx, d.order, struct{}{})
	if err != nil {
		return err
	}
	attempts := make([]attempt, 0, len(after.Servers))
	for i, now := range after.Servers {
		if i < len(before.Servers) && before.Servers[i].ID == now.ID {
			attempts = append(attempts, attempt{before: before.Servers[i], now: now})
		}
	}
	return r.tell(ctx, attempts)
}

// tell waits for the outcomes and prints them. A server that is not connected, or does
// not answer, makes the command fail.
func (r retrying) tell(ctx context.Context, attempts []attempt) error {
	var missing []string
	for _, a := range attempts {
		how, err := r.follow(ctx, &a)
		if err != nil {
			return err
		}
		switch id := a.now.ID; how {
		case answered:
			fmt.Fprintf(r.out, "%s %s is connected (%s tools)\n", r.paint.Good("✓"), id, console.ToolCount(a.now))
		case undecided, lost:
			fmt.Fprintf(r.out, "%s %s %s\n", r.paint.Warn("!"), id, doing(a.now))
		case silent:
			fmt.Fprintf(r.out, "%s %s is connected, but gave no sign of life for %v\n", r.paint.Bad("✗"), id, lifePatience)
			missing = append(missing, id)
		case failed:
			fmt.Fprintf(r.out, "%s %s did not connect: %s (%s)\n", r.paint.Bad("✗"), id, console.LastError(a.now), goesOn(a.now, time.Now()))
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return console.ToldError{Err: errors.New("not connected: " + strings.Join(missing, ", "))}
	}
	return nil
}

// goesOn says what the gateway does with a server that did not connect.
func goesOn(s mcpint.Status, now time.Time) string {
	if s.NextRetryTime == nil {
		return string(s.Status) + ", not tried again by itself"
	}
	return fmt.Sprintf("%s, next try %s", s.Status, console.NextTry(s, now))
}

// attempt is a server before the retry and now.
type attempt struct{ before, now mcpint.Status }

// outcome is how a retry ended.
type outcome int

const (
	undecided outcome = iota
	answered          // it is connected, and has given a sign of life
	failed            // the attempt did not succeed
	silent            // it is connected and gives no sign of life
	lost              // it was connected, and is not any more
)

// outcome judges a retry. A connected server keeps its connection and is asked for a
// sign of life: one that hangs is parted with by the gateway.
func (a attempt) outcome() outcome {
	tried := changed(a.before.LastRetryTime, a.now.LastRetryTime)
	switch a.now.Status {
	case mcpint.Connected:
		if a.before.Status != mcpint.Connected || changed(a.before.LastSuccess, a.now.LastSuccess) {
			return answered
		}
	case mcpint.Connecting: // of a later attempt, when the first one has failed
		if tried && a.now.RetryCount > 0 {
			return failed
		}
	case mcpint.Disconnected, mcpint.Retrying, mcpint.Failed:
		switch {
		case a.before.Status == mcpint.Connected:
			return lost
		case tried && a.now.Status != mcpint.Disconnected:
			return failed
		}
	}
	return undecided
}

func changed(before, now *time.Time) bool {
	return now != nil && (before == nil || !now.Equal(*before))
}

// follow looks at a server until the outcome is known, and tells meanwhile that it
// lasts. How long an attempt may last is for the gateway to say (connect_timeout).
func (r retrying) follow(ctx context.Context, a *attempt) (outcome, error) {
	pause := time.NewTicker(lookAgain)
	defer pause.Stop()
	begun := time.Now()
	for next := firstProgress; ; {
		how, took := a.outcome(), time.Since(begun)
		var err error
		switch {
		case how == lost:
			fmt.Fprintf(r.progress, "%s does not answer and is connected anew\n", a.now.ID)
			a.before = a.now
			if a.now, err = r.force(ctx, a.now.ID); err != nil {
				return how, err
			}
		case how != undecided || r.noWait:
			return how, nil
		case a.now.Status == mcpint.Connected && took >= lifePatience:
			return silent, nil
		case took >= next:
			next = took + moreProgress
			fmt.Fprintf(r.progress, "%s %s, for %.0f s so far\n", a.now.ID, doing(a.now), took.Seconds())
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return how, fmt.Errorf("waiting for %s: %w", a.now.ID, ctx.Err())
		}
		if a.now, err = r.look(ctx, a.now.ID); err != nil {
			return how, err
		}
	}
}

// doing says what is waited for.
func doing(s mcpint.Status) string {
	if s.Status == mcpint.Connected {
		return "is asked for a sign of life"
	}
	return "is being tried"
}
