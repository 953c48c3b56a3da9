// Package announce tells a family what their house reports without a question: smoke,
// water and the like ring until a person says stop, and what a rule names is said once
// (REQUIREMENTS T7). It is separate from the turn, because there is no spoken command.
// book.go, which is pure, decides what is said and when; to add another kind of news, add
// a condition to the table in rule.go and its phrase to the replies.
package announce

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
)

const (
	// file is the name of the alarms in the memory.
	file = "alarms"
	// tryAgain is when an alarm that could not be passed on is passed on again.
	tryAgain = 5 * time.Second
	// mostDeeds bounds what waits to be passed on. Alarms are not counted.
	mostDeeds = 256
)

// Teller passes news on.
type Teller interface {
	Announce(a record.Announcement)
	// Say speaks once there is no speech and no listening; it does not wait for that.
	Say(ctx context.Context, text string) error
	// Ring sounds an alarm until it is acknowledged, or Quiet ends it.
	Ring(ctx context.Context, a Alert) error
	Quiet(ctx context.Context, ids ...string) error
}

// Alert is an alarm as it rings.
type Alert struct {
	ID     string
	Urgent bool // people may die of it
	Text   string
	Every  time.Duration // the quiet between two rounds
}

// Memory keeps values by name over a restart, written atomically.
type Memory interface {
	Load(name string, v any) error // leaves v as it is if nothing was saved
	Save(name string, v any) error
}

// Announcer decides which events of the houses are announced, and announces them while
// Run runs. It is safe for concurrent use. Its methods do not block, except that the
// first call waits for the memory.
type Announcer struct {
	open func() (Memory, error) // nil: nothing is kept
	log  *slog.Logger

	changed chan struct{} // of size one: there is something to tell
	unsaved chan struct{} // of size one: there is something to write
	writing sync.Mutex    // held while the memory is written; never waited for with mu
	mu      sync.Mutex
	book    *book
	deeds   []deed
	disk    Memory // nil: only this run
	loaded  bool
	dirty   bool // the alarms are not on disk as they are
}

// New makes an announcer that keeps which alarms were acknowledged in a memory, nil for
// none, which is opened when it is first needed. The configuration is valid. Times of
// day are local.
func New(cfg Config, memory func() (Memory, error), p *reply.Phrases, log *slog.Logger) *Announcer {
	return &Announcer{open: memory, log: log.With("part", "announce"), changed: make(chan struct{}, 1), unsaved: make(chan struct{}, 1), book: newBook(cfg, p)}
}

// Reported takes note of what a house tells.
func (a *Announcer) Reported(e home.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.load()
	a.queue(a.book.report(e, time.Now()))
	wake(a.changed)
}

// TurnEnded takes note of what the gateway has done itself, which is no news.
func (a *Announcer) TurnEnded(r record.Record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.book.noteTurn(r, time.Now())
}

// Acknowledged takes note of the alerts that a person has heard, and returns when that
// is written. Those of others are ignored.
func (a *Announcer) Acknowledged(ids []string, _ bool) {
	var things []string
	a.mu.Lock()
	for _, id := range ids {
		if thing, ours := a.book.acknowledge(id); ours {
			things = append(things, thing)
			a.dirty = true
		}
	}
	a.mu.Unlock()
	a.save()
	for _, thing := range things {
		a.log.Info("alarm acknowledged", "thing", thing)
	}
}

// AcknowledgeThings takes note that a person has seen the alarms of things, by their ids in
// the house, and returns the IDs of their alerts when that is written.
func (a *Announcer) AcknowledgeThings(things []string) (alerts []string) {
	a.mu.Lock()
	a.load()
	alerts = a.book.alertsOf(things)
	a.mu.Unlock()
	a.Acknowledged(alerts, false)
	return alerts
}

// AcknowledgedThings are the things whose alarms a person has heard or seen and that are not
// over, by their ids in the house; the list is never nil.
func (a *Announcer) AcknowledgedThings() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.load()
	return a.book.acknowledgedThings()
}

// queue queues deeds. The caller holds mu.
func (a *Announcer) queue(deeds []deed) {
	for _, d := range deeds {
		if d.alert != nil || len(a.deeds) < mostDeeds {
			a.deeds = append(a.deeds, d)
		}
		a.dirty = a.dirty || d.keeps
	}
}

func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is told already
	}
}

// Run tells what there is to tell until ctx ends. An alarm that a failing or hanging
// disk cannot keep rings all the same; whether it was acknowledged is then forgotten
// with the next start.
func (a *Announcer) Run(ctx context.Context, to Teller) error {
	var saving sync.WaitGroup
	saving.Go(func() { a.keep(ctx) })
	defer saving.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.changed:
		case <-timer.C:
		}
		timer.Reset(a.tell(ctx, to))
	}
}

// tell passes everything on that is due, and returns the time until the next thing
// is.
func (a *Announcer) tell(ctx context.Context, to Teller) time.Duration {
	now := time.Now()
	a.mu.Lock()
	a.load()
	due, next := a.book.due(now)
	a.queue(due)
	deeds := a.deeds
	a.deeds = nil
	a.mu.Unlock()
	var failed []deed
	for _, d := range deeds {
		if !a.pass(ctx, to, d) {
			d.published = true
			failed = append(failed, d)
		}
	}
	wake(a.unsaved)
	a.mu.Lock()
	defer a.mu.Unlock()
	again := slices.DeleteFunc(failed, func(d deed) bool { return d.alert != nil && !a.book.rings(d.alert.ID) })
	if len(again) > 0 {
		a.deeds = append(again, a.deeds...)
		next = tryAgain
	}
	return next
}

// pass carries out a deed. It returns false if the deed should be tried again.
func (a *Announcer) pass(ctx context.Context, to Teller, d deed) bool {
	if d.news != nil && !d.published {
		to.Announce(*d.news)
	}
	var err error
	switch {
	case d.alert != nil:
		a.log.Info("alarm rings", "thing", d.news.Device, "urgent", d.alert.Urgent)
		err = to.Ring(ctx, *d.alert)
	case d.quiet != "":
		a.log.Info("alarm over", "thing", d.news.Device)
		err = to.Quiet(ctx, d.quiet)
	}
	if err == nil && d.says {
		err = to.Say(ctx, d.news.Text)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("news was not told", "kind", string(d.news.Kind), "thing", d.news.Device, "err", err)
	}
	return err == nil || d.alert == nil && d.quiet == ""
}

// load reads which alarms an earlier run knew. The caller holds mu.
func (a *Announcer) load() {
	if a.loaded {
		return
	}
	a.loaded = true
	if a.open == nil {
		return
	}
	disk, err := a.open()
	if err != nil {
		a.log.Warn("acknowledged alarms are remembered until the end only", "err", err)
		return
	}
	a.disk = disk
	var kept map[string]kept
	if err := disk.Load(file, &kept); err != nil {
		a.log.Warn("which alarms were acknowledged is lost; they ring again", "err", err)
		return
	}
	a.book.restore(kept)
}

// keep writes the alarms whenever they have changed, until ctx ends.
func (a *Announcer) keep(ctx context.Context) {
	for {
		select {
		case <-a.unsaved:
			a.save()
		case <-ctx.Done():
			a.save()
			return
		}
	}
}

// save writes the alarms if they have changed. Other alarms are announced meanwhile.
func (a *Announcer) save() {
	a.writing.Lock()
	defer a.writing.Unlock()
	a.mu.Lock()
	changed, disk, all := a.dirty, a.disk, a.book.snapshot()
	a.dirty = false
	a.mu.Unlock()
	if !changed || disk == nil {
		return
	}
	if err := disk.Save(file, all); err != nil {
		a.log.Warn("alarms could not be written and are remembered until the end only", "err", err)
		a.mu.Lock()
		a.dirty = true
		a.mu.Unlock()
	}
}
