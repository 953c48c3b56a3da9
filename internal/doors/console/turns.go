package console

import (
	"fmt"
	"io"

	"voicegateway/internal/keep/record"
)

// Tasks prints the tasks that were stopped in the middle.
func Tasks(out io.Writer, p Paint, list []record.Task) {
	if len(list) == 0 {
		fmt.Fprintln(out, "Nothing was stopped in the middle.")
		return
	}
	for _, t := range list {
		fmt.Fprintf(out, "%s %s, %s: %s\n", p.Bold("Task"), t.ID, t.Time.Local().Format("Jan 2 15:04:05"), Quote(t.Asked))
		for _, s := range t.Done {
			fmt.Fprintf(out, "  %s %s\n", p.Dim("done"), Clean(s.Text()))
		}
		for _, s := range t.Open {
			fmt.Fprintf(out, "  %s %s\n", p.Dim("open"), Clean(s.Text()))
		}
		fmt.Fprintf(out, "  %s %s\n", p.Dim("because"), Clean(t.Reason))
	}
	fmt.Fprintln(out, `Say "resume", or: voice-gateway ask resume`)
}

// Turns prints a line for each turn.
func Turns(out io.Writer, p Paint, turns []record.Record) {
	var rows [][]string
	for _, r := range turns {
		transcript, total := "-", "-"
		if r.Transcript != nil {
			transcript = Quote(r.Transcript.Text)
		}
		if r.Control != nil {
			transcript = Clean(r.Control.String())
		}
		if r.Timings.Total != nil {
			total = fmt.Sprintf("%.0f ms", *r.Timings.Total)
		}
		rows = append(rows, []string{
			r.ID, r.Time.Local().Format("Jan 2 15:04:05"), string(r.Source), transcript, string(r.Route), string(r.Outcome), total, Clean(r.Reply),
		})
	}
	Table(out, p, []string{"turn", "time", "from", "heard", "route", "outcome", "took", "reply"}, rows)
}
