package cli

import (
	"cmp"
	"fmt"
	"strings"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/keep/record"
)

// tell prints what came of a turn, then and now.
func (r *replaying) tell(o record.Replay) error {
	if r.asJSON {
		return printJSON(r.Out, "the outcome", o)
	}
	fmt.Fprintf(r.Out, "%s %s%s\n", r.paint.Bold("Turn"), console.Clean(o.ID), whenAndWhere(o.Then))
	rows := [][]string{
		{"heard", quoteHeard(o.Then), quoteHeard(o.Now)},
		{"route", string(o.Then.Route), string(o.Now.Route)},
		{"intent", meaningText(o.Then), meaningText(o.Now)},
	}
	then, now := plannedCalls(o.Then), plannedCalls(o.Now)
	for i := range max(len(then), len(now), 1) {
		rows = append(rows, []string{"calls", nth(then, i), nth(now, i)})
	}
	rows = append(rows,
		[]string{"outcome", string(o.Then.Outcome), outcomeToShow(o.Now)},
		[]string{"reply", console.Quote(o.Then.Reply), console.Quote(o.Now.Reply)},
	)
	console.Table(r.Out, r.paint, []string{"", "then", "now"}, rows)
	if o.Should != "" {
		fmt.Fprintf(r.Out, "  %s %s\n", r.paint.Dim("should"), console.Quote(o.Should))
	}
	if r.marked {
		fmt.Fprintf(r.Out, "  %s: %s\n", r.verdict(o.Rightness), o.Why)
	}
	fmt.Fprintln(r.Out)
	return nil
}

// verdict is a verdict with its sign.
func (r *replaying) verdict(v record.Rightness) string {
	switch v {
	case record.Right:
		return r.paint.Good("✓ right")
	case record.Wrong:
		return r.paint.Bad("✗ wrong")
	case record.Open:
	}
	return r.paint.Warn("! open")
}

func whenAndWhere(then record.Record) string {
	if then.Time.IsZero() {
		return ""
	}
	text := ", " + then.Time.Local().Format("Mon Jan 2 15:04:05")
	if then.Area != "" {
		text += " in " + console.Clean(then.Area)
	}
	return text
}

// quoteHeard is the text of a turn in quotes, a dash for one without.
func quoteHeard(r record.Record) string {
	if r.Transcript == nil {
		return "-"
	}
	return console.Quote(r.Transcript.Text)
}

func meaningText(r record.Record) string {
	all := r.Intents
	if len(all) == 0 && r.Intent != nil {
		all = []record.Intent{*r.Intent}
	}
	parts := make([]string, len(all))
	for i, in := range all {
		parts[i] = in.Name + " " + console.Slots(in.Slots)
	}
	return console.Clean(cmp.Or(strings.Join(parts, "; "), "-"))
}

// outcomeToShow returns the outcome to show for a dry run: if it planned calls, it is not known
// whether these would succeed.
func outcomeToShow(now record.Record) string {
	if now.Outcome == record.Ignored && len(now.Calls) > 0 {
		return "planned, not done"
	}
	return string(now.Outcome)
}

func plannedCalls(r record.Record) []string {
	all := make([]string, len(r.Calls))
	for i, c := range r.Calls {
		all[i] = console.Clean(cmp.Or(c.Server, "local") + "/" + c.Tool + " " + string(c.Args))
	}
	return all
}

// nth is one of some texts, a dash where there are fewer.
func nth(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return "-"
}
