package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	grace       = 150 * time.Millisecond // between closing stdin and SIGKILL
	stderrKeep  = 8                      // last lines, for errors
	stderrLine  = 300                    // bytes kept of a line
	stderrShown = 200                    // lines logged of one child: PortAudio writes 20 MB a second when a card is pulled out
)

// process is the child as the operating system sees it.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	log    *slog.Logger
	killed sync.Once
	done   chan struct{} // closed when it has been waited for
	state  error         // from Wait; valid after done

	mu    sync.Mutex
	said  []string // the last lines
	panic string   // a Go panic's first line, which the stack trace would push out
}

// start launches the child and the goroutines that read its pipes; they end
// with it, and done is closed after them.
func (w *Worker) start(ctx context.Context) (*Session, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// Not CommandContext: ending is ours, with a grace and for the whole group.
	cmd := exec.Command(w.cfg.Command[0], w.cfg.Command[1:]...) //nolint:noctx // see above
	// Should we be killed, the kernel kills the child, even a hung one. It does so
	// at the end of the thread that started it, so that thread is kept.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if len(w.cfg.Env) > 0 {
		cmd.Env = append(cmd.Environ(), w.cfg.Env...)
	}
	p := &process{cmd: cmd, log: w.cfg.Log, done: make(chan struct{})}
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	stderr, err3 := cmd.StderrPipe()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("worker %s: making pipes: %w", w.cfg.Name, err)
	}
	p.stdin = stdin
	s := newSession(w.cfg.Name, w.cfg.Timeout, p, w.cfg.Event)
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.wait(func() { s.read(stdout) }, func() { p.listen(stderr) })
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("worker %s: starting %s: %w", w.cfg.Name, w.cfg.Command[0], err)
	}
	w.cfg.Log.Debug("worker started", "pid", cmd.Process.Pid)
	return s, nil
}

// wait lets the pipes be read to their end and collects the child.
func (p *process) wait(read ...func()) {
	var readers sync.WaitGroup
	for _, r := range read {
		readers.Go(r)
	}
	readers.Wait() // Wait closes the pipes, so reading must be over
	p.state = p.cmd.Wait()
	close(p.done)
}

// listen keeps the last lines of stderr and logs the first ones.
func (p *process) listen(r io.Reader) {
	in := bufio.NewReaderSize(r, 4096)
	for n := 0; ; n++ {
		line, err := readLine(in)
		if line != "" {
			p.mu.Lock()
			p.said = append(p.said, line)
			p.said = p.said[max(0, len(p.said)-stderrKeep):]
			if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
				p.panic = line
			}
			p.mu.Unlock()
			if n < stderrShown {
				p.log.Debug("worker said", "line", line)
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads to the next line end and returns at most stderrLine bytes.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), stderrLine-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimSpace(string(line)), err
		}
	}
}

// kill ends the child and whatever it started, now.
func (p *process) kill() {
	p.killed.Do(func() {
		select {
		case <-p.done: // its number may belong to somebody else by now
		default:
			_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		}
	})
}

// stop asks the child to end by closing its stdin, and makes it end.
func (s *Session) stop() {
	_ = s.proc.stdin.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-s.proc.done:
	case <-timer.C:
		s.proc.kill()
		<-s.proc.done
	}
	s.end(fmt.Errorf("worker %s: %w", s.name, ErrEnded))
}

// explain is for a process that is gone.
func (p *process) explain(err error) error {
	var parts []string
	if p.state != nil {
		parts = append(parts, p.state.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.panic != "":
		parts = append(parts, p.panic)
	case len(p.said) > 0:
		parts = append(parts, "it said: "+strings.Join(p.said, " | "))
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
