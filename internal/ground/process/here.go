package process

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// here is a process that we started ourselves: the kernel kills it should we be killed.
type here struct {
	cmd    *exec.Cmd
	mark   string        // in the environment of all it starts
	exited chan struct{} // closed when it is reaped
	err    error         // how it ended; valid once exited is closed

	familyMu sync.Mutex
	family   map[int]seen // the processes it had started when they were last noted
}

// startHere starts a process with the given stdin, stdout and stderr.
func startHere(p Program, ends [3]*os.File) (*here, error) {
	// A missing directory is found here, because the error of the start would
	// blame the program.
	if info, err := os.Stat(p.Dir); p.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("its working directory %s is not there", p.Dir)
	}
	// Not CommandContext: Stop ends the child, with a grace and for the whole
	// group.
	cmd := exec.Command(p.Path, p.Args...) //nolint:noctx // see above
	p.prepare(cmd)
	h := &here{cmd: cmd, mark: newMark(), exited: make(chan struct{}), family: map[int]seen{}}
	cmd.Env = append(cmd.Env, h.mark)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0], ends[1], ends[2]
	started := make(chan error)
	go onOwnThread(func() {
		err := cmd.Start()
		started <- err
		if err == nil {
			h.err = cmd.Wait()
			close(h.exited)
		}
	})
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	return h, nil
}

// Pid is the process number.
func (h *here) Pid() int { return h.cmd.Process.Pid }

// wait reaps the process and ends what it left behind.
func (h *here) wait() error {
	<-h.exited
	signalGroup(h.Pid(), syscall.SIGKILL)
	h.endFamily()
	return h.err
}

// State is how the process ended in words, "exit status 0" among them. It is valid once
// Ended is closed.
func (h *here) State() string { return h.cmd.ProcessState.String() }

func (h *here) signal(s syscall.Signal) {
	select {
	case <-h.exited: // its process number may belong to another process by now
	default:
		signalGroup(h.Pid(), s)
	}
}

func (h *here) exiting() bool {
	s, ok := look(h.Pid())
	return !ok || s.exiting
}

// noteFamily notes the processes that the child has started so far, so that those that
// drop the mark are found too.
func (h *here) noteFamily() {
	family := descendants(h.Pid(), all())
	h.familyMu.Lock()
	defer h.familyMu.Unlock()
	h.family = family
}

// endFamily kills what the child, which has ended, started and what left its group.
func (h *here) endFamily() {
	h.familyMu.Lock()
	left := maps.Clone(h.family)
	h.familyMu.Unlock()
	for range familyRounds {
		list := all()
		maps.DeleteFunc(left, func(pid int, s seen) bool { return list[pid].begun != s.begun })
		maps.Copy(left, findMarked(h.mark, list))
		delete(left, os.Getpid())
		if len(left) == 0 {
			return
		}
		for pid, s := range left {
			killSeen(pid, s)
		}
		<-time.After(familyPause)
	}
}
