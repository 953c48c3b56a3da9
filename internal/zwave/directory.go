package zwave

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// nameMissWait is how long a call waits for a fresh list after a name miss: the
// device may have been renamed a moment ago.
const nameMissWait = 2 * time.Second

// directory holds the current model of the house, for everything that looks
// things up in it.
type directory struct {
	link         *link
	ledger       *ledger
	refreshAsked chan struct{} // asks for a fresh list
	loaded       chan struct{} // closed when the house is known for the first time

	mu    sync.Mutex
	model *model // never nil; replaced as a whole, never changed
}

func newDirectory(l *link, values *ledger) *directory {
	return &directory{
		link: l, ledger: values, model: emptyModel(),
		refreshAsked: make(chan struct{}, 1), loaded: make(chan struct{}),
	}
}

func (d *directory) current() *model {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.model
}

// replace makes a model the current one; first reports that the house was not
// known before. It must not be called concurrently.
func (d *directory) replace(m *model) (before *model, first bool) {
	before = d.current()
	d.mu.Lock()
	d.model = m
	d.mu.Unlock()
	close(before.replaced)
	select {
	case <-d.loaded:
		return before, false
	default:
		close(d.loaded)
		return before, true
	}
}

func (d *directory) askRefresh() { poke(d.refreshAsked) }

// ready returns the model, waiting a moment for the first one.
func (d *directory) ready(ctx context.Context) (*model, error) {
	t := time.NewTimer(nameMissWait)
	defer t.Stop()
	select {
	case <-d.loaded:
		return d.current(), nil
	default:
	}
	select {
	case <-d.loaded:
		return d.current(), nil
	case <-ctx.Done():
	case <-t.C:
	}
	_, err := d.link.gateway()
	return nil, refusal("I do not know the house yet. " + d.link.trouble(cmp.Or(err, errNoAnswer)))
}

// afterMiss asks for a fresh list and waits for it, unless one came a moment ago.
func (d *directory) afterMiss(ctx context.Context) *model {
	m := d.current()
	if time.Since(m.at) < refreshPause {
		return m
	}
	d.askRefresh()
	t := time.NewTimer(nameMissWait)
	defer t.Stop()
	select {
	case <-m.replaced:
	case <-ctx.Done():
	case <-t.C:
	}
	return d.current()
}
