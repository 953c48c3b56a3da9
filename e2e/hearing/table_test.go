package hearing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// figures are the counts of one row of a table.
type figures struct {
	n, acted, spoke int
	of              map[verdict]int
	texts           []time.Duration // from the end of speech to the text, where it is known
}

func count(all []outcome) figures {
	f := figures{n: len(all), of: map[verdict]int{}}
	for _, o := range all {
		f.of[o.verdict]++
		if o.acted {
			f.acted++
		}
		if o.spoke {
			f.spoke++
		}
		if len(o.turns) > 0 && o.turns[0].Timings.Transcript != nil {
			f.texts = append(f.texts, time.Duration(*o.turns[0].Timings.Transcript*float64(time.Millisecond)))
		}
	}
	slices.Sort(f.texts)
	return f
}

// share is a part of the row in percent.
func (f figures) share(v verdict) float64 { return 100 * float64(f.of[v]) / float64(max(1, f.n)) }

// at is a percentile of the times to the text.
func (f figures) at(percent int) string {
	if len(f.texts) == 0 {
		return "-"
	}
	return fmt.Sprintf("%d ms", f.texts[min(len(f.texts)-1, len(f.texts)*percent/100)].Milliseconds())
}

// counts are the columns that every table of sentences has.
func (f figures) counts() string {
	return fmt.Sprintf("%d\t%.1f %%\t%d\t%d\t%d\t%d\t%d", f.n, f.share(right), f.of[part], f.of[asked], f.of[rejected], f.of[wrong], f.acted)
}

// idle are the columns of a table of sounds after which nothing may be done.
func (f figures) idle() string {
	return fmt.Sprintf("%d\t%d\t%d\t%d\t%d\t%d", f.n, f.acted, f.of[wrong]-f.acted, f.of[asked], f.of[refused], f.of[right])
}

const (
	countsHead = "n\tright\tin part\tasked\trejected\twrong\tacts nobody ordered"
	idleHead   = "n\tacts\tanswered\tasked\trefused aloud\tnothing"
)

// show prints a table; its columns are parted by tabs.
func show(tb testing.TB, title string, rows ...string) {
	tb.Helper()
	tb.Attr("shows", title)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, "  "+row)
	}
	_ = w.Flush() // into memory
	for line := range strings.Lines(b.String()) {
		tb.Attr("shows", strings.TrimRight(line, "\n"))
	}
}

// mostShown is how many of a set's misses are printed in the short form.
const mostShown = 12

// showMisses prints what was not right: what was said, what was heard, what was done.
func showMisses(tb testing.TB, set string, all []outcome) {
	tb.Helper()
	rows := []string{"verdict\tfile\tsaid\theard\tdid"}
	left := 0
	for _, o := range all {
		switch {
		case o.verdict == right && !o.acted:
		case !*whole && len(rows) > mostShown:
			left++
		default:
			rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%q\t%s", o.verdict, o.file, o.said, o.heard, o.did()))
		}
	}
	if len(rows) == 1 {
		return
	}
	if left > 0 {
		rows = append(rows, fmt.Sprintf("and %d more", left))
	}
	show(tb, set+": what was not right", rows...)
}
