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
	stickRecheck   = 2 * time.Second        // how often a lost stick is looked for
	stickFirst     = 250 * time.Millisecond // after which not only one device is asked
)

// While somebody watches the house, one device is asked now and then whether the stick is there. The
// gateway itself says ten seconds after the stick is gone that its driver is not ready, and from then
// on nobody can tell why.
const (
	stickKnown = 6 * time.Second  // how long a stick that was there is believed to be
	stickWatch = 15 * time.Second // how long somebody who has asked for the health is thought to watch
)

// stick is what is known of the USB stick. The zero stick is there.
type stick struct {
	lost    bool      // no device could be asked for anything
	proofs  int       // how often it was found to be there
	seen    time.Time // when it was found to be there last
	watched time.Time // when somebody who asks all the time did so last
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

// watchStick takes note that somebody watches the house.
func (l *link) watchStick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stick.watched = time.Now()
}

// stickDue reports whether somebody watches the house, and the stick was not seen for a while.
func (l *link) stickDue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.stick.watched) < stickWatch && time.Since(l.stick.seen) >= stickKnown
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

// lookForStick asks one device, and some more at the same time if it does not answer soon. One
// that answers proves that the stick is there; it is gone when all of them are refused at once.
// A device that takes longer may be one that blocks, and shows nothing, so that no device can
// hide the others.
func (d *devices) lookForStick(ctx context.Context, suspect int) {
	witnesses, proofs := d.witnesses(suspect), d.link.stickProofs()
	ctx, cancel := context.WithTimeout(ctx, stickWait)
	defer cancel()
	said := make(chan word, len(witnesses))
	ask := func(nodes []int) {
		for _, node := range nodes {
			go func() { said <- d.isThere(ctx, node) }() // ends with ctx
		}
	}
	waiting := witnesses[min(1, len(witnesses)):]
	ask(witnesses[:len(witnesses)-len(waiting)])
	first := time.NewTimer(stickFirst)
	defer first.Stop()
	refused := 0
	for heard := 0; heard < len(witnesses); {
		select {
		case <-first.C:
		case w := <-said:
			heard++
			switch w {
			case yes, driverDown: // isThere has noted the first; without a driver nobody can tell
				return
			case atOnce:
				refused++
			case no, nothing:
			}
		}
		ask(waiting)
		waiting = nil
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
