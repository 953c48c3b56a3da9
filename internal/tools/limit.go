package tools

import (
	"context"
	"sync"
	"time"
)

// Patience says what a limit of time gives way to. Every limit stands while a person is
// asked (Hold).
type Patience int

// The kinds of patience, the least first.
const (
	NoPatience  Patience = iota // nothing else: so long a call may take at most
	ForProgress                 // progress of the server (Progress): the call goes on until a limit without patience
	ForReaders                  // progress, and a person who reads the answer (WithReader), for whom it is no limit
)

// limited is a context with a limit of time that can stand still and that can be lifted. A
// context of the standard library can do neither.
type limited struct {
	context.Context //nolint:containedctx // it is a context itself
	outer           *limited
	patience        Patience

	mu    sync.Mutex
	left  time.Duration
	since time.Time // when the clock started last
	held  int       // how many hold the clock
	stood time.Duration
	timer *time.Timer
	done  chan struct{}
	err   error
}

type (
	limitKey  struct{}
	readerKey struct{}
)

// WithReader returns a context for the calls of a person who reads the answer and can wait.
func WithReader(ctx context.Context) context.Context {
	return context.WithValue(ctx, readerKey{}, true)
}

// WithLimit bounds a call like context.WithTimeout, with the given patience.
func WithLimit(ctx context.Context, limit time.Duration, p Patience) (context.Context, context.CancelFunc) {
	if reads, _ := ctx.Value(readerKey{}).(bool); reads && p == ForReaders {
		return context.WithCancel(ctx)
	}
	l := &limited{Context: ctx, patience: p, left: limit, since: time.Now(), done: make(chan struct{})}
	l.outer, _ = ctx.Value(limitKey{}).(*limited)
	l.mu.Lock() // a limit of nothing is over at once
	l.timer = time.AfterFunc(limit, func() { l.end(context.DeadlineExceeded) })
	l.mu.Unlock()
	release := context.AfterFunc(ctx, func() { l.end(ctx.Err()) })
	return l, func() {
		release()
		l.end(context.Canceled)
	}
}

// end ends the context, for the first reason that it is given.
func (l *limited) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.timer.Stop()
		l.err = why
		close(l.done)
	}
}

// Done is closed at the end.
func (l *limited) Done() <-chan struct{} { return l.done }

// Err says why the context has ended; nil while it lasts.
func (l *limited) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Value finds the limit itself and what the context around it holds.
func (l *limited) Value(key any) any {
	if key == (limitKey{}) {
		return l
	}
	return l.Context.Value(key)
}

// Deadline is when the context ends if nothing changes that.
func (l *limited) Deadline() (time.Time, bool) {
	l.mu.Lock()
	own := l.since.Add(l.left)
	l.mu.Unlock()
	if outer, ok := l.Context.Deadline(); ok && outer.Before(own) {
		return outer, true
	}
	return own, true
}

// Hold stops the clocks of a call while a person is asked; the returned func starts them
// again.
func Hold(ctx context.Context) (release func()) {
	inner, _ := ctx.Value(limitKey{}).(*limited)
	for l := inner; l != nil; l = l.outer {
		l.hold()
	}
	return sync.OnceFunc(func() {
		for l := inner; l != nil; l = l.outer {
			l.release()
		}
	})
}

func (l *limited) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held++; l.held == 1 {
		l.timer.Stop()
		now := time.Now()
		l.left, l.since = l.left-now.Sub(l.since), now
	}
}

func (l *limited) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held--; l.held > 0 {
		return
	}
	now := time.Now()
	l.stood, l.since = l.stood+now.Sub(l.since), now
	if l.err == nil {
		l.timer.Reset(max(0, l.left))
	}
}

// Progress notes that the server of a call reports progress.
func Progress(ctx context.Context) {
	l, _ := ctx.Value(limitKey{}).(*limited)
	for ; l != nil; l = l.outer {
		if l.patience >= ForProgress {
			l.lift()
		}
	}
}

// never is longer than any call.
const never = 1000 * time.Hour

func (l *limited) lift() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = never
	if l.err == nil && l.held == 0 {
		l.since = time.Now()
		l.timer.Reset(never)
	}
}

// HeldFor returns how long the clock of a call has stood because a person was asked.
func HeldFor(ctx context.Context) time.Duration {
	l, _ := ctx.Value(limitKey{}).(*limited)
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stood
}
