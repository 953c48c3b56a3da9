package zwave

import (
	"context"
	"sync"

	"voicegateway/internal/zwave/wire"
)

// commandOrder keeps commands for the same value in order: the newer one is published
// after the older one, and the older one ends with the reason that it was replaced.
// Without it the older command would wait for a state that is no longer wanted and report
// the device as faulty.
type commandOrder struct {
	mu   sync.Mutex
	last map[wire.ValueID]*orderedCommand // the last command, by the value where the device reports
}

// orderedCommand is one command on its way.
type orderedCommand struct {
	step      step
	before    *orderedCommand // the command it has to follow; nil if there was none
	sent      chan struct{}   // closed when it has been published or will not be
	overtaken chan struct{}   // closed when a newer command wants something else
	once      *sync.Once      // guards the closing of sent
}

func newCommandOrder() *commandOrder { return &commandOrder{last: map[wire.ValueID]*orderedCommand{}} }

// enter files a command and overtakes the one before it, unless both want the same.
func (l *commandOrder) enter(s step) *orderedCommand {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &orderedCommand{step: s, before: l.last[s.check], sent: make(chan struct{}), overtaken: make(chan struct{}), once: new(sync.Once)}
	switch old := f.before; {
	case old == nil:
	case old.step.target == s.target && same(old.step.value, s.value):
		f.overtaken = old.overtaken // the two want the same, so what replaces one replaces both
	default:
		close(old.overtaken)
	}
	l.last[s.check] = f
	return f
}

// wanted is what the last command under way to a value wants it to be.
func (l *commandOrder) wanted(id wire.ValueID) (value any, ordered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.last[id]
	if f == nil {
		return nil, false
	}
	return f.step.value, true
}

// awaitTurn waits until the command before has been published; false means that ctx
// ended, or that a newer command came first.
func (f *orderedCommand) awaitTurn(ctx context.Context) bool {
	if f.before != nil {
		select {
		case <-f.before.sent:
		case <-ctx.Done():
		}
		f.before = nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-f.overtaken:
		return false
	default:
		return true
	}
}

// release lets the next command be sent.
func (f *orderedCommand) release() { f.once.Do(func() { close(f.sent) }) }

// leave removes a command that has ended.
func (l *commandOrder) leave(f *orderedCommand) {
	f.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last[f.step.check] == f {
		delete(l.last, f.step.check)
	}
}
