package timekeeper

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

// Run rings timers, carries out commands and announces their results until ctx ends. A
// command that is being carried out at that moment is announced after the next start.
func (k *Keeper) Run(ctx context.Context, ends Ends) error {
	k.mu.Lock()
	k.ends = &ends
	k.open()
	k.save() // a command that an earlier run did not finish is not begun again
	k.mu.Unlock()
	var carrying sync.WaitGroup
	carrying.Go(func() { k.carry(ctx) })
	defer carrying.Wait()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.ends = nil
	}()
	r := &run{Keeper: k, Ends: ends, ringing: map[string]bool{}, begun: map[string]bool{}}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.changed:
		case <-timer.C:
		}
		timer.Reset(r.step(ctx))
	}
}

// run is what one Run remembers. It belongs to its goroutine.
type run struct {
	*Keeper
	Ends
	ringing map[string]bool // timers that the bell rings
	begun   map[string]bool // commands that were handed on
}

// due is what is to be done, as it is written down.
type due struct {
	rings   []timers.Ring
	errands []timers.Errand
	notices []timers.Notice
	list    []timers.Timer // nil: as it was shown
	now     time.Time      // by the book
	wait    time.Duration
}

// step does what is due and returns how long to wait.
func (r *run) step(ctx context.Context) time.Duration {
	d := r.look()
	if d.list != nil {
		r.Show(d.list)
	}
	maps.DeleteFunc(r.begun, func(id string, _ bool) bool {
		return !slices.ContainsFunc(d.errands, func(e timers.Errand) bool { return e.ID == id })
	})
	for _, e := range d.errands {
		if !r.begun[e.ID] {
			r.begun[e.ID] = true
			r.errands <- e // has room for all that may be in the book, twice
		}
	}
	if !r.ring(ctx, d) {
		d.wait = min(d.wait, slowest)
	}
	r.tellAll(ctx, d)
	return d.wait
}

// look lets time pass in the book and writes down what has changed by that.
func (k *Keeper) look() due {
	k.ackMu.Lock()
	silenced, rung := k.acked, k.rung
	k.acked, k.rung = nil, nil
	k.ackMu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.cfg.Clock()
	changed := k.book.Over(silenced, true)
	changed = k.book.Over(rung, false) || changed
	next, any := k.book.Next()
	if k.book.Advance(now) {
		changed = true
	}
	k.news = k.news || changed
	switch {
	case changed, k.trouble != "" && k.disk != nil, any && next < time.Hour && now.Up-k.savedAt >= heartbeat:
		k.save()
	}
	d := due{rings: k.book.Rings(), errands: k.book.Errands(), notices: k.book.Notices()}
	next, any = k.book.Next()
	d.wait = heartbeat
	if any || len(d.notices) > 0 {
		d.wait = slowest
	}
	if any {
		d.wait = min(d.wait, next)
	}
	d.now = k.book.List(timers.Which{}, "", now).Now
	if k.news {
		k.news = false
		d.list = k.shown(now)
	}
	return d
}

// ring makes the bell ring what rings in the book and nothing else, and reports
// whether it could.
func (r *run) ring(ctx context.Context, d due) (done bool) {
	ctx, cancel := context.WithTimeout(ctx, callBudget)
	defer cancel()
	done = true
	for id := range r.ringing {
		if slices.ContainsFunc(d.rings, func(x timers.Ring) bool { return x.ID == id }) {
			continue
		}
		if err := r.Bell.Quiet(ctx, id); err != nil && ctx.Err() == nil {
			r.log.Warn("a timer was not silenced", "timer", id, "err", err)
		}
		delete(r.ringing, id)
	}
	for _, x := range d.rings {
		if r.ringing[x.ID] {
			continue
		}
		text := r.Voice.Rings(x, d.now)
		if err := r.Bell.Ring(ctx, Alert{ID: x.ID, Text: text, Most: timers.RingsFor}); err != nil {
			r.log.Warn("a timer does not ring yet", "timer", x.ID, "err", err)
			done = false
			continue
		}
		r.ringing[x.ID] = true
		r.log.Info("a timer rings", "timer", x.ID, "kind", string(x.Kind), "late", x.Late)
		r.Teller.Announce(record.Announcement{ID: x.ID, Kind: record.Rang, Device: x.Name, Text: text, Time: r.cfg.Clock().Wall})
	}
	return done
}

// tellAll announces the notices: all missed timers in one sentence, and the result of
// each command in its own.
func (r *run) tellAll(ctx context.Context, d due) {
	var missed []timers.Notice
	var which []timers.Timer
	for _, n := range d.notices {
		if n.Kind == timers.Missed {
			missed, which = append(missed, n), append(which, n.Timer)
			continue
		}
		r.tell(ctx, r.Voice.Became(n), n)
	}
	if len(missed) > 0 {
		r.tell(ctx, r.Voice.SayMissed(which, d.now), missed...)
	}
}

// tell says a text and removes the notices that it is about. If it cannot be said now, it
// is said later.
func (r *run) tell(ctx context.Context, text string, about ...timers.Notice) {
	ctx, cancel := context.WithTimeout(ctx, callBudget)
	defer cancel()
	if text != "" {
		if err := r.Teller.Say(ctx, text); err != nil {
			r.log.Warn("what became of a timer is told later", "timers", len(about), "err", err)
			return
		}
	}
	for _, n := range about {
		r.log.Info("a timer was told of", "timer", n.ID, "kind", string(n.Kind), "late", n.Late)
		if n.Kind != timers.Carried { // its turn is published already
			r.Teller.Announce(record.Announcement{ID: n.ID, Kind: record.Kind(n.Kind), Device: n.Timer.Name, Text: text, Time: n.Time})
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range about {
		r.book.DropNotice(n.ID)
	}
	r.save()
}

// carry runs the commands whose time has come as turns, one after the other.
func (k *Keeper) carry(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-k.errands:
			k.mu.Lock()
			ends := k.ends
			k.mu.Unlock()
			switch {
			case ends == nil || ctx.Err() != nil:
			case e.Kind == timers.End:
				k.putBack(ctx, ends.Asker, e)
			default:
				k.carryOut(ctx, ends.Asker, e)
			}
		}
	}
}

// carryOut runs one command. If the program ends meanwhile, the command stays in the book
// as begun, and is not begun again.
func (k *Keeper) carryOut(ctx context.Context, asker Asker, e timers.Errand) {
	turn, cancel := context.WithTimeout(ctx, turnBudget)
	defer cancel()
	rec := asker.Carry(turn, record.Request{
		Text: e.Command, Area: cmp.Or(e.Area, k.cfg.Area), Source: record.FromTimer, Aloud: true, Confirmed: e.Confirmed,
	})
	if ctx.Err() != nil {
		return
	}
	kind := timers.Carried
	if rec.Route == record.RouteRefused || rec.Route == record.RouteNone || !rec.Outcome.Carried() {
		kind = timers.NotCarried
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.book.Done(e.ID, kind, rec.Reply, k.cfg.Clock())
	k.news = true
	k.save()
	k.wake()
}
