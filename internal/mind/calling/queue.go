package calling

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// maxSteps is how many toggles and steps may wait for one device. No user remembers more
// of them.
const maxSteps = 4

var (
	// ErrOvertaken means that a newer value for the same property came while this one
	// waited.
	ErrOvertaken = errors.New("overtaken by a newer command to the same device")
	// ErrFull means that as many toggles and steps wait for the device as may.
	ErrFull = errors.New("too many commands wait for the device")
	// ErrJoined means that an earlier command wanted the same and has been carried out
	// meanwhile: Outcome says with what result.
	ErrJoined = errors.New("carried out together with an earlier command to the same device")
)

// Act is what a turn does to a device. It is comparable.
type Act struct {
	Device string
	Urgent bool // it is made at once, as a stop is, and drops all that waits for the device
	// Property is what gets a new value, whatever it was before. It is empty for an act
	// that starts from the present state, which no other act makes needless.
	Property string
	Value    string // what the property gets
}

// Queue holds the places of turns in the lines of devices. Its zero value is empty.
// It is safe for use by several goroutines.
type Queue struct {
	mu    sync.Mutex
	lines map[string][]*devicePlace // by device; the first in a line may act
}

// Place is a turn's place in the lines of all its devices.
type devicePlace struct {
	queue *Queue
	turns map[string]*turn // by device
}

// turn is what a place does to one device.
type turn struct {
	first     chan struct{}   // closed when the place leads the line
	overtaken chan struct{}   // closed when nothing of acts is left to do
	acts      map[string]bool // by property: whether a newer value has come
	values    map[string]string
	with      *turn         // wants the same and is before it; nil: it has a place of its own
	left      chan struct{} // closed when nothing more comes of it
	outcome   any
	urgent    bool
	refused   bool
}

// Take puts a turn at the end of the queues of all its devices in one step, so that two
// turns never wait for each other. Acts that wait there for the same properties are
// overtaken.
func (q *Queue) Take(acts []Act) *devicePlace {
	mine := &devicePlace{queue: q, turns: map[string]*turn{}}
	for _, a := range acts {
		t := mine.turns[a.Device]
		if t == nil {
			t = &turn{
				first: make(chan struct{}), overtaken: make(chan struct{}), left: make(chan struct{}), acts: map[string]bool{}, values: map[string]string{},
			}
			mine.turns[a.Device] = t
		}
		t.acts[a.Property], t.values[a.Property] = false, a.Value
		t.urgent = t.urgent || a.Urgent
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lines == nil {
		q.lines = map[string][]*devicePlace{}
	}
	for device, t := range mine.turns {
		q.join(device, t, mine)
	}
	return mine
}

// join puts a place at the end of a device's line. The caller holds mu.
func (q *Queue) join(device string, t *turn, mine *devicePlace) {
	if _, builds := t.acts[""]; builds && !t.urgent && q.steps(device) >= maxSteps {
		t.refused = true
		return
	}
	if line := q.lines[device]; len(line) > 1 && line[len(line)-1].turns[device].same(t) {
		t.with = line[len(line)-1].turns[device]
		return
	}
	for i, other := range q.lines[device] {
		if i > 0 { // the first one acts already
			other.turns[device].overtake(t)
		}
	}
	q.lines[device] = slices.DeleteFunc(q.lines[device], func(other *devicePlace) bool { return other.turns[device].gone() })
	q.lines[device] = append(q.lines[device], mine)
	q.call(device)
}

// steps is how many toggles and steps wait for a device. The caller holds mu.
func (q *Queue) steps(device string) int {
	n := 0
	for i, p := range q.lines[device] {
		if _, builds := p.turns[device].acts[""]; builds && i > 0 {
			n++
		}
	}
	return n
}

// overtake drops the values of a waiting turn that a newer turn also sets, and all its
// values if the newer turn is urgent. A waiting turn that builds on the present state
// loses nothing unless the newer one is urgent.
func (t *turn) overtake(newer *turn) {
	if _, builds := t.acts[""]; builds && !newer.urgent {
		return
	}
	for property := range t.acts {
		t.acts[property] = t.acts[property] || newer.urgent
	}
	for property := range newer.acts {
		if _, waits := t.acts[property]; waits {
			t.acts[property] = true
		}
	}
	for _, dropped := range t.acts {
		if !dropped {
			return
		}
	}
	if !t.gone() {
		close(t.overtaken)
	}
}

// same reports whether another turn sets the same properties to the same values.
func (t *turn) same(other *turn) bool {
	_, builds := t.acts[""]
	return !builds && !t.urgent && !other.urgent && maps.Equal(t.values, other.values)
}

// gone reports whether nothing is left to do.
func (t *turn) gone() bool {
	select {
	case <-t.overtaken:
		return true
	default:
		return false
	}
}

// call lets the place that leads a device's line act. The caller holds mu.
func (q *Queue) call(device string) {
	line := q.lines[device]
	if len(line) == 0 {
		delete(q.lines, device)
		return
	}
	first := line[0].turns[device].first
	select {
	case <-first:
	default:
		close(first)
	}
}

// Wait returns nil when the act may be made, ErrOvertaken when a newer act has made it
// needless, ErrJoined when an earlier act has done the same, ErrFull when the queue is
// full, and otherwise the reason why it stopped waiting. An act for which the place was
// not taken does not wait.
func (p *devicePlace) Wait(ctx context.Context, a Act) error {
	t := p.turns[a.Device]
	switch {
	case t == nil:
		return nil
	case t.refused:
		return ErrFull
	}
	if a.Urgent {
		return nil
	}
	if t.with != nil {
		return t.with.wait(ctx)
	}
	select {
	case <-t.first:
	case <-t.overtaken:
	case <-ctx.Done():
		return fmt.Errorf("waiting for an earlier command to the same device: %w", ctx.Err())
	}
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	if t.acts[a.Property] {
		return ErrOvertaken
	}
	return nil
}

// wait lets another turn wait for what comes of this one.
func (t *turn) wait(ctx context.Context) error {
	select {
	case <-t.left: // also by one that is overtaken
	case <-t.overtaken:
	case <-ctx.Done():
		return fmt.Errorf("waiting for the same command to the same device: %w", ctx.Err())
	}
	if t.gone() {
		return ErrOvertaken
	}
	return ErrJoined
}

// Keep keeps what came of an act for those that wait to do the same.
func (p *devicePlace) Keep(device string, outcome any) {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	p.turns[device].outcome = outcome
}

// Outcome returns the result that was kept by the act with which this one was joined, or
// nil if that act was cut off.
func (p *devicePlace) Outcome(device string) any {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	return p.turns[device].with.outcome
}

// Release gives up the place in one device's line and lets the next one act.
func (p *devicePlace) Release(device string) {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	p.leave(device)
}

func (p *devicePlace) leave(device string) {
	q := p.queue
	if t := p.turns[device]; t != nil {
		select {
		case <-t.left:
		default:
			close(t.left)
		}
	}
	line := slices.DeleteFunc(q.lines[device], func(other *devicePlace) bool { return other == p })
	q.lines[device] = line
	q.call(device)
}

// Leave gives up the places in all lines.
func (p *devicePlace) Leave() {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	for device := range p.turns {
		p.leave(device)
	}
}
