package client

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	// eofGrace and termGrace are what a child gets after its stdin was closed and
	// after SIGTERM. Together with the reaping they stay far below the 8 s of M14.
	eofGrace  = 400 * time.Millisecond
	termGrace = 1500 * time.Millisecond
	// reapGrace bounds the wait for a killed child; more means it hangs in the
	// kernel.
	reapGrace = time.Second
	// drainGrace is how long its pipes are read on after a child's end. Its group
	// is dead by then, so only a process that left the group can make us wait.
	drainGrace = 100 * time.Millisecond
	// reasonGrace is how long one waits for the exit status after the pipes broke:
	// usually nothing, on a busy machine a moment.
	reasonGrace = time.Second
	// maxAnswer bounds one line from a server; the client library has no bound,
	// and real answers reach 10 MB.
	maxAnswer = 32 << 20
)

// process is a child we own with everything it starts: a process group, three
// pipes and one waiter. It is gone, reaped and drained when ended is closed.
type process struct {
	cmd     *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  tailBuffer    // its stderr
	ended   chan struct{} // closed last
	exit    string        // how it ended; valid once ended is closed
	outbox  outbox        // on the way to its stdin
	written atomic.Int64  // bytes written to its stdin
	unread  int64         // those it never read; valid once ended is closed

	mu            sync.Mutex
	failureReason error         // why the pipes are of no use any more, if not by the child's end
	failed        chan struct{} // closed when failureReason is set
}

// startProcess starts a prepared command in a process group of its own. Its
// stderr is kept, and copied to log.
func startProcess(cmd *exec.Cmd, log io.Writer) (_ *process, err error) {
	p := &process{cmd: cmd, ended: make(chan struct{}), failed: make(chan struct{})}
	var pipes []*os.File
	defer func() {
		if err != nil {
			closeAll(pipes)
		}
	}()
	// Own pipes instead of the command's: with those Wait would wait for whoever
	// else inherited them, and close what the reader still reads.
	for range 3 {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			return nil, fmt.Errorf("making pipes: %w", pipeErr)
		}
		pipes = append(pipes, r, w)
	}
	cmd.Stdin, p.stdin = pipes[0], pipes[1]
	p.stdout, cmd.Stdout = pipes[2], pipes[3]
	stderr := pipes[4]
	cmd.Stderr = pipes[5]
	// Should we be killed, the kernel kills the child, even one that ignores EOF.
	// It does so at the end of the thread that started it, so that thread is kept.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	drained := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.wait(stderr, drained)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	closeAll([]*os.File{pipes[0], pipes[3], pipes[5]})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.MultiWriter(&p.stderr, log), stderr)
	}()
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// wait reaps the child, ends what it left behind and closes the pipes.
func (p *process) wait(stderr *os.File, drained <-chan struct{}) {
	_ = p.cmd.Wait()
	p.signal(syscall.SIGKILL)
	p.unread = waitingIn(p.stdin)
	timer := time.NewTimer(drainGrace)
	defer timer.Stop()
	select {
	case <-drained:
	case <-timer.C:
	}
	_ = stderr.Close()
	<-drained
	p.exit = p.cmd.ProcessState.String()
	// Whoever reads stdout sees what is still in the pipe, but no longer than this.
	_ = p.stdout.SetReadDeadline(time.Now().Add(drainGrace))
	p.outbox.close()
	_ = p.stdin.Close()
	p.outbox.pushers.Wait()
	close(p.ended)
}

// waitingIn is how many bytes are in a pipe and were not read.
func waitingIn(pipe *os.File) int64 {
	var n int32
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n))) // n stays 0 when it cannot be told
	})
	return int64(n)
}

// neverRead says of what was written after a moment, when before had been
// written, that the child ended without reading any of it. As long as it lives
// nobody knows.
func (p *process) neverRead(before int64) bool {
	select {
	case <-p.ended:
		return p.unread >= p.written.Load()-before
	default:
		return false
	}
}

// signal reaches the whole group; a group that is gone already is no error.
func (p *process) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.cmd.Process.Pid, s)
}

// fail declares the pipes useless, so that whoever waits on them is freed.
func (p *process) fail(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failureReason == nil {
		p.failureReason = reason
		close(p.failed)
	}
}

func (p *process) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failureReason
}

// stop ends the child politely, then firmly, and returns when it is reaped.
func (p *process) stop() error {
	defer func() { _ = p.stdout.Close() }()
	_ = p.stdin.Close()
	if p.endsWithin(eofGrace) {
		return nil
	}
	p.signal(syscall.SIGTERM)
	if p.endsWithin(termGrace) {
		return nil
	}
	p.signal(syscall.SIGKILL)
	if p.endsWithin(reapGrace) {
		return nil
	}
	return fmt.Errorf("process %d does not end even when killed", p.cmd.Process.Pid)
}

func (p *process) endsWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// Close is what the client library calls to close stdin.
func (p *process) Close() error { return p.stdin.Close() }

// Read is the child's stdout for the client library, which logs every error but
// EOF to the global logger; the reason is kept in failure.
func (p *process) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	if err != nil {
		return n, io.EOF
	}
	return n, nil
}
