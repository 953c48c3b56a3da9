package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/ground/order"
)

const (
	// stopGrace is how long requests may still run after their context has ended.
	stopGrace = time.Second
	// maxRequest bounds one request line in bytes; arguments are far smaller.
	maxRequest = 4 << 20
	// maxParallel bounds the requests handled at the same time on one connection.
	maxParallel = 64
)

// stdioSession is the session of the one host at the other end of the pipes. It
// replaces the library's own stdio loop, which keeps its session in a package
// variable, reads lines of any length and forgets subscriptions.
type stdioSession struct {
	ready         atomic.Bool
	notifications chan mcp.JSONRPCNotification
}

func (s *stdioSession) Initialize()       { s.ready.Store(true) }
func (s *stdioSession) Initialized() bool { return s.ready.Load() }
func (s *stdioSession) SessionID() string { return "stdio" }
func (s *stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification {
	return s.notifications
}

// lineOrErr is one read from the host.
type lineOrErr struct {
	line []byte
	err  error
}

// serveStdio answers until EOF, a broken pipe or the end of ctx. The goroutine
// that reads cannot be woken from a blocked Read; it holds nothing and ends with
// the next line or EOF, at the latest with the process.
func (o *offer) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	session := &stdioSession{notifications: make(chan mcp.JSONRPCNotification, 64)}
	if err := o.mcp.RegisterSession(ctx, session); err != nil {
		return fmt.Errorf("serving MCP over stdio: %w", err)
	}
	defer o.mcp.UnregisterSession(context.WithoutCancel(ctx), session.SessionID())
	ctx, cancel := context.WithCancelCause(o.mcp.WithContext(ctx, session))
	defer cancel(nil)

	lines := make(chan lineOrErr)
	go readLines(ctx, in, lines)
	w := &lineWriter{out: out, broken: cancel}
	var working sync.WaitGroup
	slots := make(chan struct{}, maxParallel)
	err := func() error {
		for {
			select {
			case <-ctx.Done():
				if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
					return cause
				}
				return nil
			case n := <-session.notifications:
				w.write(n)
			case read := <-lines:
				if long, ok := errors.AsType[*longLineError](read.err); ok {
					w.write(mcp.NewJSONRPCError(mcp.NewRequestId(long.id), mcp.INVALID_REQUEST, long.Error(), nil))
					continue
				}
				if errors.Is(read.err, io.EOF) {
					return nil
				}
				if read.err != nil {
					return fmt.Errorf("reading requests: %w", read.err)
				}
				o.handleLine(ctx, read.line, w, slots, &working)
			}
		}
	}()
	cancel(nil)
	waitFor(&working, stopGrace)
	return err
}

// handleLine answers one line: a request in a goroutine of its own, because a
// slow one must not hold up the others; a notification at once and in order. A call
// takes its place here, where the lines still come one after the other.
func (o *offer) handleLine(ctx context.Context, line []byte, w *lineWriter, slots chan struct{}, working *sync.WaitGroup) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	var head struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
	}
	if err := json.Unmarshal(line, &head); err != nil || head.ID == nil {
		if answer := o.handle(ctx, line, head.ID); answer != nil {
			w.write(answer)
		}
		return
	}
	select {
	case slots <- struct{}{}:
	default:
		w.write(mcp.NewJSONRPCError(mcp.NewRequestId(head.ID), mcp.INTERNAL_ERROR, fmt.Sprintf("%d requests are in work already", maxParallel), nil))
		return
	}
	if head.Method == string(mcp.MethodToolsCall) {
		ctx = order.With(ctx, o.lines.Take(order.Acts))
	}
	working.Go(func() {
		defer func() { <-slots }()
		defer order.From(ctx).Pass()
		if answer := o.handle(ctx, line, head.ID); answer != nil {
			w.write(answer)
		}
	})
}

// handle returns the answer to a message; it recovers from panics, because no
// message may end the process.
func (o *offer) handle(ctx context.Context, line []byte, id any) (answer mcp.JSONRPCMessage) {
	defer func() {
		if p := recover(); p != nil {
			o.log.Error("a request made the protocol layer panic", "err", p, "stack", string(debug.Stack()))
			if id != nil {
				answer = mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "internal error", nil)
			}
		}
	}()
	return o.mcp.HandleMessage(ctx, line)
}

func readLines(ctx context.Context, in io.Reader, lines chan<- lineOrErr) {
	r := bufio.NewReader(in)
	for {
		line, err := readLine(r, maxRequest)
		if len(line) > 0 && errors.Is(err, io.EOF) {
			err = nil // a last line without an end still counts; EOF comes again
		}
		select {
		case lines <- lineOrErr{line, err}:
		case <-ctx.Done():
			return
		}
		if _, long := errors.AsType[*longLineError](err); err != nil && !long {
			return
		}
	}
}

// readLine reads up to the end of a line. The error of a line of more than limit
// bytes is a *longLineError; the next call then reads the next line.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	var long *idReader // of a line that is too long, of which nothing is kept
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if long == nil && len(bytes.TrimSuffix(line, []byte{'\n'})) > limit {
			long = &idReader{}
		}
		if long != nil {
			long.push(line)
			line = line[:0]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long != nil && (err == nil || errors.Is(err, io.EOF)): // EOF comes again
			return nil, &longLineError{limit, long.id()}
		default:
			return line, err
		}
	}
}

// lineWriter keeps lines whole. The first write that fails ends the session: the
// host has stopped listening.
type lineWriter struct {
	mu     sync.Mutex
	out    io.Writer
	broken context.CancelCauseFunc
}

func (w *lineWriter) write(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		w.broken(fmt.Errorf("writing an answer: %w", err))
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(append(line, '\n')); err != nil {
		w.broken(fmt.Errorf("writing an answer: %w", err))
	}
}

// waitFor waits for the group, but no longer than limit, and reports whether all
// of the group ended. Its own goroutine ends with the group.
func waitFor(group *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
