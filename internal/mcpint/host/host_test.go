package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// quick is a schedule without long waits, for real processes.
func quick() Retry {
	return Retry{Enabled: true, Schedule: mcpint.Schedule{Attempts: 3, BaseDelay: 10 * time.Millisecond, Multiplier: 2, MaxDelay: time.Second, SlowInterval: time.Minute}}
}

// patience returns a context with a time limit far beyond what anything here
// takes, even on a busy machine.
func patience(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute) // used in cleanups, too
	t.Cleanup(cancel)
	return ctx
}

// until polls until a condition holds that no event announces.
func until(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not reached", what)
		}
	}
}

// gone demands that no process of a group is left, not even a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Error("no process id to look for")
		return
	}
	until(patience(t), t, fmt.Sprintf("the end of process group %d", pid), func() bool {
		return errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) || onlyForeignZombies(t, pid)
	})
}

// onlyForeignZombies reports whether all processes left in a group are zombies
// that are not our children: init reaps such orphans, which may take a while.
func onlyForeignZombies(t *testing.T, group int) bool {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// After the name in brackets: state, parent, group.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && (fields[0] != "Z" || fields[1] == strconv.Itoa(os.Getpid())) {
			return false
		}
	}
	return true
}

// hosted runs a host and returns it with a function that stops it.
func hosted(t *testing.T, reg *tools.Registry, retry Retry, servers ...mcpint.Server) (*Host, func()) {
	t.Helper()
	h, err := New(Config{Servers: servers, Retry: retry, Options: client.Options{Name: "test", Version: "0", Environ: []string{"PATH=/bin", "SECRET=never"}}}, reg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	started := make(chan struct{})
	stop := func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	}
	go func() {
		<-started
		ended <- h.Run(ctx)
	}()
	return h, func() {
		select {
		case <-started:
			stop()
		default:
			close(started)
		}
	}
}

func TestARealServer(t *testing.T) {
	reg := tools.NewRegistry()
	reg.Trust("good")
	good := child(t, "good", "good")
	good.House = true
	stranger := child(t, "stranger", "good")
	h, step := hosted(t, reg, quick(), good, stranger)
	houses := make(chan string, 4)
	h.Watch("://home", func(server string, body []byte) { houses <- server + string(body) })
	step()
	ctx := patience(t)
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	if got := <-houses; got != `good{"version":1}` {
		t.Fatalf("the house is %s", got)
	}
	s := h.Status()[0]
	if s.Status != mcpint.Connected || s.PID == nil || *s.Version != "1.2.3" || *s.Tools != 5 {
		t.Fatalf("the status is %+v", s)
	}
	result, err := reg.Call(ctx, tools.Call{Tool: "echo", Args: json.RawMessage(`{"Text":"hello"}`)})
	if err != nil || result.Text != "hello" || string(result.Data) != `{"said":"hello"}` || !result.PublishedAt.Equal(publishTime) || result.Failed {
		t.Fatalf("got %+v, %v", result, err)
	}
	result, err = reg.Call(ctx, tools.Call{Server: "good", Tool: "environment"})
	if err != nil || !strings.Contains(result.Text, "PATH=/bin") || strings.Contains(result.Text, "SECRET") {
		t.Fatalf("the child's environment is %q, %v", result.Text, err)
	}
	if _, err := reg.Call(ctx, tools.Call{Tool: "change"}); err != nil {
		t.Fatal(err)
	}
	if got := <-houses; got != `good{"version":2}` {
		t.Fatalf("the changed house is %s", got)
	}
	step()
	gone(t, *s.PID)
}

func TestADeadServerComesBack(t *testing.T) {
	reg := tools.NewRegistry()
	h, step := hosted(t, reg, quick(), child(t, "good", "good"))
	step()
	ctx := patience(t)
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	first := *h.Status()[0].PID
	_, err := reg.Call(ctx, tools.Call{Tool: "die"})
	if !errors.Is(err, tools.ErrNoAnswer) {
		t.Fatalf("a call that killed the server: %v", err)
	}
	end, ok := errors.AsType[*client.EndError](err)
	if !ok || end.Exit != "exit status 7" || end.Stderr != "fatal: out of luck" {
		t.Fatalf("the reason is lost: %#v", err)
	}
	// The very next call brings the server back, whether or not the loss has been
	// noticed before.
	result, err := reg.Call(ctx, tools.Call{Tool: "echo", Args: json.RawMessage(`{"text":"again"}`)})
	if err != nil || result.Text != "again" {
		t.Fatalf("after the crash: %+v, %v", result, err)
	}
	second := *h.Status()[0].PID
	gone(t, first)
	if err := syscall.Kill(second, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(ctx, t, "a third process", func() bool {
		s := h.Status()[0]
		return s.Status == mcpint.Connected && s.PID != nil && *s.PID != second
	})
	third := *h.Status()[0].PID
	step()
	gone(t, second)
	gone(t, third)
}

// stoppedAll reports whether every thread of a process has stopped.
func stoppedAll(t *testing.T, pid int) bool {
	t.Helper()
	stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(stat), ") T ") {
			return false
		}
	}
	return len(stats) > 0
}

// TestACallThatTheDeadServerNeverReadIsMadeAgain calls a tool that must not be repeated:
// sending the call again is not a repetition if the server never read it.
func TestACallThatTheDeadServerNeverReadIsMadeAgain(t *testing.T) {
	reg := tools.NewRegistry()
	h, step := hosted(t, reg, quick(), child(t, "good", "good"))
	step()
	ctx := patience(t)
	if err := reg.Await(ctx); err != nil {
		t.Fatal(err)
	}
	pid := *h.Status()[0].PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(ctx, t, "that it reads nothing more", func() bool { return stoppedAll(t, pid) })
	answered := make(chan error, 1)
	go func() {
		_, err := reg.Call(ctx, tools.Call{Tool: "change"})
		answered <- err
	}()
	until(ctx, t, "a call under way", func() bool { return h.supervisors[0].callsUnderWay.Load() == 1 })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Errorf("the call: %v", err)
	}
	step()
	gone(t, pid)
}

func TestAFlakyStart(t *testing.T) {
	reg := tools.NewRegistry()
	h, step := hosted(t, reg, quick(), child(t, "flaky", "flaky", filepath.Join(t.TempDir(), "starts"), "3"))
	step()
	if err := reg.Await(patience(t)); err != nil {
		t.Fatal(err)
	}
	if s := h.Status()[0]; s.Status != mcpint.Connected || s.RetryCount != 2 {
		t.Fatalf("the status is %+v", s)
	}
	step()
}

// TestLastWords checks that what a server wrote to its stderr can be read while it runs
// and after it has ended.
func TestLastWords(t *testing.T) {
	reg := tools.NewRegistry()
	h, step := hosted(t, reg, quick(), child(t, "talks", "talks"), child(t, "exits", "exit"))
	step()
	if err := reg.Await(patience(t)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"talks": "hello\nthe house is known", "exits": "the MQTT broker at 127.0.0.1:1883 cannot be reached"} {
		until(patience(t), t, "the words of "+id, func() bool {
			words, err := h.Stderr(id)
			return err == nil && words == want
		})
	}
	if _, err := h.Stderr("nobody"); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("nobody: %v", err)
	}
	step()
}

func TestServersThatDoNotConnect(t *testing.T) {
	tests := map[string]struct {
		server mcpint.Server
		fault  mcpint.Fault
		says   []string
	}{
		"exits":   {child(t, "zwave", "exit"), mcpint.FaultEnded, []string{"connection to stdio server 'zwave' failed: the process ended before it answered (exit status 3)", "MCP server stderr: the MQTT broker at 127.0.0.1:1883 cannot be reached"}},
		"mute":    {child(t, "zwave", "mute"), mcpint.FaultSlow, []string{"no answer to initialize within 300ms"}},
		"no file": {mcpint.Server{ID: "zwave", Trust: mcpint.TrustFull, Command: "/nonexistent/zwave-mcp-server"}, mcpint.FaultNotFound, []string{"the program /nonexistent/zwave-mcp-server cannot be started", "no such file"}},
		"missing": {mcpint.Server{ID: "zwave", Trust: mcpint.TrustFull, Command: "no-such-mcp-server"}, mcpint.FaultNotFound, []string{`the program "no-such-mcp-server" is neither at`, "nor in PATH"}},
		"endless": {child(t, "zwave", "endless"), mcpint.FaultOther, []string{"a line is longer than 33554432 bytes"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			reg := tools.NewRegistry()
			retry := quick()
			retry.Attempts = 1
			if name == "mute" {
				tt.server.ConnectTimeout = 300 * time.Millisecond
			}
			if name == "endless" { // 32 MB are read before it is known, however slow the machine is
				tt.server.ConnectTimeout = 2 * time.Minute
			}
			h, step := hosted(t, reg, retry, tt.server)
			step()
			if err := reg.Await(patience(t)); err != nil {
				t.Fatal(err)
			}
			status := h.Status()[0]
			if got := status.Fault; (got == nil) != (tt.fault == mcpint.FaultOther) || got != nil && *got != tt.fault {
				t.Errorf("the fault is %v, want %q", got, tt.fault)
			}
			text := status.Report
			for _, want := range tt.says {
				if !strings.Contains(text, want) {
					t.Errorf("the report lacks %q:\n%s", want, text)
				}
			}
			step()
		})
	}
}

func TestFiveStubbornChildrenStopTogether(t *testing.T) {
	reg := tools.NewRegistry()
	var servers []mcpint.Server
	for n := range 5 {
		servers = append(servers, child(t, fmt.Sprintf("s%d", n), "stubborn"))
	}
	h, step := hosted(t, reg, quick(), servers...)
	step()
	if err := reg.Await(patience(t)); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, s := range h.Status() {
		if s.Status != mcpint.Connected {
			t.Fatalf("the status is %+v", s)
		}
		pids = append(pids, *s.PID)
	}
	begin := time.Now()
	step()
	t.Logf("stopped after %v; the bound is 8 s", time.Since(begin))
	for _, pid := range pids {
		gone(t, pid)
	}
}

func TestStoppingDuringAHandshakeLeavesNothing(t *testing.T) {
	reg := tools.NewRegistry()
	h, step := hosted(t, reg, quick(), child(t, "mute", "mute"))
	step()
	until(patience(t), t, "an attempt", func() bool { return h.Status()[0].Status == mcpint.Connecting })
	step()
	if !reg.Settled() {
		t.Fatal("a stopped host is waited for")
	}
}
