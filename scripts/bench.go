//go:build ignore

// This program runs the benchmarks, one package after the other, and prints their figures
// in readable units beside the budgets and the peers they are compared with. It exists
// because a figure means little unless its budget stands beside it. A new budget is a
// line in chapters, in table.go.
//
// It fails when a benchmark fails, never because a figure is bad: machines are noisy, and
// a person has to judge. Usage:
//
//	go run scripts/bench.go scripts/table.go [DIRECTORY...]
package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// unit is what a reported figure means and how it is written.
type unit int

const (
	span   unit = iota // nanoseconds
	core               // nanoseconds for one frame of sound: the share of its 20 ms
	rate               // per second
	pace               // nanoseconds for one, written as how many per second
	mem                // megabytes
	share              // a share of one
	octets             // bytes of memory
	count              // of anything
	times              // of a peer's figure to ours; with its range where there is one
)

// of turns a reported figure into what is written and compared.
func (u unit) of(v float64) float64 {
	switch u {
	case core:
		return v / float64(20*time.Millisecond)
	case pace:
		return float64(time.Second) / v
	default:
		return v
	}
}

func (u unit) write(v float64) string {
	switch u {
	case span:
		return writeSpan(time.Duration(v))
	case core:
		return fmt.Sprintf("%.2g %% of a core", 100*v)
	case rate, pace:
		return thousands(v) + "/s"
	case mem:
		return fmt.Sprintf("%.0f MB", v)
	case octets:
		return fmt.Sprintf("%.1f MB", v/(1<<20))
	case count:
		return fmt.Sprintf("%.3g", v)
	case times:
		return fmt.Sprintf("%.2g ×", v)
	default:
		return fmt.Sprintf("%.0f %%", 100*v)
	}
}

func writeSpan(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if v := float64(d) / float64(u.size); v >= 0.9995 {
			return fmt.Sprintf("%.3g %s", v, u.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}

func thousands(v float64) string {
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// bar is what a figure is compared with, as written: nanoseconds for a span.
type bar struct {
	peer  string // the peer whose figure it is; empty: our own budget
	value float64
	floor bool // less is worse
}

func atMost[N int | float64 | time.Duration](v N) bar   { return bar{value: float64(v)} }
func atLeast[N int | float64](v N) bar                  { return bar{value: float64(v), floor: true} }
func than[N float64 | time.Duration](p string, v N) bar { return bar{peer: p, value: float64(v)} }

// cells are the bar's columns beside a figure: what it is, the ratio of the
// figure to it, and whether a budget is kept.
func (b bar) cells(u unit, v float64) (name, ratio, verdict string) {
	name = b.peer + " " + u.write(b.value)
	if b.peer == "" {
		sign := "≤ "
		if b.floor {
			sign = "≥ "
		}
		name = sign + u.write(b.value)
		verdict = "within"
		if v > b.value && !b.floor || v < b.value && b.floor {
			verdict = "OVER"
			if b.floor {
				verdict = "UNDER"
			}
		}
	}
	if b.value > 0 {
		ratio = fmt.Sprintf("%.2f", v/b.value)
	}
	if v > 0 && b.value > 0 && v/b.value < 0.095 {
		ratio = fmt.Sprintf("1/%.0f", b.value/v)
	}
	return name, ratio, verdict
}

// line is one figure of the table.
type line struct {
	what  string
	from  string // package, benchmark and metric
	unit  unit
	bars  []bar
	alloc bool // allocations are ours and worth seeing
}

func bars(b ...bar) []bar { return b }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dirs []string) error {
	if len(dirs) == 0 {
		var err error
		if dirs, err = withBenchmarks("e2e", "internal"); err != nil {
			return fmt.Errorf("looking for benchmarks: %w", err)
		}
	}
	began, load := time.Now(), loadNow()
	r := results{figures: map[string]float64{}, missing: map[string]string{}, ran: map[string]bool{}}
	var failed []string
	for i, dir := range dirs {
		dir = filepath.ToSlash(filepath.Clean(dir))
		fmt.Fprintf(os.Stderr, "%2d of %d  %s\n", i+1, len(dirs), dir)
		if err := r.measure(ctx, dir); err != nil {
			failed = append(failed, dir)
			fmt.Fprintln(os.Stderr, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fmt.Printf("%s, %d cores, %s, load %s at the start, %s in all\n", r.cpu, runtime.NumCPU(), runtime.Version(), load, time.Since(began).Round(time.Second))
	r.table()
	if len(failed) > 0 {
		return fmt.Errorf("benchmarks failed in %s", strings.Join(failed, ", "))
	}
	return nil
}

// loadNow tells how busy the machine is: figures of a busy one are worth little.
func loadNow() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	load, _, _ := strings.Cut(string(data), " ")
	return load
}

var benchmark = regexp.MustCompile(`(?m)^func Benchmark`)

// withBenchmarks lists the directories that have benchmarks.
func withBenchmarks(roots ...string) ([]string, error) {
	found := map[string]bool{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil && benchmark.Match(data) {
				found[filepath.Dir(path)] = true
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// results are all figures by "package benchmark metric", and, by "package benchmark", why
// a benchmark has no figure.
type results struct {
	figures map[string]float64
	missing map[string]string
	ran     map[string]bool // packages
	cpu     string
}

// measure runs the benchmarks of one package.
func (r *results) measure(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchmem", "-count=1", "-v", "-timeout", "10m", "./"+dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	r.ran[dir] = true
	r.read(dir, out)
	if err != nil {
		return fmt.Errorf("%s%s: %w", out, dir, err)
	}
	return nil
}

// These match what go test -v prints for a benchmark without figures: first what
// it said, then that it ended.
var (
	logged = regexp.MustCompile(`^\S+\.go:\d+: (.*)`)
	ended  = regexp.MustCompile(`^--- (SKIP|FAIL): Benchmark(\S+)`)
)

// read takes the figures out of what go test printed. A result is
// BenchmarkName-2 <count> <figure> <unit> <figure> <unit> and so on.
func (r *results) read(dir string, out []byte) {
	said := "" // by a benchmark that is about to end without figures
	for text := range strings.Lines(string(out)) {
		text = strings.TrimSpace(text)
		if cpu, ok := strings.CutPrefix(text, "cpu: "); ok {
			r.cpu = cpu
		}
		if m := logged.FindStringSubmatch(text); m != nil {
			said = ": " + m[1]
		}
		if m := ended.FindStringSubmatch(text); m != nil {
			r.missing[dir+" "+plain(m[2])] = strings.ToLower(m[1]) + said
		}
		f := strings.Fields(text)
		if len(f) == 0 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		said = ""
		name := dir + " " + plain(strings.TrimPrefix(f[0], "Benchmark"))
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				r.figures[name+" "+f[i+1]] = v
			}
		}
	}
}

// processors is what go test appends to a name when there are several.
var processors = regexp.MustCompile(`-\d+$`)

func plain(name string) string { return processors.ReplaceAllString(name, "") }

// sheet is the table; every row has to have all six columns.
type sheet struct {
	text bytes.Buffer
	w    *tabwriter.Writer
}

func (s *sheet) row(what, measured, compared, ratio, budget, allocs string) {
	// A buffer takes everything.
	_, _ = fmt.Fprintf(s.w, "%s\t%s\t%s\t%s\t%s\t%s\n", what, measured, compared, ratio, budget, allocs)
}

func (s *sheet) heading(title string) {
	s.row("", "", "", "", "", "")
	s.row(strings.ToUpper(title), "", "", "", "", "")
}

func (s *sheet) print() {
	_ = s.w.Flush()
	for text := range strings.Lines(s.text.String()) {
		fmt.Println(strings.TrimRight(text, " \n"))
	}
}

func (r *results) table() {
	var s sheet
	s.w = tabwriter.NewWriter(&s.text, 0, 0, 2, ' ', 0)
	s.row("", "measured", "compared with", "ratio", "budget", "allocs")
	shown := map[string]bool{}
	for _, c := range chapters {
		s.heading(c.title)
		for _, l := range c.lines {
			shown[benchmarkOf(l.from)] = true
			r.row(&s, l)
		}
	}
	r.others(&s, shown)
	s.print()
	for _, name := range slices.Sorted(maps.Keys(r.missing)) {
		fmt.Printf("%s: %s\n", name, r.missing[name])
	}
}

// benchmarkOf is the part of a figure's key that names the benchmark.
func benchmarkOf(key string) string {
	if i := strings.LastIndexByte(key, ' '); i >= 0 {
		return key[:i]
	}
	return key
}

func (r *results) row(s *sheet, l line) {
	figure, known := r.figures[l.from]
	figure = l.unit.of(figure)
	measured, allocs := l.unit.write(figure), ""
	low, ranged := r.figures[l.from+"-low"]
	switch {
	case !known:
		measured = r.why(l.from)
	case ranged:
		measured += fmt.Sprintf(" (%.2g–%.2g)", low, r.figures[l.from+"-high"])
	case l.alloc:
		allocs = thousands(r.figures[benchmarkOf(l.from)+" allocs/op"])
	}
	what := "  " + l.what
	if len(l.bars) == 0 {
		s.row(what, measured, "", "", "", allocs)
	}
	for _, b := range l.bars {
		name, ratio, verdict := b.cells(l.unit, figure)
		if !known {
			ratio, verdict = "", ""
		}
		s.row(what, measured, name, ratio, verdict, allocs)
		what, measured, allocs = "", "", "" // the other bars stand below
	}
}

// notRun begins the message of a benchmark that lacks something it needs from
// elsewhere.
const notRun = "skip: not run: "

// why returns what stands in the place of a missing figure.
func (r *results) why(from string) string {
	dir, _, _ := strings.Cut(from, " ")
	switch {
	case strings.HasPrefix(r.missing[benchmarkOf(from)], notRun):
		return strings.TrimPrefix(r.missing[benchmarkOf(from)], "skip: ")
	case r.missing[benchmarkOf(from)] != "":
		return "no figure, see below"
	case r.ran[dir]:
		return "NO FIGURE"
	default:
		return "not run"
	}
}

// others are the benchmarks without a line of their own.
func (r *results) others(s *sheet, shown map[string]bool) {
	s.heading("Also measured")
	for _, key := range slices.Sorted(maps.Keys(r.figures)) {
		name := benchmarkOf(key)
		if !strings.HasSuffix(key, " ns/op") || shown[name] {
			continue
		}
		s.row("  "+name, span.write(r.figures[key]), "", "", "", thousands(r.figures[name+" allocs/op"]))
	}
}
