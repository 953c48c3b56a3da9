package timers

import (
	"slices"
	"time"
)

// change is one way to change timers.
type change struct {
	outcome Outcome
	many    bool                                       // it may be done to all that fit; else it has to be clear which
	may     func(*entry) bool                          // to which it can be done
	why     Reason                                     // it cannot be done to others
	do      func(b *Book, e *entry, length int) Reason // "" if it was done; to several at once it always is
}

func rings(e *entry) bool  { return e.State == Ringing }
func counts(e *entry) bool { return !e.byClock() && e.State != Ringing && e.Kind != End }

// changes lists them.
func changes() map[Action]change {
	remove := func(_ *Book, e *entry, _ int) Reason { e.State = ""; return "" }
	whatever := func(*entry) bool { return true }
	return map[Action]change{
		Cancel:    {outcome: Cancelled, may: whatever, do: remove},
		CancelAll: {outcome: Cancelled, many: true, may: whatever, do: remove},
		Stop:      {outcome: Stopped, many: true, may: rings, why: NothingRings, do: remove},
		Snooze:    {outcome: Snoozed, many: true, may: rings, why: NothingRings, do: (*Book).snooze},
		Pause:     {outcome: WasPaused, may: func(e *entry) bool { return counts(e) && e.State == Running }, why: NotATimer, do: (*Book).pause},
		Resume:    {outcome: Resumed, may: func(e *entry) bool { return e.State == Paused }, do: (*Book).resume},
		Add:       {outcome: Changed, may: changeable, why: NotATimer, do: (*Book).add},
		Subtract: {outcome: Changed, may: changeable, why: NotATimer, do: func(b *Book, e *entry, length int) Reason {
			return b.add(e, -length)
		}},
	}
}

// changeable reports whether a timer can be made longer or shorter: what repeats has
// no length.
func changeable(e *entry) bool { return e.State != Ringing && e.Every == "" }

// Change does something with timers. What is refused is left as it is.
func (b *Book) Change(c Change, now Moment) Result {
	b.pass(now)
	if c.Action == CancelAll {
		c.Area = "" // all of the household, not first those of the room
	}
	c.Which = c.Which.resolve(now.Wall, false)
	rule, known := changes()[c.Action]
	if !known {
		return b.result(Refused, BadAction)
	}
	if t, was := b.see(c); was {
		r := b.result(Stopped, "")
		r.Timers = append(r.Timers, t)
		return r
	}
	if (c.Action == Add || c.Action == Subtract) && c.Seconds < 1 || c.Seconds < 0 || c.Seconds > int(Longest/time.Second) {
		return b.result(Refused, checkLength(c.Seconds))
	}
	if action := b.actionFor(c); action != c.Action {
		rule = changes()[action]
	}
	found, why := b.find(c.Which, c.Area, rule.may)
	if !rule.many {
		found = b.chooseMeant(found, c.Which)
	}
	switch {
	case len(found) == 0:
		return b.nothing(c, rule, why)
	case len(found) > 1 && !rule.many:
		return b.result(Several, "", found...)
	}
	return b.change(rule, found, c.Seconds)
}

// actionFor returns the action that a sentence means in the present situation. While something
// rings, adding time means to snooze it and cancelling means to stop it. While nothing
// rings, stopping a particular timer means to cancel it, and snoozing with a time means
// to add that time.
func (b *Book) actionFor(c Change) Action {
	ringing, _ := b.find(c.Which, c.Area, rings)
	switch loud := len(ringing) > 0; {
	case loud && c.Which.ID == "" && c.Action == Add:
		return Snooze
	case loud && c.Which.ID == "" && c.Action == Cancel:
		return Stop
	case !loud && c.Action == Stop && c.Which != (Which{}) && c.Which.ID == "":
		return Cancel
	case !loud && c.Action == Snooze && c.Seconds > 0:
		return Add
	}
	return c.Action
}

// chooseMeant chooses among several timers those that a user means without naming any: the one
// that counts down. The end of an act is meant only if there is nothing else, or if it is
// named.
func (b *Book) chooseMeant(found []*entry, w Which) []*entry {
	if others := slices.DeleteFunc(slices.Clone(found), func(e *entry) bool { return e.Kind == End }); w.Name == "" && w.ID == "" && len(others) > 0 {
		found = others
	}
	if w != (Which{}) {
		return found
	}
	down := slices.DeleteFunc(slices.Clone(found), func(e *entry) bool { return e.Kind != Countdown })
	if len(down) == 1 {
		return down
	}
	return found
}

// nothing tells that no timer could be changed, and shows those that there are.
func (b *Book) nothing(c Change, rule change, why Reason) Result {
	every := c.Which
	every.on.repeated = true
	if repeated, _ := b.find(every, c.Area, rule.may); c.Which.Day != "" && len(repeated) > 0 {
		return b.result(Refused, Repeats, repeated...)
	}
	if fit, unknown := b.find(c.Which, c.Area, func(*entry) bool { return true }); rule.why != "" && (len(fit) > 0 || rule.why == NothingRings) {
		return b.result(Refused, rule.why, fit...)
	} else if why == "" {
		why = unknown
	}
	return b.result(None, why, b.all()...)
}

// change applies a rule. The timers are shown as they are afterwards, or as they were
// if they are gone.
func (b *Book) change(rule change, found []*entry, length int) Result {
	shown := make([]*entry, 0, len(found))
	for _, e := range found {
		before := *e
		if why := rule.do(b, e, length); why != "" {
			return b.result(Refused, why, e)
		}
		if e.State != "" {
			before = *e
		}
		shown = append(shown, &before)
	}
	r := b.result(rule.outcome, "", shown...)
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool { return e.State == "" })
	return r
}

func (b *Book) pause(e *entry, _ int) Reason {
	e.Left, e.State, e.Due = b.timeLeft(e).Seconds(), Paused, time.Time{}
	return ""
}

func (b *Book) resume(e *entry, _ int) Reason {
	e.end, e.Left, e.State, e.anchored = b.clock.up+seconds(e.Left), 0, Running, false
	e.Loose = !b.clock.believed
	return ""
}

// add makes a timer longer, or shorter by a negative length.
func (b *Book) add(e *entry, length int) Reason {
	more := time.Duration(length) * time.Second
	switch left := b.timeLeft(e) + more; {
	case left < time.Second:
		return TooShort
	case left > Longest:
		return TooLong
	case e.State == Paused:
		e.Left = left.Seconds()
	case e.byClock():
		due := e.Due.Add(more)
		e.Due, e.Date, e.At = due, due.Format(time.DateOnly), due.Format("15:04")
	default:
		e.end += more
	}
	return ""
}

// snooze lets what rings wait, for SnoozeFor if no length is given.
func (b *Book) snooze(e *entry, length int) Reason {
	wait := SnoozeFor
	if length > 0 {
		wait = time.Duration(length) * time.Second
	}
	e.State, e.end, e.At, e.Date, e.Every, e.Length = Running, b.clock.up+wait, "", "", "", int(wait/time.Second)
	e.Rang, e.Late, e.Loose = time.Time{}, 0, !b.clock.believed
	return ""
}

// Over ends the ringing of the timers with these ids, because the user said stop or, if
// seen is false, because they have rung for as long as they may. Other timers are left
// alone.
func (b *Book) Over(ids []string, seen bool) (changed bool) {
	before := len(b.entries)
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool {
		over := e.State == Ringing && slices.Contains(ids, e.ID)
		if over && !seen {
			b.giveUp(&e)
		}
		return over
	})
	return len(b.entries) != before
}

// see takes away the timer that is to be stopped if it has rung to its end, because a person
// has seen that.
func (b *Book) see(c Change) (Timer, bool) {
	i := slices.IndexFunc(b.unseen, func(t Timer) bool { return c.Action == Stop && t.ID == c.Which.ID })
	if i < 0 {
		return Timer{}, false
	}
	t := b.unseen[i]
	b.unseen = slices.Delete(b.unseen, i, i+1)
	return t, true
}
