package tts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"voicegateway/internal/ground/process"
)

// maxOutput bounds what a program may write: six minutes at 22.05 kHz, far more
// than maxText can give.
const maxOutput = 16 << 20

// program is a speech program and how to get it.
type program struct {
	command string // a name looked up in PATH, or a path
	install string // what to do when it is not there
}

// run starts the program with fixed arguments, gives it the text on stdin and
// returns its stdout. Extra files are its descriptors from 3 on.
func (p program) run(ctx context.Context, args []string, text string, extra ...*os.File) ([]byte, error) {
	out, err := process.Run(ctx, process.Task{
		Program: process.Program{Path: p.command, Args: args, Env: process.SmallEnv()},
		Stdin:   text + "\n", Files: extra, MaxOutput: maxOutput,
	})
	failed, told := errors.AsType[*process.Error](err)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, process.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("running %s: %w", p.command, fmt.Errorf("%s is not installed: %s", p.command, p.install))
	case errors.Is(err, process.ErrOutput):
		return nil, fmt.Errorf("running %s: over %d bytes of sound", p.command, maxOutput)
	case told && failed.Said != "":
		return nil, fmt.Errorf("running %s: %w: %s", p.command, failed.Err, strings.ReplaceAll(failed.Said, "\n", "; "))
	}
	return nil, fmt.Errorf("running %s: %w", p.command, err)
}
