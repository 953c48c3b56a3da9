package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// fault is a row of the table: what goes wrong, how it shows, and what state
// follows without any help.
type fault struct {
	mode   string                 // key in faults; empty: the server is not a faulty child
	set    func(s *mcpint.Server) // its settings
	hurt   func(t *testing.T, in *injured) error
	says   string       // in the error of hurt, or without hurt in the status
	state  mcpint.State // the state that follows; empty: not asserted, because it passes at once
	stays  bool         // the same process goes on
	once   bool         // one attempt is enough to see it, because each takes a while
	heavy  bool         // too much work for the race detector: run as an acceptance test
	verify func(t *testing.T, in *injured)
}

// injured is a host with a faulty server.
type injured struct {
	*Host
	reg    *tools.Registry
	dir    string
	logged *logged
}

// journal returns the lines of the server's journal that begin with a word.
func (in *injured) journal(word string) []string {
	raw, _ := os.ReadFile(filepath.Join(in.dir, "journal"))
	var list []string
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), word); ok {
			list = append(list, strings.TrimSpace(rest))
		}
	}
	return list
}

func (in *injured) status() mcpint.Status { return in.Status()[0] }

// faulty returns the settings of a server with the fault of a mode.
func (in *injured) faulty(t *testing.T, mode string) mcpint.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpint.Server{
		ID: "s", Trust: mcpint.TrustFull, Command: self, ConnectTimeout: long, Env: prompt,
		Own:  true, // mended, it has other tools, which are used at once
		Args: []string{"fault", mode, filepath.Join(in.dir, "mended"), filepath.Join(in.dir, "journal")},
	}
}

// prompt spares a child with the race detector the second it usually takes to
// end.
var prompt = map[string]string{"GORACE": "atexit_sleep_ms=0"}

// mend makes every later start of the server a good one.
func (in *injured) mend(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(in.dir, "program")
	err = errors.Join(os.WriteFile(filepath.Join(in.dir, "mended"), nil, 0o600), os.Mkdir(filepath.Join(in.dir, "absent"), 0o700),
		os.Symlink(self, program+".new"), os.Rename(program+".new", program))
	if err != nil {
		t.Fatal(err)
	}
}

// call makes a call that may take as long as limit.
func (in *injured) call(t *testing.T, limit time.Duration, args string) (tools.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return in.reg.Call(ctx, tools.Call{Server: "s", Tool: "echo", Args: json.RawMessage(args)})
}

// called makes a plain call, whose outcome shows the fault.
func called(limit time.Duration) func(*testing.T, *injured) error {
	return func(t *testing.T, in *injured) error {
		t.Helper()
		r, err := in.call(t, limit, `{"text":"x"}`)
		if err == nil && r.Failed {
			err = errors.New(r.Text)
		}
		return err
	}
}

// works demands that a call of the faulty server is answered.
func works(want string) func(*testing.T, *injured) {
	return func(t *testing.T, in *injured) {
		t.Helper()
		if r, err := in.call(t, time.Minute, `{}`); err != nil || !strings.HasPrefix(r.Text, want) {
			t.Errorf("a call: %.200q, %v", r.Text, err)
		}
	}
}

const sane = "from the faulty one"

// beside returns a path in the directory of the test.
func beside(s *mcpint.Server, name string) string {
	return filepath.Join(filepath.Dir(s.Args[2]), name)
}

// plainFile makes the command a file that is no program.
func plainFile(s *mcpint.Server) {
	s.Command = beside(s, "program")
	_ = os.WriteFile(s.Command, []byte("hello"), 0o600)
}

// noInterpreter makes the command a script of a language that is not there.
func noInterpreter(s *mcpint.Server) {
	s.Command = beside(s, "program")
	_ = os.WriteFile(s.Command, []byte("#!/nonexistent/python\n"), 0o700) //nolint:gosec // it has to be executable
}

// impatient sets a short connection time-out that still lets the mended server
// start on a busy machine.
func impatient(s *mcpint.Server) { s.ConnectTimeout = 3 * time.Second }

// long is far above the limits that the tests look for and far below the time
// limit of a test.
const long = 40 * time.Second

// faultTable is the matrix for child processes.
var faultTable = map[string]fault{
	// Faults that show before there is a connection.
	"exits, says why":            {mode: "exit", says: "exit status 3); stderr: the MQTT broker at 127.0.0.1:1883 cannot be reached", state: mcpint.Failed},
	"exits well, says nothing":   {mode: "exit-well", says: "the process ended before it answered (exit status 0)", state: mcpint.Failed},
	"dies in a line":             {mode: "half-line", says: "exit status 3", state: mcpint.Failed},
	"mute at initialize":         {mode: "mute", set: impatient, says: "no answer to initialize within 3s", state: mcpint.Failed, once: true},
	"prose on stdout":            {mode: "prose", set: impatient, says: `its output begins with "`, state: mcpint.Failed, once: true},
	"frames of language servers": {mode: "frames", set: impatient, says: "it writes Content-Length headers", state: mcpint.Failed, once: true},
	"string ids":                 {mode: "string-ids", set: impatient, says: `its output begins with "{\"jsonrpc`, state: mcpint.Failed, once: true},
	"refuses the handshake":      {mode: "refuses", says: "the stick is in use", state: mcpint.Failed},
	"malformed handshake":        {mode: "malformed", says: "what the server answers is not MCP", state: mcpint.Failed},
	"no list of tools":           {mode: "no-list", says: "not yet", state: mcpint.Failed},
	"a list in a wrong shape":    {mode: "odd-list", says: "wrong shape", state: mcpint.Failed},
	"an endless line at once":    {mode: "endless", says: "a line is longer than", state: mcpint.Failed, once: true},
	"an endless list":            {mode: "endless-let", says: "a line is longer than", state: mcpint.Failed, once: true, heavy: true},
	"protocol of another era":    {mode: "era", says: "1999-01-01", state: mcpint.Failed},
	"closes its output at once":  {mode: "hangup-once", says: "closed its output", state: mcpint.Failed, once: true},
	"dies before it lists":       {mode: "die-let", says: "before it listed its tools (exit status 5); stderr: panic: the stick is gone", state: mcpint.Failed},
	"crash loop after handshake": {mode: "crash-loop", says: "exit status 4", state: mcpint.Failed, verify: backsOff},
	"program missing":            {mode: "exit", set: func(s *mcpint.Server) { s.Command = beside(s, "program") }, says: "no such file", state: mcpint.Failed},
	"program not executable":     {mode: "exit", set: plainFile, says: "no executable file", state: mcpint.Failed},
	"interpreter missing":        {mode: "exit", set: noInterpreter, says: "s' failed: starting", state: mcpint.Failed},
	"directory missing":          {mode: "exit", set: func(s *mcpint.Server) { s.Dir = beside(s, "absent") }, says: "/absent", state: mcpint.Failed},

	// Faults during a call.
	"dies in a call":                 {mode: "die", hurt: called(long), says: `the server ended (exit status 5); its last words: "panic: the stick is gone"; it is being connected anew`},
	"dies in a call, heir has pipes": {mode: "orphan", hurt: called(long), says: "the server ended (exit status 5)", verify: heirsGone},
	"dies in a call, heir escapes":   {mode: "escapee", hurt: called(long), says: "the server ended (exit status 5)", verify: heirsGone},
	"closes its output in a call":    {mode: "hangup", hurt: called(long), says: "closed its output"},
	"hangs altogether in a call":     {mode: "hang", hurt: called(time.Second), says: "the server did not answer within "},
	"hangs in a call, answers pings": {mode: "hang-call", hurt: called(time.Second), says: "the server did not answer within ", stays: true, state: mcpint.Connected, verify: cancelTold},
	"closes its input":               {mode: "no-input", hurt: called(long), says: "closed its input"},
	"stops reading":                  {mode: "deaf", hurt: overfilled, says: "has not read its input"},
	"a result of 50 MB":              {mode: "huge", hurt: called(long), says: "longer than"},
	"a result in a wrong shape":      {mode: "odd-result", hurt: called(long), says: "content", stays: true, state: mcpint.Connected},
	"answers too late, and twice":    {mode: "late", hurt: called(time.Second), says: "the server did not answer within ", stays: true, state: mcpint.Connected},
	"killed while idle":              {mode: "storm", hurt: killed, says: "signal: killed"},

	// Faults that a connection survives.
	"a result of 5 MB":        {mode: "big", state: mcpint.Connected, stays: true, verify: works("xxxx")},
	"flood on stderr":         {mode: "flood", state: mcpint.Connected, stays: true, verify: works(sane)},
	"noise on stdout":         {mode: "noise", state: mcpint.Connected, stays: true, verify: works(sane)},
	"asks back":               {mode: "asks-back", state: mcpint.Connected, stays: true, verify: askedBack},
	"storm of list changes":   {mode: "storm", state: mcpint.Connected, stays: true, verify: calmAfterStorm},
	"endless cursors":         {mode: "cursors", state: mcpint.Connected, stays: true, verify: both(count(50), skips("(further tools)", "the list goes on after 50 pages"))},
	"5,000 tools":             {mode: "many", state: mcpint.Connected, stays: true, verify: both(count(client.MaxTools), skips("tool_1000", "the server has more than 1000 tools"))},
	"fat pages for ever":      {mode: "fat-pages", state: mcpint.Connected, stays: true, verify: fewPages, heavy: true},
	"a terse handshake":       {mode: "terse", state: mcpint.Connected, stays: true, verify: works(sane)},
	"invalid tools":           {mode: "bad-tools", state: mcpint.Connected, stays: true, verify: both(works(sane), skips("(no name)", "it has no name"))},
	"names that collide":      {mode: "same-names", state: mcpint.Connected, stays: true, verify: both(namesApart, both(count(3), skips("echo", "the server lists it twice")))},
	"a byte-order mark":       {mode: "mark", state: mcpint.Connected, stays: true, verify: works(sane)},
	"indented messages":       {mode: "indented", state: mcpint.Connected, stays: true, verify: works(sane)},
	"batches":                 {mode: "batches", state: mcpint.Connected, stays: true, verify: works(sane)},
	"lines of another system": {mode: "crlf", state: mcpint.Connected, stays: true, verify: works(sane)},
	"deaf to the end":         {mode: "stubborn", state: mcpint.Connected, stays: true, verify: works(sane)},
}

// TestFaults injects every fault into a host with a real child, and demands that
// it is found, reported and survived without help. Run it with -v for the table.
func TestFaults(t *testing.T) { injectFaults(t, false) }

func injectFaults(t *testing.T, heavy bool) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	t.Run("each", func(t *testing.T) {
		for name, f := range faultTable {
			if f.heavy && !heavy {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				line := f.inject(t)
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, name+"\t"+line)
			})
		}
	})
	t.Logf("none needed a person:\n%s", tableOf("fault\tdetected after\tstate\trecovered after\tstarts", lines))
}

// tableOf aligns lines of tab-separated cells under a heading.
func tableOf(heading string, lines []string) string {
	slices.Sort(lines)
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range append([]string{heading}, lines...) {
		_, _ = fmt.Fprintln(w, line)
	}
	_ = w.Flush()
	return b.String()
}

// inject lets the fault happen, waits until it is over and returns the row for
// the table.
func (f fault) inject(t *testing.T) string {
	t.Helper()
	in := f.start(t)
	ctx := patience(t)
	began := time.Now()
	var news string
	var told mcpint.Status
	if f.hurt == nil {
		// A server that failed is still tried, but slowly.
		until(ctx, t, fmt.Sprintf("the state %s", f.state), func() bool {
			told = in.status()
			return told.Status == f.state && (f.state == mcpint.Failed) == (told.ErrorMessage != nil) && (f.state == mcpint.Failed) == (told.NextRetryTime != nil)
		})
		if told.ErrorMessage != nil {
			news = *told.ErrorMessage
		}
	} else {
		until(ctx, t, "a connection to hurt", func() bool { return in.status().Status == mcpint.Connected })
		began = time.Now()
		if err := f.hurt(t, in); err != nil {
			news = err.Error()
		}
		told = in.status()
	}
	detected := time.Since(began)
	if f.says != "" && !strings.Contains(news, f.says) || f.says == "" && news != "" {
		t.Errorf("it is told as %q, expected %q", news, f.says)
	}
	plainWords(t, news)
	if f.state != "" && told.Status != f.state {
		t.Errorf("the state is %s, expected %s", told.Status, f.state)
	}
	if f.state == mcpint.Failed && told.Health != mcpint.Dead {
		t.Errorf("it failed, and its health is %s", told.Health)
	}
	if f.verify != nil {
		f.verify(t, in)
	}
	recovered := "at once"
	if !f.stays {
		recovered = f.recover(t, in)
	} else if n := len(in.journal("start")); n != 1 {
		t.Errorf("it was started %d times, though it goes on", n)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d", detected.Round(time.Millisecond), cmp.Or(f.state, told.Status), recovered, len(in.journal("start")))
}

// plainWords demands that a text has none of the words that only a programmer
// understands.
func plainWords(t *testing.T, text string) {
	t.Helper()
	for _, odd := range []string{"context deadline exceeded", "context canceled", "EOF", "unexpected nil response", "json:", "unmarshal", "failed to", "transport error"} {
		if strings.Contains(text, odd) {
			t.Errorf("%q says %q", text, odd)
		}
	}
}

// start runs a host with the faulty server.
func (f fault) start(t *testing.T) *injured {
	t.Helper()
	in := &injured{dir: t.TempDir(), reg: tools.NewRegistry(), logged: &logged{}}
	s := in.faulty(t, f.mode)
	if f.set != nil {
		f.set(&s)
	}
	// A busy machine may keep a healthy server from answering for a second.
	patient := time.Second
	if f.stays {
		patient = long
	}
	attempts := 2
	if f.once {
		attempts = 1
	}
	in.Host = runHost(t, Config{
		Servers: []mcpint.Server{s}, Retry: Retry{Enabled: true, Schedule: mcpint.Schedule{
			Attempts: attempts, BaseDelay: 20 * time.Millisecond, Multiplier: 2,
			MaxDelay: time.Second, SlowInterval: 300 * time.Millisecond,
		}},
		Health: HealthCheck{Interval: time.Hour, Timeout: patient},
	}, in.reg, in.logged)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log:\n%s", in.logged.tail())
		}
	})
	return in
}

// recover mends the server and waits until, without help, the good server is
// connected and no process of the bad ones is left.
func (f fault) recover(t *testing.T, in *injured) string {
	t.Helper()
	in.mend(t)
	begin := time.Now()
	until(patience(t), t, "a connection to the mended server", func() bool {
		s := in.status()
		return s.Status == mcpint.Connected && s.Version != nil && *s.Version == "1.2.3"
	})
	took := time.Since(begin)
	if s := in.status(); s.ErrorMessage != nil || s.NextRetryTime != nil || s.Health != mcpint.Healthy {
		t.Errorf("connected again, it is told as %+v", s)
	}
	if r, err := in.call(t, time.Minute, `{"text":"well"}`); err != nil || r.Text != "well" {
		t.Errorf("after it: %q, %v", r.Text, err)
	}
	present := in.status().PID
	for _, start := range in.journal("start") {
		if pid, _ := strconv.Atoi(start); present == nil || pid != *present {
			gone(t, pid)
		}
	}
	return took.Round(time.Millisecond).String()
}

// overfilled makes a call that does not fit into the pipe.
func overfilled(t *testing.T, in *injured) error {
	t.Helper()
	_, err := in.call(t, long, `{"text":"`+strings.Repeat("x", 1<<20)+`"}`)
	return err
}

// killed ends the server without the host's knowing and returns what the log says
// about it.
func killed(t *testing.T, in *injured) error {
	t.Helper()
	kill(t, *in.status().PID)
	var lost string
	until(patience(t), t, "a line in the log about it", func() bool {
		_, after, found := strings.Cut(string(in.logged.tail()), "MCP connection lost")
		lost, _, _ = strings.Cut(after, "\n")
		return found
	})
	return errors.New(lost)
}

// heirsGone demands that no process the server left behind still lives.
func heirsGone(t *testing.T, in *injured) {
	t.Helper()
	heirs := in.journal("grandchild")
	if len(heirs) == 0 {
		t.Fatal("it left no heir")
	}
	for _, pid := range heirs {
		until(patience(t), t, "the end of the heir", func() bool {
			stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
}

// cancelTold demands that the server gets the notice of a cancelled call.
func cancelTold(t *testing.T, in *injured) {
	t.Helper()
	until(patience(t), t, "the notice of the cancelled call", func() bool { return len(in.journal("notifications/cancelled")) > 0 })
}

// backsOff demands that a handshake alone does not reset the count.
func backsOff(t *testing.T, in *injured) {
	t.Helper()
	if s := in.status(); s.RetryCount < 1 {
		t.Errorf("after a crash loop the retry count is %d", s.RetryCount)
	}
}

// askedBack demands that the server's own requests are answered and that calls
// still work.
func askedBack(t *testing.T, in *injured) {
	t.Helper()
	works(sane)(t, in)
	until(patience(t), t, "answers to all the server asked", func() bool { return len(in.journal("answered")) >= 15 })
}

// calmAfterStorm demands that ten thousand announcements cause few listings.
func calmAfterStorm(t *testing.T, in *injured) {
	t.Helper()
	works(sane)(t, in)
	works(sane)(t, in)
	until(patience(t), t, "a listing after the storm", func() bool { return len(in.journal("listed")) > 1 })
	if n := len(in.journal("listed")); n > 500 { // five a second while it storms
		t.Errorf("20,000 announcements caused %d listings", n)
	}
	works(sane)(t, in)
}

// count demands a number of tools.
func count(n int) func(*testing.T, *injured) {
	return func(t *testing.T, in *injured) {
		t.Helper()
		if s := in.status(); s.Tools == nil || *s.Tools != n || len(in.reg.Specs()) != n {
			t.Errorf("%d tools in the registry, expected %d; the status is %+v", len(in.reg.Specs()), n, s)
		}
	}
}

// skips demands that the status names a tool that is left out, and says why.
func skips(tool, why string) func(*testing.T, *injured) {
	return func(t *testing.T, in *injured) {
		t.Helper()
		list := in.status().ToolsUnused
		if !slices.ContainsFunc(list, func(u mcpint.UnusedTool) bool { return u.Tool == tool && strings.Contains(u.Why, why) }) {
			t.Errorf("left out are %+v, expected %s, because %s", list, tool, why)
		}
		if !strings.Contains(string(in.logged.tail()), why) {
			t.Errorf("the log does not say that %s", why)
		}
	}
}

// both makes two demands.
func both(one, other func(*testing.T, *injured)) func(*testing.T, *injured) {
	return func(t *testing.T, in *injured) {
		t.Helper()
		one(t, in)
		other(t, in)
	}
}

// fewPages demands that a list which is too long in bytes is given up.
func fewPages(t *testing.T, in *injured) {
	t.Helper()
	if n := len(in.journal("listed")); n > 10 {
		t.Errorf("%d pages of 8 MB were taken", n)
	}
}

// namesApart demands that no two tools have one name, and each can be called.
func namesApart(t *testing.T, in *injured) {
	t.Helper()
	seen := map[string]bool{}
	for _, spec := range in.reg.Specs() {
		if seen[spec.Name] {
			t.Errorf("two tools are called %q", spec.Name)
		}
		seen[spec.Name] = true
		if _, err := in.reg.Call(t.Context(), tools.Call{Tool: spec.Name}); err != nil {
			t.Errorf("%s cannot be called: %v", spec.Name, err)
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %d tools are left", len(seen))
	}
}
