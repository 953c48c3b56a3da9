package tts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// maxOutput bounds what a program may write: six minutes at 22.05 kHz, far more
// than maxText can give.
const maxOutput = 16 << 20

// maxStderr is how much of a program's complaints is kept for the error.
const maxStderr = 2 << 10

// program is a speech program and how to get it.
type program struct {
	command string // a name looked up in PATH, or a path
	install string // what to do when it is not there
}

// run starts the program with fixed arguments, gives it the text on stdin (never
// as an argument, where a leading dash would make it an option) and returns its
// stdout. Extra files are its descriptors from 3 on. When ctx ends, the whole
// process group is killed: a helper the program started must not go on.
func (p program) run(ctx context.Context, args []string, text string, extra ...*os.File) ([]byte, error) {
	path, err := exec.LookPath(p.command)
	if err != nil {
		return nil, p.explain(err)
	}
	out := &bounded{left: maxOutput, strict: true}
	complaints := &bounded{left: maxStderr}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = strings.NewReader(text + "\n")
	cmd.Stdout, cmd.Stderr = out, complaints
	cmd.ExtraFiles = extra
	// Nothing of ours: the environment may hold keys.
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("running %s: %w", p.command, ctx.Err())
		}
		if out.over {
			return nil, fmt.Errorf("running %s: over %d bytes of sound", p.command, maxOutput)
		}
		if said := strings.TrimSpace(complaints.kept.String()); said != "" {
			return nil, fmt.Errorf("running %s: %w: %s", p.command, err, strings.ReplaceAll(said, "\n", "; "))
		}
		return nil, fmt.Errorf("running %s: %w", p.command, p.explain(err))
	}
	return out.kept.Bytes(), nil
}

// explain adds the way on when the program is missing.
func (p program) explain(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not installed: %s", p.command, p.install)
	}
	return err
}

// bounded keeps the first bytes written to it. A strict one fails on more, which
// ends the program; the other drops them. It does not embed its buffer: that has
// a ReadFrom which would take everything past Write.
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
