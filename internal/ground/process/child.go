package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	// drainGrace is how long a child's pipes are still read after its end. All it
	// started is dead by then, so only a process that left no trace can make us
	// wait.
	drainGrace = 250 * time.Millisecond
	// reapGrace bounds the wait for a killed child; more means it hangs in the kernel.
	reapGrace = time.Second
	// stderrKept is how many bytes at the end of a child's stderr are kept.
	stderrKept = 64 << 10
	// stderrPiece is how much of a child's stderr is read at once: a full pipe.
	stderrPiece = 64 << 10
)

// Child is a program that runs beside us, with everything it starts: a process
// group, three pipes and one waiting goroutine.
type Child struct {
	runner
	stdin  *os.File
	stdout *os.File
	said   tail
	reaped chan struct{} // closed when it is reaped and nothing it started is left
	ended  chan struct{} // closed last, when it is reaped and drained
	err    error         // how it ended; valid, like unread, once ended is closed
	unread int64         // bytes given to it that it never read
}

// runner is the process of a child, wherever it was started.
type runner interface {
	// Pid is the child's process number.
	Pid() int
	// State is how the child ended in words, "exit status 0" among them. It is valid
	// once Ended is closed.
	State() string

	wait() error             // until it is reaped and nothing it started is left; returns how it ended
	signal(s syscall.Signal) // to it and its group, unless it is reaped
	exiting() bool           // it is ending, or has ended
	noteFamily()             // notes what it has started so far
}

// Start starts a child. The end of its stderr is kept, and all of it is copied to
// words unless that is nil; a writer with a Flush method is flushed at the end.
// The caller has to Stop the child, even one that has ended, because that closes
// its pipes.
func Start(p Program, words io.Writer) (*Child, error) {
	return start(words, func(ends [3]*os.File) (runner, error) { return startHere(p, ends) })
}

// start makes a child of the process that begin starts with the given stdin, stdout and
// stderr.
func start(words io.Writer, begin func(ends [3]*os.File) (runner, error)) (_ *Child, err error) {
	c := &Child{reaped: make(chan struct{}), ended: make(chan struct{})}
	var pipes []*os.File
	defer func() {
		if err != nil {
			closeAll(pipes)
		}
	}()
	// We make the pipes ourselves: with the command's own, Wait would wait for
	// every process that inherited them, and close what the reader still reads.
	for range 3 {
		r, w, pipeErr := os.Pipe()
		if pipeErr != nil {
			return nil, fmt.Errorf("making pipes: %w", pipeErr)
		}
		pipes = append(pipes, r, w)
	}
	c.stdin, c.stdout = pipes[1], pipes[2]
	stderr, ends := pipes[4], [3]*os.File{pipes[0], pipes[3], pipes[5]}
	if c.runner, err = begin(ends); err != nil {
		return nil, err
	}
	closeAll(ends[:])
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		c.listen(stderr, words)
	}()
	go c.await(stderr, copied)
	return c, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// listen keeps the end of the child's stderr and copies all of it. A living child
// that writes a flood is read at the pace of stderrRate.
func (c *Child) listen(stderr io.Reader, words io.Writer) {
	if words == nil {
		words = io.Discard
	}
	piece := make([]byte, stderrPiece)
	pace := newPace(time.Now())
	for {
		n, err := stderr.Read(piece)
		_, _ = c.said.Write(piece[:n])
		_, _ = words.Write(piece[:n])
		if err != nil {
			break
		}
		if pause := pace.took(n, time.Now()); pause > 0 {
			Within(c.reaped, pause)
		}
	}
	if f, ok := words.(interface{ Flush() }); ok {
		f.Flush()
	}
}

// await waits until the child is reaped, and drains its pipes.
func (c *Child) await(stderr *os.File, copied <-chan struct{}) {
	c.err = c.wait()
	close(c.reaped)
	c.unread = waitingIn(c.stdin)
	_ = c.stdin.Close()
	timer := time.NewTimer(drainGrace)
	defer timer.Stop()
	select {
	case <-copied:
	case <-timer.C:
	}
	_ = stderr.Close()
	<-copied
	// A reader of stdout still gets what is in the pipe, but only for this long.
	_ = c.stdout.SetReadDeadline(time.Now().Add(drainGrace))
	close(c.ended)
}

// waitingIn returns how many unread bytes are in a pipe.
func waitingIn(pipe *os.File) int64 {
	var n int32
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n))) // n stays 0 if it is not known
	})
	return int64(n)
}

// Stdin is the pipe the child reads.
func (c *Child) Stdin() *os.File { return c.stdin }

// CloseInput closes the child's stdin. That of a dying child is closed once it was
// counted what the child never read.
func (c *Child) CloseInput() error {
	if c.Ending() {
		return nil
	}
	return c.stdin.Close()
}

// Read reads the child's stdout. Its only error is EOF; Err tells why the child
// ended.
func (c *Child) Read(b []byte) (int, error) {
	n, err := c.stdout.Read(b)
	if err != nil {
		return n, io.EOF
	}
	return n, nil
}

// Ended is closed when the child is gone, reaped and drained.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Err is how the child ended, nil when it did so without a fault. It is valid once
// Ended is closed.
func (c *Child) Err() error { return c.err }

// Unread is how many bytes were given to the child that it never read. It is valid
// once Ended is closed.
func (c *Child) Unread() int64 { return c.unread }

// Stderr is the end of what the child wrote to its stderr, at most limit bytes.
func (c *Child) Stderr(limit int) []byte { return c.said.lastBytes(limit) }

// StderrSize is how many bytes the child has written to its stderr.
func (c *Child) StderrSize() int64 { return c.said.count() }

// Kill ends the child and whatever it started, now.
func (c *Child) Kill() { c.signal(syscall.SIGKILL) }

// Grace is the time a child gets before it is killed: EOF after its stdin was
// closed, and Term after SIGTERM. A step whose time is 0 is left out.
type Grace struct{ EOF, Term time.Duration }

// Stop ends the child politely, then firmly, and returns when it is reaped and nothing
// it started is left.
func (c *Child) Stop(g Grace) error {
	defer closeAll([]*os.File{c.stdin, c.stdout})
	if !c.Ending() {
		c.noteFamily()
	}
	if g.EOF > 0 {
		_ = c.CloseInput()
		if c.EndsWithin(g.EOF) {
			return nil
		}
	}
	if g.Term > 0 {
		c.signal(syscall.SIGTERM)
		if c.EndsWithin(g.Term) {
			return nil
		}
	}
	c.Kill()
	if c.EndsWithin(reapGrace) {
		return nil
	}
	return fmt.Errorf("process %d does not end even when killed", c.Pid())
}

// EndsWithin waits for the child's end, and no longer than limit.
func (c *Child) EndsWithin(limit time.Duration) bool { return Within(c.ended, limit) }

// Within waits until a channel is closed, and no longer than limit; it reports
// whether that happened.
func Within(closed <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}

// tail keeps the last bytes written to it. Writing never blocks, so that a child
// that writes a flood is not held up by us.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	total int64 // bytes written so far
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(p))
	t.kept = append(t.kept, p...)
	// Cutting only at twice the size makes the copying cheap on average.
	if len(t.kept) > 2*stderrKept {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-stderrKept:]...)
	}
	return len(p), nil
}

func (t *tail) count() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

func (t *tail) lastBytes(limit int) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.kept[max(0, len(t.kept)-min(limit, stderrKept)):])
}
