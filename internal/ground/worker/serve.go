package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// kindAlive asks for a sign of life. It is answered without the handler, so that
// a handler that works for long does not look like a child that hangs.
const kindAlive byte = 0

// Request is one call as the child receives it. It must be answered exactly once,
// with Reply or Fail, at any time and from any goroutine.
type Request struct {
	Kind    byte // the handler's own numbers, from 1
	Payload []byte
	seq     uint32
	out     *Outlet
}

// Reply answers the request.
func (r Request) Reply(payload []byte) error {
	return r.out.w.write(frame{typ: typeReply, kind: r.Kind, seq: r.seq, payload: payload})
}

// Fail refuses the request; the parent sees a Refusal with this text.
func (r Request) Fail(err error) error {
	return r.out.w.write(frame{typ: typeFailure, kind: r.Kind, seq: r.seq, payload: []byte(err.Error())})
}

// Handler handles requests, one after another in the order they were sent.
type Handler func(ctx context.Context, r Request) error

// Answer makes a Handler of a function that returns its answer.
func Answer(f func(ctx context.Context, kind byte, payload []byte) ([]byte, error)) Handler {
	return func(ctx context.Context, r Request) error {
		payload, err := f(ctx, r.Kind, r.Payload)
		if err != nil {
			return r.Fail(err)
		}
		return r.Reply(payload)
	}
}

// Refuse returns a Handler that refuses every request with err. It is for a part
// that this build does not contain.
func Refuse(err error) Handler {
	return func(_ context.Context, r Request) error { return r.Fail(err) }
}

// Outlet sends frames from the child to its parent.
type Outlet struct{ w *frameWriter }

// NewOutlet writes to out.
func NewOutlet(out io.Writer) *Outlet { return &Outlet{w: &frameWriter{w: out}} }

// Emit sends an event. It blocks while the pipe is full.
func (o *Outlet) Emit(kind byte, payload []byte) error {
	return o.w.write(frame{typ: typeEvent, kind: kind, payload: payload})
}

// stuckHandler is how long Serve waits for a handler that is still at work when
// the parent is gone. It may be stuck in a library, so Serve returns anyway and
// the process ends with it.
const stuckHandler = 100 * time.Millisecond

// Serve answers the parent until it closes the pipe or ctx ends, which is the
// normal end (nil). A broken pipe or protocol is an error.
func Serve(ctx context.Context, in io.Reader, out *Outlet, handle Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c, ok := in.(io.Closer); ok {
		stop := context.AfterFunc(ctx, func() { _ = c.Close() }) // unblocks the reader
		defer stop()
	}
	requests := make(chan Request, 64)
	ended := make(chan error, 2)
	handled := make(chan struct{})
	go func() {
		ended <- readRequests(ctx, in, out, requests)
	}()
	go func() {
		defer close(handled)
		for {
			select {
			case <-ctx.Done():
				return
			case r := <-requests:
				if err := handle(ctx, r); err != nil {
					ended <- fmt.Errorf("answering the parent: %w", err)
					return
				}
			}
		}
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	cancel()
	select {
	case <-handled:
	case <-time.After(stuckHandler):
	}
	return err
}

func readRequests(ctx context.Context, in io.Reader, out *Outlet, requests chan<- Request) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for want := uint32(1); ; want++ {
		f, err := readFrame(r)
		switch {
		case ctx.Err() != nil, errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil // the parent has closed the pipe
		case err != nil:
			return err
		case f.typ != typeRequest || f.seq != want:
			return fmt.Errorf("the parent sent frame %c%d in place of request %d", f.typ, f.seq, want)
		}
		r := Request{Kind: f.kind, Payload: f.payload, seq: f.seq, out: out}
		if r.Kind == kindAlive {
			if err := r.Reply(nil); err != nil {
				return fmt.Errorf("answering the parent: %w", err)
			}
			continue
		}
		select {
		case requests <- r:
		case <-ctx.Done():
			return nil
		}
	}
}
