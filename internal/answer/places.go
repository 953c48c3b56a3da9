package answer

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// places makes turns act on a device in the order in which they came, so that "on"
// and "off" said one after the other are not swapped on their way. Turns about
// different devices do not wait for each other.
type places struct {
	mu    sync.Mutex
	lines map[string][]*place // by device id; the first in a line may act
}

// place is a turn's place in the lines of all its devices.
type place struct {
	devices []string
	first   chan struct{} // closed when the place is first in all its lines
}

// take puts a turn at the end of the lines of all its devices in one step, so that
// two turns never wait for each other.
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

// call closes first of a place that leads all its lines. The caller holds mu.
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
