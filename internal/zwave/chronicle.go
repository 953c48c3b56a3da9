package zwave

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

const (
	// urgentPause and calmPause are the shortest times between two events about a state that
	// changes all the time; changes meanwhile are reported when the pause is over. An alarm
	// is reported sooner than a lamp that flickers.
	urgentPause = 200 * time.Millisecond
	calmPause   = time.Second
	// quickChanges is how many changes in a row are reported without a pause: a person may be
	// quick at a switch.
	quickChanges = 4
	// pressPause is sooner than any finger: a second message within it is a repeat.
	pressPause = 100 * time.Millisecond
	// heldPause is longer than the time after which a held button is reported again.
	heldPause = time.Minute
	// orderFor is how long a write may be under way, orderKept how long one to a device that
	// sleeps may.
	orderFor  = 3 * time.Minute
	orderKept = 24 * time.Hour
)

// chronicle remembers the events of the house. The ledger passes it every reading as it
// is taken. Only a change that a person could see becomes an event, and a mere claim of
// the gateway never reaches the chronicle. The ledger's lock is held during that call, so
// the chronicle must not call the ledger.
type chronicle struct {
	changed chan struct{} // receives when there are new events, for one reader
	woken   chan struct{} // something waits for its time

	mu      sync.Mutex
	model   *model
	log     *form.EventLog
	watched map[watchKey]*watched
	sources map[wire.ValueID][]*watched // which of them a value shows
	reach   map[int]*watched            // whether a node answers
	orders  map[wire.ValueID]commanded  // what was written and has not been reported yet
	waiting map[*watched]time.Time      // changes that are reported later, and when
	presses map[wire.ValueID]press      // of buttons
	batch   []home.Event                // while a list is being taken: its events, not yet in order
	listing bool
	owed    bool      // events that have not been announced yet
	late    bool      // some of them have waited already
	told    time.Time // when the last ones were
}

// commanded is the request of one of our own writes.
type commanded struct {
	value any
	done  func(any) bool
	until time.Time
}

// press is the last thing that happened to a button.
type press struct {
	how  float64
	at   time.Time // by our clock
	sent time.Time // by the gateway's
}

func newChronicle() *chronicle {
	return &chronicle{
		changed: make(chan struct{}, 1), woken: make(chan struct{}, 1),
		model: emptyModel(), log: form.NewEventLog(func(e home.Event) bool { return urgent(e.Class) }), watched: map[watchKey]*watched{}, sources: map[wire.ValueID][]*watched{}, reach: map[int]*watched{},
		orders: map[wire.ValueID]commanded{}, waiting: map[*watched]time.Time{}, presses: map[wire.ValueID]press{},
	}
}

// Events returns the last events of the house.
func (h *House) Events() form.Events { return h.chronicle.read() }

// Told receives after the house has had an event: at once after an alarm, a button or an act that was
// not done after all, else at most once a second. It has one reader.
func (h *House) Told() <-chan struct{} { return h.chronicle.changed }

func (c *chronicle) read() form.Events {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.Events()
}

// adopt watches the things of a new model. Their known states stay.
func (c *chronicle) adopt(m *model) {
	now, reach := watchStates(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model, c.reach, c.sources = m, reach, map[wire.ValueID][]*watched{}
	for key, w := range now {
		if old := c.watched[key]; old != nil {
			w.state, w.known, w.lost, w.at, w.row, w.now, w.ours, w.raw = old.state, old.known, old.lost, old.at, old.row, old.now, old.ours, old.raw
			if due, waits := c.waiting[old]; waits {
				c.waiting[w] = due
			}
		}
		for _, id := range w.ids {
			c.sources[id] = append(c.sources[id], w)
		}
	}
	for _, old := range c.watched {
		delete(c.waiting, old)
	}
	c.watched = now
}

// beginList and endList enclose the readings of one list, which come in no order.
// The alarms among the events go last, where they stay longest.
func (c *chronicle) beginList() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listing = true
}

func (c *chronicle) endList() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listing = false
	batch := c.batch
	c.batch = nil
	slices.SortStableFunc(batch, func(a, b home.Event) int {
		return cmp.Or(cmp.Compare(rankOf(a), rankOf(b)), cmp.Compare(a.Area, b.Area), cmp.Compare(a.Thing, b.Thing), cmp.Compare(a.Property, b.Property))
	})
	for _, e := range batch {
		c.file(e)
	}
}

func rankOf(e home.Event) int {
	if urgent(e.Class) {
		return 1
	}
	return 0
}

// noteReading takes a reading as it becomes the state of a value.
func (c *chronicle) noteReading(id wire.ValueID, r reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ours := c.fulfils(id, r)
	for _, w := range c.sources[id] {
		w.raw[id] = r.value
		state := w.word(w.raw)
		if state != nil {
			c.judge(w, state, ours, time.Now())
			continue
		}
		delete(c.waiting, w)
		w.lost = w.lost || !r.known // a lock that does not know how its bolt stands is not lost
	}
}

// noteReach takes whether a node answers; empty where the gateway does not know.
func (c *chronicle) noteReach(node int, s nodeStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.reach[node]
	if w == nil || s.available && (s.status == "" || s.status == "Unknown") {
		return
	}
	c.judge(w, either(s.dead(), "dead", "alive"), false, time.Now())
}

// judge reports a known state if it differs from the last one reported. The caller holds
// mu.
func (c *chronicle) judge(w *watched, state any, ours bool, now time.Time) {
	if !same(w.now, state) {
		w.now, w.ours = state, ours
	}
	due := w.at.Add(w.pause())
	switch {
	case w.known && same(w.state, state):
		w.lost = false
		delete(c.waiting, w)
	case w.known && w.row >= quickChanges && now.Before(due):
		if _, waits := c.waiting[w]; !waits {
			c.waiting[w] = due
			poke(c.woken)
		}
	default:
		c.tell(w, now)
	}
}

// tell makes an event of the state a thing has now. The caller holds mu.
func (c *chronicle) tell(w *watched, now time.Time) {
	delete(c.waiting, w)
	e := home.Event{
		Time: now, Kind: home.Reported, Entity: w.entity, Thing: w.thing, Area: w.area, Class: w.class, Property: w.property,
		State: w.now, First: !w.known || w.lost, Ours: w.ours,
	}
	if w.known {
		e.Before = w.state
	}
	w.row++
	if now.Sub(w.at) > quickChanges*w.pause() {
		w.row = 1
	}
	w.state, w.known, w.lost, w.at = w.now, true, false, now
	if c.listing {
		c.batch = append(c.batch, e)
		return
	}
	c.file(e)
}

// file keeps an event and sees to it that it is announced. The caller holds mu.
func (c *chronicle) file(e home.Event) {
	c.log.File(e)
	if urgent(e.Class) || e.Kind != home.Reported {
		c.told = e.Time
		poke(c.changed)
		return
	}
	c.owed = true
	poke(c.woken)
}

// changedSince tells of a device that was as a step asked, word in its own words, and that
// somebody has changed since. unseen tells that it has not reported the first of the two.
// What comes after that is nobody's order any more.
func (c *chronicle) changedSince(s step, word any, unseen bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.orders, s.check)
	for _, w := range c.sources[s.check] {
		was := maps.Clone(w.raw)
		was[s.check] = word
		before, is := w.word(was), w.word(w.raw)
		if !unseen || before == nil || is == nil || same(before, is) {
			continue
		}
		c.judge(w, before, true, now)
		c.judge(w, is, false, now)
	}
}

// belied tells that an act was told as done and is not: what it was told as, and what
// the device says of itself. unsure tells that it may have been so for a moment. It is told
// at once, because somebody believes it.
func (c *chronicle) belied(e *entity, property string, told, is any, unsure bool) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file(home.Event{
		Time: now, Kind: home.Belied, Entity: e.ID, Thing: e.Name, Area: e.node.area(), Class: e.eventClass(), Property: property,
		State: is, Before: told, Ours: true, Unsure: unsure,
	})
}

// noteOrder notes what one of our writes asks for, taken how long the device may take now
// that it has it, withdrawn that it was refused.
func (c *chronicle) noteOrder(s step, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sources[s.check] != nil { // so that there are no more orders than things
		c.orders[s.check] = commanded{s.value, s.done, time.Now().Add(d)}
	}
}

func (c *chronicle) noteTaken(s step, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o, ordered := c.orders[s.check]; ordered && same(o.value, s.value) {
		o.until = time.Now().Add(d)
		c.orders[s.check] = o
	}
}

func (c *chronicle) withdrawn(s step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.orders, s.check)
}

// fulfils reports whether a reading is the result of one of our writes: the written
// value, or one on the way there. Later readings have another cause. The caller holds mu.
func (c *chronicle) fulfils(id wire.ValueID, r reading) bool {
	o, ordered := c.orders[id]
	if !ordered || !r.known {
		return false
	}
	done, overdue := o.done(r.value), time.Now().After(o.until)
	if done || overdue {
		delete(c.orders, id)
	}
	return !overdue && (done || slices.ContainsFunc(c.sources[id], func(w *watched) bool {
		return w.moves || same(w.word(map[wire.ValueID]any{id: r.value}), w.word(map[wire.ValueID]any{id: o.value}))
	}))
}

// pressed takes a press of a button as it happens. A press is momentary: one that is
// repeated, by the device or out of the memory of a gateway that has just started, has
// not happened again.
func (c *chronicle) pressed(id wire.ValueID, r wire.Reading, repeated bool) {
	how, isNumber := number(r.Value)
	word := pressWord(how)
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	sources := c.sources[id]
	if !isNumber || word == "" || len(sources) == 0 {
		return
	}
	last, again := c.presses[id]
	again = again && (now.Sub(last.at) < pressPause && how == last.how || !r.Time.IsZero() && r.Time.Equal(last.sent) ||
		word == "held" && last.how == how && now.Sub(last.at) < heldPause)
	if repeated || again {
		return
	}
	c.presses[id] = press{how, now, r.Time}
	w := sources[0]
	c.file(home.Event{
		Time: now, Kind: home.Pressed, Entity: w.entity, Thing: w.thing, Area: w.area, Class: w.class, Property: w.property, Press: word,
	})
}

// presses of a button by their key attributes, from the Central Scene class.
var pressWords = []string{"pressed", "released", "held", "double", "triple", "quadruple", "quintuple"}

// pressWord returns what happened to a button in one word; empty for nonsense.
func pressWord(how float64) string {
	if i := int(how); how >= 0 && float64(i) == how && i < len(pressWords) {
		return pressWords[i]
	}
	return ""
}

// run tells what has waited for its time, until ctx ends.
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
		if next, waits := c.settle(time.Now()); waits {
			t.Reset(time.Until(next))
		}
	}
}

// settle tells and announces what is due, and returns when the next thing is.
func (c *chronicle) settle(now time.Time) (next time.Time, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w, due := range c.waiting {
		switch {
		case !now.Before(due):
			c.tell(w, now)
			c.late = true
		case !waits || due.Before(next):
			next, waits = due, true
		}
	}
	pause := calmPause
	if c.late {
		pause = urgentPause
	}
	due := c.told.Add(pause)
	switch {
	case !c.owed:
	case !now.Before(due):
		c.owed, c.late, c.told = false, false, now
		poke(c.changed)
	case !waits || due.Before(next):
		next, waits = due, true
	}
	return next, waits
}
