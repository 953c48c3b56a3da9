package crowd

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"voicegateway/internal/intent/learn"
)

// finding is a sentence with what would be done and the judge's verdict.
type finding struct {
	said    learn.Sentence
	verdict verdict
	does    string
}

// counts are the verdicts of a row.
type counts map[verdict]int

func (c counts) all() int {
	n := 0
	for _, of := range c {
		n += of
	}
	return n
}

// share is a verdict's part of the row in percent.
func (c counts) share(v verdict) float64 { return 100 * float64(c[v]) / float64(max(1, c.all())) }

// table is what the judge has found.
type table struct {
	home, others counts
	kinds        map[string]counts // by label
	findings     []finding
}

// tabulate counts what was found.
func tabulate(all []finding) table {
	t := table{home: counts{}, others: counts{}, kinds: map[string]counts{}, findings: all}
	for _, f := range all {
		if _, ours := kindOf(f.said); !ours {
			t.others[f.verdict]++
			continue
		}
		t.home[f.verdict]++
		if t.kinds[f.said.Label] == nil {
			t.kinds[f.said.Label] = counts{}
		}
		t.kinds[f.said.Label][f.verdict]++
	}
	return t
}

// peers are the figures of other programs on sentences of the same crowd, as they were
// measured in the same house, natural_home.json of the shared data.
var peers = []string{
	"hassil 3.12.1 with Home Assistant's sentences of 2026.10.27: 30 of 338 orders to things matched; plays music for 283 sentences with \"play\"",
	"hassil 3.4.0 with its fuzzy matcher and the sentences of 2025.10.28: 58 + 89 of 338 matched, about half of the 89 wrong; 1,454 sentences that are not for a house matched",
}

// show prints the table, everything that was wrong, and with whole every sentence that was
// not done, by kind.
func (t table) show(tb testing.TB, title string, whole bool) {
	tb.Helper()
	tb.Attr("shows", title)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "kind\tsaid\tright\t\tasked\trefused\thanded on\twrong\t")
	row := func(name string, c counts) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%.0f %%\t%d\t%d\t%d\t%d\t\n", name, c.all(), c[right], c.share(right), c[asked], c[refused], c[handedOn], c[wrong])
	}
	for _, k := range kinds {
		if c := t.kinds[k.label]; c != nil {
			row(k.label, c)
		}
	}
	row("all", t.home)
	_ = w.Flush() // into memory
	o := t.others
	fmt.Fprintf(&b, "%d others: %d acts, %d questions, %d reminders on a wrong day, %d answered\n", o.all(), o[act], o[question], o[wrongDay], o[answered])
	for line := range strings.Lines(b.String()) {
		tb.Attr("shows", strings.TrimRight(line, "\n"))
	}
	for _, line := range peers {
		tb.Attr("shows", line)
	}
	for _, v := range []verdict{wrong, act, question, wrongDay} {
		t.list(tb, v)
	}
	if whole {
		for _, v := range []verdict{handedOn, refused, asked, answered} {
			t.list(tb, v)
		}
	}
}

// list prints the sentences with a verdict, those for the house by kind.
func (t table) list(tb testing.TB, v verdict) {
	tb.Helper()
	for _, k := range append([]kind{{}}, kinds...) {
		for _, f := range t.findings {
			if at, _ := kindOf(f.said); f.verdict == v && at.label == k.label {
				tb.Attr("shows", strings.TrimRight(fmt.Sprintf("%s: %s %q %s", v, f.said.Label, f.said.Text, f.does), " "))
			}
		}
	}
}
