package cli

import (
	"cmp"
	"encoding/json"
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

// shows are the ways in which the answers to derived commands are shown to a person, by
// the name of the operation. Without one, the text that an answer has is printed.
var shows = map[string]show{
	doors.House.Name:       showing(tellHome),
	doors.ShowWakes.Name:   showing(console.Wakes),
	doors.Loudness.Name:    showChecked(tellVolume),
	doors.SetVolume.Name:   showChecked(tellVolume),
	doors.AcceptTools.Name: showing(tellAccepted),
	doors.ListTimers.Name:  showing(console.Timers),
	doors.ListServers.Name: showing(func(out io.Writer, paint console.Paint, list mcpint.StatusList) {
		console.Servers(out, paint, list, time.Now())
	}),
}

// show shows an answer.
type show func(out io.Writer, paint console.Paint, answer json.RawMessage) error

// showing makes a show of a function that prints answers of one type.
func showing[Out any](tell func(out io.Writer, paint console.Paint, answer Out)) show {
	return showChecked(func(out io.Writer, paint console.Paint, answer Out) error {
		tell(out, paint, answer)
		return nil
	})
}

// showChecked does what showing does, with a function that may find an error in the answer.
func showChecked[Out any](tell func(out io.Writer, paint console.Paint, answer Out) error) show {
	return func(out io.Writer, paint console.Paint, raw json.RawMessage) error {
		var answer Out
		if err := json.Unmarshal(raw, &answer); err != nil {
			return fmt.Errorf("what answers is not the daemon: %w", err)
		}
		return tell(out, paint, answer)
	}
}

// deriveCommands makes the commands that only ask the running gateway for an operation, by their
// names.
func (a *app) deriveCommands() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	for _, op := range doors.Doables() {
		if entry := op.Describe(); entry.Usage.Use != "" {
			all[entry.Command] = a.derive(op)
		}
	}
	for name, c := range all {
		if parent, _, below := strings.Cut(name, " "); below {
			all[parent].AddCommand(c)
			delete(all, name)
		}
	}
	return all
}

// derive makes the command of an operation. Where another operation has the same command,
// that is asked for when there are arguments.
func (a *app) derive(op doors.Doable) *cobra.Command {
	entry := op.Describe()
	var acting doors.Doable
	for _, other := range doors.Doables() {
		if o := other.Describe(); o.Command == entry.Command && o.Name != entry.Name {
			acting = other
		}
	}
	var asJSON bool
	// asked is what the arguments ask for.
	asked := func(c *cobra.Command, args []string) (doors.Doable, any, error) {
		wanted := op
		if acting != nil && len(args) > 0 {
			wanted = acting
		}
		in, takes, err := wanted.Arguments(args)
		switch {
		case !takes:
			return wanted, wanted.Input(), exactly(0, cmp.Or(entry.Usage.Needs, "no arguments"))(c, args)
		case err != nil:
			return nil, nil, configure.AsUseError(err)
		}
		return wanted, in, nil
	}
	c := &cobra.Command{
		Use: entry.Usage.Use, Short: entry.Usage.Short,
		Args: func(c *cobra.Command, args []string) error {
			_, _, err := asked(c, args)
			return err
		},
		RunE: func(c *cobra.Command, args []string) error {
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			op, in, err := asked(c, args)
			if err != nil {
				return err
			}
			answer, err := op.Send(c.Context(), l.daemon().order, in)
			if err != nil {
				return err
			}
			return a.showAnswer(op, answer, asJSON)
		},
	}
	if entry.Usage.JSON != "" {
		c.Flags().BoolVar(&asJSON, "json", false, entry.Usage.JSON)
	}
	return c
}

// showAnswer prints the answer to a derived command.
func (a *app) showAnswer(op doors.Doable, answer json.RawMessage, asJSON bool) error {
	if asJSON {
		fmt.Fprintln(a.Out, strings.TrimSpace(string(answer)))
		return nil
	}
	if show := shows[op.Describe().Name]; show != nil {
		return show(a.Out, a.paint, answer)
	}
	text, err := op.Text(answer)
	if text != "" {
		fmt.Fprintln(a.Out, text)
	}
	return err
}

// tellVolume tells how loud the gateway speaks. A volume at which nothing can be heard is
// an error.
func tellVolume(out io.Writer, _ console.Paint, now doors.Level) error {
	if now.Unheard != "" {
		return errors.New("nobody hears the gateway, however loud it is: " + now.Unheard)
	}
	text := fmt.Sprintf("%d %%", now.Percent)
	if now.Muted {
		text += ", muted"
	}
	fmt.Fprintln(out, text)
	return nil
}

// tellAccepted tells which tools of a server are used now.
func tellAccepted(out io.Writer, paint console.Paint, s mcpint.Status) {
	fmt.Fprintf(out, "%s %s: %s of its tools are used\n", paint.Good("✓"), s.ID, console.ToolCount(s))
	for _, text := range s.ExplainUnused() {
		fmt.Fprintf(out, "  %s\n", text)
	}
}
