package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	// maxSaid is how many bytes of a program's stderr its error holds.
	maxSaid = 2 << 10
	// pipeGrace is how long the pipes of a program that has ended are still read.
	// Its group is dead by then, so only a process that left the group makes us
	// wait.
	pipeGrace = time.Second
)

// Task is a program that does one thing and ends.
type Task struct {
	Program
	// Stdin is what the program is given to read. Text that comes from people
	// goes this way and not as an argument, where a leading dash would make it an
	// option.
	Stdin     string
	Files     []*os.File // its file descriptors from 3 on
	MaxOutput int        // bytes it may write to its standard output; more ends it
}

// ErrOutput is the error of a program that writes more than it may.
var ErrOutput = errors.New("it writes more than it may")

// Error says that a program could not be started, or failed.
type Error struct {
	Err  error
	Said string // the beginning of its stderr
}

func (e *Error) Error() string {
	if e.Said == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%v: %s", e.Err, e.Said)
}

func (e *Error) Unwrap() error { return e.Err }

// Run runs a program to its end and returns what it wrote to stdout. When ctx
// ends first, it kills the program and returns the error of ctx.
func Run(ctx context.Context, t Task) ([]byte, error) {
	out, said := &bounded{left: t.MaxOutput, strict: true}, &bounded{left: maxSaid}
	cmd := exec.CommandContext(ctx, t.Path, t.Args...)
	t.prepare(cmd)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = strings.NewReader(t.Stdin), out, said, t.Files
	cmd.Cancel = func() error {
		signalGroup(cmd.Process.Pid, syscall.SIGKILL)
		return nil
	}
	cmd.WaitDelay = pipeGrace
	var err error
	onOwnThread(func() { err = cmd.Run() })
	if cmd.Process != nil {
		signalGroup(cmd.Process.Pid, syscall.SIGKILL) // what the program left behind
	}
	switch {
	case err == nil:
		return out.kept.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.over:
		return nil, ErrOutput
	}
	return nil, &Error{Err: err, Said: strings.TrimSpace(said.kept.String())}
}

// bounded keeps the first bytes written to it. When more come, a strict one
// returns an error, which ends the program; otherwise they are dropped. It does
// not embed its buffer, whose ReadFrom method would bypass Write.
type bounded struct {
	kept   bytes.Buffer
	left   int
	strict bool
	over   bool // more came than fits
}

func (b *bounded) Write(p []byte) (int, error) {
	b.over = b.over || len(p) > b.left
	if b.over && b.strict {
		return 0, io.ErrShortWrite
	}
	keep := min(len(p), b.left)
	b.left -= keep
	if _, err := b.kept.Write(p[:keep]); err != nil {
		return 0, err
	}
	return len(p), nil
}
