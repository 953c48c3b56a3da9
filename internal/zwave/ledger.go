package zwave

import (
	"slices"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// ledger holds the last reading of every value and the last status of every node,
// with time and origin, and pokes the watchers of a value. Order of arrival
// counts, not the time in the payload, which may be hours old on an optimistic
// publish.
//
// It also knows which reports are claims: for an unsupervised write the gateway
// publishes what it sent as if the device had said so. Any report that arrives
// while a write to the node is on its way, or shortly after another client's
// write, may be one.
type ledger struct {
	mu       sync.Mutex
	seq      uint64
	readings map[wire.ValueID]reading
	statuses map[int]nodeStatus
	watchers []*watcher
	writes   map[int]map[string]time.Time // our own writes on their way: node, request, until when
	doubts   map[int]time.Time            // until when a node's reports may be claims; key 0 stands for every node
}

// reading is what was last learned about one value.
type reading struct {
	value  any
	known  bool
	at     time.Time // of the device's report
	source string    // "report", "poll" or "list"
	seq    uint64    // when it arrived, in the order of messages
	claim  bool      // it may be a claim of the gateway and not a report of the device
}

type nodeStatus struct {
	available bool
	status    string
	seq       uint64
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
		readings: map[wire.ValueID]reading{}, statuses: map[int]nodeStatus{},
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
	at := r.Time
	if at.IsZero() || id.Class == wire.CentralScene {
		at = time.Now()
	}
	l.note(id, reading{value: r.Value, known: r.Known, at: at, source: sourceReport})
}

// polled records the answer of a pollValue, which comes from the device itself.
func (l *ledger) polled(id wire.ValueID, value any) {
	l.note(id, reading{value: value, known: value != nil, at: time.Now(), source: sourcePoll})
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
	r.claim = r.source == sourceReport && l.doubted(id.Node, time.Now())
	l.readings[id] = r
	for _, w := range l.watchers {
		if slices.Contains(w.ids, id) {
			poke(w.changed)
		}
	}
}

// everyNode is the key in doubts that stands for all nodes.
const everyNode = 0

// doubt makes a node's reports count as claims for a while.
func (l *ledger) doubt(node int, d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.doubts[node] = time.Now().Add(d)
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
	l.statuses[node] = nodeStatus{available: available, status: status, seq: l.seq}
}

// load takes the states of a getNodes answer that was true at seq. Readings that
// arrived later stay; readings of unknown values are dropped.
func (l *ledger) load(nodes map[int]*node, seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	readings := map[wire.ValueID]reading{}
	statuses := map[int]nodeStatus{}
	for id, n := range nodes {
		statuses[id] = nodeStatus{available: n.Available, status: n.Status, seq: seq}
		if s, ok := l.statuses[id]; ok && s.seq > seq {
			statuses[id] = s
		}
		for vid, v := range n.values {
			readings[vid] = reading{value: v.Value, known: v.Value != nil, at: wire.Millis(v.LastUpdate), source: sourceList, seq: seq}
			if r, ok := l.readings[vid]; ok && (r.seq > seq || n.Kept || r.known && same(r.value, v.Value)) {
				readings[vid] = r // the list says nothing new, and a report is worth more than a list
			}
		}
	}
	l.readings, l.statuses = readings, statuses
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
