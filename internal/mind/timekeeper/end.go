package timekeeper

import (
	"context"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

// WeighEnd says why an act could not be given an end; "" if it could. It changes nothing.
func (k *Keeper) WeighEnd(o timers.Wish) timers.Reason {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ends == nil {
		return timers.NoBell
	}
	return k.open().Weigh(o, k.cfg.Clock())
}

// BeginEnd keeps how things were before an act, and puts them back at its end.
func (k *Keeper) BeginEnd(o timers.Wish) timers.Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.saveResult(k.open().Start(o, k.cfg.Clock()))
}

// Ending finds how a thing was when an act with an end began; ok is false if no end
// waits for it.
func (k *Keeper) Ending(thing string) (back timers.Back, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ends == nil { // another process has the book
		return timers.Back{}, false
	}
	return k.open().Ending(thing)
}

// CancelEnds cancels the planned ends of acts on things that have been changed since, except
// the ends with the ids in but.
func (k *Keeper) CancelEnds(things []string, but ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ends != nil && k.open().Touch(things, but, k.cfg.Clock()) {
		k.news = true
		k.save()
		k.wake()
	}
}

// putBack ends an act whose time is over. The result is announced only if something
// went wrong: a lamp that goes off as ordered is not news.
func (k *Keeper) putBack(ctx context.Context, asker Asker, e timers.Errand) {
	turn, cancel := context.WithTimeout(ctx, turnBudget)
	defer cancel()
	rec := asker.PutBack(turn, record.Request{Text: e.Command, Area: e.Area, Source: record.FromTimer, Aloud: true}, e.Back)
	if ctx.Err() != nil {
		return // it is put back after the next start
	}
	kind := timers.NoticeKind("")
	if !rec.Outcome.Happened() && rec.Reply != "" {
		kind = timers.NotCarried
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.book.Done(e.ID, kind, rec.Reply, k.cfg.Clock())
	k.news = true
	k.save()
	k.wake()
}
