// Package arrival gives the second report on acts that take time: a thing that was
// reported as moving, or as asleep, is announced when it has the requested state, or when
// it got stuck (REQUIREMENTS T7). If the result was not known, the thing is announced
// when it has the requested state. The package is separate from the turn, which ends long
// before: it sees the records of ended turns, looks at their things at growing pauses,
// and hands out what is to be said. noted decides what is followed, and judged when it is
// over; another kind of second report is a Kind of record.Announcement and a case there.
package arrival

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// Bounds of the waiting.
const (
	mostThings  = 32               // a thing beyond these is not followed
	patience    = 90 * time.Second // for what is under way
	afterChange = 30 * time.Second // more, counted from the last change that was seen
	longest     = 5 * time.Minute  // in all, for what keeps changing
	asleepFor   = time.Hour        // for a sleeping device; after that it is not announced
	firstLook   = 2 * time.Second  // pauses between looks grow by a half
	slowest     = 15 * time.Second // up to this
	asleepLook  = 30 * time.Second // and for what sleeps from this
	asleepMost  = 5 * time.Minute  // to this
	lookBudget  = 4 * time.Second  // for one look
)

type (
	// House is the house as it is known.
	House interface{ House() *home.House }
	// Reader calls the tools that read a device's state.
	Reader interface {
		Call(ctx context.Context, c tools.Call) (tools.Result, error)
	}
	// Teller passes the second word on.
	Teller interface {
		Announce(a record.Announcement)
		// Say speaks once there is no speech and no listening; it does not wait for that.
		Say(ctx context.Context, text string) error
	}
)

// Waits are the turns whose things are still followed. It is safe for concurrent
// use.
type Waits struct {
	house   House
	read    Reader
	phrases *reply.Phrases
	log     *slog.Logger

	changed chan struct{} // of size one: there is something new to follow
	mu      sync.Mutex
	turns   []*followed
	told    []reportedThing         // acts that were reported as done lately
	lies    record.Lies[home.Event] // what turned out not to be so, and whose turn has not ended
	amends  []amends                // what is to be told of that
}

// followed is a turn with things that take time.
type followed struct {
	turn   string
	began  time.Time
	aloud  bool
	things []*thing
}

// thing is a device that is followed. Its fields are guarded by Waits.mu.
type thing struct {
	step   plan.Step
	asleep bool
	unsure bool      // its result was not known: only success is announced
	since  time.Time // when it was told as under way
	next   time.Time // of the next look
	pause  time.Duration
	looked bool // a look has been answered
	seen   plan.Sight
	moved  time.Time // when seen changed last
	end    conclusion
	told   bool // it was announced
}

// conclusion says why a thing is no longer followed.
type conclusion string

const (
	waiting conclusion = ""
	arrived conclusion = "arrived"
	stuck   conclusion = "stuck"
	quiet   conclusion = "quiet" // not announced: it is too late
)

// New makes an empty Waits; it starts nothing.
func New(h House, r Reader, p *reply.Phrases, log *slog.Logger) *Waits {
	return &Waits{house: h, read: r, phrases: p, log: log.With("part", "arrival"), changed: make(chan struct{}, 1)}
}

// TurnEnded takes note of a turn: the things of its calls are no longer followed for an
// older turn, and those that are still moving are followed from now on. It does not
// block.
func (w *Waits) TurnEnded(r record.Record) {
	if r.Outcome == record.Ignored {
		return
	}
	h := w.house.House()
	f := &followed{turn: r.ID, began: r.Time, aloud: r.Aloud || r.Source == record.FromMic}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range r.Calls {
		w.follow(h, f, c)
	}
	w.match()
	if len(f.things) == 0 {
		return
	}
	w.turns = append(w.turns, f)
	w.wake()
}

// wake has Run look for what is new.
func (w *Waits) wake() {
	select {
	case w.changed <- struct{}{}:
	default: // Run is told already
	}
}

// follow follows the things of one call. The caller holds mu.
func (w *Waits) follow(h *home.House, f *followed, c record.CallMade) {
	var args struct {
		Device string `json:"device_name"`
		Action string `json:"action"`
	}
	if json.Unmarshal(c.Args, &args) != nil || args.Action == "" {
		return
	}
	receipts := []tools.Receipt{{Device: args.Device}} // without a receipt the result is not known
	switch {
	case c.Receipt != nil && len(c.Receipt.Devices) > 0:
		receipts = c.Receipt.Devices
	case c.Receipt != nil:
		receipts[0] = tools.Receipt(*c.Receipt)
	}
	for i := range receipts {
		e := find(h, c.Server, args.Device, receipts[i].Device)
		if e == nil || receipts[i].Outcome == tools.Refused {
			continue
		}
		w.noteTold(f, c.Server, e, &receipts[i])
		f.things = slices.DeleteFunc(f.things, func(t *thing) bool { return t.step.Entity.ID == e.ID })
		w.drop(e.ID)
		if t := follow(e, c, &receipts[i]); t != nil && w.room(f) {
			f.things = append(f.things, t)
		}
	}
}

// drop stops following a device, because it got another command. The caller holds mu.
func (w *Waits) drop(id string) {
	for _, f := range w.turns {
		for _, t := range f.things {
			if t.step.Entity.ID == id && t.end == waiting {
				t.end = quiet
			}
		}
	}
}

// room reports whether one more thing may be followed. The caller holds mu.
func (w *Waits) room(f *followed) bool {
	n := len(f.things)
	for _, other := range w.turns {
		n += len(other.things)
	}
	return n < mostThings
}

// follow makes a thing from a receipt that says that the act takes time, or that its
// result is not known; nil for any other receipt.
func follow(e *home.Entity, c record.CallMade, r *tools.Receipt) *thing {
	call := tools.Call{Server: c.Server, Tool: c.Tool, Args: c.Args}
	asleep, moves := r.Outcome == tools.Queued, r.Outcome == tools.Accepted && r.Reason == tools.OnItsWay
	unsure := r.Reason == tools.Unconfirmed || r.Reason == tools.Silent
	if !asleep && !moves && !unsure || e.Read == nil || !plan.ShowsLater(call) {
		return nil
	}
	act, _ := plan.Repeat(call)
	now := time.Now()
	t := &thing{
		step: plan.Step{Action: act, Entity: e, Call: call, Risk: tools.Reversible}, asleep: asleep, unsure: unsure,
		since: now, moved: now, pause: firstLook,
	}
	if asleep {
		t.pause = asleepLook
	}
	t.next = now.Add(t.pause)
	return t
}

// find returns the device that a call or its receipt names; nil if none or several
// have that name.
func find(h *home.House, server string, called, device string) *home.Entity {
	var found *home.Entity
	for i := range h.Entities {
		e := &h.Entities[i]
		if e.Control == nil || e.Server != server {
			continue
		}
		switch {
		case e.Control.ID == called && (device == "" || device == called || strings.EqualFold(e.Name, device)):
			return e
		case strings.EqualFold(e.Name, device) && found != nil:
			return nil
		case strings.EqualFold(e.Name, device):
			found = e
		}
	}
	return found
}

// Run looks at the things and passes the word on until ctx ends.
func (w *Waits) Run(ctx context.Context, to Teller) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.changed:
			w.amend(ctx, to)
		case <-timer.C:
			w.look(ctx)
			w.tell(ctx, to)
		}
		timer.Reset(w.untilNext())
	}
}

// untilNext is the time until the next look; very long while nothing is followed.
func (w *Waits) untilNext() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := time.Now().Add(asleepFor)
	for _, f := range w.turns {
		for _, t := range f.things {
			if t.end == waiting && t.next.Before(next) {
				next = t.next
			}
		}
	}
	return time.Until(next)
}

// look reads the states of all things whose time has come, side by side, and judges
// them.
func (w *Waits) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookBudget)
	defer cancel()
	var due []*thing
	w.mu.Lock()
	for _, f := range w.turns {
		for _, t := range f.things {
			if t.end == waiting && !t.next.After(time.Now()) {
				due = append(due, t)
			}
		}
	}
	w.mu.Unlock()
	var all sync.WaitGroup
	for _, t := range due {
		all.Go(func() {
			e := t.step.Entity // never changes
			args, err := json.Marshal(map[string]string{"device_name": e.Read.ID})
			if err != nil {
				return
			}
			r, err := w.read.Call(ctx, tools.Call{Server: e.Server, Tool: e.Read.Tool, Args: args})
			if err != nil {
				w.log.Debug("looking at a thing under way", "err", err)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			t.judge(r, err == nil && !r.Failed)
		})
	}
	all.Wait()
}

// judge takes one look into account. The caller holds mu.
func (t *thing) judge(r tools.Result, answered bool) {
	now := time.Now()
	if answered {
		seen := plan.Look(t.step.Call, r, now.Sub(t.since), t.seen)
		if fmt.Sprint(seen.State, seen.Level) != fmt.Sprint(t.seen.State, t.seen.Level) {
			t.moved = now
		}
		t.seen, t.looked = seen, true
	}
	if t.end == waiting {
		t.end = t.state(now)
	}
	most := slowest
	if t.asleep {
		most = asleepMost
	}
	t.pause = min(t.pause*3/2, most)
	t.next = now.Add(t.pause)
	if until := t.until(); until.After(now) && until.Before(t.next) {
		t.next = until // a failure is announced no later than needed
	}
}

// state says whether a thing has arrived, is stuck, or is no longer worth an
// announcement. A door that turns round is still followed, because something may have
// been in its way. Any other thing that turns round probably got another command.
func (t *thing) state(now time.Time) conclusion {
	lets := t.step.Entity.Hazards() != 0
	switch over := !now.Before(t.until()); {
	case t.seen.There:
		return arrived
	case t.unsure && !over:
		return waiting
	case t.unsure, t.seen.Back && !lets:
		return quiet
	case t.seen.Rests && !t.asleep:
		return stuck
	case !over:
		return waiting
	case t.asleep, !t.looked: // it still sleeps, or its server is gone
		return quiet
	}
	return stuck
}

// until is when a thing is given up.
func (t *thing) until() time.Time {
	if t.asleep {
		return t.since.Add(asleepFor)
	}
	until, changing, last := t.since.Add(patience), t.moved.Add(afterChange), t.since.Add(longest)
	if changing.After(until) {
		until = changing
	}
	if until.After(last) {
		return last
	}
	return until
}

// tell announces what has come to an end. The word on a turn is spoken once, when
// all its things have ended.
func (w *Waits) tell(ctx context.Context, to Teller) {
	var all []record.Announcement
	var over []*followed
	w.mu.Lock()
	for _, f := range w.turns {
		all = append(all, w.announcements(f)...)
	}
	w.turns = slices.DeleteFunc(w.turns, func(f *followed) bool {
		ended := !slices.ContainsFunc(f.things, func(t *thing) bool { return t.end == waiting })
		if ended {
			over = append(over, f)
		}
		return ended
	})
	w.mu.Unlock()
	for _, a := range all {
		to.Announce(a)
	}
	for _, f := range over { // nobody changes it any more
		text := w.sayTogether(f)
		if text == "" || !f.aloud {
			continue
		}
		if err := to.Say(ctx, text); err != nil && ctx.Err() == nil {
			w.log.Warn("the second word was not spoken", "turn", f.turn, "err", err)
		}
	}
}

// announcements returns the announcements for the things of a turn that are due and were
// not made yet. The caller holds mu.
func (w *Waits) announcements(f *followed) []record.Announcement {
	var all []record.Announcement
	for _, t := range f.things {
		if t.told || t.end == waiting || t.end == quiet {
			continue
		}
		t.told = true
		a := record.Announcement{ID: f.turn, Kind: record.Arrived, Device: t.step.Entity.Name, Time: time.Now()}
		if t.end == stuck {
			a.Kind, a.Text = record.Stuck, w.phrases.SayStuck(&t.step, t.seen)
		} else {
			a.Text = w.phrases.SayArrived([]plan.Step{t.step})
		}
		all = append(all, a)
	}
	return all
}

// sayTogether is the word on all things of a turn together.
func (w *Waits) sayTogether(f *followed) string {
	var there []plan.Step
	var said []string
	for _, t := range f.things {
		switch t.end {
		case arrived:
			there = append(there, t.step)
		case stuck:
			said = append(said, w.phrases.SayStuck(&t.step, t.seen))
		case waiting, quiet:
		}
	}
	if len(there) > 0 {
		said = append([]string{w.phrases.SayArrived(there)}, said...)
	}
	return strings.Join(said[:min(len(said), mostSentences)], " ")
}

// mostSentences is how many sentences of a second word a person listens to.
const mostSentences = 3
