package timers

import (
	"slices"
	"strings"
)

// displayName is the name of a timer: of an end the names of its things.
func (e *entry) displayName() string {
	if len(e.Back) == 0 {
		return e.Name
	}
	names := make([]string, 0, len(e.Back))
	for _, back := range e.Back {
		names = append(names, back.Name)
	}
	return strings.Join(names, ", ")
}

// things are the ids of the things that an end puts back; nil for all other timers.
func (e *entry) things() []string {
	var ids []string
	for _, back := range e.Back {
		ids = append(ids, back.Thing)
	}
	return ids
}

// Ending finds how a thing was when an act with an end began; ok is false if no end
// waits for it.
func (b *Book) Ending(thing string) (back Back, ok bool) {
	for _, e := range b.entries {
		if i := slices.IndexFunc(e.Back, func(back Back) bool { return back.Thing == thing }); i >= 0 && e.State != carrying {
			return e.Back[i], true
		}
	}
	return Back{}, false
}

// Touch ends the waiting of all ends for some things, because something else was done
// to them since. An end that waits for nothing else leaves the book; the ends with the ids
// but are left alone. It reports whether anything has changed.
func (b *Book) Touch(things, but []string, now Moment) (changed bool) {
	b.pass(now)
	for i := range b.entries {
		e := &b.entries[i]
		if e.Kind != End || e.State == carrying || slices.Contains(but, e.ID) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(e.Back), func(back Back) bool { return slices.Contains(things, back.Thing) })
		if changed = changed || len(left) < len(e.Back); len(left) == 0 {
			e.State = ""
		}
		e.Back = left
	}
	b.entries = slices.DeleteFunc(b.entries, func(e entry) bool { return e.State == "" })
	return changed
}

// Weigh says why an order would be refused; "" if it would not.
func (b *Book) Weigh(o Wish, now Moment) Reason {
	b.pass(now)
	_, why := b.entry(o)
	if why == "" && len(b.entries) >= Most {
		why = TooMany
	}
	return why
}
