package timers

import (
	"slices"
	"time"
)

// Notice is something that a user has to hear and that does not ring.
type Notice struct {
	ID    string     `json:"id"`
	Kind  NoticeKind `json:"kind"`
	Timer Timer      `json:"timer"`
	Late  int        `json:"late,omitempty"`  // by how many seconds it is late
	Reply string     `json:"reply,omitempty"` // of a command's turn
	Time  time.Time  `json:"time"`
}

// NoticeKind is what a notice is about.
type NoticeKind string

// The kinds of notices.
const (
	Missed      NoticeKind = "missed"      // its time came while nothing could ring
	Carried     NoticeKind = "carried"     // a command was carried out: the reply says what came of it
	NotCarried  NoticeKind = "not_carried" // a command was not carried out: it was refused, or asked back
	Interrupted NoticeKind = "interrupted" // the program ended while it was carried out: the result is unknown
)

// Advance lets time pass, and reports whether anything has changed that must be
// written down.
func (b *Book) Advance(now Moment) (changed bool) {
	b.pass(now)
	changed, b.mended = b.mended, false
	var rung []entry // of what repeats: it is in the book beside what comes next
	for i := range b.entries {
		e := &b.entries[i]
		switch {
		case e.State == Ringing && b.clock.up-e.rangUp >= RingsFor:
			b.giveUp(e)
			changed = true
		case e.State != Running || b.timeLeft(e) > 0:
		case e.Every != "":
			rung = append(rung, b.again(e))
			changed = true
		default:
			b.carryOut(e)
			changed = true
		}
	}
	for i := range rung {
		b.carryOut(&rung[i])
	}
	b.entries = append(b.entries, rung...)
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool { return e.State == "" })
	return changed
}

// carryOut does what a timer is for, or notes that it is too late for that.
func (b *Book) carryOut(e *entry) {
	late := -b.timeLeft(e)
	e.Due = b.due(e)
	switch {
	case late > kinds[e.Kind].patience:
		b.miss(e, late)
	case e.Kind == Command || e.Kind == End:
		e.State = carrying
	default:
		e.State, e.Rang, e.rangUp, e.Late = Ringing, b.clock.now(), b.clock.up, 0
		if late >= LateFrom {
			e.Late = late.Seconds()
		}
	}
}

// miss takes a timer that was never heard out of the book.
func (b *Book) miss(e *entry, late time.Duration) {
	n := Notice{ID: e.ID, Kind: Missed, Timer: b.timerOf(e), Late: int(late / time.Second), Time: b.clock.now()}
	b.note(n)
	e.State = ""
}

// mostUnseen bounds how many timers are kept that no person has seen.
const mostUnseen = 20

// giveUp takes a timer out of the book that has rung to its end, and keeps it to be seen.
func (b *Book) giveUp(e *entry) {
	e.State = Unseen
	b.unseen = append(b.unseen, b.timerOf(e))
	b.unseen = b.unseen[max(len(b.unseen)-mostUnseen, 0):]
	e.State = ""
}

// Unseen are the timers that have rung to their end and that no person has seen, the
// oldest first.
func (b *Book) Unseen() []Timer { return slices.Clone(b.unseen) }

// note keeps a notice. If notices cannot be spoken for long, the oldest are dropped.
func (b *Book) note(n Notice) {
	b.notices = append(b.notices, n)
	b.notices = b.notices[max(len(b.notices)-Most, 0):]
}

// again is what a repeated timer does now; the timer itself waits for its next time.
func (b *Book) again(e *entry) entry {
	once := *e
	once.ID, once.Every = e.ID+"."+e.Date, ""
	b.aim(e)
	return once
}

// aim points a timer at the next time of day it is for.
func (b *Book) aim(e *entry) {
	at, _ := parseDaytime(e.At, b.place)
	if e.Due = at.after(b.clock.now(), repetitions[e.Every]); e.Due.IsZero() { // not known: it is computed again tomorrow
		e.Due = b.clock.now().AddDate(0, 0, 1)
	}
	e.Date = e.Due.Format(time.DateOnly)
}

// pass reads the clock, and mends what a jump of it has made wrong.
func (b *Book) pass(now Moment) {
	jumped, caughtUp := b.clock.look(now)
	if jumped == 0 && !caughtUp {
		return
	}
	b.mended = true
	wrong := jumped > wrongFor || jumped < -wrongFor
	for i := range b.entries {
		e := &b.entries[i]
		switch {
		case e.State != Running:
		case e.byClock() && !e.Dated && wrong:
			b.aim(e)
		case !e.byClock() && caughtUp && e.anchored && jumped > 0:
			e.end -= jumped // the time that has passed while we were off
		}
		if caughtUp {
			e.anchored, e.Loose = false, false
		}
	}
}

// Ring is a timer that rings.
type Ring struct {
	Timer
	Late time.Duration // 0: it is in time
}

// Rings are those that ring, the first that began first.
func (b *Book) Rings() []Ring {
	var all []*entry
	for i := range b.entries {
		if b.entries[i].State == Ringing {
			all = append(all, &b.entries[i])
		}
	}
	slices.SortStableFunc(all, func(x, y *entry) int { return x.Rang.Compare(y.Rang) })
	rings := make([]Ring, 0, len(all))
	for _, e := range all {
		rings = append(rings, Ring{b.timerOf(e), seconds(e.Late)})
	}
	return rings
}

// Errand is a command that has to be carried out now, once.
type Errand struct {
	Timer
	Confirmed bool
	Back      []Back // of an end
}

// Errands are the commands and ends whose time has come, the one that was due first being
// first.
func (b *Book) Errands() []Errand {
	var all []Errand
	for i := range b.entries {
		if e := &b.entries[i]; e.State == carrying {
			all = append(all, Errand{b.timerOf(e), e.Confirmed, e.Back})
		}
	}
	slices.SortStableFunc(all, func(x, y Errand) int { return x.Due.Compare(y.Due) })
	return all
}

// Done takes a command or an end out of the book that was carried out, or could not be.
// If kind is not empty, it notes what the user has to hear about it.
func (b *Book) Done(id string, kind NoticeKind, reply string, now Moment) {
	b.pass(now)
	i := slices.IndexFunc(b.entries, func(e entry) bool { return e.ID == id && e.State == carrying })
	if i < 0 {
		return
	}
	if kind != "" {
		b.note(Notice{ID: id, Kind: kind, Timer: b.timerOf(&b.entries[i]), Reply: reply, Time: b.clock.now()})
	}
	b.entries = slices.Delete(b.entries, i, i+1)
}

// Notices are what the user has to hear, the oldest first.
func (b *Book) Notices() []Notice { return slices.Clone(b.notices) }

// DropNotice strikes out a notice.
func (b *Book) DropNotice(id string) {
	b.notices = slices.DeleteFunc(b.notices, func(n Notice) bool { return n.ID == id })
}

// Next is the time until something happens by itself, and whether anything will. A
// time of day may come earlier if the wall clock is set.
func (b *Book) Next() (next time.Duration, any bool) {
	for i := range b.entries {
		e := &b.entries[i]
		wait := b.timeLeft(e)
		switch e.State {
		case Ringing:
			wait = RingsFor - (b.clock.up - e.rangUp)
		case Paused, carrying, Unseen:
			continue
		case Running:
		}
		if !any || wait < next {
			next, any = wait, true
		}
	}
	return max(next, 0), any
}
