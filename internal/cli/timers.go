package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/keep/timers"
)

// timersCommand lists the timers of the running gateway, starts one, or changes some.
func (a *app) timersCommand() *cobra.Command {
	var asJSON bool
	var r timers.Request
	c := &cobra.Command{
		Use:   "timers [start|cancel|cancel_all|pause|resume|add|subtract|stop|snooze] [TIMER] [LENGTH]",
		Short: "List timers, alarms, reminders and commands for later; start or change them",
		Example: "  voice-gateway timers start 9m --name pasta\n  voice-gateway timers start --at 07:00 --every weekday\n" +
			"  voice-gateway timers start 10m --command 'turn off the lamp'\n  voice-gateway timers add pasta 5m",
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			if len(args) == 0 {
				list, err := doors.ListTimers.Send(ctx, l.daemon().order, &struct{}{})
				if err != nil {
					return err
				}
				return a.showAnswer(doors.ListTimers, list, asJSON)
			}
			request, err := timerRequest(r, args)
			if err != nil {
				return err
			}
			result, err := doors.ChangeTimers.Ask(ctx, l.daemon().order, request)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.Out, "the result", result)
			}
			fmt.Fprintln(a.Out, console.Clean(result.Text()))
			return nil
		}),
	}
	for name, flag := range map[string]struct {
		to    *string
		usage string
	}{
		"name": {&r.Name, "what it is called"}, "at": {&r.At, "the time of day, HH:MM"}, "day": {&r.Day, "today, tomorrow, a weekday or YYYY-MM-DD"},
		"every": {&r.Every, "day, weekday, weekend or one weekday"}, "text": {&r.Text, "what to remind of"}, "command": {&r.Command, "the sentence to carry out"},
		"area": {&r.Area, "the room"},
	} {
		c.Flags().StringVar(flag.to, name, "", flag.usage)
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the timers, or the result, as JSON")
	return c
}

// timerRequest makes a request. An argument that reads as a duration is one;
// any other argument names a timer.
func timerRequest(r timers.Request, args []string) (timers.Request, error) {
	r.Action = timers.Action(args[0])
	if !slices.Contains(strings.Split("start cancel cancel_all pause resume add subtract stop snooze", " "), args[0]) {
		return r, configure.AsUseError(fmt.Errorf("timers %s: there is no such action; voice-gateway timers --help lists them", args[0]))
	}
	for _, arg := range args[1:] {
		length, err := time.ParseDuration(arg)
		switch {
		case err == nil && r.Seconds == nil:
			n := int(length / time.Second)
			r.Seconds = &n
		case err == nil || r.Action == timers.Begin || r.Timer != "":
			return r, configure.AsUseError(fmt.Errorf("timers %s: %q is one argument too many; a length is written 90s, 5m or 1h30m", args[0], arg))
		case strings.HasPrefix(arg, "timer-"):
			r.Timer = arg
		default:
			r.Name = strings.TrimSpace(r.Name + " " + arg)
		}
	}
	return r, nil
}
