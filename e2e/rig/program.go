package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
)

// leftover is how long the end of a program waits for children that outlive it and still
// hold its stderr.
const leftover = 30 * time.Second

// Program is a started program.
type Program struct {
	*exec.Cmd
	Log   *Output         // what it has written to stderr
	Ended <-chan struct{} // closed when it has ended
	err   error           // how it ended, to be read after Ended
}

// Start starts a program in its own process group. When the test ends, Start sends it
// SIGTERM as Stop does, and prints its log if the test failed.
func Start(tb testing.TB, env []string, program string, args ...string) *Program {
	tb.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(tb.Context()), program, args...)
	cmd.Env = env
	return StartCommand(tb, cmd)
}

// StartCommand does what Start does, with a command whose environment, stdin and stdout
// are set. Its stdout must not be a StdoutPipe, which is closed when the program ends,
// before all of it may have been read.
func StartCommand(tb testing.TB, cmd *exec.Cmd) *Program {
	tb.Helper()
	// Go keeps the result of a test by the variables that it has read. What Main reads
	// does not count, because the tests do not run yet.
	_ = os.Getenv(fake.ProgramsVariable)
	ended := make(chan struct{})
	p := &Program{Cmd: cmd, Log: &Output{}, Ended: ended}
	cmd.Stderr = p.Log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = leftover
	if err := cmd.Start(); err != nil {
		tb.Fatalf("starting %s: %v", cmd.Path, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(ended)
	}()
	tb.Cleanup(func() {
		p.Stop(tb, syscall.SIGTERM)
		if tb.Failed() {
			tb.Logf("stderr of %s:\n%s", filepath.Base(cmd.Path), p.Log)
		}
	})
	return p
}

// Stop sends a signal to a program and waits until it has ended. One that does not end
// within Patience is killed with its group, and that is an error of the test. A program
// that has ended before is left alone.
func (p *Program) Stop(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	_ = p.Process.Signal(signal)
	if p.HasEnded() {
		return
	}
	tb.Errorf("%s does not end after the signal %q", p.Path, signal)
	_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	<-p.Ended
}

// isOver reports whether a program has ended by now; HasEnded waits for that.
func (p *Program) isOver() bool {
	select {
	case <-p.Ended:
		return true
	default:
		return false
	}
}

// HasEnded waits until a program has ended and reports whether it did within Patience.
func (p *Program) HasEnded() bool {
	select {
	case <-p.Ended:
		return true
	case <-time.After(Patience):
		return false
	}
}

// Wait waits until a program has ended and returns how, as the Wait of its exec.Cmd does;
// it may be called again. A program that does not end within Patience is an error.
func (p *Program) Wait() error {
	if !p.HasEnded() {
		return fmt.Errorf("%s has not ended within %v", p.Path, Patience)
	}
	return p.err
}

// Run runs a program to its end and returns what it wrote and its exit status.
func Run(tb testing.TB, env []string, program string, args ...string) (stdout, stderr string, status int) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), program, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		tb.Fatalf("running %s %s: %v", program, strings.Join(args, " "), err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
