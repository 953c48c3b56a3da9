package past

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// lies holds acts that were reported as done and turned out not to be, until their turns
// are remembered. The zero value is ready for use; it is safe for concurrent use.
type lies struct {
	mu   sync.Mutex
	kept record.Lies[home.Event]
}

// keep remembers an act that was none.
func (l *lies) keep(e home.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Keep(e)
}

// claim returns what was found out of an act of a turn on a device, where the turn began
// before that, and forgets it.
func (l *lies) claim(device string, r *tools.Receipt, began time.Time) (lie home.Event, lied bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Take(func(e home.Event, at time.Time) bool {
		if lied || began.After(at) || !r.Done() || !belies(&e, device, r.Property, r.Value) {
			return false
		}
		lie, lied = e, true
		return true
	})
	return lie, lied
}

// belies reports whether an event says that an act was not done: the act that was
// reported to have set a property of a device to a value.
func belies(e *home.Event, device, property string, value any) bool {
	return e.Kind == home.Belied && e.Entity == device && e.Property == property && fmt.Sprint(e.Before) == fmt.Sprint(value)
}

// Belied corrects the entry of an act on a device that was reported as done and turned
// out not to be.
func (l *Ledger) Belied(e home.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, old := range slices.Backward(l.kept) {
		if old.Device == e.Entity && time.Since(old.At) <= record.FoundOut && !old.Belied && belies(&e, old.Device, old.Property, old.Value) {
			l.kept[i].Told, l.kept[i].Value, l.kept[i].Belied, l.kept[i].Unsure = old.Value, e.State, true, e.Unsure
			return
		}
	}
	l.lies.keep(e)
}

// Belied returns a turn as it should be remembered after one of its acts turned out not
// to be done, so that undoing takes back only what really happened. lied is false if the
// turn has no such act.
func (t Turn) Belied(e home.Event) (_ Turn, lied bool) {
	deeds := slices.Clone(t.Deeds)
	for i := range deeds {
		d := &deeds[i]
		made := &d.Change.Receipt
		if d.Change.Last != nil {
			last := *d.Change.Last
			d.Change.Last, made = &last, &last
		}
		if made.Done() && belies(&e, d.Device, made.Property, made.Value) {
			made.Value, made.ValueLevel, lied = e.State, nil, true
		}
	}
	if !lied {
		return t, false
	}
	t.Deeds = deeds
	if t.Origin != nil && len(deeds) == 1 {
		origin := deeds[0]
		t.Origin = &origin
	}
	return t, true
}
