// Package review has the commands about earlier turns: run one again, mark it as wrong,
// keep its words. It is separate from the other commands because these belong together
// and need from the rest only what World has. A new command is a func that returns it
// and a line in Commands.
package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/lessons"
)

// World is what the commands need of the command line.
type World struct {
	Out, Err   io.Writer
	Paint      console.Paint
	Executable string
	Log        *slog.Logger
	Config     gateway.Config
	// Daemon is one exchange with the running gateway. If none runs, the error is NoDaemon;
	// Needed adds to that error what the user can do.
	Daemon   doors.Exchange
	NoDaemon error
	Needed   func(error) error
	// Sentences loads the sentences of a directory, or our own.
	Sentences func(dir, language string) (*intent.Pack, error)
}

// Open makes the world of a command when it runs.
type Open func(ctx context.Context) (World, error)

// Commands are all of them.
func Commands(open Open) []*cobra.Command {
	return []*cobra.Command{
		replayCommand(open), wrongCommand(open), marksCommand(open), rememberCommand(open), wordingsCommand(open),
	}
}

// order is one exchange with the running gateway that only a running one can have.
func (w World) order(ctx context.Context, method, path string, body []byte, answer any) error {
	return w.Needed(w.Daemon(ctx, method, path, body, answer))
}

// json prints a value on one line.
func (w World) json(what string, value any) error {
	if err := json.NewEncoder(w.Out).Encode(value); err != nil {
		return fmt.Errorf("printing %s: %w", what, err)
	}
	return nil
}

// arguments is cobra's argument check with our exit status and a sentence.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return configure.AsUseError(fmt.Errorf("%s needs %s", c.CommandPath(), what))
		}
		return nil
	}
}

// turn finds the id of a turn: the one given, or that of the last turn.
func (w World) turn(ctx context.Context, id string) (string, error) {
	if id != "last" {
		return id, nil
	}
	turns, err := doors.LastTurns.Ask(ctx, w.order, doors.Newest(1))
	if err != nil {
		return "", err
	}
	if len(turns) == 0 {
		return "", errors.New("there was no turn since the gateway started")
	}
	return turns[0].ID, nil
}

// openTurn opens the world and finds the id of a turn, which is given by its id or as
// "last".
func (open Open) openTurn(ctx context.Context, turn string) (w World, id string, err error) {
	if w, err = open(ctx); err != nil {
		return w, "", err
	}
	id, err = w.turn(ctx, turn)
	return w, id, err
}

// wrongCommand marks a turn.
func wrongCommand(open Open) *cobra.Command {
	var should string
	c := &cobra.Command{
		Use: "wrong TURN", Short: "Mark a turn as wrong, with what should have happened",
		Long: `Marks one of the last turns as wrong (TURN is its id, as turns lists it, or "last").
The house as it is now is kept with it, and the sound where the recorder has it, so
that replay --marked can try it again. --should is a sentence that does what should
have happened, or "nothing".`,
		Example: "  voice-gateway wrong last --should 'turn on the hallway light'",
		Args:    arguments(1, 1, `the id of a turn, or "last"`),
		RunE: func(c *cobra.Command, args []string) error {
			w, id, err := open.openTurn(c.Context(), args[0])
			if err != nil {
				return err
			}
			m, err := doors.Wrong.Ask(c.Context(), w.order, doors.WrongTurn{ID: id, Should: should})
			if err != nil {
				return err
			}
			fmt.Fprintf(w.Out, "Marked: %s\n", about(m))
			if m.Should == "" {
				fmt.Fprintf(w.Out, "Say what should have happened: voice-gateway wrong %s --should \"…\"\n", console.Clean(m.ID))
			}
			return nil
		},
	}
	c.Flags().StringVar(&should, "should", "", "a sentence that does what should have happened, or nothing")
	return c
}

// about tells a mark in a line.
func about(m record.Mark) string {
	should := "nobody has said what should have happened"
	if m.Should != "" {
		should = "should have been " + console.Quote(m.Should)
	}
	return quoteHeard(m.Then) + ", " + should
}

// marksCommand lists the marked turns, or deletes one.
func marksCommand(open Open) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "marks", Short: "List the turns that were marked as wrong", Args: arguments(0, 0, "no arguments, or delete"),
		RunE: func(c *cobra.Command, _ []string) error {
			w, err := open(c.Context())
			if err != nil {
				return err
			}
			list, err := doors.Marks.Ask(c.Context(), w.order, struct{}{})
			if err != nil {
				return err
			}
			if asJSON {
				return w.json("the marks", list)
			}
			var rows [][]string
			for _, m := range list {
				rows = append(rows, []string{
					console.Clean(m.ID), m.Time.Local().Format("Jan 2 15:04:05"), quoteHeard(m.Then), console.Clean(m.Then.Reply), cmp.Or(console.Clean(m.Should), "?"),
				})
			}
			if len(rows) == 0 {
				fmt.Fprintln(w.Out, "No turn is marked.")
				return nil
			}
			console.Table(w.Out, w.Paint, []string{"turn", "marked", "heard", "reply", "should"}, rows)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the marks as JSON")
	c.AddCommand(deletion(open, doors.Unmark, "Remove a mark, with its sound", "Removed."))
	return c
}

// deletion is a command that deletes something by its id.
func deletion(open Open, operation doors.Doable, short, done string) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: short, Args: arguments(1, 1, "an id"),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := open(c.Context())
			if err != nil {
				return err
			}
			if _, err := operation.Send(c.Context(), w.order, &doors.ByID{ID: args[0]}); err != nil {
				return err
			}
			fmt.Fprintln(w.Out, done)
			return nil
		},
	}
}

// rememberCommand keeps the words of a turn.
func rememberCommand(open Open) *cobra.Command {
	return &cobra.Command{
		Use: "remember TURN", Short: "Keep the words of a turn that a language model carried out",
		Args: arguments(1, 1, `the id of a turn, or "last"`),
		RunE: func(c *cobra.Command, args []string) error {
			w, id, err := open.openTurn(c.Context(), args[0])
			if err != nil {
				return err
			}
			kept, err := doors.Remember.Ask(c.Context(), w.order, doors.ByID{ID: id})
			if err != nil {
				return err
			}
			fmt.Fprintf(w.Out, "Kept: %s\n", wording(kept))
			return nil
		},
	}
}

// wording tells a wording in a line.
func wording(k record.Wording) string {
	where := "everywhere"
	if k.Area != "" {
		where = "in " + console.Clean(k.Area)
	}
	return console.Quote(k.Text) + ", " + where + ": " + console.Clean(lessons.Describe(k))
}

// wordingsCommand lists the wordings, changes or forgets one.
func wordingsCommand(open Open) *cobra.Command {
	var asJSON bool
	list := func(c *cobra.Command, _ []string) error {
		w, err := open(c.Context())
		if err != nil {
			return err
		}
		kept, err := doors.Wordings.Ask(c.Context(), w.order, struct{}{})
		if err != nil {
			return err
		}
		if asJSON {
			return w.json("the wordings", kept)
		}
		if len(kept) == 0 {
			fmt.Fprintln(w.Out, "No wording is kept.")
		}
		for _, k := range kept {
			fmt.Fprintf(w.Out, "%s %s\n", w.Paint.Bold(console.Clean(k.ID)), wording(k))
			if k.Error != "" {
				fmt.Fprintf(w.Out, "  %s not understood at present: %s\n", w.Paint.Warn("!"), console.Clean(k.Error))
			}
		}
		return nil
	}
	c := &cobra.Command{Use: "wordings", Short: "List your own wordings, which are understood without a model", Args: arguments(0, 0, "no arguments, or list, edit or delete"), RunE: list}
	c.PersistentFlags().BoolVar(&asJSON, "json", false, "print the wordings as JSON")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List them", Args: arguments(0, 0, "no arguments"), RunE: list},
		editCommand(open), deletion(open, doors.Forget, "Forget a wording", "Forgotten."),
	)
	return c
}

// editCommand changes the words of a wording, or the room to which it applies.
func editCommand(open Open) *cobra.Command {
	var area string
	c := &cobra.Command{
		Use: "edit ID [TEXT]", Short: "Change the words of a wording, or the room in which they count",
		Args: arguments(1, mostWords, "the id of a wording"),
		RunE: func(c *cobra.Command, args []string) error {
			w, err := open(c.Context())
			if err != nil {
				return err
			}
			kept, err := doors.Wordings.Ask(c.Context(), w.order, struct{}{})
			if err != nil {
				return err
			}
			wanted := doors.Rewording{ID: args[0], Text: strings.Join(args[1:], " "), Area: area}
			for _, k := range kept {
				if k.ID == args[0] {
					wanted.Text = cmp.Or(wanted.Text, k.Text)
					if !c.Flags().Changed("area") {
						wanted.Area = k.Area
					}
				}
			}
			changed, err := doors.Reword.Ask(c.Context(), w.order, wanted)
			if err != nil {
				return err
			}
			fmt.Fprintf(w.Out, "Kept: %s\n", wording(changed))
			return nil
		},
	}
	c.Flags().StringVar(&area, "area", "", "the room in which it counts; empty: everywhere")
	return c
}

// mostWords is more than a wording has.
const mostWords = 100
