package hass

import (
	"context"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
)

// Bounds of what is reported.
const (
	quickChanges = 4                // of one thing that are reported at once, before it is reported more slowly
	calmPause    = 10 * time.Second // after these
	urgentPause  = time.Second
	toldPause    = time.Second     // between notices of events that are not urgent
	watchFor     = 2 * time.Second // how long a confirmed act is watched
)

// urgent are the classes about a danger for people.
var urgent = []string{"smoke", "carbon_monoxide", "moisture", "tamper", "gas", "heat", "safety", "lock"}

// watched is one thing whose changes are reported.
type watched struct {
	entity   *entity
	class    string
	property string

	state any       // as it was told last
	now   any       // as it is now
	ours  bool      // a command of ours brought it into this state
	known bool      // a state was told
	away  bool      // it was told as dead
	at    time.Time // when it was told
	row   int       // how many events there were without a quiet time
}

// ordered is what a command of ours asks for.
type ordered struct {
	step  step
	until time.Time
}

// kept is what was told as done, for as long as it is watched.
type kept struct {
	step    step
	value   any
	context string // of the state that showed it
	until   time.Time
}

// chronicle reports what changes in the house by itself, and acts that were told as done
// and are not.
type chronicle struct {
	changed chan struct{} // there is a new event
	woken   chan struct{}

	mu      sync.Mutex
	log     *form.EventLog
	watched map[string]*watched
	orders  map[string]ordered
	backs   map[string]kept
	waiting map[*watched]time.Time // when they may be told
	owed    bool                   // a notice is due
	told    time.Time              // of the last notice
}

func newChronicle() *chronicle {
	return &chronicle{
		changed: make(chan struct{}, 1), woken: make(chan struct{}, 1),
		log:     form.NewEventLog(func(e home.Event) bool { return slices.Contains(urgent, e.Class) }),
		watched: map[string]*watched{}, orders: map[string]ordered{}, backs: map[string]kept{}, waiting: map[*watched]time.Time{},
	}
}

func (c *chronicle) read() form.Events {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Events()
}

// watchable returns how the changes of a thing are reported; nil for those that measure
// and those that have no state.
func watchable(e *entity) *watched {
	w := &watched{entity: e, class: e.DeviceClass(), property: string(home.OnOff)}
	if w.class == "" {
		w.class = e.Domain
	}
	switch e.Domain {
	case "sensor", "scene", "button", "script", "todo":
		return nil
	case "binary_sensor":
		w.property = w.class
	}
	for _, a := range []home.Ability{home.Lock, home.OpenClose, home.Mode, home.Contact, home.Motion} {
		if e.Can(a) {
			w.property = string(a)
			break
		}
	}
	return w
}

// adopt watches the things of a new model. What is known of them stays; a danger that is
// there when the house is first seen is reported.
func (c *chronicle) adopt(m *model, states map[string]*status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := map[string]*watched{}
	for _, e := range m.entities {
		w := watchable(e)
		if w == nil {
			continue
		}
		now[e.ID] = w
		if old := c.watched[e.ID]; old != nil {
			w.state, w.now, w.ours, w.known, w.away, w.at, w.row = old.state, old.now, old.ours, old.known, old.away, old.at, old.row
			if due, waits := c.waiting[old]; waits {
				c.waiting[w] = due
			}
			continue
		}
		s := states[e.ID]
		w.now, w.away = e.say(s), s.away() && !s.restored()
		if slices.Contains(urgent, w.class) && w.now != nil {
			c.tell(w, time.Now())
		} else {
			w.state, w.known = w.now, w.now != nil
		}
	}
	for _, old := range c.watched {
		delete(c.waiting, old)
	}
	c.watched = now
}

// note takes a change of a state as it is made.
func (c *chronicle) note(id string, s *status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watched[id]
	if w == nil {
		return
	}
	at := time.Now()
	ours := c.fulfils(id, s, at)
	c.checkBack(w, id, s, ours, at)
	c.noteReach(w, s, at)
	state := w.entity.say(s)
	if state == nil {
		return
	}
	if w.now != state {
		w.now, w.ours = state, ours
	}
	due := w.at.Add(either(slices.Contains(urgent, w.class), urgentPause, calmPause))
	switch {
	case w.known && w.state == state:
		delete(c.waiting, w)
	case w.known && w.row >= quickChanges && at.Before(due):
		if _, waits := c.waiting[w]; !waits {
			c.waiting[w] = due
			poke(c.woken)
		}
	default:
		c.tell(w, at)
	}
}

// noteReach reports whether a thing that can be commanded is there. While Home Assistant
// starts, a restored state says nothing of it. The caller holds mu.
func (c *chronicle) noteReach(w *watched, s *status, at time.Time) {
	away := s.away()
	if w.entity.Control == nil || away == w.away || s.restored() || s == nil {
		return
	}
	w.away = away
	e := c.event(w, at)
	e.Class, e.Property, e.State = "reach", "reach", either(away, "dead", "alive")
	e.Before = either(away, "alive", "dead")
	c.file(e)
}

func (c *chronicle) event(w *watched, at time.Time) home.Event {
	return home.Event{Time: at, Kind: home.Reported, Entity: w.entity.ID, Thing: w.entity.Name, Area: w.entity.Area, Class: w.class, Property: w.property}
}

// tell makes an event of the state a thing has now. The caller holds mu.
func (c *chronicle) tell(w *watched, at time.Time) {
	delete(c.waiting, w)
	e := c.event(w, at)
	e.State, e.First, e.Ours = w.now, !w.known, w.ours
	if w.known {
		e.Before = w.state
	}
	w.row++
	if at.Sub(w.at) > quickChanges*calmPause {
		w.row = 1
	}
	w.state, w.known, w.at = w.now, true, at
	c.file(e)
}

// file keeps an event and sees to its notice: at once if it is urgent or corrects what was
// told. The caller holds mu.
func (c *chronicle) file(e home.Event) {
	c.log.File(e)
	if slices.Contains(urgent, e.Class) || e.Kind != home.Reported || time.Since(c.told) > toldPause {
		c.told, c.owed = e.Time, false
		poke(c.changed)
		return
	}
	c.owed = true
	poke(c.woken)
}

// noteOrder notes what a command of ours asks for. What was told of the one before it is
// not watched any more.
func (c *chronicle) noteOrder(e *entity, s step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.backs, e.ID)
	if c.watched[e.ID] != nil {
		c.orders[e.ID] = ordered{s, time.Now().Add(home.TimeToAct(e.Domain))}
	}
}

// withdraw forgets a command that was refused.
func (c *chronicle) withdraw(e *entity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.orders, e.ID)
}

// fulfils reports whether a state is the result of a command of ours, or on the way there.
// Later ones have another cause. The caller holds mu.
func (c *chronicle) fulfils(id string, s *status, at time.Time) bool {
	o, is := c.orders[id]
	if !is || !s.known() {
		return false
	}
	done, overdue := o.step.done(s), at.After(o.until)
	if done || overdue {
		delete(c.orders, id)
	}
	return !overdue && (done || o.step.moving != nil && o.step.moving(s) || o.step.failed != nil && o.step.failed(s))
}

// watchBack watches for a moment what is told as done, as a state has shown it.
func (c *chronicle) watchBack(e *entity, s step, value any, shown *status) {
	if s.fresh || s.stops || shown == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backs[e.ID] = kept{s, value, shown.context, time.Now().Add(watchFor)}
}

// checkBack tells of what was told as done a moment ago and is not so any more. The caller
// holds mu.
func (c *chronicle) checkBack(w *watched, id string, s *status, ours bool, at time.Time) {
	k, is := c.backs[id]
	if !is {
		return
	}
	if at.After(k.until) {
		delete(c.backs, id)
		return
	}
	if ours || !s.known() || k.step.done(s) {
		return
	}
	delete(c.backs, id)
	if s.user && s.context != k.context {
		return // a person has changed it since
	}
	e := c.event(w, at)
	e.Kind, e.Property, e.State, e.Before, e.Ours = home.Belied, k.step.property, k.step.say(s), k.value, true
	c.file(e)
	if w.known && k.step.property == w.property {
		w.now, w.state = w.entity.say(s), w.entity.say(s) // it has just been told
	}
}

// run tells what has to wait, until ctx ends.
func (c *chronicle) run(ctx context.Context) {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
		case <-t.C:
		}
		if next := c.settle(time.Now()); !next.IsZero() {
			t.Reset(time.Until(next))
		}
	}
}

// settle tells what is due and returns when the next is; zero if nothing waits.
func (c *chronicle) settle(now time.Time) (next time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w, due := range c.waiting {
		if !now.Before(due) {
			c.tell(w, now)
		}
	}
	if due := c.told.Add(toldPause); c.owed && !now.Before(due) {
		c.told, c.owed = now, false
		poke(c.changed)
	} else if c.owed {
		next = due
	}
	for _, due := range c.waiting {
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next
}
