package past

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
)

// How much of what was reported, pressed and rang is kept for the question what happened. It is
// in memory only. One thing that flickers does not push out the others.
const (
	mostNoted   = 2000
	mostOfThing = 100
	notedFor    = 48 * time.Hour
	clockTells  = 12 * time.Hour // for how long a time of day is clear without its day
)

// noted is something that happened without a turn.
type noted struct {
	Change

	kind record.HappeningKind
	name string // of a button, as it is called; what was said as it rang
}

// warning are the classes of things that warn.
var warning = []string{"smoke", "moisture", "gas", "carbon_monoxide", "safety"}

// keep keeps an event that a family asks about later: what people do on purpose, what warns,
// and a button. The caller holds mu.
func (r *Reports) keep(e home.Event) {
	c := Change{e.Entity, e.Area, e.Property, e.State, e.Time, e.Ours}
	switch {
	case e.Kind == home.Pressed:
		r.add(noted{c, record.HasPressed, e.Thing})
	case e.Kind == home.Reported && !e.First && (slices.Contains(acting, e.Property) || slices.Contains(warning, e.Class)):
		r.add(noted{c, record.HasReported, e.Thing})
	}
}

// Rang remembers that something rang, with what was said.
func (r *Reports) Rang(text string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(noted{Change{At: at}, record.HasRung, text})
}

// add adds to what is kept and drops what is too old, or too much. The caller holds mu.
func (r *Reports) add(n noted) {
	r.log = append(r.log, n)
	of := 0
	for i := range r.log {
		if r.log[i].Device == n.Device && r.log[i].kind == n.kind {
			of++
		}
	}
	drop := slices.IndexFunc(r.log, func(o noted) bool {
		return time.Since(o.At) > notedFor || len(r.log) > mostNoted || of > mostOfThing && o.Device == n.Device && o.kind == n.kind
	})
	if drop >= 0 {
		r.log = slices.Delete(r.log, drop, drop+1)
	}
}

// between returns what was kept from one moment to another.
func (r *Reports) between(from, to time.Time) []noted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return pickBetween(r.log, from, to, func(n *noted) time.Time { return n.At })
}

// between returns what turns did from one moment to another.
func (l *Ledger) between(from, to time.Time) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return pickBetween(l.kept, from, to, func(e *Entry) time.Time { return e.At })
}

// pickBetween copies what is of one moment, of another, or of the time between them.
func pickBetween[T any](all []T, from, to time.Time, at func(*T) time.Time) (some []T) {
	for i := range all {
		if t := at(&all[i]); !t.Before(from) && !t.After(to) {
			some = append(some, all[i])
		}
	}
	return some
}

// turnLasts bounds how long before the end of its turn a thing may have reported what it did.
const turnLasts = time.Minute

// isCauseOf reports whether a change, which follows from a write of its server, is what a turn did.
func (l *Ledger) isCauseOf(c *Change) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.kept, func(e Entry) bool {
		after := c.At.Sub(e.At)
		return e.Device == c.Device && after >= -turnLasts && after <= marked
	})
}

// happening is one thing that happened, ready to be told.
type happening struct {
	record.Happening

	deed *reply.Deed // nil for a button, and for what rang
}

// happened lists what happened from one moment to another, the oldest first, in a room or, with
// "", anywhere. What a thing reported because of an act stands there once, as the act.
func (a *Account) happened(from, to time.Time, area string) (all []happening) {
	in := func(room string) bool { return area == "" || strings.EqualFold(room, area) }
	for _, e := range a.Acts.between(from, to) {
		if thing := a.House.Entity(e.Device); thing != nil && in(thing.Area) {
			all = append(all, a.fromAct(thing, &e))
		}
	}
	for _, n := range a.Reports.between(from, to) {
		thing := a.House.Entity(n.Device)
		switch {
		case n.kind == record.HasRung && area == "", n.kind == record.HasPressed && in(n.Area):
			all = append(all, fromNote(&n))
		case n.kind != record.HasReported, thing == nil, !in(thing.Area):
		case n.Ours && a.Acts.isCauseOf(&n.Change), a.Acts.Explains(&n.Change, a.Reports):
		default:
			all = append(all, a.fromReport(thing, &n))
		}
	}
	slices.SortStableFunc(all, func(x, y happening) int { return x.Time.Compare(y.Time) })
	return all
}

// fromAct is what a turn did to a thing.
func (a *Account) fromAct(thing *home.Entity, e *Entry) happening {
	d := a.deed(e)
	by := string(e.Source)
	if e.Tapped && e.Source == record.FromPage {
		by = record.ByTap
	} else if e.Tapped && e.Source == record.FromHTTP {
		by = record.ByProgram
	}
	return happening{record.Happening{
		Time: e.At, Kind: record.HasActed, Thing: thing.ID, Name: thing.Name, Area: thing.Area, Said: a.By().State(d), By: by, Turn: e.Turn,
		Unsure: d.Pending != "", Belied: e.Belied,
	}, d}
}

// fromReport is what a thing reported by itself, or because a program had asked it to.
func (a *Account) fromReport(thing *home.Entity, n *noted) happening {
	d, by := change(thing, n.Change), record.ByItself
	if n.Ours {
		by = record.ByProgram
	}
	return happening{record.Happening{Time: n.At, Kind: record.HasReported, Thing: thing.ID, Name: thing.Name, Area: thing.Area, Said: a.By().State(d), By: by}, d}
}

// fromNote is a button that was pressed, or something that rang.
func fromNote(n *noted) happening {
	h := record.Happening{Time: n.At, Kind: n.kind, Thing: n.Device, Area: n.Area, By: string(record.FromTimer), Said: n.name}
	if n.kind == record.HasPressed {
		h.Name, h.Said, h.By = n.name, "", string(record.FromButton)
	}
	return happening{h, nil}
}

// Happened lists what happened from one moment to another, the oldest first, in a room or, with
// "", anywhere.
func (a *Account) Happened(from, to time.Time, area string) []record.Happening {
	all := []record.Happening{}
	for _, h := range a.happened(from, to, area) {
		all = append(all, h.Happening)
	}
	return all
}

// SayHappened says the last of what happened from one moment to another. since is when the
// gateway began to take note.
func (a *Account) SayHappened(from, to, since time.Time, area string) string {
	told := a.sentences(a.happened(from, to, area))
	var said []string
	if most := len(told); most > mostTold {
		said = append(said, a.Phrases.Phrase("happened_last", map[string]any{"count": most}))
		told = told[most-mostTold:]
	}
	said = append(said, told...)
	if len(said) == 0 {
		said = append(said, a.Phrases.Phrase("happened_nothing", nil))
	}
	if !from.IsZero() && from.Before(since) && time.Since(since) < clockTells {
		said = append(said, a.Phrases.Phrase("happened_since", map[string]any{"time": a.Phrases.TimeOfDay(since)}))
	}
	return strings.Join(said, " ")
}

// sentences are those about what happened; what one turn did is one of them.
func (a *Account) sentences(all []happening) (said []string) {
	for i := 0; i < len(all); {
		var deeds []reply.Deed
		next := i + 1
		if h := &all[i]; h.Kind == record.HasActed && !h.Belied {
			deeds = append(deeds, *h.deed)
			for ; next < len(all) && all[next].Kind == record.HasActed && all[next].Turn == h.Turn && !all[next].Belied; next++ {
				deeds = append(deeds, *all[next].deed)
			}
		}
		if len(deeds) > 0 {
			said = append(said, a.By().Done(deeds, true))
		} else {
			said = append(said, a.sentence(&all[i]))
		}
		i = next
	}
	return said
}

// sentence says one thing that happened, and was no act.
func (a *Account) sentence(h *happening) string {
	switch h.Kind { //nolint:exhaustive // the others are about a thing
	case record.HasPressed:
		return a.By().Then("happened_press", h.Time, map[string]any{"button": h.Name})
	case record.HasRung:
		return a.By().Then("happened_ring", h.Time, map[string]any{"text": h.Said})
	}
	return a.By().Reported(h.deed)
}
