package truth

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// row counts the answers about one kind of thing.
type row struct{ asked, right, dontKnow, wrong, unsafe int }

// table is what the judge has found so far. It is safe for concurrent use.
type table struct {
	mu     sync.Mutex
	rows   map[string]*row
	misses []string
	known  row // the questions whose answer can be known
	acts   int
	told   int // acts that were told right
	just   int // acts that were really done, and nothing was wrong
	missed int // those of them that were not reported as done
	lies   int // acts reported as done that were not
	blamed int
	hidden int
	other  int
	liars  int // lamps that lied over Supervision and were believed
	mended int // those of them that were corrected
	stale  int // states that were untrue for longer than two seconds
	turns  int
}

func newTable() *table { return &table{rows: map[string]*row{}} }

// question adds the verdict on an answer.
func (t *table) question(s *sets, where string, q question, known truth, reply string, v verdict, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turns++
	kind := s.house.kind(q)
	if t.rows[kind] == nil {
		t.rows[kind] = &row{}
	}
	t.rows[kind].count(v)
	if known.answer != unknowable && !q.Untold && q.Ask != "stranger" {
		t.known.count(v)
	}
	if v != right {
		t.misses = append(t.misses, fmt.Sprintf("%-18s %-14s %s %q -> %q: %s", strings.ToUpper(string(v)), where, q.ID, q.Text, reply, why))
	}
}

func (r *row) count(v verdict) {
	r.asked++
	switch v {
	case right:
		r.right++
	case dontKnow:
		r.dontKnow++
	case wrong:
		r.wrong++
	case unsafeLie:
		r.unsafe++
	}
}

// noteCorrection adds whether a lamp that lied and was believed was corrected.
func (t *table) noteCorrection(yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if yes {
		t.mended++
	}
}

// act adds the sentence on a reply to a command.
func (t *table) act(a act, reply string, s sentenced) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turns++
	t.acts++
	if slices.Equal(a.May, []string{string(done)}) {
		t.just++
		if s.told != done {
			t.missed++
		}
	}
	switch {
	case s.honest():
		t.told++
		return
	case s.falseDone && a.Liar:
		t.liars++
	case s.falseDone:
		t.lies++
	case s.blamed:
		t.blamed++
	case s.hidden:
		t.hidden++
	default:
		t.other++
	}
	t.misses = append(t.misses, fmt.Sprintf("%-18s %s %q (%s) -> %q: %s", "ACT", a.ID, a.Say, a.About, reply, s))
}

// share is a part in percent.
func share(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// failures are the reasons why the program is not true about the house.
func (t *table) failures() []string {
	var out []string
	unsafe := 0
	for _, r := range t.rows {
		unsafe += r.unsafe
	}
	if unsafe > 0 {
		out = append(out, fmt.Sprintf("%d wrong answers about safety", unsafe))
	}
	if t.lies > 0 {
		out = append(out, fmt.Sprintf("%d acts told as done that were not", t.lies))
	}
	if t.liars > t.mended {
		out = append(out, fmt.Sprintf("%d lamps that lied were believed and not corrected", t.liars-t.mended))
	}
	if t.stale > 0 {
		out = append(out, fmt.Sprintf("%d states were untrue for longer than two seconds", t.stale))
	}
	if t.blamed > 0 {
		out = append(out, fmt.Sprintf("%d devices blamed for the fault of another", t.blamed))
	}
	if p := share(t.known.asked-t.known.dontKnow, t.known.asked); p < 95 {
		out = append(out, fmt.Sprintf("%.1f %% of the answerable questions were answered, expected 95 %%", p))
	}
	if p := share(t.just-t.missed, t.just); p < 95 {
		out = append(out, fmt.Sprintf("%.1f %% of the acts that were done were told as done, expected 95 %%", p))
	}
	return out
}

// show prints the table and every miss, and fails the test where the program is not
// true about the house.
func (t *table) show(tb testing.TB) {
	tb.Helper()
	for line := range strings.Lines(t.String()) {
		tb.Attr("shows", strings.TrimRight(line, "\n"))
	}
	slices.Sort(t.misses)
	for _, miss := range t.misses {
		tb.Attr("shows", miss)
	}
	for _, failure := range t.failures() {
		tb.Error(failure)
	}
}

// String is the table.
func (t *table) String() string {
	var b strings.Builder
	var all row
	line := func(kind string, r row) {
		fmt.Fprintf(&b, "%-12s %6d %6d %11d %6d %7d\n", kind, r.asked, r.right, r.dontKnow, r.wrong, r.unsafe)
	}
	fmt.Fprintf(&b, "%-12s %6s %6s %11s %6s %7s\n", "kind", "asked", "right", "don't know", "wrong", "unsafe")
	for _, kind := range slices.Sorted(maps.Keys(t.rows)) {
		r := *t.rows[kind]
		line(kind, r)
		all.asked, all.right, all.dontKnow, all.wrong, all.unsafe = all.asked+r.asked, all.right+r.right, all.dontKnow+r.dontKnow, all.wrong+r.wrong, all.unsafe+r.unsafe
	}
	line("all", all)
	fmt.Fprintf(&b, "answerable: %d, answered %.1f %%, answered right %.1f %%\n", t.known.asked,
		share(t.known.asked-t.known.dontKnow, t.known.asked), share(t.known.right, t.known.asked))
	fmt.Fprintf(&b, "acts: %d, told right %d, false done %d, blamed wrongly %d, done and not told %d, otherwise not honest %d; lamps that lied and were believed %d, corrected %d\n",
		t.acts, t.told, t.lies, t.blamed, t.hidden, t.other, t.liars, t.mended)
	fmt.Fprintf(&b, "states untrue for longer than two seconds: %d\n", t.stale)
	fmt.Fprintf(&b, "acts done and nothing wrong: %d, told as done %.1f %%\n", t.just, share(t.just-t.missed, t.just))
	fmt.Fprintf(&b, "misses: %d\n", len(t.misses))
	return b.String()
}
