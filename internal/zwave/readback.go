package zwave

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// When a lamp that was reported as done on its own word is asked, and how often it is
// asked again without an answer before it is left alone.
const (
	firstReadBack = 300 * time.Millisecond
	readBackPause = 700 * time.Millisecond
	readBackTries = 3
	// readBackSoon is for how long a new command waits for the read-back of the one before
	// it, because its own state before depends on that.
	readBackSoon = 500 * time.Millisecond
	// mostAtOnce is how many lamps may be reported before the first of them is read back.
	mostAtOnce = 256
)

// readBacks reads lamps back that were reported as done because they said so under
// Supervision. A lamp is reported at once, so its word is a promise until the device has
// been asked. If it has not kept its promise, its real state is reported as a
// correction, and its word is not believed again.
type readBacks struct {
	devices *devices
	ledger  *ledger
	log     *slog.Logger
	made    chan *promise

	mu    sync.Mutex
	open  map[wire.ValueID]*promise // by the value where the device reports
	liars map[string]bool           // entities that have not kept a promise
}

// promise is a lamp's word that it has the commanded state.
type promise struct {
	entity  *entity
	step    step
	told    any           // as the receipt has it
	word    any           // the same as the device says it
	before  reading       // of the value, before the command
	heard   *testimony    // what the device has said since
	seq     uint64        // only readings with a higher one count
	until   time.Time     // when a lamp that still moves is left alone
	first   time.Duration // when it is asked first
	open    bool          // it was reported as moving: it is asked, and no result needs a correction
	soon    signal        // given when a caller waits for the first question
	asked   signal        // given when the device has been asked once
	dropped signal        // given when the outcome is no longer awaited
}

// signal is given once, by anybody, to all who wait for it.
type signal struct {
	given <-chan struct{}
	give  func()
}

func newSignal() signal {
	c := make(chan struct{})
	return signal{c, sync.OnceFunc(func() { close(c) })}
}

func newReadBacks(d *devices, l *ledger, log *slog.Logger) *readBacks {
	return &readBacks{devices: d, ledger: l, log: log, made: make(chan *promise, mostAtOnce), open: map[wire.ValueID]*promise{}, liars: map[string]bool{}}
}

// trusts reports whether an entity is reported at once, on its own word: a lamp that has
// not lied yet. Any other entity is asked first.
func (b *readBacks) trusts(e *entity) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.Domain == "light" && !e.guards() && !b.liars[e.ID]
}

// notePromise notes a lamp's word: what it says it is, and as what that is told.
func (b *readBacks) notePromise(e *entity, s step, before reading, word, told any) {
	b.add(&promise{entity: e, step: s, before: before, word: word, told: told, first: firstReadBack})
}

// underWay has a device that was reported as moving asked at the time when it should have
// arrived, because the controller may write that it has.
func (b *readBacks) underWay(e *entity, s step, remaining time.Duration) {
	b.add(&promise{entity: e, step: s, open: true, first: remaining + lateness})
}

func (b *readBacks) add(p *promise) {
	p.seq, p.until = b.ledger.now(), time.Now().Add(p.first+longestWay)
	p.soon, p.asked, p.dropped = newSignal(), newSignal(), newSignal()
	p.heard = b.ledger.hear(p.step, p.before)
	b.mu.Lock()
	b.open[p.step.check] = p
	b.mu.Unlock()
	select {
	case b.made <- p:
	default: // no user commands so many at once
		b.leave(p)
	}
}

// run reads back what was promised until ctx ends.
func (b *readBacks) run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-b.made:
			all.Go(func() { b.readBack(ctx, p) })
		}
	}
}

// readBack asks a lamp until it is as it promised, is still on its way after a long
// time, or stands still where it should not.
func (b *readBacks) readBack(ctx context.Context, p *promise) {
	defer b.leave(p)
	var last reading
	soon, tries := p.soon.given, 0
	next := time.NewTimer(p.first)
	defer next.Stop()
	for time.Now().Before(p.until) {
		select {
		case <-ctx.Done():
			return
		case <-p.dropped.given:
			return
		case <-soon:
			soon = nil
		case <-next.C:
		}
		err := b.poll(ctx, p.step)
		p.asked.give()
		now := p.reading(b.ledger.read)
		switch {
		case err != nil || !now.known:
			if tries++; tries == readBackTries {
				return // its claim is not taken for its state, and is asked about now and then
			}
		case p.open, p.step.done(now.value):
			return
		case p.moves(b.ledger.read):
		case last.known && same(last.value, now.value):
			b.broken(p, now)
			return
		default:
			last = now
		}
		next.Reset(readBackPause)
	}
}

// reading returns what the device itself has said since its promise; unknown if it has
// said nothing.
func (p *promise) reading(read func(wire.ValueID) reading) reading {
	since := func(id wire.ValueID) reading {
		if r := read(id); r.after(p.seq, p.seq) {
			return r
		}
		return reading{}
	}
	if p.step.assemble != nil {
		return p.step.assembleReading(since)
	}
	return since(p.step.check)
}

// moves reports whether the device says that it is still on its way.
func (p *promise) moves(read func(wire.ValueID) reading) bool {
	r := read(p.step.duration)
	left, _ := wire.Seconds(r.value)
	return p.step.duration != (wire.ValueID{}) && r.after(p.seq, p.seq) && left > 0
}

// poll asks the device for the values of a step.
func (b *readBacks) poll(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, pollWait)
	defer cancel()
	ids := s.polls
	if ids == nil {
		ids = []wire.ValueID{s.check}
	}
	for _, id := range ids {
		if err := b.devices.poll(ctx, id); err != nil {
			b.log.Debug("reading a lamp back", "node", id.Node, "err", err)
			return err
		}
	}
	return nil
}

// broken tells of a lamp that is not as it promised to be, unless a newer command has come:
// it has lied, or somebody has changed it since.
func (b *readBacks) broken(p *promise, is reading) {
	kept, saw := b.ledger.sworn(p.heard, is.value)
	b.mu.Lock()
	if kept == sworeFalsely {
		b.liars[p.entity.ID] = true
	}
	current := b.open[p.step.check] == p
	b.mu.Unlock()
	if kept == sworeFalsely {
		b.log.Warn("a lamp has said that it did what it has not; it is asked from now on before it is told", "node", p.entity.node.ID, "name", p.entity.Name)
	}
	switch {
	case !current:
	case kept == keptSworn:
		b.ledger.told.changedSince(p.step, p.word, !saw)
	default:
		b.ledger.told.belied(p.entity, p.step.property, p.told, p.step.say(is.value), kept == unprovable)
	}
}

// settle has the promise about a value looked at before a newer command for it is sent;
// it does not wait long. It reports whether there was one, and whether it is kept so far.
func (b *readBacks) settle(ctx context.Context, id wire.ValueID) (promised, kept bool) {
	b.mu.Lock()
	p := b.open[id]
	b.mu.Unlock()
	if p == nil {
		return false, false
	}
	defer b.leave(p)
	if p.open {
		return false, false
	}
	p.soon.give()
	late := time.NewTimer(readBackSoon)
	defer late.Stop()
	select {
	case <-ctx.Done():
	case <-late.C:
	case <-p.asked.given:
	}
	is := p.reading(b.ledger.read)
	return true, is.known && p.step.done(is.value)
}

// settleAll has the lamps that were reported just now asked at once, if their state is
// wanted.
func (b *readBacks) settleAll(ctx context.Context, wanted func(*entity) bool) {
	var waits []*promise
	b.mu.Lock()
	for _, p := range b.open {
		if wanted(p.entity) && !p.open {
			waits = append(waits, p)
		}
	}
	b.mu.Unlock()
	late := time.NewTimer(readBackSoon)
	defer late.Stop()
	for _, p := range waits {
		p.soon.give()
	}
	for _, p := range waits {
		select {
		case <-ctx.Done():
			return
		case <-late.C:
			return
		case <-p.asked.given:
		}
	}
}

// leave ends a promise.
func (b *readBacks) leave(p *promise) {
	b.ledger.stopHearing(p.heard)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open[p.step.check] == p {
		delete(b.open, p.step.check)
	}
	p.dropped.give()
	p.asked.give()
}
