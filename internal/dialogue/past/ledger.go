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
	"voicegateway/internal/record"
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
	Undo     bool // it was taken back
	Belied   bool // it was reported as done and turned out not to be; Value is the device's real state
	Told     any  // what it was told as then

	// Pending says why the result was unknown when the turn ended; "" if the device had
	// confirmed it. Wanted is then the requested state: on, off, open, closed, locked or
	// unlocked; "" for another property.
	Pending tools.Reason
	Wanted  string
}

// late is how long after a turn a device may still report what the turn asked for.
const late = 5 * time.Minute

// soon is how much earlier than the end of the turn a report may be that came just after
// the receipt.
const soon = 2 * time.Second

// CameTrue returns the change with which the device reported, after the turn, what the
// turn had asked of it. ok is false if there is none.
func (e *Entry) CameTrue(r *Reports) (c Change, ok bool) {
	if e.Pending == "" || e.Wanted == "" {
		return c, false
	}
	return r.Last(e.Device, func(c *Change) bool { return e.Explains(c) })
}

// Explains reports whether a change is the late result of this entry: the turn asked for
// it, and no device had confirmed it when the turn ended.
func (e *Entry) Explains(c *Change) bool {
	after := c.At.Sub(e.At)
	return e.Pending != "" && e.Wanted != "" && c.Device == e.Device && c.State == e.Wanted && after >= -soon && after <= late
}

// wantedStates are the states that actions ask for.
var wantedStates = map[string]string{
	"on": "on", "off": "off", "open": "open", "close": "closed", "lock": "locked", "unlock": "unlocked",
}

// wanted is the state that a call asks for.
func wanted(args json.RawMessage) string {
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
			e := Named(h, c.Server, r.Device)
			if e != nil {
				l.noteFailure(e.ID, &r)
			}
			why, sent := pending(&r)
			if e == nil || !sent {
				continue
			}
			entry := Entry{
				Turn: rec.ID, Device: e.ID, Property: r.Property, Value: r.Value, At: time.Now(),
				Source: q.Source, Area: q.Area, Model: rec.Route == record.RouteModel, Undo: undo,
				Pending: why, Wanted: wanted(c.Args),
			}
			if is, lied := l.lies.take(e.ID, &r, rec.Time); lied {
				entry.Told, entry.Value, entry.Belied = r.Value, is, true
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
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.kept) {
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
