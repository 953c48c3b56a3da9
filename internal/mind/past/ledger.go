package past

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// How many acts in the whole house are remembered, for the question why. The words of the
// turns are not remembered: what was said in one room is not repeated in another.
const (
	mostEntries = 300
	ledgerTime  = 5 * time.Hour
)

// Ledger remembers what was done to the devices of the house, the newest last. The
// zero value is ready for use; it is safe for concurrent use.
type Ledger struct {
	mu     sync.Mutex
	kept   []Entry
	failed map[string]time.Time // devices that did not answer last time, and when
	lies   lies
}

// Failure is a device that did not answer its last command.
type Failure struct {
	Device string // its id
	At     time.Time
}

// Entry is what one turn did to one device, and where the turn came from.
type Entry struct {
	Turn     string
	Device   string // its id
	Property string
	Value    any
	At       time.Time
	Source   record.Source
	Area     string
	Model    bool // a language model chose it
	Tapped   bool // it was ordered without words
	Undo     bool // it was taken back
	Belied   bool // it was reported as done and turned out not to be; Value is the device's real state
	Told     any  // what it was told as then
	Unsure   bool // it may have been as it was told for a moment

	// Pending says why the result was unknown when the turn ended; "" if the device had
	// confirmed it. Wanted is then the requested state: on, off, open, closed, locked or
	// unlocked; "" for another property.
	Pending tools.Reason
	Wanted  string
	Takes   time.Duration // how long such a thing may take to do it
}

// marked is how long after a turn a device may report what the turn asked for where its
// server knows that this follows from its own write; one that was asleep may take slept.
const (
	marked = 5 * time.Minute
	slept  = 24 * time.Hour
)

// wakesWithin is how long a thing that sleeps may take to do what it was told.
const wakesWithin = time.Hour

// takes returns how long a thing may take to do what it was told. why is the reason for
// which its result is not known yet.
func takes(e *home.Entity, why tools.Reason) time.Duration {
	if why == tools.Asleep {
		return wakesWithin
	}
	return home.TimeToAct(e.Domain)
}

// soon is how much earlier than the end of the turn a report may be that came just after
// the receipt.
const soon = 2 * time.Second

// CameTrue returns the change by which the device reported what a turn had asked of it,
// where that came only after the turn: the first of that kind, in the time that such a
// thing needs, and before anybody else has asked something of it. ok is false for any
// other entry.
func (l *Ledger) CameTrue(e *Entry, r *Reports) (c Change, ok bool) {
	if e.Pending == "" || e.Wanted == "" {
		return c, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return e.cameTrue(l.next(e), r)
}

// Explains reports whether a change is one by which what a turn had asked for came true
// after it had ended.
func (l *Ledger) Explains(c *Change, r *Reports) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.kept, func(e Entry) bool {
		if e.Device != c.Device || e.Pending == "" || e.Wanted == "" {
			return false
		}
		came, ok := e.cameTrue(l.next(&e), r)
		return ok && came == *c
	})
}

// next is when a device was asked for something again after an entry; zero if it was not.
// The caller holds mu.
func (l *Ledger) next(e *Entry) time.Time {
	for i := range l.kept {
		if other := &l.kept[i]; other.Device == e.Device && other.At.After(e.At) {
			return other.At
		}
	}
	return time.Time{}
}

// cameTrue returns the first change that an entry explains, if it came before next.
func (e *Entry) cameTrue(next time.Time, r *Reports) (Change, bool) {
	return r.First(e.Device, func(c *Change) bool { return e.explains(c) && (next.IsZero() || c.At.Before(next)) })
}

// explains reports whether a change is what a turn had asked for and nobody had confirmed
// when it ended.
func (e *Entry) explains(c *Change) bool {
	most := e.Takes
	switch {
	case c.Ours && e.Pending == tools.Asleep:
		most = slept
	case c.Ours:
		most = marked
	}
	after := c.At.Sub(e.At)
	return c.Device == e.Device && c.State == e.Wanted && after >= -soon && after <= most
}

// wantedStates are the states that actions ask for.
var wantedStates = map[string]string{
	"on": "on", "off": "off", "open": "open", "close": "closed", "lock": "locked", "unlock": "unlocked",
}

// wantedState is the state that a call asks for.
func wantedState(args json.RawMessage) string {
	var in struct {
		Action string `json:"action"`
		Value  any    `json:"value"`
	}
	if json.Unmarshal(args, &in) != nil {
		return ""
	}
	level, isLevel := in.Value.(float64)
	switch {
	case in.Action == "level" && isLevel:
		return map[bool]string{true: "on", false: "off"}[level > 0]
	case in.Action == "position" && isLevel:
		return map[bool]string{true: "open", false: "closed"}[level > 0]
	}
	return wantedStates[in.Action]
}

// pending says why the result of a command that was sent is unknown; "" if the device has
// confirmed it. ok is false for a command that was not sent.
func pending(r *tools.Receipt) (why tools.Reason, ok bool) {
	switch {
	case r.Done():
		return "", true
	case r.Sent():
		return cmp.Or(r.Reason, tools.Unconfirmed), true
	}
	return r.Reason, r.Outcome == tools.NoAnswer && (r.Reason == tools.Silent || r.Reason == tools.Interrupted)
}

// Note enters what a turn did.
func (l *Ledger) Note(h *home.House, q record.Request, rec *record.Record, meant intent.Decision) {
	var more []Entry
	undo := meant.Route == intent.Local && len(meant.Actions) > 0 && slices.Contains([]string{catalogue.Undo, catalogue.Wrong}, meant.Actions[0].Intent)
	for _, c := range rec.Calls {
		for _, r := range members(c.Receipt) {
			e := FindByName(h, c.Server, r.Device)
			if e != nil {
				l.noteFailure(e.ID, &r)
			}
			why, sent := pending(&r)
			if e == nil || !sent {
				continue
			}
			entry := Entry{
				Turn: rec.ID, Device: e.ID, Property: r.Property, Value: r.Value, At: time.Now(),
				Source: q.Source, Area: q.Area, Model: rec.Route == record.RouteModel, Tapped: q.Control != nil, Undo: undo,
				Pending: why, Wanted: wantedState(c.Args), Takes: takes(e, why),
			}
			if lie, lied := l.lies.claim(e.ID, &r, rec.Time); lied {
				entry.Told, entry.Value, entry.Belied, entry.Unsure = r.Value, lie.State, true, lie.Unsure
			}
			more = append(more, entry)
		}
	}
	if len(more) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, more...)
	l.kept = slices.Clone(l.kept[max(0, len(l.kept)-mostEntries):])
}

// noteFailure notes whether a device answered.
func (l *Ledger) noteFailure(device string, r *tools.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case r.Outcome != tools.NoAnswer:
		delete(l.failed, device)
	case l.failed == nil:
		l.failed = map[string]time.Time{device: time.Now()}
	default:
		l.failed[device] = time.Now()
	}
}

// Failures returns the devices that did not answer their last command, the newest
// first.
func (l *Ledger) Failures() []Failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []Failure
	for device, at := range l.failed {
		if time.Since(at) <= ledgerTime {
			out = append(out, Failure{device, at})
		}
	}
	slices.SortFunc(out, func(a, b Failure) int { return b.At.Compare(a.At) })
	return out
}

// members are the receipts of the devices of a call.
func members(r *record.Receipt) []tools.Receipt {
	switch {
	case r == nil:
		return nil
	case len(r.Devices) > 0:
		return r.Devices
	}
	return []tools.Receipt{tools.Receipt(*r)}
}

// Last returns the newest entry that fits and is not too old.
func (l *Ledger) Last(fits func(e *Entry) bool) (Entry, bool) {
	l.mu.Lock()
	kept := slices.Clone(l.kept) // fits may look at other entries
	l.mu.Unlock()
	for _, e := range slices.Backward(kept) {
		if time.Since(e.At) > ledgerTime {
			break
		}
		if fits(&e) {
			return e, true
		}
	}
	return Entry{}, false
}

// OfTurn returns the entries of one turn.
func (l *Ledger) OfTurn(id string) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.kept), func(e Entry) bool { return e.Turn != id })
}
