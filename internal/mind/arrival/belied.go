package arrival

import (
	"context"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// mostTold bounds the things that are remembered because they may turn out not to be done.
const mostTold = 64

// reportedThing is a thing that a turn has reported as done.
type reportedThing struct {
	turn   string
	aloud  bool
	server string
	entity *home.Entity
	rec    tools.Receipt
	began  time.Time // when the turn did
	at     time.Time // when it was told
}

// amends is the correction for a turn whose act turned out not to be done.
type amends struct {
	turn, device, text string
	aloud              bool
}

// Belied takes note that an act was reported as done and was not. That is announced once,
// where the order came from. Events of other kinds change nothing. It does not block.
func (w *Waits) Belied(e home.Event) {
	if e.Kind != home.Belied {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lies.Keep(e)
	w.match()
}

// noteTold remembers the acts that are reported as done, for as long as they may turn out
// not to be. The caller holds mu.
func (w *Waits) noteTold(f *followed, server string, e *home.Entity, r *tools.Receipt) {
	w.told = slices.DeleteFunc(w.told, func(t reportedThing) bool { return time.Since(t.at) > record.FoundOut })
	if !r.Done() {
		return
	}
	w.told = append(w.told, reportedThing{f.turn, f.aloud, server, e, *r, f.began, time.Now()})
	w.told = slices.Clone(w.told[max(0, len(w.told)-mostTold):])
}

// match finds the turns of the acts that turned out not to be done. Because such an event
// may come while its turn is still running, an event without a turn is kept. The caller
// holds mu.
func (w *Waits) match() {
	w.lies.Take(func(e home.Event, at time.Time) bool {
		l := record.Lie{Server: e.Server, Device: e.Thing, Property: e.Property, Told: e.Before, Is: e.State}
		for i, t := range slices.Backward(w.told) {
			if t.entity.ID == e.Entity && l.Of(t.server, &t.rec) && !t.began.After(at) && at.Sub(t.at) < record.FoundOut {
				w.told = slices.Delete(w.told, i, i+1)
				w.amends = append(w.amends, amends{t.turn, t.entity.Name, w.phrases.Belied(t.entity, e.Property, e.Before, e.State, e.Unsure), t.aloud})
				w.wake()
				return true
			}
		}
		return false
	})
}

// amend announces the corrections. Those of one turn are spoken together.
func (w *Waits) amend(ctx context.Context, to Teller) {
	w.mu.Lock()
	all := w.amends
	w.amends = nil
	w.mu.Unlock()
	said := map[string][]string{}
	for _, a := range all {
		to.Announce(record.Announcement{ID: a.turn, Kind: record.Belied, Device: a.device, Text: a.text, Time: time.Now()})
		if a.aloud {
			said[a.turn] = append(said[a.turn], a.text)
		}
	}
	for _, a := range all {
		texts := said[a.turn]
		delete(said, a.turn)
		if len(texts) == 0 {
			continue
		}
		text := strings.Join(texts[:min(len(texts), mostSentences)], " ")
		if err := to.Say(ctx, text); err != nil && ctx.Err() == nil {
			w.log.Warn("a correction was not spoken", "turn", a.turn, "err", err)
		}
	}
}
