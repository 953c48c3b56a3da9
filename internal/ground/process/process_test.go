package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shell returns a program that runs a script.
func shell(script string) Program {
	return Program{Path: "/bin/sh", Args: []string{"-c", script}, Env: SmallEnv()}
}

// noted waits for the number that a script writes to a file.
func noted(t *testing.T, file string) int {
	t.Helper()
	for {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bytes.HasSuffix(text, []byte("\n")) {
			return pid
		}
		<-time.After(time.Millisecond)
	}
}

// gone waits until a process has ended; a zombie whose parent never reaps it
// counts as ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for syscall.Kill(pid, 0) == nil {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		<-time.After(time.Millisecond)
	}
}

func TestRun(t *testing.T) {
	t.Setenv("PROCESS_TEST_KEY", "s3cret")
	t.Setenv("PULSE_SERVER", "unix:/here")
	for name, tt := range map[string]struct {
		task Task
		out  string
		err  string
	}{
		"says what it is given":    {Task{Program: shell("cat"), Stdin: "-e hello\n", MaxOutput: 100}, "-e hello\n", ""},
		"knows nothing of ours":    {Task{Program: shell("echo $PROCESS_TEST_KEY$HOME."), MaxOutput: 100}, ".\n", ""},
		"knows where the sound is": {Task{Program: Program{Path: "/bin/sh", Args: []string{"-c", "echo $PROCESS_TEST_KEY$PULSE_SERVER $A"}, Env: []string{"A=1"}, Inherit: true}, MaxOutput: 100}, "unix:/here 1\n", ""},
		"runs elsewhere":           {Task{Program: Program{Path: "/bin/pwd", Dir: "/"}, MaxOutput: 100}, "/\n", ""},
		"just so much":             {Task{Program: shell("printf 1234567890"), MaxOutput: 10}, "1234567890", ""},
		"too much":                 {Task{Program: shell("yes"), MaxOutput: 1 << 20}, "", ErrOutput.Error()},
		"fails":                    {Task{Program: shell("echo no voice here >&2; exit 3"), MaxOutput: 10}, "", "exit status 3: no voice here"},
		"fails silently":           {Task{Program: shell("exit 4"), MaxOutput: 10}, "", "exit status 4"},
		"crashes":                  {Task{Program: shell("kill -SEGV $$"), MaxOutput: 10}, "", "signal: segmentation fault"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Run(t.Context(), tt.task)
			if string(out) != tt.out || (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) {
				t.Errorf("got %q, %v", out, err)
			}
		})
	}
	_, err := Run(t.Context(), Task{Program: shell("yes complaint | head -c 100000 >&2; exit 1")})
	if failed, ok := errors.AsType[*Error](err); !ok || len(failed.Said) > maxSaid || !strings.HasPrefix(failed.Said, "complaint") {
		t.Errorf("a flood of complaints became %d bytes", len(fmt.Sprint(err)))
	}
	if _, err := Run(t.Context(), Task{Program: Program{Path: "no-such-program"}}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a program nobody has: %v", err)
	}
	if _, err := Run(t.Context(), Task{Program: Program{Path: "/no/such/program"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path nobody has: %v", err)
	}
}

// TestARunLeavesNothingBehind checks that everything a program started ends with
// it, whether the program was stopped or had finished.
func TestARunLeavesNothingBehind(t *testing.T) {
	for name, tt := range map[string]struct {
		end    string
		cancel bool
	}{
		"stopped": {"wait", true},
		"done":    {"exec 1>&- 2>&-", false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := Run(ctx, Task{Program: shell("sleep 600 <&- >&- 2>&- & echo $! > " + file + "; " + tt.end), MaxOutput: 10})
				ended <- err
			}()
			pid := noted(t, file)
			if tt.cancel {
				cancel()
			}
			if err := <-ended; tt.cancel != errors.Is(err, context.Canceled) || !tt.cancel && err != nil {
				t.Errorf("it ended with %v", err)
			}
			gone(t, pid)
		})
	}
}

// started returns a child that has written its first line.
func started(t *testing.T, script string, words io.Writer) *Child {
	t.Helper()
	c, err := Start(shell(script), words)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(Grace{}) })
	line := make([]byte, 6)
	if _, err := io.ReadFull(c, line); err != nil || string(line) != "ready\n" {
		t.Fatalf("it began with %q, %v", line, err)
	}
	return c
}

// TestStop checks that a child is asked to end and then killed, together with
// everything it started.
func TestStop(t *testing.T) {
	const patient = time.Minute
	for name, tt := range map[string]struct {
		script string
		grace  Grace
		want   string
	}{
		"by the end of its input": {"echo ready; cat >/dev/null; exit 5", Grace{EOF: patient, Term: patient}, "exit status 5"},
		"by SIGTERM":              {"trap 'exit 6' TERM; echo ready; while :; do sleep 0.01; done", Grace{EOF: time.Millisecond, Term: patient}, "exit status 6"},
		"by force":                {"trap '' TERM; echo ready; while :; do sleep 0.01; done", Grace{EOF: time.Millisecond, Term: time.Millisecond}, "signal: killed"},
		"at once":                 {"echo ready; cat; exit 7", Grace{}, "signal: killed"},
		"not at all":              {"echo ready", Grace{EOF: patient}, "exit status 0"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			c := started(t, "sleep 600 <&- >&- 2>&- & echo $! > "+file+"; "+tt.script, nil)
			if err := c.Stop(tt.grace); err != nil {
				t.Fatal(err)
			}
			<-c.Ended()
			if c.State() != tt.want || (c.Err() == nil) != (tt.want == "exit status 0") {
				t.Errorf("it ended with %s, %v; want %s", c.State(), c.Err(), tt.want)
			}
			gone(t, noted(t, file))
			gone(t, c.Pid())
			if err := c.Stop(Grace{EOF: patient}); err != nil {
				t.Errorf("stopped again: %v", err)
			}
			c.Kill()
		})
	}
}

// TestAnEscapedProcessHoldsNobody checks that a process that left the group, and
// cannot be found again, can hold the pipes open for a moment only.
func TestAnEscapedProcessHoldsNobody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	c := started(t, "env -i setsid sh -c 'echo $$ > "+file+"; exec sleep 600' & while [ ! -s "+file+" ]; do :; done; echo ready; exit 1", nil)
	defer func() { _ = syscall.Kill(noted(t, file), syscall.SIGKILL) }()
	if rest, err := io.ReadAll(c); err != nil || len(rest) > 0 {
		t.Errorf("then came %q, %v", rest, err)
	}
	<-c.Ended()
	if c.State() != "exit status 1" {
		t.Errorf("it ended with %s", c.State())
	}
}

// TestNobodyEscapes checks that what a child started ends with it, even in a session
// of its own and without its parent.
func TestNobodyEscapes(t *testing.T) {
	const helper = "sh -c 'echo $$ > FILE; exec sleep 600 <&- >&- 2>&-'"
	for name, tt := range map[string]struct {
		script string
		stop   bool // the child is stopped; else it ends by itself
	}{
		"in a session of its own, stopped":         {"setsid " + helper + " & WAIT; cat; exit 3", true},
		"in a session of its own, ended":           {"setsid " + helper + " & WAIT; exit 3", false},
		"killed itself":                            {"setsid " + helper + " & WAIT; kill -9 $$", false},
		"without its parent, stopped":              {"setsid --fork " + helper + "; WAIT; cat; exit 3", true},
		"without its parent, ended":                {"setsid --fork " + helper + "; WAIT; exit 3", false},
		"with another name and place":              {"cd /; setsid --fork env HOME=/ PATH=$PATH " + helper + "; WAIT; exit 3", false},
		"without the environment, stopped":         {"env -i setsid " + helper + " & WAIT; cat; exit 3", true},
		"a child of one without the environment":   {"env -i setsid sh -c \"setsid " + strings.ReplaceAll(helper, "$", "\\$") + " & wait\" & WAIT; cat; exit 3", true},
		"with the signals of a stubborn one":       {"setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > FILE; while :; do sleep 1; done' & WAIT; exit 3", false},
		"one that starts others while it is dying": {"setsid sh -c 'echo $$ > FILE; while :; do sleep 600 & sleep 0.01; done' & WAIT; exit 3", false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			script := strings.ReplaceAll(tt.script, "WAIT", "while [ ! -s FILE ]; do sleep 0.01; done; echo ready")
			c := started(t, strings.ReplaceAll(script, "FILE", file), nil)
			pid := noted(t, file)
			if tt.stop {
				if err := c.Stop(Grace{EOF: time.Minute}); err != nil {
					t.Error(err)
				}
			}
			<-c.Ended()
			if s, there := look(pid); there && !s.exiting {
				t.Errorf("process %d is left: %+v", pid, s)
			}
			if left := findMarked(c.runner.(*here).mark, all()); len(left) > 0 {
				t.Errorf("left are %+v", left)
			}
		})
	}
}

// TestAFloodIsReadAtAPace checks how long is paused for a flood, and that a child which
// writes little is never held up.
func TestAFloodIsReadAtAPace(t *testing.T) {
	now := time.Unix(0, 0)
	flood := newPace(now)
	read := 0
	for now.Before(time.Unix(10, 0)) {
		now = now.Add(flood.took(stderrPiece, now) + time.Microsecond)
		read += stderrPiece
	}
	if most := 10*stderrRate + stderrBurst + stderrPiece; read > most || read < most*9/10 {
		t.Errorf("%d bytes of a flood were read in ten seconds, expected about %d", read, most)
	}
	little := newPace(now)
	for range 1000 {
		now = now.Add(time.Second / 1000)
		if pause := little.took(stderrRate/1000, now); pause > 0 {
			t.Fatalf("a child that writes %d bytes a second waits for %v", stderrRate, pause)
		}
	}
}

// TestAFloodingChildEnds checks that the pace holds up neither the end of a child nor
// the last words that it wrote.
func TestAFloodingChildEnds(t *testing.T) {
	c := started(t, "echo ready; yes x | head -c 8000000 >&2; echo end >&2; exit 4", nil)
	<-c.Ended()
	if said := c.Stderr(10); c.State() != "exit status 4" || !bytes.HasSuffix(said, []byte("x\nend\n")) {
		t.Errorf("it ended with %s and the words %q", c.State(), said)
	}
	c = started(t, "echo ready; yes x >&2", nil)
	if err := c.Stop(Grace{}); err != nil {
		t.Error(err)
	}
}

// TestEnding checks that a child that closed its output and lives is distinguished from
// one that is dying.
func TestEnding(t *testing.T) {
	c := started(t, "echo ready; exec >&-; read line", nil)
	if rest, _ := io.ReadAll(c); len(rest) > 0 || c.Ending() {
		t.Errorf("a child that lives is taken for a dying one, after %q", rest)
	}
	_ = c.Stop(Grace{})
	if !c.Ending() {
		t.Error("a child that has ended is taken for one that lives")
	}
}

func TestWhatAChildSaysAndLeavesUnread(t *testing.T) {
	var lines []string
	words := &Lines{Limit: 5, Take: func(line []byte) { lines = append(lines, string(line)) }}
	c := started(t, `printf 'one\n\nlonger than five\nlast' >&2; echo ready; read line; exit 0`, words)
	if _, err := c.Stdin().WriteString("taken\n" + strings.Repeat("x", 100)); err != nil {
		t.Fatal(err)
	}
	<-c.Ended()
	if want := []string{"one", "", "longe", "last"}; !slices.Equal(lines, want) {
		t.Errorf("the lines are %q, want %q", lines, want)
	}
	if got := string(c.Stderr(8)); got != "ive\nlast" {
		t.Errorf("the end of it is %q", got)
	}
	if n := c.Unread(); n != 100 {
		t.Errorf("%d bytes were not read", n)
	}
}

// TestAStopCountsWhatADyingChildLeftUnread closes the input as soon as the output ends,
// which is before the child is reaped.
func TestAStopCountsWhatADyingChildLeftUnread(t *testing.T) {
	for range 20 {
		c := started(t, `echo ready; sleep 1000`, nil)
		if _, err := c.Stdin().WriteString("never read"); err != nil {
			t.Fatal(err)
		}
		c.Kill()
		_, _ = io.Copy(io.Discard, c)
		if err := c.CloseInput(); err != nil {
			t.Fatal(err)
		}
		<-c.Ended()
		if n := c.Unread(); n != 10 {
			t.Fatalf("%d bytes of 10 were not read", n)
		}
	}
}

func TestTheEndOfAFloodIsKept(t *testing.T) {
	c := started(t, "yes x | head -c 1000000 >&2; echo end >&2; echo ready", nil)
	<-c.Ended()
	if all := c.Stderr(1 << 20); len(all) != stderrKept || !bytes.HasSuffix(all, []byte("x\nend\n")) {
		t.Errorf("%d bytes are kept, ending in %q", len(all), all[max(0, len(all)-10):])
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	beside, page := filepath.Join(dir, "beside"), filepath.Join(dir, "page")
	for file, mode := range map[string]os.FileMode{beside: 0o755, page: 0o644} {
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct{ command, want, err string }{
		"beside us":        {"beside", beside, ""},
		"in PATH":          {"sh", "/sh", ""},
		"a path":           {beside, beside, ""},
		"no program":       {page, "", "it is no executable file"},
		"a directory":      {dir, "", "it is no executable file"},
		"nowhere":          {"no-such", "", "neither at " + filepath.Join(dir, "no-such") + " nor in PATH"},
		"no such path":     {"/no/such", "", "the program /no/such cannot be started"},
		"page, not beside": {"page", "", "neither at"},
	} {
		got, err := Find(tt.command, dir)
		if !strings.HasSuffix(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Find("no-such", dir); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}
