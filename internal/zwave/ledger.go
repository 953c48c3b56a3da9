package zwave

import (
	"slices"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// ledger holds the last word on every value and node, with its time and origin,
// and tells watchers about news. Order of arrival counts, not the time in the
// payload, which may be hours old on an optimistic publish.
type ledger struct {
	mu       sync.Mutex
	seq      uint64
	readings map[wire.ValueID]reading
	statuses map[int]nodeStatus
	watchers []*watcher
}

// reading is the last word on one value.
type reading struct {
	value  any
	known  bool
	at     time.Time // of the device's report
	source string    // "report", "poll" or "list"
	seq    uint64    // when it arrived, in the order of messages
}

type nodeStatus struct {
	available bool
	status    string
	seq       uint64
}

// dead and asleep say why a node would not answer now.
func (s nodeStatus) dead() bool   { return s.status == "Dead" || !s.available }
func (s nodeStatus) asleep() bool { return s.status == "Asleep" }

// watcher receives a poke whenever one of its values has news.
type watcher struct {
	ids  []wire.ValueID
	news chan struct{}
}

func newLedger() *ledger {
	return &ledger{readings: map[wire.ValueID]reading{}, statuses: map[int]nodeStatus{}}
}

// tick returns the next place in the order of messages.
func (l *ledger) tick() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	return l.seq
}

// now returns the current place; everything that arrives later has a higher one.
func (l *ledger) now() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// report notes a value message for the values its topic stands for.
func (l *ledger) report(ids []wire.ValueID, r wire.Reading) {
	at := r.Time
	if at.IsZero() {
		at = time.Now()
	}
	l.note(ids, reading{value: r.Value, known: r.Known, at: at, source: "report"})
}

// polled notes the answer of a pollValue, which is the device's own word.
func (l *ledger) polled(id wire.ValueID, value any) {
	l.note([]wire.ValueID{id}, reading{value: value, known: value != nil, at: time.Now(), source: "poll"})
}

func (l *ledger) note(ids []wire.ValueID, r reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	r.seq = l.seq
	for _, id := range ids {
		l.readings[id] = r
		for _, w := range l.watchers {
			if slices.Contains(w.ids, id) {
				poke(w.news)
			}
		}
	}
}

// read returns the last word on a value; the zero reading if there is none.
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

// load takes the states of a getNodes answer that was true at seq; what arrived
// later stays, what belongs to no known value goes.
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
			readings[vid] = reading{value: v.Value, known: v.Value != nil, at: wire.Millis(v.LastUpdate), source: "list", seq: seq}
			if r, ok := l.readings[vid]; ok && r.seq > seq {
				readings[vid] = r
			}
		}
	}
	l.readings, l.statuses = readings, statuses
}

// watch pokes news whenever one of the values has news, until stop.
func (l *ledger) watch(ids ...wire.ValueID) (news <-chan struct{}, stop func()) {
	w := &watcher{ids: ids, news: make(chan struct{}, 1)}
	l.mu.Lock()
	l.watchers = append(l.watchers, w)
	l.mu.Unlock()
	return w.news, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watchers = slices.DeleteFunc(l.watchers, func(o *watcher) bool { return o == w })
	}
}
