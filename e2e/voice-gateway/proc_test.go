package e2e

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

// proc is a process as the kernel shows it.
type proc struct {
	id, parent int
	zombie     bool
	command    string
	environ    string
}

// processes lists all that /proc shows now.
func processes(t *testing.T) []proc {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var all []proc
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended meanwhile
		}
		p := proc{}
		p.id, _ = strconv.Atoi(filepath.Base(dir))
		// The name in brackets may hold anything, so what counts is behind it.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		p.zombie = fields[0] == "Z"
		p.parent, _ = strconv.Atoi(fields[1])
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		p.command = strings.ReplaceAll(string(command), "\x00", " ")
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		p.environ = "\x00" + string(environ)
		all = append(all, p)
	}
	return all
}

// children lists the children of a program whose command has the words.
func (c *child) children(t *testing.T, words string) []proc {
	t.Helper()
	var list []proc
	for _, p := range processes(t) {
		if p.parent == c.Process.Pid && (p.zombie || strings.Contains(p.command, words)) {
			list = append(list, p)
		}
	}
	return list
}

// ready waits until n children with the words live, and returns their ids.
func (c *child) ready(t *testing.T, n int, words string) []int {
	t.Helper()
	var ids []int
	eventually(t, strconv.Itoa(n)+" children are "+words, func() bool {
		ids = nil
		for _, p := range c.children(t, words) {
			if !p.zombie {
				ids = append(ids, p.id)
			}
		}
		return len(ids) == n
	})
	return ids
}

// noZombies waits until every dead child has been collected.
func (c *child) noZombies(t *testing.T) {
	t.Helper()
	eventually(t, "there is no zombie", func() bool {
		for _, p := range c.children(t, "voice-gateway") {
			if p.zombie {
				return false
			}
		}
		return true
	})
}

// offspring lists what lives in an environment made by environ: a daemon, its children
// and theirs, whatever their parent is now.
func offspring(t *testing.T, env []string) []proc {
	t.Helper()
	home := ""
	for _, kv := range env {
		if strings.HasPrefix(kv, "HOME=") {
			home = "\x00" + kv + "\x00"
		}
	}
	var list []proc
	for _, p := range processes(t) {
		if strings.Contains(p.environ, home) {
			list = append(list, p)
		}
	}
	return list
}

// send sends a signal to a process that must be there.
func send(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("%v to %d: %v", s, pid, err)
	}
}

// freeze stops a process, every thread of it.
func freeze(t *testing.T, pid int) {
	t.Helper()
	send(t, pid, syscall.SIGSTOP)
	eventually(t, "process "+strconv.Itoa(pid)+" stands still", func() bool {
		stats, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range stats {
			if stat, err := os.ReadFile(path); err != nil || !strings.Contains(string(stat), ") T ") {
				return false
			}
		}
		return len(stats) > 0
	})
}

// kill ends a process and returns when it does nothing more; until then it could
// still take a command in and die with it.
func kill(t *testing.T, pid int) {
	t.Helper()
	send(t, pid, syscall.SIGKILL)
	eventually(t, "process "+strconv.Itoa(pid)+" is dead", func() bool {
		proc := "/proc/" + strconv.Itoa(pid)
		stat, err := os.ReadFile(proc + "/stat")
		if err != nil {
			return true
		}
		// The first thread may be dead while another one, killed as well but not yet scheduled on
		// a busy machine, still reads from the pipe before it dies.
		threads, err := os.ReadDir(proc + "/task")
		return err != nil || len(threads) == 1 && (strings.Contains(string(stat), ") Z ") || strings.Contains(string(stat), ") X "))
	})
}

// gone waits until a process is there no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "process "+strconv.Itoa(pid)+" is gone", func() bool {
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

// serverPID is the process of the daemon's one MCP server, once it is connected.
func serverPID(t *testing.T, http string) int {
	t.Helper()
	var list struct {
		Servers []struct {
			Status string
			PID    int
		} `json:"servers"`
	}
	eventually(t, "the server is connected", func() bool {
		return get(t, http, "/mcp/servers", &list) == nil && list.Servers[0].Status == "connected" && list.Servers[0].PID > 0
	})
	return list.Servers[0].PID
}

// ask asks over HTTP and returns the turn's record.
func ask(t *testing.T, addr, text string) record.Record {
	t.Helper()
	r, err := tryAsk(t, addr, text)
	if err != nil {
		t.Fatalf("asking %q: %v", text, err)
	}
	return r
}

func tryAsk(t *testing.T, addr, text string) (record.Record, error) {
	t.Helper()
	return tryAskWithin(t.Context(), addr, text)
}

func tryAskWithin(ctx context.Context, addr, text string) (record.Record, error) {
	var r record.Record
	return r, rig.SendJSON(ctx, http.MethodPost, "http://"+addr+"/api/ask", map[string]string{"text": text}, &r)
}

// confirmed says whether a turn did what it was asked, by the device's word.
func confirmed(r record.Record) bool {
	return r.Outcome == record.Done && len(r.Calls) > 0 && r.Calls[0].Receipt.Done()
}

// honest demands of a turn hit by a fault that it is reported as done only if the device
// confirmed it, and that the family hears a sentence about it.
func honest(t *testing.T, r record.Record) {
	t.Helper()
	if r.Outcome == record.Done && !confirmed(r) {
		t.Errorf("it is called done without a confirmation: %+v", r)
	}
	if r.Outcome != record.Done && (r.Error == "" || !sentence(r.Reply)) {
		t.Errorf("the failure has no reason or no sentence: %+v", r)
	}
}

// sentence says whether a text can be said to a family.
func sentence(text string) bool {
	return len(text) > 5 && len(text) < 200 && strings.HasSuffix(text, ".") && text[0] >= 'A' && text[0] <= 'Z' &&
		!strings.ContainsAny(text, "{}\"\n")
}
