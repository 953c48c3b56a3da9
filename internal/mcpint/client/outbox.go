package client

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// writeTimeout is how long a child may read nothing of what waits for it.
	writeTimeout = 3 * time.Second
	// pushPiece is how much is written at once, at most the size of a pipe: every
	// piece that gets away is a sign that the child reads.
	pushPiece = 64 << 10
	// maxUnsent bounds what may wait for a child.
	maxUnsent = 64 << 20
)

// outbox is what is written to a child and does not fit into its pipe. Writing
// never blocks: the client library writes under a lock and without regard to the
// call's context, so that one child that does not read would hold up every call
// (docs/facts/mcp-client.md, Over stdio).
type outbox struct {
	mu      sync.Mutex
	rest    []byte
	pushes  bool  // push is under way
	err     error // why nothing more is taken
	pushing sync.WaitGroup
}

// shut makes every further write fail.
func (o *outbox) shut() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = os.ErrClosed
	}
}

// Write is the child's stdin for the client library. It takes everything at once;
// a child that then does not read ends the connection.
func (p *process) Write(b []byte) (int, error) {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	if p.out.err != nil {
		return 0, p.out.err
	}
	rest := b
	if !p.out.pushes {
		n, err := p.writeNow(b)
		if err != nil || n == len(b) {
			return n, p.refused(err)
		}
		rest = b[n:]
	}
	if len(p.out.rest)+len(rest) > maxUnsent {
		p.out.err = fmt.Errorf("over %d bytes wait for the server, which does not read", maxUnsent)
		p.fail(p.out.err)
		return len(b) - len(rest), p.out.err
	}
	p.out.rest = append(p.out.rest, rest...)
	if !p.out.pushes {
		p.out.pushes = true
		p.out.pushing.Go(p.push)
	}
	return len(b), nil
}

// writeNow writes what fits into the pipe.
func (p *process) writeNow(b []byte) (int, error) {
	raw, err := p.stdin.SyscallConn()
	if err != nil {
		return 0, err
	}
	total := 0
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		for total < len(b) {
			n, err := syscall.Write(int(fd), b[total:])
			switch {
			case n > 0:
				total += n
			case errors.Is(err, syscall.EINTR):
			case errors.Is(err, syscall.EAGAIN):
				return true
			default:
				failed = err
				return true
			}
		}
		return true
	})
	p.given.Add(int64(total))
	return total, errors.Join(err, failed)
}

// refused ends the connection where the child takes nothing any more: it would
// answer no call, and need not have ended.
func (p *process) refused(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("the server has not read its input for %v", writeTimeout)
	case errors.Is(err, syscall.EPIPE):
		err = errors.New("the server closed its input")
	default:
		return err
	}
	p.fail(err)
	return err
}

// push writes what is left, piece by piece, until nothing is.
func (p *process) push() {
	for {
		p.out.mu.Lock()
		if len(p.out.rest) == 0 || p.out.err != nil {
			p.out.rest, p.out.pushes = nil, false
			_ = p.stdin.SetWriteDeadline(time.Time{})
			p.out.mu.Unlock()
			return
		}
		piece := p.out.rest[:min(len(p.out.rest), pushPiece)]
		p.out.mu.Unlock()
		_ = p.stdin.SetWriteDeadline(time.Now().Add(writeTimeout))
		n, err := p.stdin.Write(piece)
		p.given.Add(int64(n))
		err = p.refused(err)
		p.out.mu.Lock()
		p.out.rest = p.out.rest[n:]
		if err != nil && p.out.err == nil {
			p.out.err = err // half a line has been written: nothing can follow
		}
		p.out.mu.Unlock()
	}
}
