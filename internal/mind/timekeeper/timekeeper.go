// Package timekeeper runs the book of timers (REQUIREMENTS T5): it rings them, carries out the commands
// that were ordered for later, announces what was missed, and saves everything in the state directory
// before it reports it. It is separate from the book so that the book needs neither a clock nor a disk.
// The book decides what happens to a timer; the members of Ends do the rest.
package timekeeper

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

type (
	// Bell rings until a person says stop.
	Bell interface {
		// Ring replaces what rings with the same id.
		Ring(ctx context.Context, a Alert) error
		Quiet(ctx context.Context, ids ...string) error
	}
	// Asker carries out sentences.
	Asker interface {
		// Weigh finds out what a sentence would do if it were said now, and does nothing.
		Weigh(ctx context.Context, q record.Request) record.Record
		// Carry runs the sentence as a turn and reports it to its observers.
		Carry(ctx context.Context, q record.Request) record.Record
		// PutBack restores things to their state before an act with an end began, except those
		// that have been changed since. It reports the turn to its observers.
		PutBack(ctx context.Context, q record.Request, things []timers.Back) record.Record
	}
	// Teller passes on announcements.
	Teller interface {
		Announce(a record.Announcement)
		// Say speaks once there is no speech and no listening; it does not wait for that.
		Say(ctx context.Context, text string) error
	}
	// Voice has the words for what is said unasked, in the family's language. now is the
	// time by the book.
	Voice interface {
		Rings(r timers.Ring, now time.Time) string
		// SayMissed says which timers did not ring, and which commands were not carried out,
		// because their time was over for too long.
		SayMissed(all []timers.Timer, now time.Time) string
		// Became says what became of a command.
		Became(n timers.Notice) string
	}
)

// Alert is a timer that rings.
type Alert struct {
	ID   string
	Text string        // spoken after the sound
	Most time.Duration // it ends by itself after that
}

// Ends is what a Keeper has to do with while it runs.
type Ends struct {
	Bell   Bell
	Asker  Asker
	Teller Teller
	Voice  Voice
	// Show is called with all timers whenever one has changed. It must not block.
	Show func([]timers.Timer)
}

// Config says where timers are kept, and for which room.
type Config struct {
	Dir   string        // the state directory; "": they are kept until the program ends
	Area  string        // of those who name none
	Place *timers.Place // where the house stands; nil: sunrise and sunset are not known
	Clock func() timers.Moment
}

// Bounds of the keeping.
const (
	file       = "timers"         // its name in the state directory
	slowest    = 10 * time.Second // a wall clock that is set is noticed after that
	heartbeat  = 5 * time.Minute  // while a timer counts down, the time is written so often
	callBudget = 5 * time.Second  // for the bell and the voice to take something
	turnBudget = time.Minute      // for a command; a turn has its own, shorter ones
)

// Keeper owns the book. It is safe for concurrent use.
type Keeper struct {
	cfg Config
	log *slog.Logger

	changed chan struct{} // of size one: Run has something to look at
	errands chan timers.Errand

	mu      sync.Mutex
	ends    *Ends        // nil: it does not run
	book    *timers.Book // nil: not read yet
	disk    *keep.Store  // nil: in memory only
	trouble string       // why the book is not on the disk; "" if it is
	savedAt time.Duration
	news    bool // the timers have changed since they were shown

	ackMu sync.Mutex
	acked []string // ids that a person has silenced
	rung  []string // ids that have rung for as long as they may
}

// NewClock makes the clock of the machine.
func NewClock() func() timers.Moment {
	began := time.Now()
	return func() timers.Moment {
		now := time.Now()
		return timers.Moment{Wall: now, Up: now.Sub(began)}
	}
}

// New makes a keeper that starts nothing; the state directory is opened when it is
// first needed.
func New(cfg Config, log *slog.Logger) *Keeper {
	if cfg.Clock == nil {
		cfg.Clock = NewClock()
	}
	return &Keeper{cfg: cfg, log: log, changed: make(chan struct{}, 1), errands: make(chan timers.Errand, 2*timers.Most)}
}

// Start sets a timer. While Run does not run, nothing would ring, so the timer is
// refused.
func (k *Keeper) Start(ctx context.Context, o timers.Wish) timers.Result {
	o.Area = cmp.Or(o.Area, k.cfg.Area)
	k.mu.Lock()
	ends := k.ends
	k.mu.Unlock()
	why := timers.NoBell
	if ends != nil {
		why = weigh(ctx, ends.Asker, o)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if why != "" {
		return timers.Result{Outcome: timers.Refused, Reason: why, Timers: []timers.Timer{}, Now: k.cfg.Clock().Wall.Round(time.Second)}
	}
	return k.saveResult(k.open().Start(o, k.cfg.Clock()))
}

// Change does something with timers.
func (k *Keeper) Change(c timers.Change) timers.Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ends == nil {
		return timers.Result{Outcome: timers.Refused, Reason: timers.NoBell, Timers: []timers.Timer{}, Now: k.cfg.Clock().Wall.Round(time.Second)}
	}
	return k.saveResult(k.open().Change(c, k.cfg.Clock()))
}

// Shown returns what the page and other programs see: the timers that are yet to come, and
// before them those that have rung to their end and that no person has seen.
func (k *Keeper) Shown() []timers.Timer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.shown(k.cfg.Clock())
}

// shown is Shown. The caller holds mu.
func (k *Keeper) shown(now timers.Moment) []timers.Timer {
	list := k.open().List(timers.Which{}, "", now).Timers
	return slices.Insert(list, 0, k.book.Unseen()...)
}

// List tells which timers there are.
func (k *Keeper) List(w timers.Which, area string) timers.Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.open().List(w, area, k.cfg.Clock())
}

// Acknowledged ends the ringing of timers: a person said stop, or they rang for as
// long as they may. It does not block.
func (k *Keeper) Acknowledged(ids []string, over bool) {
	k.ackMu.Lock()
	if over {
		k.rung = append(k.rung, ids...)
	} else {
		k.acked = append(k.acked, ids...)
	}
	k.ackMu.Unlock()
	k.wake()
}

// Open reads the timers of an earlier run, if that has not been done.
func (k *Keeper) Open() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open()
}

// Trouble says why timers would not survive the end of the program; "" if they would.
func (k *Keeper) Trouble() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trouble
}

// wake lets Run look at the book. It does not block.
func (k *Keeper) wake() {
	select {
	case k.changed <- struct{}{}:
	default: // it will look anyway
	}
}

// saveResult saves a change before its result is reported. A timer that cannot be saved is kept
// in memory, and the result says so. The caller holds mu.
func (k *Keeper) saveResult(r timers.Result) timers.Result {
	switch r.Outcome { //nolint:exhaustive // the others have changed nothing
	case timers.Refused, timers.None, timers.Several, timers.Listed:
		return r
	}
	k.news = true
	k.save()
	if k.trouble != "" {
		r.Reason = timers.NotSaved
	}
	k.wake()
	return r
}

// open is the book, read from the disk when it is first needed. The caller holds
// mu.
func (k *Keeper) open() *timers.Book {
	if k.book != nil {
		return k.book
	}
	var saved timers.Saved
	if k.cfg.Dir == "" {
		k.trouble = "there is no state directory"
	} else if disk, err := keep.Open(k.cfg.Dir); err != nil {
		k.fail(err)
	} else {
		k.disk = disk
		if err := disk.Load(file, &saved); err != nil {
			saved = timers.Saved{}
			k.log.Warn("timers of an earlier run are lost", "err", err)
		}
	}
	k.book, k.news = timers.Open(saved, k.cfg.Clock()), true
	k.book.Stands(k.cfg.Place)
	return k.book
}

// save writes the book down. The caller holds mu.
func (k *Keeper) save() {
	k.savedAt = k.cfg.Clock().Up
	if k.disk == nil {
		return
	}
	if err := k.disk.Save(file, k.book.Save()); err != nil {
		k.fail(err)
		return
	}
	k.trouble = ""
}

// fail notes why nothing can be written, and logs that once. The caller holds mu.
func (k *Keeper) fail(err error) {
	if k.trouble == "" {
		k.log.Warn("timers cannot be written and are kept until the end only", "err", err)
	}
	k.trouble = err.Error()
}

// weigh refuses a command that must not be carried out later, or that the house does not
// understand: what cannot be done now cannot be done later.
func weigh(ctx context.Context, asker Asker, o timers.Wish) timers.Reason {
	if o.Command == "" {
		return ""
	}
	rec := asker.Weigh(ctx, record.Request{Text: o.Command, Area: o.Area, Source: record.FromTimer, Confirmed: o.Confirmed})
	switch {
	case rec.Risk == dangerous:
		return timers.IsDangerous
	case rec.Outcome == record.Asked && rec.Risk != "":
		return timers.ManyDevices
	case rec.Route != record.RouteLocal || rec.Outcome == record.Asked || len(rec.Calls) == 0:
		return timers.NotUnderstood
	}
	for _, c := range rec.Calls {
		if c.Server == "" && (c.Tool == "start_timer" || c.Tool == "change_timer") {
			return timers.NotUnderstood // a timer that sets timers never ends
		}
	}
	return ""
}

// dangerous is the risk, as records name it, of commands that are never carried out
// later.
const dangerous = "dangerous"
