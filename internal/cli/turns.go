package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/keep/record"
)

// turnsCommand lists the last turns.
func (a *app) turnsCommand() *cobra.Command {
	var asJSON, tasks bool
	var limit int
	c := &cobra.Command{
		Use: "turns", Short: "Show the last turns, newest first; with --tasks, those that were interrupted",
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 || limit > doors.MaxTurns {
				return configure.AsUseError(fmt.Errorf("--limit is %d; expected 1 to %d", limit, doors.MaxTurns))
			}
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			if tasks {
				list, err := doors.StoppedTasks.Ask(c.Context(), l.daemon().order, struct{}{})
				if err != nil {
					return err
				}
				return tellTasks(a.Out, a.paint, list, asJSON)
			}
			turns, err := doors.LastTurns.Ask(c.Context(), l.daemon().order, doors.Newest(limit))
			if err != nil {
				return err
			}
			if asJSON {
				return printRecords(a.Out, turns)
			}
			if len(turns) == 0 {
				fmt.Fprintln(a.Out, "There was no turn since the gateway started.")
				return nil
			}
			console.Turns(a.Out, a.paint, turns)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the turn records, one a line; the tasks as a list")
	c.Flags().BoolVar(&tasks, "tasks", false, "what was stopped because a server was lost, and can be resumed")
	c.Flags().IntVarP(&limit, "limit", "n", 20, "how many")
	return c
}

// tellTasks prints the stopped tasks.
func tellTasks(out io.Writer, paint console.Paint, list []record.Task, asJSON bool) error {
	if asJSON {
		return printJSON(out, "the tasks", list)
	}
	console.Tasks(out, paint, list)
	return nil
}

// printRecords prints records, one a line.
func printRecords(out io.Writer, turns []record.Record) error {
	for _, r := range turns {
		if err := printJSON(out, "the record", r); err != nil {
			return err
		}
	}
	return nil
}

// whyCommand explains one turn.
func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "why [TURN]", Short: "Explain why the last turn, or the given one, did what it did",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return configure.AsUseError(fmt.Errorf("%s needs one turn's id at most, as turns lists it", c.CommandPath()))
			}
			return nil
		},
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			turns, err := doors.LastTurns.Ask(ctx, l.daemon().order, doors.Newest(doors.MaxTurns))
			if err != nil {
				return err
			}
			for _, r := range turns {
				if len(args) == 0 || r.ID == args[0] {
					tellWhy(a.Out, a.paint, r)
					return nil
				}
			}
			if len(args) == 0 {
				return errors.New("there was no turn since the gateway started")
			}
			return fmt.Errorf("there is no turn %s among the last %d; voice-gateway turns lists them", args[0], len(turns))
		}),
	}
}

// tellWhy prints the story of a turn with its endpoint and its risk.
func tellWhy(out io.Writer, paint console.Paint, r record.Record) {
	fmt.Fprintf(out, "%s %s, %s, from %s%s\n", paint.Bold("Turn"), r.ID, r.Time.Local().Format("Mon Jan 2 15:04:05"), r.Source, inArea(r.Area))
	console.Turn(out, paint, r)
	if r.Endpoint != nil && r.Endpoint.Reason != "" {
		fmt.Fprintf(out, "  %s %s\n", paint.Dim("endpoint"), console.Clean(r.Endpoint.Reason))
	}
	if r.Risk != "" {
		fmt.Fprintf(out, "  %s %s\n", paint.Dim("risk    "), console.Clean(r.Risk))
	}
}

func inArea(area string) string {
	if strings.TrimSpace(area) == "" {
		return ""
	}
	return " in " + console.Clean(area)
}
