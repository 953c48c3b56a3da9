//go:build ignore

// This program runs the benchmarks, one package after the other, and prints
// their figures in people's units beside the budgets and the peers they are
// compared with. It exists because a figure that nobody sees beside its budget
// says nothing. A budget whose part does not exist yet has its line, too: nobody
// takes silence for success. A new budget is a line in chapters.
//
// It fails when a benchmark fails, never because a figure is bad: machines are
// noisy, and a person has to judge. Usage:
//
//	go run scripts/bench.go [DIRECTORY...]
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
	rate               // a second
	pace               // nanoseconds for one: how many a second
	mem                // megabytes
	share              // of one
	octets             // bytes of memory
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
	peer  string // whose figure it is; empty: our own budget
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
	ratio = fmt.Sprintf("%.2f", v/b.value)
	if v > 0 && v/b.value < 0.095 {
		ratio = fmt.Sprintf("1/%.0f", b.value/v)
	}
	return name, ratio, verdict
}

// line is one figure of the table.
type line struct {
	what  string
	from  string // package, benchmark and metric; or notYet
	unit  unit
	bars  []bar
	alloc bool // allocations are ours and worth seeing
}

// notYet marks a budget whose part or comparison does not exist.
const notYet = "not built yet"

// The figures of peers, from the study that set the budgets: medians on the same
// kind of machine. They are not measured in this run.
var (
	hassil        = than("hassil's p50", 3*time.Millisecond)
	hassilTail    = than("hassil's p99", 7200*time.Microsecond)
	homeAssistant = than("Home Assistant's silence", 700*time.Millisecond)
)

// chapters is the table: every budget of the design, and what helps to read it.
var chapters = []struct {
	title string
	lines []line
}{
	{"End of speech, 20 spoken commands, to …", []line{
		{"sentence known to be over, p50", "cmd/voice-gateway SpokenCommand endpoint-p50-ns", span, bars(homeAssistant), false},
		{"sentence known to be over, p95", "cmd/voice-gateway SpokenCommand endpoint-p95-ns", span, bars(homeAssistant), false},
		{"transcript, p50", "cmd/voice-gateway SpokenCommand transcript-p50-ns", span, nil, false},
		{"transcript, p95", "cmd/voice-gateway SpokenCommand transcript-p95-ns", span, nil, false},
		{"first MQTT publish, p50", "cmd/voice-gateway SpokenCommand publish-p50-ns", span, bars(atMost(200*time.Millisecond), homeAssistant), false},
		{"first MQTT publish, p95", "cmd/voice-gateway SpokenCommand publish-p95-ns", span, bars(atMost(400*time.Millisecond), homeAssistant), false},
		{"device's own report, p50 (not bolts and blinds)", "cmd/voice-gateway SpokenCommand confirmed-p50-ns", span, nil, false},
		{"device's own report, p95 (not bolts and blinds)", "cmd/voice-gateway SpokenCommand confirmed-p95-ns", span, bars(atMost(600 * time.Millisecond)), false},
		{"commands understood and done", "cmd/voice-gateway SpokenCommand understood", share, nil, false},
		{"transcript to model's first sound, own share, p50", "internal/gateway ModelAnswer p50-ns", span, nil, false},
		{"transcript to model's first sound, own share, p95", "internal/gateway ModelAnswer p95-ns", span, bars(atMost(30 * time.Millisecond)), false},
	}},
	{"Hearing", []line{
		{"wake word, micro", "internal/speech/wake MicroFrame ns/op", core, bars(atMost(0.01)), true},
		{"wake word, pocketsphinx, through its worker", "internal/speech/wake Detect ns/op", core, nil, true},
		{"recogniser, pocketsphinx, through its worker", "internal/speech/sphinx Push ns/op", core, nil, true},
		{"worker there and back, one frame", "internal/worker RoundTrip ns/op", span, nil, true},
		{"endpoint, one frame", "internal/speech/endpoint Push ns/op", span, nil, true},
		{"turn, one frame of a quiet room", "internal/turn IdleFrame ns/op", span, nil, true},
		{"turn, wake word to idle, own share", "internal/turn Turn ns/op", span, nil, true},
		{"capture under load (budget: no frame lost)", notYet, rate, nil, false},
	}},
	{"Understanding", []line{
		{"local match, 20 devices, p50", "internal/intent MatchInHouse/devices=20 p50-ns", span, bars(hassil), true},
		{"local match, 20 devices, p99", "internal/intent MatchInHouse/devices=20 p99-ns", span, bars(hassilTail), false},
		{"local match, 200 devices, p50", "internal/intent MatchInHouse/devices=200 p50-ns", span, bars(atMost(100*time.Microsecond), hassil), true},
		{"local match, 200 devices, p99", "internal/intent MatchInHouse/devices=200 p99-ns", span, bars(atMost(time.Millisecond), hassilTail), false},
		{"local match, 2000 devices, p50", "internal/intent MatchInHouse/devices=2000 p50-ns", span, bars(hassil), true},
		{"local match, 2000 devices, p99", "internal/intent MatchInHouse/devices=2000 p99-ns", span, bars(hassilTail), false},
		{"Home Assistant's English, 20 devices, p50", "internal/intent HomeAssistantsSentences/lang=en/devices=20 p50-ns", span, bars(hassil), true},
		{"Home Assistant's English, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=en/devices=200 p50-ns", span, bars(atMost(100*time.Microsecond), hassil), true},
		{"Home Assistant's English, 200 devices, p99", "internal/intent HomeAssistantsSentences/lang=en/devices=200 p99-ns", span, bars(atMost(time.Millisecond), hassilTail), false},
		{"Home Assistant's English, 2000 devices, p50", "internal/intent HomeAssistantsSentences/lang=en/devices=2000 p50-ns", span, bars(hassil), true},
		{"Home Assistant's German, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=de/devices=200 p50-ns", span, bars(than("hassil's p50", 46*time.Millisecond)), true},
		{"Home Assistant's German, 200 devices, p99", "internal/intent HomeAssistantsSentences/lang=de/devices=200 p99-ns", span, bars(than("hassil's p99", 84*time.Millisecond)), false},
		{"Home Assistant's Spanish, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=es/devices=200 p50-ns", span, bars(than("hassil's p50", 4200*time.Microsecond)), true},
		{"Home Assistant's French, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=fr/devices=200 p50-ns", span, bars(than("hassil's p50", 3*time.Millisecond)), true},
		{"our English, read and compiled", "internal/intent Load/ours ns/op", span, nil, false},
		{"  kept in memory", "internal/intent Load/ours kept-MB", mem, nil, false},
		{"Home Assistant's English, read and compiled", "internal/intent Load/homeassistant/lang=en ns/op", span, bars(than("hassil's first sentence", 200*time.Millisecond)), false},
		{"  kept in memory", "internal/intent Load/homeassistant/lang=en kept-MB", mem, bars(than("hassil, resident", 24.0)), false},
		{"Home Assistant's German, read and compiled", "internal/intent Load/homeassistant/lang=de ns/op", span, nil, false},
		{"  kept in memory", "internal/intent Load/homeassistant/lang=de kept-MB", mem, nil, false},
		{"the same sentences in a house that changed", "internal/intent New ns/op", span, nil, true},
		{"is the sentence complete, one partial", "internal/intent/grammar Judge ns/op", span, nil, true},
		{"misheard name among 200", "internal/intent/names Resolve ns/op", span, nil, true},
	}},
	{"MCP host", []line{
		{"call, client library alone, p50", "internal/mcpint Layer library-p50-ns", span, nil, false},
		{"call, through the gateway, p50", "internal/mcpint Layer gateway-p50-ns", span, nil, false},
		{"call, our layer above the library", "internal/mcpint Layer layer-ns", span, bars(atMost(20 * time.Microsecond)), false},
		{"spawn, tools of zwave-mcp-server listed, p50", "cmd/voice-gateway ServerStart/listed p50-ns", span, nil, false},
		{"spawn, first command confirmed, p50", "cmd/voice-gateway ServerStart/control p50-ns", span, nil, false},
	}},
	{"LangChain's MCP client, times ours (median of 7 rounds in turns, and range)", []line{
		{"program started to tools listed", "internal/mcpint Peer cold-ratio", times, bars(atLeast(15)), false},
		{"  ours", "internal/mcpint Peer cold-ours", span, nil, false},
		{"  LangChain's", "internal/mcpint Peer cold-langchain", span, nil, false},
		{"spawn to tools listed, client running", "internal/mcpint Peer connect-ratio", times, nil, false},
		{"  ours", "internal/mcpint Peer connect-ours", span, nil, false},
		{"one call, p50", "internal/mcpint Peer call-p50-ratio", times, nil, false},
		{"  ours", "internal/mcpint Peer call-p50-ours", span, nil, false},
		{"one call, p99", "internal/mcpint Peer call-p99-ratio", times, nil, false},
		{"  ours", "internal/mcpint Peer call-p99-ours", span, nil, false},
		{"calls, 16 at once", "internal/mcpint Peer parallel-ratio", times, nil, false},
		{"  ours", "internal/mcpint Peer parallel-ours", pace, nil, false},
		{"memory, connected", "internal/mcpint Peer idle-ratio", times, nil, false},
		{"  ours", "internal/mcpint Peer idle-ours", octets, nil, false},
		{"memory, after 5,050 calls", "internal/mcpint Peer after-ratio", times, nil, false},
	}},
	{"Z-Wave, 232 nodes", []line{
		{"state messages, in the model", "internal/zwave Handle ns/op", pace, bars(atLeast(20_000)), true},
		{"state messages, from a broker's socket", "internal/zwave/serve Intake messages/s", rate, bars(atLeast(20_000)), false},
		{"look-up by name", "internal/zwave LookUp/name ns/op", span, bars(atMost(100 * time.Microsecond)), true},
		{"look-up by room and name", "internal/zwave LookUp/room ns/op", span, bars(atMost(100 * time.Microsecond)), true},
		{"look-up, misspelt", "internal/zwave LookUp/misspelt ns/op", span, bars(atMost(100 * time.Microsecond)), true},
		{"list, one page of 50 devices", "internal/zwave List/page=1 ns/op", span, nil, true},
		{"getNodes of 10 MB, from message to model", "internal/zwave Refresh ns/op", span, nil, true},
		{"model and states, 60 values each", "internal/zwave Memory MB", mem, nil, false},
	}},
	{"Memory, idle, wake word by pocketsphinx", []line{
		{"daemon and audio worker, with micro", notYet, mem, bars(atMost(40)), false},
		{"daemon and audio worker, resident", "cmd/voice-gateway IdleMemory both-MB", mem, bars(atMost(40), than("Linux Voice Assistant", 512.0)), false},
		{"the same, shared pages counted in parts", "cmd/voice-gateway IdleMemory both-pss-MB", mem, bars(atMost(40)), false},
		{"daemon alone", "cmd/voice-gateway IdleMemory daemon-MB", mem, nil, false},
		{"audio worker alone", "cmd/voice-gateway IdleMemory audio-MB", mem, nil, false},
		{"recognisers: wake word and commands", "cmd/voice-gateway IdleMemory recognisers-MB", mem, nil, false},
		{"zwave-mcp-server", "cmd/voice-gateway IdleMemory server-MB", mem, nil, false},
	}},
	{"Voice", []line{
		{"a short sentence by espeak-ng", "internal/speech/tts EspeakSentence ns/op", span, nil, true},
	}},
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
		if dirs, err = withBenchmarks("cmd", "internal"); err != nil {
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

// results are all figures by "package benchmark metric", and why some
// benchmarks, by "package benchmark", have none.
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

// How go test -v tells of a benchmark without figures: what it said, and then
// that it ended.
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

// sheet is the table; every row has all six columns, or it would not be one.
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

// notRun is how a benchmark tells that something is missing that it needs from
// elsewhere.
const notRun = "skip: not run: "

// why says what stands in place of a figure that is not there.
func (r *results) why(from string) string {
	dir, _, _ := strings.Cut(from, " ")
	switch {
	case from == notYet:
		return notYet
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
