package zwave

import (
	"math"
	"slices"
	"time"

	"voicegateway/internal/zwave/wire"
)

// testimony is what a device has said of a value since it promised to be as it was told
// to be. It tells a device that never did it from one that did it and was changed
// afterwards. The ledger fills it in while its mu is held.
type testimony struct {
	step    step
	before  reading // of the value, before the command
	said    []statement
	written bool // another program has written the value since
	unclear bool // another program has asked the device, or may have written to it
}

// statement is one thing that a device has said.
type statement struct {
	value   any
	unasked bool // no question was open that it may answer
}

// mostStatements bounds what is kept of a device that talks all the time.
const mostStatements = 64

// question is a request on its way after which a node reports its values, each once.
type question struct {
	node     int
	seq      uint64    // when it was asked, in the order of messages
	until    time.Time // when no answer is expected any more
	answered map[wire.ValueID]bool
}

// sworn is what a promise turns out to be.
type sworn int

const (
	sworeFalsely sworn = iota // the device never was as it promised
	unprovable                // that cannot be told: others have asked it, or it said itself where it stands
	keptSworn                 // it was as it promised, and somebody has changed it since
)

// judge says what became of a promise of a device that is something else now.
func (t *testimony) judge(now any) sworn {
	unclear := t.unclear
	for _, s := range t.said {
		switch {
		case t.step.done(s.value), t.nearer(s.value, now):
			return keptSworn // it has been there, or has turned back on its way
		case s.unasked && !t.onTheWay(s.value):
			return keptSworn // nothing speaks by itself of what has not changed
		}
		unclear = unclear || s.unasked
	}
	switch {
	case t.written:
		return keptSworn
	case unclear:
		return unprovable
	}
	return sworeFalsely
}

// saw reports whether the device itself has said that it was on its way or there.
func (t *testimony) saw(now any) bool {
	return slices.ContainsFunc(t.said, func(s statement) bool { return t.step.done(s.value) || t.nearer(s.value, now) })
}

// nearer reports whether a level is nearer to what was asked than another one, by more
// than a device rounds.
func (t *testimony) nearer(level, other any) bool {
	to, isNumber := number(t.step.value)
	a, _ := number(level)
	b, known := number(other)
	return isNumber && known && to <= full && math.Abs(a-to) < math.Abs(b-to)-1
}

// onTheWay reports whether a level lies between the one before the command and the one
// that was asked for.
func (t *testimony) onTheWay(level any) bool {
	to, isNumber := number(t.step.value)
	from, known := number(t.before.value)
	at, _ := number(level)
	return isNumber && known && at > min(from, to) && at < max(from, to)
}

// hear begins to note what a device says of the value of a step.
func (l *ledger) hear(s step, before reading) *testimony {
	t := &testimony{step: s, before: before}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.testimonies = append(l.testimonies, t)
	return t
}

// stopHearing ends it.
func (l *ledger) stopHearing(t *testimony) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.testimonies = slices.DeleteFunc(l.testimonies, func(o *testimony) bool { return o == t })
}

// sworn says what became of a promise of a device that is something else now, and whether
// the device itself has said that it kept it for a while.
func (l *ledger) sworn(t *testimony, now any) (is sworn, saw bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return t.judge(now), t.saw(now)
}

// testify notes what a device says. The caller holds mu.
func (l *ledger) testify(id wire.ValueID, r reading) {
	for _, t := range l.testimonies {
		if t.step.check == id && r.known && len(t.said) < mostStatements {
			t.said = append(t.said, statement{r.value, r.asked == 0})
		}
	}
}

// answers returns when the question was asked that a report of a value may be the answer
// to, which then has its answer; 0: there is none. The caller holds mu.
func (l *ledger) answers(id wire.ValueID) uint64 {
	now := time.Now()
	l.questions = slices.DeleteFunc(l.questions, func(q *question) bool { return now.After(q.until) })
	for _, q := range l.questions {
		if (q.node == id.Node || q.node == everyNode) && !q.answered[id] {
			q.answered[id] = true
			return q.seq
		}
	}
	return 0
}

// asks notes that a node is asked, and returns when, in the order of messages; answered
// ends the question with the answer. One without an answer is open for a while, as the
// answer may be late.
func (l *ledger) asks(node int) (asked uint64, answered func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	q := &question{node, l.seq, time.Now().Add(apiWait), map[wire.ValueID]bool{}}
	l.questions = append(l.questions, q)
	return q.seq, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.questions = slices.DeleteFunc(l.questions, func(o *question) bool { return o == q })
	}
}

// noteMeddling notes that another program has written a value, or may have, where only the node
// is known (property empty) or not even that (node everyNode): its reports are claims for a
// while.
func (l *ledger) noteMeddling(id wire.ValueID) {
	l.doubt(id.Node, doubtAfterWrite)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.testimonies {
		check := t.step.check
		switch {
		case id.Node == check.Node && id.Class == check.Class && id.Endpoint == check.Endpoint:
			t.written = true
		case id.Node == everyNode, id.Node == check.Node && id.Class == 0:
			t.unclear = true
		}
	}
}

// noteDisturbance notes that another program has asked a node, so that what the node says may
// be the answer to that.
func (l *ledger) noteDisturbance(node int) {
	_, _ = l.asks(node) // nobody tells us when it is answered
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.testimonies {
		if t.step.check.Node == node || node == everyNode {
			t.unclear = true
		}
	}
}
