// Package order keeps orders in the order in which they came. Whoever reads a message
// takes a place in a line at once, before the message goes its way in a goroutine of
// its own; whoever acts on it waits for that place, and passes when the next one may
// act. It exists apart from those that read and those that act, because a place
// travels from one to the other in a context.
package order

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Lines are lines by name. A line exists as long as somebody has a place in it. The
// zero value has none. It is safe for use by several goroutines.
type Lines struct {
	mu     sync.Mutex
	byName map[string][]*Place
}

// Place is a place in a line. The methods of a nil Place do nothing: who has none
// waits for nobody.
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

// Await waits until everybody before has passed, or ctx has ended. Who has passed waits
// for nobody.
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

// The lines in which everything stands that commands a program from outside: Mute what
// closes the microphone or opens it, which waits for nothing else, and Acts the rest.
const (
	Acts = "acts"
	Mute = "mute"
)

type key struct{}

// With returns a context that carries a place to whoever acts.
func With(ctx context.Context, p *Place) context.Context { return context.WithValue(ctx, key{}, p) }

// From returns the place that a context carries, or nil.
func From(ctx context.Context) *Place {
	p, _ := ctx.Value(key{}).(*Place)
	return p
}
