package zwave

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// ledger holds the last reading of every value and the last status of every node, with
// time and origin, and notifies the watchers of a value. Order of arrival counts, not the
// time in the payload, which may be hours old on an optimistic publish.
//
// It also knows which reports are claims: at a write, the gateway publishes the value
// that it sent as if the device had reported it. Any report that arrives while a write to
// the node is under way, or shortly after another client's write, may be a claim. A claim
// is kept apart and is never a state: until the device itself proves it, the reading
// before it stands.
type ledger struct {
	mu       sync.Mutex
	seq      uint64
	readings map[wire.ValueID]reading
	claims   map[wire.ValueID]reading  // what the gateway says of a value since its last reading
	claimed  chan struct{}             // receives after a claim that differs from the reading
	moving   map[wire.ValueID]movement // values that may change at any moment
	statuses map[int]nodeStatus
	watchers []*watcher
	writes   map[int]map[string]time.Time // our own writes on their way: node, request, until when
	doubts   map[int]time.Time            // until when a node's reports may be claims; key 0 stands for every node
	cached   time.Time                    // until when reports may be repeated out of the gateway's memory
	started  time.Time                    // when the gateway has come last, by its own clock; zero: unknown
	came     time.Time                    // when it did by ours
	told     *chronicle                   // is told of every reading and status that is taken, while mu is held

	testimonies []*testimony // of devices whose promises are looked at
	questions   []*question  // on their way to devices
}

// reading is what was last learned about one value.
type reading struct {
	value  any
	known  bool
	at     time.Time // of the device's report
	source string    // "report", "poll" or "list"
	seq    uint64    // when it arrived, in the order of messages
	asked  uint64    // when the device was asked for it, in the same order; 0: it came by itself
}

// movement is that a value may change at any moment, until a time, because of a command
// whose result is not known; asked tells whether a state is what was asked for, and is nil for
// a stop.
type movement struct {
	until time.Time
	asked func(state any) bool
}

// after reports whether a reading is about the time after a command, in the order of
// messages: it came later than seq, and is no answer to a question from before sent, when
// the command was sent.
func (r reading) after(seq, sent uint64) bool {
	return r.seq > seq && (r.asked == 0 || r.asked > sent) && r.source != sourceList
}

type nodeStatus struct {
	available bool
	status    string
	seq       uint64
	judged    bool // we found it out ourselves, because the gateway did not tell
}

// dead and asleep report the two reasons for which a node does not answer.
func (s nodeStatus) dead() bool   { return s.status == "Dead" || !s.available }
func (s nodeStatus) asleep() bool { return s.status == "Asleep" }

// watcher receives a poke whenever one of its values has a new reading.
type watcher struct {
	ids     []wire.ValueID
	changed chan struct{}
}

func newLedger() *ledger {
	return &ledger{
		told:     newChronicle(),
		readings: map[wire.ValueID]reading{}, statuses: map[int]nodeStatus{},
		claims: map[wire.ValueID]reading{}, claimed: make(chan struct{}, 1), moving: map[wire.ValueID]movement{},
		writes: map[int]map[string]time.Time{}, doubts: map[int]time.Time{},
	}
}

// tick takes the next number in the order of messages.
func (l *ledger) tick() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	return l.seq
}

// now returns the current number; everything that arrives later has a higher one.
func (l *ledger) now() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// report records a value message for a value. A button's second message only ends
// its event; the reading stays what was pressed.
func (l *ledger) report(id wire.ValueID, r wire.Reading) {
	if id.Class == wire.CentralScene && !r.Known {
		return
	}
	if id.Class == wire.CentralScene {
		l.told.pressed(id, r, l.repeated(r))
	}
	at := r.Time
	if at.IsZero() || id.Class == wire.CentralScene {
		at = time.Now()
	}
	l.note(id, reading{value: r.Value, known: r.Known, at: at, source: sourceReport})
}

// notePoll records the answer of a pollValue, which comes from the device itself; asked is
// when it was asked, in the order of messages.
func (l *ledger) notePoll(id wire.ValueID, value any, asked uint64) {
	l.note(id, reading{value: value, known: value != nil, at: time.Now(), source: sourcePoll, asked: asked})
}

// Where a reading comes from.
const (
	sourceReport = "report"
	sourcePoll   = "poll"
	sourceList   = "list"
)

func (l *ledger) note(id wire.ValueID, r reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	r.seq = l.seq
	now := time.Now()
	switch {
	case r.source == sourceReport && claimable(id) && l.doubted(id.Node, now):
		l.keepClaim(id, r)
	case r.source == sourceReport && claimable(id) && now.Before(l.cached):
		r.source = sourceList
		l.record(id, l.merged(id, r, false))
	default:
		if r.source == sourceReport {
			r.asked = l.answers(id)
		}
		l.record(id, r)
		l.testify(id, r)
		delete(l.claims, id)
		if s := l.statuses[id.Node]; s.judged && s.dead() { // it can be heard again
			l.setStatus(id.Node, nodeStatus{available: true, status: "Alive", seq: l.seq})
		}
	}
	l.pokeWatchers(id)
}

// record makes a reading the state of a value. The caller holds mu.
func (l *ledger) record(id wire.ValueID, r reading) {
	l.readings[id] = r
	l.told.noteReading(id, r)
}

// setStatus records the status of a node. The caller holds mu.
func (l *ledger) setStatus(node int, s nodeStatus) {
	l.statuses[node] = s
	l.told.noteReach(node, s)
}

// repeated reports whether a report may come out of the gateway's memory: it does not
// say that it is younger than the gateway itself.
func (l *ledger) repeated(r wire.Reading) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.cached) && (l.started.IsZero() || !r.Time.After(l.started))
}

// merged returns the better one of our reading and the gateway's value, which comes out
// of its memory and may be a claim; kept means that even the gateway's memory is not from
// this run. The caller holds mu.
func (l *ledger) merged(id wire.ValueID, listed reading, kept bool) reading {
	old, heard := l.readings[id]
	claim, claimed := l.claims[id]
	switch {
	case heard && (old.seq > listed.seq || kept || old.known && same(old.value, listed.value)):
		return old // nothing new, and a report is worth more than a memory
	case claimed && same(claim.value, listed.value) && !listed.at.After(claim.at):
		return old
	default:
		delete(l.claims, id)
		return listed
	}
}

// keepClaim keeps what the gateway says of a value. The caller holds mu.
func (l *ledger) keepClaim(id wire.ValueID, r reading) {
	l.claims[id] = r
	if old := l.readings[id]; !old.known || !same(old.value, r.value) {
		poke(l.claimed)
	}
}

// pokeWatchers wakes those who wait for a value. The caller holds mu.
func (l *ledger) pokeWatchers(id wire.ValueID) {
	for _, w := range l.watchers {
		if slices.Contains(w.ids, id) {
			poke(w.changed)
		}
	}
}

// claimable reports whether the gateway may publish a value without a report of
// the device. It does so for what it has written, never for what a sensor
// measures.
func claimable(id wire.ValueID) bool {
	switch id.Class {
	case wire.BinarySensor, wire.MultilevelSensor, wire.Meter, wire.ThermostatState, wire.ThermostatFanState,
		wire.CentralScene, wire.Notification, wire.Battery:
		return false
	case wire.DoorLock: // the door, the bolt and the latch are sensors in the lock
		return strings.HasSuffix(id.Property, "Mode")
	default:
		return id.Property != "duration"
	}
}

// expect keeps that the gateway believes a value to be what was written, even if
// it publishes nothing, as with a MANUAL gateway: its list of nodes will say so.
func (l *ledger) expect(id wire.ValueID, value any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.claims[id]; ok && same(c.value, value) {
		return
	}
	if r := l.readings[id]; r.known && same(r.value, value) {
		return
	}
	l.keepClaim(id, reading{value: value, known: true, at: time.Now(), source: sourceReport, seq: l.seq})
}

// claim returns what the gateway has published about a value since its last reading;
// unknown if it has published nothing.
func (l *ledger) claim(id wire.ValueID) reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.claims[id]
}

// unproved reports whether the last reading of a value may not hold: the gateway
// says something else, or the device was on its way.
func (l *ledger) unproved(id wire.ValueID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, claimed := l.claims[id]
	r := l.readings[id]
	return claimed && (!r.known || !same(r.value, c.value)) || time.Now().Before(l.moving[id].until)
}

// outdated reports whether the last reading of a value is probably no longer so: the
// gateway says something else, or something else was asked for and may have been done.
func (l *ledger) outdated(id wire.ValueID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, claimed := l.claims[id]
	r, m := l.readings[id], l.moving[id]
	return claimed && (!r.known || !same(r.value, c.value)) || time.Now().Before(m.until) && r.known && m.asked != nil && !m.asked(r.value)
}

// moves records that a value may change at any moment; the report of its end may
// get lost.
func (l *ledger) moves(id wire.ValueID, d time.Duration, asked func(state any) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.moving[id] = movement{time.Now().Add(d), asked}
}

// allClaims lists the values about which there are claims.
func (l *ledger) allClaims() []wire.ValueID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.claims))
}

// everyNode is the key in doubts that stands for all nodes.
const everyNode = 0

// doubt makes a node's reports count as claims for a while.
func (l *ledger) doubt(node int, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts[node] = time.Now().Add(d)
}

// startsWithin is more than passes between the gateway's start and its driver's.
const startsWithin = time.Minute

// repeats makes reports count as the gateway's memory for a while. started is when the
// gateway started, by its own clock; zero if its message did not say.
func (l *ledger) repeats(d time.Duration, started time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !started.IsZero() || now.After(l.came.Add(startsWithin)) {
		l.started, l.came = started, now
	}
	l.cached = now.Add(d)
}

// readStart reads from a retained message when the gateway started, by its own
// clock. If that was just now, its driver may still have to start. If the two clocks
// differ, the message is ignored.
func (l *ledger) readStart(started time.Time) {
	now := time.Now()
	if started.IsZero() || now.Sub(started).Abs() > startsWithin {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started, l.came = started, now
}

// writing records that one of our writes is on its way to a node; wrote records
// that it was answered.
func (l *ledger) writing(node int, request string, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writes[node] == nil {
		l.writes[node] = map[string]time.Time{}
	}
	l.writes[node][request] = time.Now().Add(d)
}

func (l *ledger) wrote(node int, request string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.writes[node], request)
}

// doubted reports whether a report that arrives at this moment may be a claim.
// The caller holds mu.
func (l *ledger) doubted(node int, now time.Time) bool {
	for _, id := range [...]int{everyNode, node} {
		if until, ok := l.doubts[id]; ok {
			if now.Before(until) {
				return true
			}
			delete(l.doubts, id)
		}
	}
	for request, until := range l.writes[node] {
		if now.Before(until) {
			return true
		}
		delete(l.writes[node], request)
	}
	return false
}

// read returns the last reading of a value; the zero reading if there is none.
func (l *ledger) read(id wire.ValueID) reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.readings[id]
}

func (l *ledger) node(id int) nodeStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.statuses[id]
}

func (l *ledger) nodeStatus(node int, available bool, status string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	if status == "" { // the payload type "just value" does not tell
		status = l.statuses[node].status
		if !available {
			status = "Dead"
		} else if status == "Dead" {
			status = "Alive"
		}
	}
	l.setStatus(node, nodeStatus{available: available, status: status, seq: l.seq})
}

// judge records whether a node answers us, for gateways that do not tell.
func (l *ledger) judge(node int, answers bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.statuses[node]
	if s.dead() == !answers {
		return
	}
	l.seq++
	l.setStatus(node, nodeStatus{available: answers, status: either(answers, "Alive", "Dead"), seq: l.seq, judged: !answers})
}

// load takes the states of a getNodes answer that was true at seq. Readings that
// arrived later stay; readings of unknown values are dropped.
func (l *ledger) load(nodes map[int]*node, seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told.beginList()
	defer l.told.endList()
	readings, claims := map[wire.ValueID]reading{}, map[wire.ValueID]reading{}
	statuses := map[int]nodeStatus{}
	for id, n := range nodes {
		statuses[id] = nodeStatus{available: n.Available, status: n.Status, seq: seq}
		if s, ok := l.statuses[id]; ok && s.seq > seq {
			statuses[id] = s
		}
		l.told.noteReach(id, statuses[id])
		for vid, v := range n.values {
			listed := reading{value: v.Value, known: v.Value != nil, at: wire.Millis(v.LastUpdate), source: sourceList, seq: seq}
			readings[vid] = l.merged(vid, listed, n.Kept)
			l.told.noteReading(vid, readings[vid])
			if c, ok := l.claims[vid]; ok {
				claims[vid] = c
			}
		}
	}
	l.readings, l.claims, l.statuses = readings, claims, statuses
}

// same compares scalars; lists and objects are never the same.
func same(a, b any) bool {
	switch a.(type) {
	case bool, float64, string:
		return a == b
	default:
		return false
	}
}

// watch pokes changed whenever one of the values has a new reading, until stop is
// called.
func (l *ledger) watch(ids ...wire.ValueID) (changed <-chan struct{}, stop func()) {
	w := &watcher{ids: ids, changed: make(chan struct{}, 1)}
	l.mu.Lock()
	l.watchers = append(l.watchers, w)
	l.mu.Unlock()
	return w.changed, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watchers = slices.DeleteFunc(l.watchers, func(o *watcher) bool { return o == w })
	}
}
