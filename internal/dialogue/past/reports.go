package past

import (
	"maps"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
)

// How much is remembered of what things reported by themselves: the last changes of each
// thing, so that one that flickers takes no room from the others.
const (
	changesKept  = 6
	mostReported = 4096
)

// Change is what a thing reported of itself.
type Change struct {
	Device   string // its id in the house
	Area     string
	Property string
	State    any // in the words of the reading tool
	At       time.Time
	Ours     bool // it followed from an order of some program, not from a hand
}

// Reports remembers what things reported without being asked. The zero value is ready
// for use; it is safe for concurrent use.
type Reports struct {
	mu   sync.Mutex
	kept map[string][]Change // by device, the newest last
}

// Note remembers an event that says that a thing has changed. How things were when they
// came to be known is no change.
func (r *Reports) Note(e home.Event) {
	if e.Kind != home.Reported || e.First {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[string][]Change{}
	}
	of := r.kept[e.Entity]
	if of == nil && len(r.kept) >= mostReported {
		return
	}
	of = append(slices.Clone(of), Change{e.Entity, e.Area, e.Property, e.State, e.Time, e.Ours})
	r.kept[e.Entity] = of[max(0, len(of)-changesKept):]
}

// Last returns the newest change of a device that fits and is not too old.
func (r *Reports) Last(device string, fits func(c *Change) bool) (Change, bool) {
	r.mu.Lock()
	of := r.kept[device] // fits may look at other changes; a list is never changed
	r.mu.Unlock()
	for _, c := range slices.Backward(of) {
		if time.Since(c.At) <= ledgerTime && fits(&c) {
			return c, true
		}
	}
	return Change{}, false
}

// First returns the oldest change of a device that is remembered and fits.
func (r *Reports) First(device string, fits func(c *Change) bool) (Change, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.kept[device] {
		if fits(&c) {
			return c, true
		}
	}
	return Change{}, false
}

// Newest returns the newest change of any device that fits and is not too old.
func (r *Reports) Newest(fits func(c *Change) bool) (newest Change, found bool) {
	r.mu.Lock()
	kept := maps.Clone(r.kept) // fits may look at other changes; a list is never changed
	r.mu.Unlock()
	for _, of := range kept {
		for _, c := range of {
			if time.Since(c.At) <= ledgerTime && c.At.After(newest.At) && fits(&c) {
				newest, found = c, true
			}
		}
	}
	return newest, found
}
