package process

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// familyKey is the variable in the environment of a child, and so of all it starts,
// that tells whose they are. A process may leave its group and its parent, but it
// rarely drops a variable that it does not know.
const familyKey = "STARTED_BY_GATEWAY"

const (
	// familyRounds is how often the search for remaining processes is repeated: a process may
	// start another one while it is being killed.
	familyRounds = 20
	// familyPause is the time for the killed ones to end before the next look.
	familyPause = 5 * time.Millisecond
	// flagExiting is a bit of the flags in /proc/PID/stat: the process is ending.
	flagExiting = 0x4
)

// newMark returns an entry for the environment that no other child has.
func newMark() string { return familyKey + "=" + rand.Text() }

// seen is a process as the system lists it.
type seen struct {
	parent  int
	begun   string // when it was started; with its number it is unique
	exiting bool   // it is ending, or has ended and is not reaped
}

// look reads what the system says about a process; ok is false if it is gone.
func look(pid int) (s seen, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return seen{}, false
	}
	// After the name in brackets, which may contain anything, come state, parent, four
	// more, flags, twelve more, and the time of the start.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return seen{}, false
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	flags, _ := strconv.ParseUint(string(fields[6]), 10, 64)
	return seen{parent: parent, begun: string(fields[19]), exiting: fields[0][0] == 'Z' || fields[0][0] == 'X' || flags&flagExiting != 0}, true
}

// all lists the processes of the machine that live.
func all() map[int]seen {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	list := make(map[int]seen, len(dirs))
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if s, ok := look(pid); ok && !s.exiting {
			list[pid] = s
		}
	}
	return list
}

// descendants lists the processes that a process started, and those that these
// started, as long as no link of the chain has ended.
func descendants(of int, list map[int]seen) map[int]seen {
	found := map[int]seen{}
	for grown := true; grown; {
		grown = false
		for pid, s := range list {
			_, known := found[pid]
			if _, child := found[s.parent]; !known && (child || s.parent == of) {
				found[pid], grown = s, true
			}
		}
	}
	return found
}

// findMarked lists the processes with a mark in their environment.
func findMarked(mark string, list map[int]seen) map[int]seen {
	found := map[int]seen{}
	for pid, s := range list {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // of other persons' processes it cannot be read
		if err == nil && slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(entry []byte) bool { return string(entry) == mark }) {
			found[pid] = s
		}
	}
	return found
}

// Ending reports whether the child is ending or has ended: a dying process closes its
// pipes a moment before its status is known.
func (c *Child) Ending() bool {
	select {
	case <-c.ended:
		return true
	default:
		return c.exiting()
	}
}

// killSeen kills a process unless its number belongs to another one by now.
func killSeen(pid int, s seen) {
	p, err := os.FindProcess(pid) // holds on to this very process from here on
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	if now, ok := look(pid); ok && now.begun == s.begun {
		_ = p.Signal(syscall.SIGKILL)
	}
}
