package zwave

import (
	"cmp"
	"context"
	"sync"
	"time"

	"voicegateway/internal/home/form"
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
	hurried      chan struct{} // asks for one at once: the current list is known to be wrong
	loaded       chan struct{} // closed when the house is known for the first time

	mu     sync.Mutex
	model  *model // never nil; replaced as a whole, never changed
	needed uint64 // a list that was asked for earlier in the order of messages is wrong
}

func newDirectory(l *link, values *ledger) *directory {
	return &directory{
		link: l, ledger: values, model: emptyModel(),
		refreshAsked: make(chan struct{}, 1), hurried: make(chan struct{}, 1), loaded: make(chan struct{}),
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

// outdate records that every list asked for before now is wrong, and asks for a
// new one at once.
func (d *directory) outdate() {
	now := d.ledger.tick()
	d.mu.Lock()
	d.needed = now
	d.mu.Unlock()
	poke(d.hurried)
}

// rest waits between two lists, because a list has hundreds of kilobytes in a large
// house. It ends early when the current list is known to be wrong; false means that
// ctx ended first.
func (d *directory) rest(ctx context.Context) bool {
	if !sleep(ctx, hurriedPause) {
		return false
	}
	t := time.NewTimer(refreshPause - hurriedPause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-d.hurried:
		d.askRefresh()
	case <-t.C:
	}
	return true
}

// upToDate returns a model that nothing has proved wrong, waiting a moment for it;
// right is false if it did not come.
func (d *directory) upToDate(ctx context.Context) (m *model, right bool) {
	if m, right = d.undisputed(); right {
		return m, true
	}
	t := time.NewTimer(nameMissWait)
	defer t.Stop()
	for !right {
		select {
		case <-m.replaced:
		case <-ctx.Done():
			return m, false
		case <-t.C:
			return m, false
		}
		m, right = d.undisputed()
	}
	return m, true
}

// undisputed returns the current model; right reports that nothing has proved it
// wrong.
func (d *directory) undisputed() (m *model, right bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.model, d.model.asked >= d.needed
}

// renewed returns a model from a new list; fresh is false if none came in time.
func (d *directory) renewed(ctx context.Context) (m *model, fresh bool) {
	d.outdate()
	return d.upToDate(ctx)
}

// recent returns a model whose list came within the last second, or asks for a new list.
// Readings that come together share it: changes since then are reported on the topics.
// fresh is false if none came in time.
func (d *directory) recent(ctx context.Context) (m *model, fresh bool) {
	switch m, right := d.undisputed(); {
	case !right:
		return d.upToDate(ctx)
	case time.Since(m.at) < listedFor:
		return m, true
	}
	return d.renewed(ctx)
}

// ready returns the model, waiting a moment for the first one, or for a new one if the
// present one is known to be wrong.
func (d *directory) ready(ctx context.Context) (*model, error) {
	select {
	case <-d.loaded:
		m, _ := d.upToDate(ctx)
		return m, nil
	default:
	}
	t := time.NewTimer(nameMissWait)
	defer t.Stop()
	select {
	case <-d.loaded:
		return d.current(), nil
	case <-ctx.Done():
	case <-t.C:
	}
	_, err := d.link.gateway()
	return nil, form.Refusal("I do not know the house yet. " + d.link.trouble(cmp.Or(err, errNoAnswer)))
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
