package fake

import (
	"context"
	"sync"
	"time"

	"voicegateway/internal/keep/timers"
)

// Timers keeps a real book of timers by the clock of the test. Nothing rings. It is safe
// for concurrent use, its Book is not.
type Timers struct {
	Book *timers.Book

	mu   sync.Mutex
	zero time.Time
}

// NewTimers opens an empty book.
func NewTimers() *Timers {
	t := &Timers{zero: time.Now()}
	t.Book = timers.Open(timers.Saved{}, t.Now())
	return t
}

// Now is the moment by the clock of the test; the machine was started when the book was
// opened.
func (t *Timers) Now() timers.Moment {
	return timers.Moment{Wall: time.Now().UTC(), Up: time.Since(t.zero)}
}

// Start starts a timer.
func (t *Timers) Start(_ context.Context, o timers.Wish) timers.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Book.Start(o, t.Now())
}

// Change changes timers.
func (t *Timers) Change(c timers.Change) timers.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Book.Change(c, t.Now())
}

// List lists timers.
func (t *Timers) List(w timers.Which, area string) timers.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Book.List(w, area, t.Now())
}

// WeighEnd says why an act could not be given an end.
func (t *Timers) WeighEnd(o timers.Wish) timers.Reason {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Book.Weigh(o, t.Now())
}

// BeginEnd keeps an end.
func (t *Timers) BeginEnd(o timers.Wish) timers.Result { return t.Start(context.Background(), o) }

// Ending finds how a thing was.
func (t *Timers) Ending(thing string) (timers.Back, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Book.Ending(thing)
}

// CancelEnds ends the waiting for things.
func (t *Timers) CancelEnds(things []string, but ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Book.Touch(things, but, t.Now())
}
