// Package order keeps orders in the order in which they arrived. The code that reads a
// message takes a place in a queue at once, before the message is handled in its own
// goroutine; the code that acts on it waits for that place, and passes it on when the
// next may act. It is separate from the readers and the actors, because a place travels
// from one to the other in a context.
package order

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Lines are queues by name. A queue exists as long as it has a place. The zero value has
// none. It is safe for use by several goroutines.
type Lines struct {
	mu     sync.Mutex
	byName map[string][]*Place
}

// Place is a place in a queue. The methods of a nil Place do nothing: without a place
// there is no wait.
type Place struct {
	lines *Lines
	name  string
	first chan struct{} // closed when everybody before it has passed, or it has itself
}

// Take takes the last place in the line of a name. It has to be given back by Pass.
func (l *Lines) Take(name string) *Place {
	p := &Place{lines: l, name: name, first: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byName == nil {
		l.byName = map[string][]*Place{}
	}
	if l.byName[name] = append(l.byName[name], p); len(l.byName[name]) == 1 {
		close(p.first)
	}
	return p
}

// Await waits until all earlier places have passed, or ctx has ended. A place that has
// passed itself does not wait.
func (p *Place) Await(ctx context.Context) error {
	if p == nil {
		return nil
	}
	select {
	case <-p.first:
		return nil
	default:
	}
	select {
	case <-p.first:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for what came before: %w", ctx.Err())
	}
}

// Pass gives the place back, whether its turn has come or not. A second call does
// nothing.
func (p *Place) Pass() {
	if p == nil {
		return
	}
	l := p.lines
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.byName[p.name]
	at := slices.Index(line, p)
	if at < 0 {
		return
	}
	if line = slices.Delete(line, at, at+1); at > 0 {
		close(p.first)
	} else if len(line) > 0 {
		close(line[0].first)
	}
	if l.byName[p.name] = line; len(line) == 0 {
		delete(l.byName, p.name)
	}
}

// The queues for everything that commands a program from outside: Mute for closing and
// opening the microphone, which waits for nothing else, and Acts for the rest.
const (
	Acts = "acts"
	Mute = "mute"
)

type key struct{}

// With returns a context that carries a place to the code that acts.
func With(ctx context.Context, p *Place) context.Context { return context.WithValue(ctx, key{}, p) }

// From returns the place that a context carries, or nil.
func From(ctx context.Context) *Place {
	p, _ := ctx.Value(key{}).(*Place)
	return p
}
