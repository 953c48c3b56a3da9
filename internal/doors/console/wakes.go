package console

import (
	"fmt"
	"io"

	"voicegateway/internal/ear/wakebudget"
)

// Wakes prints what is known of the wake words.
func Wakes(out io.Writer, p Paint, s wakebudget.State) {
	fmt.Fprintf(out, "%d false wakes in the last 24 hours", s.FalseToday)
	if s.Budget > 0 {
		fmt.Fprintf(out, ", %d allowed (wake.budget)", s.Budget)
	}
	fmt.Fprintln(out)
	if s.Why != "" {
		fmt.Fprintln(out, p.Warn("!"), Clean(s.Why))
	}
	rows := make([][]string, 0, len(s.Words))
	for _, w := range s.Words {
		meant, wrong, missed := 0, 0, 0
		for _, d := range w.Days[max(0, len(w.Days)-7):] {
			meant, wrong, missed = meant+d.Meant, wrong+d.False, missed+d.Missed
		}
		threshold, bounds, moved := "-", "-", "-"
		if w.Least > 0 {
			threshold, bounds = fmt.Sprintf("%.3f", w.Threshold), fmt.Sprintf("%.3f to %.3f", w.Least, w.Most)
		}
		if !w.Moved.IsZero() {
			moved = w.Moved.Local().Format("Mon Jan 2 15:04")
		}
		rows = append(rows, []string{Clean(w.Word.Word), threshold, bounds, moved, fmt.Sprint(meant), fmt.Sprint(wrong), fmt.Sprint(missed)})
	}
	if len(rows) > 0 {
		Table(out, p, []string{"word", "threshold", "bounds", "moved", "meant", "false", "missed"}, rows)
		fmt.Fprintln(out, "Counts are of the last seven days with a wake.")
	}
}
