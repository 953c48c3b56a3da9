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
	// writeTimeout is how long a child may leave unread what waits for it.
	writeTimeout = 3 * time.Second
	// pushPiece is how much is written at once, at most the size of a pipe: every
	// piece that gets away is a sign that the child reads.
	pushPiece = 64 << 10
	// maxUnsent bounds what may wait for a child.
	maxUnsent = 64 << 20
)

// outbox holds what is written to a child and does not fit into its pipe. Writing never
// blocks: the client library writes under a lock and ignores the call's context, so that
// a single child that does not read would hold up every call (docs/facts/mcp-client.md,
// Over stdio).
type outbox struct {
	mu        sync.Mutex
	pending   []byte
	isPushing bool  // push is under way
	refusal   error // why further writes fail
	pushers   sync.WaitGroup
}

// close makes every further write fail.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refusal == nil {
		o.refusal = os.ErrClosed
	}
}

// Write is the child's stdin for the client library. It takes everything at once;
// a child that then does not read ends the connection.
func (p *serverProcess) Write(b []byte) (int, error) {
	p.outbox.mu.Lock()
	defer p.outbox.mu.Unlock()
	if p.outbox.refusal != nil {
		return 0, p.outbox.refusal
	}
	rest := b
	if !p.outbox.isPushing {
		n, err := p.writeNow(b)
		if err != nil || n == len(b) {
			return n, p.endBlocked(err)
		}
		rest = b[n:]
	}
	if len(p.outbox.pending)+len(rest) > maxUnsent {
		p.outbox.refusal = fmt.Errorf("over %d bytes wait for the server, which does not read", maxUnsent)
		p.fail(p.outbox.refusal)
		return len(b) - len(rest), p.outbox.refusal
	}
	p.outbox.pending = append(p.outbox.pending, rest...)
	if !p.outbox.isPushing {
		p.outbox.isPushing = true
		p.outbox.pushers.Go(p.push)
	}
	return len(b), nil
}

// writeNow writes what fits into the pipe.
func (p *serverProcess) writeNow(b []byte) (int, error) {
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
	p.written.Add(int64(total))
	return total, errors.Join(err, failed)
}

// endBlocked ends the connection because the child's stdin takes no more: such a
// child would answer no call, though it may still live.
func (p *serverProcess) endBlocked(err error) error {
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

// push writes the outbox piece by piece until it is empty.
func (p *serverProcess) push() {
	for {
		p.outbox.mu.Lock()
		if len(p.outbox.pending) == 0 || p.outbox.refusal != nil {
			p.outbox.pending, p.outbox.isPushing = nil, false
			_ = p.stdin.SetWriteDeadline(time.Time{})
			p.outbox.mu.Unlock()
			return
		}
		piece := p.outbox.pending[:min(len(p.outbox.pending), pushPiece)]
		p.outbox.mu.Unlock()
		_ = p.stdin.SetWriteDeadline(time.Now().Add(writeTimeout))
		n, err := p.stdin.Write(piece)
		p.written.Add(int64(n))
		err = p.endBlocked(err)
		p.outbox.mu.Lock()
		p.outbox.pending = p.outbox.pending[n:]
		if err != nil && p.outbox.refusal == nil {
			p.outbox.refusal = err // half a line has been written: nothing can follow
		}
		p.outbox.mu.Unlock()
	}
}
