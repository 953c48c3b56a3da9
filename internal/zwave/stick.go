package zwave

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Bounds of asking devices whether the stick is there. A stick that is gone
// answers for every device at once; a device without power takes a second.
const (
	stickWitnesses = 2
	stickWait      = 2500 * time.Millisecond
	stickRecheck   = 2 * time.Second // how often a lost stick is looked for
)

// noteStick records whether the stick is gone.
func (l *link) noteStick(gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stickLost = gone
}

// stickGone reports whether the stick was gone when it was looked for last. The
// gateway itself says so only ten seconds later.
func (l *link) stickGone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stickLost
}

// stickProbe lets one question about the stick serve all who ask meanwhile.
type stickProbe struct {
	mu      sync.Mutex
	running chan struct{} // closed when the running probe has ended; nil: none runs
}

// stickAway finds out whether the stick is gone by asking devices that should
// answer; suspect is one that has not, and is asked only if there is no other.
func (d *devices) stickAway(ctx context.Context, suspect int) bool {
	p := &d.probe
	p.mu.Lock()
	if running := p.running; running != nil {
		p.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
		}
		return d.link.stickGone()
	}
	ended := make(chan struct{})
	p.running = ended
	p.mu.Unlock()
	d.lookForStick(ctx, suspect)
	p.mu.Lock()
	p.running = nil
	p.mu.Unlock()
	close(ended)
	return d.link.stickGone()
}

// lookForStick asks one device after the other until one proves the stick. The
// stick is gone when none did, each at once.
func (d *devices) lookForStick(ctx context.Context, suspect int) {
	witnesses := d.witnesses(suspect)
	ctx, cancel := context.WithTimeout(ctx, stickWait)
	defer cancel()
	for _, node := range witnesses {
		began := time.Now()
		there := d.link.ping(ctx, node)
		switch {
		case there:
			d.link.noteStick(false)
			return
		case ctx.Err() != nil, time.Since(began) > stickWait/2: // the radio has tried, or that is not known
			return
		}
	}
	if len(witnesses) > 0 {
		d.link.noteStick(true)
	}
}

// witnesses chooses devices that listen and should answer.
func (d *devices) witnesses(suspect int) []int {
	nodes := d.directory.current().nodes
	var out []int
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		if n := nodes[id]; n.Listening.Always && n.Ready && id != suspect && !d.ledger.node(id).dead() {
			out = append(out, id)
		}
	}
	if n := nodes[suspect]; len(out) == 0 && n != nil && n.Ready {
		return []int{suspect}
	}
	return out[:min(len(out), stickWitnesses)]
}
