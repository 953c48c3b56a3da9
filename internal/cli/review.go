package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/lessons"
)

// arguments is cobra's argument check with our exit status and a sentence.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return configure.AsUseError(fmt.Errorf("%s needs %s", c.CommandPath(), what))
		}
		return nil
	}
}

// findTurn returns how the running gateway is asked, and the id of a turn, which is given by
// its id or as "last".
func (a *app) findTurn(ctx context.Context, turn string) (ask doors.Exchange, id string, err error) {
	l, err := a.load(ctx)
	if err != nil {
		return nil, "", err
	}
	id, err = l.daemon().turn(ctx, turn)
	return l.daemon().order, id, err
}

// turn finds the id of a turn: the one given, or that of the last turn.
func (d daemon) turn(ctx context.Context, id string) (string, error) {
	if id != "last" {
		return id, nil
	}
	turns, err := doors.LastTurns.Ask(ctx, d.order, doors.Newest(1))
	if err != nil {
		return "", err
	}
	if len(turns) == 0 {
		return "", errors.New("there was no turn since the gateway started")
	}
	return turns[0].ID, nil
}

// wrongCommand marks a turn.
func (a *app) wrongCommand() *cobra.Command {
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
			ask, id, err := a.findTurn(c.Context(), args[0])
			if err != nil {
				return err
			}
			m, err := doors.Wrong.Ask(c.Context(), ask, doors.WrongTurn{ID: id, Should: should})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "Marked: %s\n", aboutMark(m))
			if m.Should == "" {
				fmt.Fprintf(a.Out, "Say what should have happened: voice-gateway wrong %s --should \"…\"\n", console.Clean(m.ID))
			}
			return nil
		},
	}
	c.Flags().StringVar(&should, "should", "", "a sentence that does what should have happened, or nothing")
	return c
}

// aboutMark tells a mark in a line.
func aboutMark(m record.Mark) string {
	should := "nobody has said what should have happened"
	if m.Should != "" {
		should = "should have been " + console.Quote(m.Should)
	}
	return quoteHeard(m.Then) + ", " + should
}

// marksCommand lists the marked turns, or deletes one.
func (a *app) marksCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "marks", Short: "List the turns that were marked as wrong", Args: arguments(0, 0, "no arguments, or delete"),
		RunE: a.withConfig(func(ctx context.Context, l *loaded, _ []string) error {
			list, err := doors.Marks.Ask(ctx, l.daemon().order, struct{}{})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.Out, "the marks", list)
			}
			var rows [][]string
			for _, m := range list {
				rows = append(rows, []string{
					console.Clean(m.ID), m.Time.Local().Format("Jan 2 15:04:05"), quoteHeard(m.Then), console.Clean(m.Then.Reply), cmp.Or(console.Clean(m.Should), "?"),
				})
			}
			if len(rows) == 0 {
				fmt.Fprintln(a.Out, "No turn is marked.")
				return nil
			}
			console.Table(a.Out, a.paint, []string{"turn", "marked", "heard", "reply", "should"}, rows)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the marks as JSON")
	c.AddCommand(a.deletion(doors.Unmark, "Remove a mark, with its sound", "Removed."))
	return c
}

// deletion is a command that deletes something by its id.
func (a *app) deletion(operation doors.Doable, short, done string) *cobra.Command {
	return &cobra.Command{
		Use: "delete ID", Short: short, Args: arguments(1, 1, "an id"),
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			if _, err := operation.Send(ctx, l.daemon().order, &doors.ByID{ID: args[0]}); err != nil {
				return err
			}
			fmt.Fprintln(a.Out, done)
			return nil
		}),
	}
}

// rememberCommand keeps the words of a turn.
func (a *app) rememberCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remember TURN", Short: "Keep the words of a turn that a language model carried out",
		Args: arguments(1, 1, `the id of a turn, or "last"`),
		RunE: func(c *cobra.Command, args []string) error {
			ask, id, err := a.findTurn(c.Context(), args[0])
			if err != nil {
				return err
			}
			kept, err := doors.Remember.Ask(c.Context(), ask, doors.ByID{ID: id})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "Kept: %s\n", describeWording(kept))
			return nil
		},
	}
}

// describeWording tells a wording in a line.
func describeWording(k record.Wording) string {
	where := "everywhere"
	if k.Area != "" {
		where = "in " + console.Clean(k.Area)
	}
	return console.Quote(k.Text) + ", " + where + ": " + console.Clean(lessons.Describe(k))
}

// wordingsCommand lists the wordings, changes or forgets one.
func (a *app) wordingsCommand() *cobra.Command {
	var asJSON bool
	list := a.withConfig(func(ctx context.Context, l *loaded, _ []string) error {
		kept, err := doors.Wordings.Ask(ctx, l.daemon().order, struct{}{})
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(a.Out, "the wordings", kept)
		}
		if len(kept) == 0 {
			fmt.Fprintln(a.Out, "No wording is kept.")
		}
		for _, k := range kept {
			fmt.Fprintf(a.Out, "%s %s\n", a.paint.Bold(console.Clean(k.ID)), describeWording(k))
			if k.Error != "" {
				fmt.Fprintf(a.Out, "  %s not understood at present: %s\n", a.paint.Warn("!"), console.Clean(k.Error))
			}
		}
		return nil
	})
	c := &cobra.Command{Use: "wordings", Short: "List your own wordings, which are understood without a model", Args: arguments(0, 0, "no arguments, or list, edit or delete"), RunE: list}
	c.PersistentFlags().BoolVar(&asJSON, "json", false, "print the wordings as JSON")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List them", Args: arguments(0, 0, "no arguments"), RunE: list},
		a.editCommand(), a.deletion(doors.Forget, "Forget a wording", "Forgotten."),
	)
	return c
}

// editCommand changes the words of a wording, or the room to which it applies.
func (a *app) editCommand() *cobra.Command {
	var area string
	c := &cobra.Command{
		Use: "edit ID [TEXT]", Short: "Change the words of a wording, or the room in which they count",
		Args: arguments(1, mostWords, "the id of a wording"),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			kept, err := doors.Wordings.Ask(c.Context(), l.daemon().order, struct{}{})
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
			changed, err := doors.Reword.Ask(c.Context(), l.daemon().order, wanted)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "Kept: %s\n", describeWording(changed))
			return nil
		},
	}
	c.Flags().StringVar(&area, "area", "", "the room in which it counts; empty: everywhere")
	return c
}

// mostWords is more than a wording has.
const mostWords = 100
