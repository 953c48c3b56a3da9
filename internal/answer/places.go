package answer

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// places lets turns act on a device in the order in which they came: "on" and
// "off" said one after the other must not change places on their way, and what
// concerns other devices waits for nobody.
type places struct {
	mu    sync.Mutex
	lines map[string][]*place // by device, the first is the one that may act
}

// place is a turn's place in the lines of all its devices.
type place struct {
	devices []string
	first   chan struct{} // closed when it is the first in all of them
}

// take puts a turn at the end of its devices' lines, all at once, so that two
// turns never wait for each other.
func (p *places) take(devices []string) *place {
	slices.Sort(devices)
	mine := &place{devices: slices.Compact(devices), first: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines == nil {
		p.lines = map[string][]*place{}
	}
	for _, d := range mine.devices {
		p.lines[d] = append(p.lines[d], mine)
	}
	p.call(mine)
	return mine
}

// call tells a place that it is the first everywhere. The caller holds mu.
func (p *places) call(x *place) {
	for _, d := range x.devices {
		if p.lines[d][0] != x {
			return
		}
	}
	select {
	case <-x.first:
	default:
		close(x.first)
	}
}

// wait returns when the turn may act.
func (x *place) wait(ctx context.Context) error {
	select {
	case <-x.first:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for an earlier command to the same device: %w", ctx.Err())
	}
}

// leave gives the place up and lets the next ones act.
func (p *places) leave(x *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range x.devices {
		p.lines[d] = slices.DeleteFunc(p.lines[d], func(other *place) bool { return other == x })
		if len(p.lines[d]) == 0 {
			delete(p.lines, d)
		}
	}
	for _, d := range x.devices {
		if line := p.lines[d]; len(line) > 0 {
			p.call(line[0])
		}
	}
}
