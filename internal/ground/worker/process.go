package worker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"voicegateway/internal/ground/process"
)

const (
	grace       = 150 * time.Millisecond // between closing stdin and SIGKILL
	stderrKeep  = 8                      // last lines, for errors
	stderrLine  = 300                    // bytes kept of a line
	stderrShown = 200                    // lines logged of one child: PortAudio writes 20 MB a second when a card is pulled out
)

// child is our own program as a child process, with the end of what it wrote to
// stderr.
type child struct {
	*process.Child
	log  *slog.Logger
	done chan struct{} // closed when the process is gone and what it sent has been read

	mu    sync.Mutex
	said  []string // the last lines
	lines int      // how many lines there were
	panic string   // a Go panic's first line, which the stack trace would push out
}

// start launches the child and the goroutine that reads its pipe, which ends with
// it; done is closed after that.
func (w *Worker) start(ctx context.Context) (*Session, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	c := &child{log: w.cfg.Log, done: make(chan struct{})}
	// The child is our own program and needs our environment to find its
	// libraries.
	started, err := process.Start(
		process.Program{Path: w.cfg.Command[0], Args: w.cfg.Command[1:], Env: w.cfg.Env, Inherit: true},
		&process.Lines{Limit: stderrLine, Take: c.listen},
	)
	if err != nil {
		return nil, fmt.Errorf("worker %s: %w", w.cfg.Name, err)
	}
	c.Child = started
	s := newSession(w.cfg.Name, w.cfg.Timeout, c, w.cfg.Event, w.Attend)
	go func() {
		defer close(c.done)
		s.read(c)
		<-c.Ended()
	}()
	w.cfg.Log.Debug("worker started", "pid", c.Pid())
	return s, nil
}

// listen keeps the last lines of stderr and logs the first ones.
func (c *child) listen(line []byte) {
	text := strings.TrimSpace(string(line))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines++; text == "" {
		return
	}
	c.said = append(c.said, text)
	c.said = c.said[max(0, len(c.said)-stderrKeep):]
	if strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ") {
		c.panic = text
	}
	if c.lines <= stderrShown {
		c.log.Debug("worker said", "line", text)
	}
}

// stop asks the child to end by closing its stdin, and kills it when it does not.
func (s *Session) stop() {
	_ = s.proc.Stop(process.Grace{EOF: grace}) // done says when it is gone
	<-s.proc.done
	s.end(fmt.Errorf("worker %s: %w", s.name, ErrEnded))
}

// explain adds to err how the process ended and what it said last; the process
// must be gone.
func (c *child) explain(err error) error {
	var parts []string
	if ended := c.Err(); ended != nil {
		parts = append(parts, ended.Error())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.panic != "":
		parts = append(parts, c.panic)
	case len(c.said) > 0:
		parts = append(parts, "it said: "+strings.Join(c.said, " | "))
	}
	if len(parts) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(parts, "; "))
}

// Pipes takes the protocol's pipes away from stdin and stdout, so that a C
// library that prints to stdout reaches stderr (the log) and not the protocol.
// Call it once, in the child, before anything else.
func Pipes() (in, out *os.File, err error) {
	fd, err := syscall.Dup(int(os.Stdout.Fd()))
	if err != nil {
		return nil, nil, fmt.Errorf("taking the worker's pipes: %w", err)
	}
	syscall.CloseOnExec(fd)
	if err := syscall.Dup3(int(os.Stderr.Fd()), int(os.Stdout.Fd()), 0); err != nil {
		return nil, nil, fmt.Errorf("taking the worker's pipes: %w", err)
	}
	return os.Stdin, os.NewFile(uintptr(fd), "worker-out"), nil
}
