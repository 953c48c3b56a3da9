package console

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"voicegateway/internal/keep/timers"
)

// Timers prints a line for each timer.
func Timers(out io.Writer, p Paint, list []timers.Timer) {
	if len(list) == 0 {
		fmt.Fprintln(out, "There are no timers.")
		return
	}
	var rows [][]string
	for _, t := range list {
		rows = append(rows, []string{
			t.ID, string(t.Kind), cmp.Or(Clean(cmp.Or(t.Name, t.Text)), "-"), cmp.Or(Clean(t.Command), "-"), cmp.Or(Clean(t.Area), "-"), string(t.State), timeLeft(t), due(t), cmp.Or(t.Every, "once"),
		})
	}
	Table(out, p, []string{"timer", "kind", "called", "command", "room", "state", "left", "due", "every"}, rows)
}

// timeLeft is the time that is left, in the largest units.
func timeLeft(t timers.Timer) string {
	if t.State == timers.Ringing || t.State == timers.Unseen {
		return "-"
	}
	return (time.Duration(t.Left) * time.Second).String()
}

// due is when a timer is due, by this machine's clock.
func due(t timers.Timer) string {
	if t.Due.IsZero() {
		return "-"
	}
	return t.Due.Local().Format("Mon Jan 2 15:04:05")
}
