package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrEnded is returned to callers when the child ends while they wait. What they
// had sent is lost: they have to start again with a new session.
var ErrEnded = errors.New("the worker process ended")

// Refusal is an error with which the child answered, in the child's words.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return r.Text }

// Session is one life of the child. State kept in the child (a running utterance)
// is lost with the session.
type Session struct {
	name    string
	timeout time.Duration
	proc    *child
	out     *frameWriter
	event   func(kind byte, payload []byte)
	needed  func()       // called with every request of a caller
	calls   atomic.Int32 // of callers, under way

	sending sync.Mutex // held while writing, so that sequence numbers leave in order
	seq     uint32

	mu      sync.Mutex // never held while writing: answers must get through
	waiting map[uint32]*waiter
	err     error         // why the session ended
	over    chan struct{} // closed with err set
}

type waiter struct {
	answer chan frame
	hang   *time.Timer
}

func newSession(name string, timeout time.Duration, c *child, event func(byte, []byte), needed func()) *Session {
	return &Session{
		name: name, timeout: timeout, proc: c, event: event, needed: needed,
		out:     &frameWriter{w: c.Stdin()},
		waiting: map[uint32]*waiter{}, over: make(chan struct{}),
	}
}

// Call sends a request and waits for its answer. A Refusal is an error that the
// child itself answered. When the answer takes longer than the worker's time-out
// the child is killed and the call ends with ErrEnded. Ending ctx only ends the
// waiting.
func (s *Session) Call(ctx context.Context, kind byte, payload []byte) ([]byte, error) {
	return s.CallWithin(ctx, s.timeout, kind, payload)
}

// CallWithin does what Call does with another time-out, for work that may take
// long, such as playing a sentence.
func (s *Session) CallWithin(ctx context.Context, timeout time.Duration, kind byte, payload []byte) ([]byte, error) {
	s.calls.Add(1)
	defer s.calls.Add(-1)
	s.needed()
	return s.request(ctx, timeout, kind, payload)
}

func (s *Session) request(ctx context.Context, timeout time.Duration, kind byte, payload []byte) ([]byte, error) {
	w, err := s.send(timeout, kind, payload)
	if err != nil {
		return nil, err
	}
	select {
	case f := <-w.answer:
		if f.typ == typeFailure {
			return nil, &Refusal{Text: string(f.payload)}
		}
		return f.payload, nil
	case <-s.over:
		return nil, s.reason()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Session) send(timeout time.Duration, kind byte, payload []byte) (*waiter, error) {
	if len(payload) > MaxPayload {
		return nil, fmt.Errorf("worker %s: a request of %d bytes; the limit is %d", s.name, len(payload), MaxPayload)
	}
	// The timer is set before waiting for other writers, so that it also ends a
	// child that does not read.
	w := &waiter{answer: make(chan frame, 1)}
	w.hang = time.AfterFunc(timeout, func() {
		s.end(fmt.Errorf("worker %s: no answer within %v: %w", s.name, timeout, ErrEnded))
	})
	s.sending.Lock()
	defer s.sending.Unlock()
	s.seq++
	s.mu.Lock()
	if s.err != nil {
		defer s.mu.Unlock()
		w.hang.Stop()
		return nil, s.err
	}
	s.waiting[s.seq] = w
	s.mu.Unlock()
	if err := s.out.write(frame{typ: typeRequest, kind: kind, seq: s.seq, payload: payload}); err != nil {
		s.end(fmt.Errorf("worker %s: %w: %w", s.name, ErrEnded, err))
		return nil, s.reason()
	}
	return w, nil
}

func (s *Session) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// end marks the session as over and kills the child. Only the first reason
// counts, and it is stored before the end of the child can give another.
func (s *Session) end(err error) {
	defer s.proc.Kill()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = err
	for _, w := range s.waiting {
		w.hang.Stop()
	}
	clear(s.waiting)
	close(s.over)
}

// attend regularly asks for signs of life, to find out that a child hangs although no
// call waits for it, or during a long setup.
func (s *Session) attend(ctx context.Context) {
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.over:
			return
		case <-tick.C:
			_, _ = s.request(ctx, s.timeout, kindAlive, nil) // no answer ends the session
		}
	}
}

// read takes frames until the pipe ends.
func (s *Session) read(r io.Reader) {
	in := bufio.NewReaderSize(r, 64<<10)
	var events uint32
	for {
		f, err := readFrame(in)
		if err == nil {
			err = s.dispatch(f, &events)
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
			err = ErrEnded
		} else {
			err = fmt.Errorf("%w: %w", ErrEnded, err)
		}
		s.end(fmt.Errorf("worker %s: %w", s.name, err))
		return
	}
}

func (s *Session) dispatch(f frame, events *uint32) error {
	switch f.typ {
	case typeEvent:
		if *events++; f.seq != *events {
			return fmt.Errorf("event %d came in place of event %d", f.seq, *events)
		}
		if s.event != nil {
			s.event(f.kind, f.payload)
		}
	case typeReply, typeFailure:
		s.mu.Lock()
		w := s.waiting[f.seq]
		delete(s.waiting, f.seq)
		s.mu.Unlock()
		if w == nil {
			return fmt.Errorf("an answer to request %d, which was not asked or was answered before", f.seq)
		}
		w.hang.Stop()
		w.answer <- f
	case typeRequest:
		return errors.New("the child sent a request")
	}
	return nil
}

// explain adds to err, or to the reason the session ended, how the process ended
// and what it said last.
func (s *Session) explain(err error) error {
	if err == nil {
		err = s.reason()
	}
	if _, refused := errors.AsType[*Refusal](err); refused {
		return fmt.Errorf("worker %s: %w", s.name, err)
	}
	s.stop()
	return s.proc.explain(err)
}
