package zwave

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Bounds of asking devices whether the stick is there. A stick that is gone answers for
// every device at once; a device without power takes a second.
const (
	stickWitnesses = 4
	stickWait      = 900 * time.Millisecond
	stickRecheck   = 2 * time.Second // how often a lost stick is looked for
	stickKnown     = 2 * time.Minute // how long a stick that was there is believed to be, where nobody says otherwise
)

// stick is what is known of the USB stick. The zero stick is there.
type stick struct {
	lost   bool      // no device could be asked for anything
	proofs int       // how often it was found to be there
	seen   time.Time // when it was found to be there last
}

// prove notes that it is there.
func (s *stick) prove() {
	s.lost, s.seen = false, time.Now()
	s.proofs++
}

// noteStickThere records a proof that the stick is there.
func (l *link) noteStickThere() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stick.prove()
}

// stickSeen reports whether the stick was there a short while ago, and nothing has shown since
// that it is gone.
func (l *link) stickSeen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.stick.lost && time.Since(l.stick.seen) < stickKnown
}

// noteStickGone records that the devices that were asked were all refused at once, and
// reports whether that still holds: a proof since they were asked is newer. proofs is what
// stickProofs returned then.
func (l *link) noteStickGone(proofs int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stick.lost = l.stick.lost || proofs == l.stick.proofs
	return l.stick.lost
}

// doubtStickGone records that nothing shows any more that the stick is gone.
func (l *link) doubtStickGone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stick.lost = false
}

// stickProofs returns how often the stick was found to be there so far.
func (l *link) stickProofs() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stick.proofs
}

// stickGone reports whether the stick was gone when it was looked for last. The
// gateway itself says so only ten seconds later.
func (l *link) stickGone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stick.lost
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

// recheckStick looks for a stick that was gone when it was looked for last, so that
// nothing is refused because of what is no longer so.
func (d *devices) recheckStick(ctx context.Context) {
	if d.link.stickGone() {
		d.stickAway(ctx, 0)
	}
}

// lookForStick asks some devices at the same time. One that answers proves that the stick
// is there; it is gone when all of them are refused at once. A device that takes longer
// may be one that blocks, and shows nothing, so that no device can hide the others.
func (d *devices) lookForStick(ctx context.Context, suspect int) {
	witnesses, proofs := d.witnesses(suspect), d.link.stickProofs()
	ctx, cancel := context.WithTimeout(ctx, stickWait)
	defer cancel()
	said := make(chan word, len(witnesses))
	for _, node := range witnesses {
		go func() { said <- d.isThere(ctx, node) }() // ends with ctx
	}
	refused := 0
	for range witnesses {
		switch <-said {
		case yes, driverDown: // isThere has noted the first; without a driver nobody can tell
			return
		case atOnce:
			refused++
		case no, nothing:
		}
	}
	if refused > 0 && refused == len(witnesses) {
		d.link.noteStickGone(proofs)
	} else {
		d.link.doubtStickGone()
	}
}

// isThere asks one device whether it is there.
func (d *devices) isThere(ctx context.Context, node int) word {
	began := time.Now()
	a, err := d.link.call(ctx, "pingNode", node)
	switch api, refused := errors.AsType[*apiError](err); {
	case err == nil && string(a.result) == "true":
		d.link.noteStickThere()
		d.ledger.judge(node, true)
		return yes
	case err != nil && !refused:
		return nothing
	case refused && api.driverAway():
		return driverDown
	case time.Since(began) < noAtOnce:
		return atOnce
	default:
		return no
	}
}

// witnesses chooses devices that listen and should answer. Where there are none, those
// are asked that are thought dead or are not ready, so that somebody is.
func (d *devices) witnesses(suspect int) []int {
	nodes := d.directory.current().nodes
	var out, others []int
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		switch n := nodes[id]; {
		case !n.Listening.Always:
		case n.Ready && id != suspect && !d.ledger.node(id).dead():
			out = append(out, id)
		default:
			others = append(others, id)
		}
	}
	if len(out) == 0 {
		out = others
	}
	return out[:min(len(out), stickWitnesses)]
}
