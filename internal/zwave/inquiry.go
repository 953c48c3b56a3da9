package zwave

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// How many other devices are asked, and how soon a stick that is away says no: it
// answers at once, while a device without power takes a second. Silence means
// something only after as long.
const (
	neighboursAsked = 4
	noAtOnce        = 500 * time.Millisecond
)

// inquiry finds out who is to blame when a device does not answer: the device,
// the stick or the gateway. It asks all of them at the same time.
type inquiry struct {
	settled chan struct{} // closed when nothing can change the verdict any more
	began   time.Time
	asked   bool // the device itself is asked, too
	others  int
	proofs  int // of the stick, before anybody was asked

	mu        sync.Mutex
	open      int   // questions without an answer so far
	gateway   error // why the gateway cannot be used; nil if it answers
	itself    word  // of the device
	neighbour word  // of the others: one that answers proves the stick
}

// word is the answer of a device or neighbour that was asked whether it is there.
type word int

const (
	nothing word = iota
	yes
	driverDown // the gateway has no driver that could try
	no         // found out by trying: the radio has sent something
	atOnce     // no, without even trying
)

// inquire begins to ask; itself tells whether the device is asked, too, which is
// of no use while it has not answered a write. The questions end with ctx.
func (c *commander) inquire(ctx context.Context, n *node, itself bool) *inquiry {
	others := c.neighbours(n)
	q := &inquiry{settled: make(chan struct{}), began: time.Now(), asked: itself, others: len(others), proofs: c.link.stickProofs(), gateway: errNoAnswer, open: 1 + len(others)}
	if itself {
		q.open++
		go func() { q.hear(&q.itself, c.devices.isThere(ctx, n.ID)) }()
	}
	for _, other := range others {
		go func() { q.hear(&q.neighbour, c.devices.isThere(ctx, other)) }()
	}
	go func() {
		_, err := c.link.call(ctx, "getInfo")
		q.hearGateway(err)
	}()
	return q
}

// neighbours chooses devices that should answer at once, each from another room
// where there are so many: one fuse may have taken a whole room.
func (c *commander) neighbours(n *node) []int {
	nodes := c.directory.current().nodes
	var near, far []int
	rooms := map[string]bool{n.area(): true}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		other := nodes[id]
		switch {
		case id == n.ID || !other.Listening.Always || !other.Ready || c.ledger.node(id).dead():
		case rooms[other.area()]:
			near = append(near, id)
		default:
			rooms[other.area()] = true
			far = append(far, id)
		}
	}
	all := append(far, near...)
	return all[:min(len(all), neighboursAsked)]
}

// hear takes an answer; the best one of the neighbours counts. An attempt over the radio
// also shows that the gateway works.
func (q *inquiry) hear(about *word, said word) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if *about == nothing || said == yes || said == no && *about == atOnce {
		*about = said
	}
	if said == yes || said == no {
		q.gateway = nil
	}
	q.settle()
}

// hearGateway takes the gateway's own answer, which may be that its driver is
// away.
func (q *inquiry) hearGateway(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if api, ok := errors.AsType[*apiError](err); ok && !api.driverAway() {
		err = nil
	}
	if err == nil || !errors.Is(err, errNoAnswer) {
		q.gateway = err
	}
	q.settle()
}

// settle counts an answer, and settles the matter if it does not depend on more.
// The caller holds mu.
func (q *inquiry) settle() {
	q.open--
	decided := q.gateway == nil && (q.itself == yes || q.neighbour == yes && (!q.asked || q.itself >= no))
	if q.open > 0 && !decided {
		return
	}
	select {
	case <-q.settled:
	default:
		close(q.settled)
	}
}

// waits waits until the matter is settled; all questions end with the context
// they were asked in.
func (q *inquiry) waits() *inquiry {
	<-q.settled
	return q
}

// answers waits, and reports whether the device itself has answered.
func (q *inquiry) answers() bool {
	q.waits()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.itself == yes
}

// blamesOthers reports whether, by what is known so far, the device is not to blame.
// There may be no inquiry.
func (q *inquiry) blamesOthers() bool {
	if q == nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return (q.gateway != nil || q.stickGone()) && (q.open == 0 || time.Since(q.began) >= noAtOnce)
}

// reachesOthers reports whether gateway and stick work by what is known so far:
// another device has answered. There may be no inquiry.
func (q *inquiry) reachesOthers() bool {
	if q == nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.gateway == nil && q.neighbour == yes
}

// stickGone reports whether every device was refused at once, as happens without a
// stick. Silence proves nothing: the radio may be busy interviewing a new device. The
// caller holds mu.
func (q *inquiry) stickGone() bool {
	return q.others > 0 && q.itself != yes && q.itself != no && q.neighbour == atOnce
}

// foundDead reports whether the device has been found not to answer. There may be
// no inquiry.
func (q *inquiry) foundDead() bool {
	if q == nil {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.itself >= no
}

// verdict says, by what is known so far, what causes the silence of a device.
func (q *inquiry) verdict(l *link, name string) (tools.Reason, string) {
	q.mu.Lock()
	gateway, stick, itself := q.gateway, q.stickGone(), q.itself
	q.mu.Unlock()
	switch {
	case gateway != nil:
		return l.diagnose(cmp.Or(gateway, errNoAnswer))
	case stick && l.noteStickGone(q.proofs):
		return tools.StickGone, "The Z-Wave stick does not answer. Check that it is plugged in."
	case itself >= no:
		return tools.Dead, form.SayDead(name)
	default:
		return tools.Silent, notAnswered(name)
	}
}
