package client

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"voicegateway/internal/ground/process"
)

const (
	// eofGrace and termGrace are what a child gets after its stdin was closed and
	// after SIGTERM. Together with the reaping they stay far below the 8 s of M14.
	eofGrace  = 400 * time.Millisecond
	termGrace = 1500 * time.Millisecond
	// reasonGrace is how long to wait for the exit status of a process that is ending.
	// It usually comes at once, on a busy machine a moment later.
	reasonGrace = time.Second
	// closingGrace is how long a process whose pipes broke may take to begin to end:
	// some programs close their output as their last act.
	closingGrace = 50 * time.Millisecond
	// maxAnswer bounds one line from a server; the client library has no bound,
	// and real answers reach 10 MB.
	maxAnswer = 32 << 20
	// stderrRead is how many bytes at the end of a child's stderr are searched
	// for the words of an error.
	stderrRead = 64 << 10
)

// serverProcess is a server that runs as our child, with the data on its way to
// it.
type serverProcess struct {
	child    *process.Child
	launched bool // by the service for servers of others
	stdin    *os.File
	ended    chan struct{} // closed when the child is gone and nothing is on the way to it
	outbox   outbox        // on the way to its stdin
	written  atomic.Int64  // bytes written to its stdin

	mu            sync.Mutex
	failureReason error         // why the pipes are useless, unless because the child ended
	failed        chan struct{} // closed when failureReason is set
}

// newServerProcess returns the server of a child that has just been started.
func newServerProcess(child *process.Child) *serverProcess {
	p := &serverProcess{child: child, stdin: child.Stdin(), ended: make(chan struct{}), failed: make(chan struct{})}
	go func() {
		defer close(p.ended)
		<-child.Ended()
		p.outbox.close()
		p.outbox.pushers.Wait()
	}()
	return p
}

// neverRead reports whether the child ended without reading anything after the first
// before bytes. It is false while the child lives, because then this cannot be known.
func (p *serverProcess) neverRead(before int64) bool {
	select {
	case <-p.child.Ended():
		<-p.ended // at once: nothing more can be on the way to it
		return p.child.Unread() >= p.written.Load()-before
	default:
		return false
	}
}

// fail declares the pipes useless, so that every waiting goroutine is freed.
func (p *serverProcess) fail(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failureReason == nil {
		p.failureReason = reason
		close(p.failed)
	}
}

func (p *serverProcess) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failureReason
}

// stop ends the child politely, then firmly, and returns when it is reaped.
func (p *serverProcess) stop() error {
	if err := p.child.Stop(process.Grace{EOF: eofGrace, Term: termGrace}); err != nil {
		return err
	}
	<-p.ended
	return nil
}

// endsByItself waits for the end of a process whose pipes broke. It returns false soon
// for one that lives on.
func (p *serverProcess) endsByItself() bool {
	if !p.child.Ending() && process.Within(p.ended, closingGrace) {
		return true
	}
	return p.child.Ending() && process.Within(p.ended, reasonGrace)
}

// Close closes stdin; the client library calls it.
func (p *serverProcess) Close() error { return p.child.CloseInput() }

// Read is the child's stdout for the client library, which logs every error but
// EOF to the global logger; the reason is kept in failure.
func (p *serverProcess) Read(b []byte) (int, error) { return p.child.Read(b) }
