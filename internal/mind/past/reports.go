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
	born map[string][]Change // how each property of a device was when it came to be known
	log  []noted             // what is worth telling later, the oldest first
}

// Note remembers an event that says that a thing has changed. How things were when they
// came to be known is no change.
func (r *Reports) Note(e home.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(e)
	if e.Kind != home.Reported {
		return
	}
	if r.kept == nil {
		r.kept, r.born = map[string][]Change{}, map[string][]Change{}
	}
	c := Change{e.Entity, e.Area, e.Property, e.State, e.Time, e.Ours}
	if e.First {
		r.noteFirst(c)
		return
	}
	of := r.kept[e.Entity]
	if of == nil && len(r.kept) >= mostReported {
		return
	}
	of = append(slices.Clone(of), c)
	r.kept[e.Entity] = of[max(0, len(of)-changesKept):]
}

// noteFirst remembers how a property was when nothing else was known of it. The caller
// holds mu.
func (r *Reports) noteFirst(c Change) {
	known := func(o Change) bool { return o.Property == c.Property }
	of := r.born[c.Device]
	if !slices.ContainsFunc(of, known) && !slices.ContainsFunc(r.kept[c.Device], known) && (of != nil || len(r.born) < mostReported) {
		r.born[c.Device] = append(of, c)
	}
}

// Always returns how a property of a device was when it came to be known, where it fits
// and no change of it is remembered.
func (r *Reports) Always(device string, fits func(c *Change) bool) (Change, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.born[device] {
		changed := slices.ContainsFunc(r.kept[device], func(o Change) bool { return o.Property == c.Property })
		if !changed && fits(&c) {
			return c, true
		}
	}
	return Change{}, false
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
