package answer

import (
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// How long a person can take back what was done, counted from the end of the reply.
// After a turn the microphone listens without a wake word for much less
// (REQUIREMENTS U5); saying the wake word or typing takes longer.
const (
	undoTime = 30 * time.Second
	letter   = time.Second / 12 // how long a voice takes to speak one letter
)

// mostAskers bounds how many askers the memory keeps something about: the sender of
// a text may call its area anything, so their number has no other bound.
const mostAskers = 64

// memory is what the answerer keeps between turns, for each asker. It is safe for
// concurrent use.
type memory struct {
	mu       sync.Mutex
	pending  map[string]pending // the question that waits for an asker's answer
	past     map[string]*past   // the last turn that did something
	subjects map[string]subject // what a short sentence of an asker may be about
	offered  offered            // the stopped task that was offered last
}

// pending is a question that the answerer asked back.
type pending struct {
	decision intent.Decision // what is done after a yes, or with the chosen device
	steps    []plan.Step     // of the decision, where they are planned already
	thought  *modelQuestion  // a model asked: it is told the answer
	text     string          // the text that led to the question
	begun    past            // what was done before the question
	until    time.Time
}

// past is what a turn did. It does not change once it is kept.
type past struct {
	text    string // of the turn
	deeds   []deed
	origin  *deed // the act that "the other one" can repeat on another device; nil: none
	rest    bool  // something was done that is not the state of a device
	undone  int   // 1: undone, 2: undone and done again
	latest  bool  // no other turn came after this one
	asked   bool  // the reply was a question, so a "no" answers it
	at      time.Time
	expires time.Time
}

// deed is what was done to one device.
type deed struct {
	device string        // its id; "" if the house does not know it
	name   string        // its name in the receipt
	act    intent.Action // Intent is "" if the act cannot be planned for another device
	change plan.Change
}

// recall returns what the asker's last turn did, nil if nothing is remembered, and
// notes that another turn has begun.
func (m *memory) recall(q record.Request) *past {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.past[asker(q)]
	if p == nil || time.Now().After(p.expires) {
		return nil
	}
	if !q.DryRun && p.latest {
		older := *p
		older.latest = false
		m.past[asker(q)] = &older
	}
	return p
}

// holds reports whether an asker has something to correct or a question to answer.
func (m *memory) holds(who string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, did := m.past[who]
	question, asked := m.pending[who]
	now := time.Now()
	return did && p.latest && now.Before(p.expires) || asked && now.Before(question.until)
}

// claim removes what can be taken back and reports whether it was still there, so
// that only one turn takes it back: what a turn recalled may have been taken back
// by another one since.
func (m *memory) claim(q record.Request, recalled *past) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.past[asker(q)]
	if !ok || !p.at.Equal(recalled.at) || p.undone != recalled.undone {
		return false
	}
	delete(m.past, asker(q))
	return true
}

// keep remembers what a turn did. A turn that did nothing does not replace what is
// remembered.
func (m *memory) keep(q record.Request, p past, reply string) {
	if len(p.deeds) == 0 && !p.rest || q.DryRun {
		return
	}
	p.latest, p.asked = true, strings.HasSuffix(reply, "?")
	p.at = time.Now()
	p.expires = p.at.Add(undoTime)
	if q.Source == record.FromMic || q.Source == record.FromFile {
		p.expires = p.expires.Add(time.Duration(len(reply)) * letter)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.past == nil {
		m.past = map[string]*past{}
	}
	makeRoom(m.past, func(p *past) time.Time { return p.expires })
	m.past[asker(q)] = &p
}

// makeRoom removes the entries that have expired, and the oldest one if there are
// still too many.
func makeRoom[V any](kept map[string]V, until func(V) time.Time) {
	oldest := ""
	for who, v := range kept {
		if time.Now().After(until(v)) {
			delete(kept, who)
		} else if oldest == "" || until(v).Before(until(kept[oldest])) {
			oldest = who
		}
	}
	if len(kept) >= mostAskers {
		delete(kept, oldest)
	}
}

// ask keeps a question that waits for the asker's answer.
func (m *memory) ask(q record.Request, p pending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending == nil {
		m.pending = map[string]pending{}
	}
	makeRoom(m.pending, func(old pending) time.Time { return old.until })
	m.pending[asker(q)] = p
}

// answer removes and returns the question that waits for this asker. Any next text
// drops the question, except a dry run, which changes nothing.
func (m *memory) answer(q record.Request) (pending, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pending[asker(q)]
	if !q.DryRun {
		delete(m.pending, asker(q))
	}
	return p, ok && !time.Now().After(p.until)
}

// deedsOf reads from a call's receipt what it did to devices. The entity is nil if
// only the receipt says which devices they were.
func deedsOf(h *home.House, c tools.Call, r tools.Result, e *home.Entity, act intent.Action) []deed {
	got := r.Receipt
	if got == nil || act.Intent == stopMoving {
		return nil
	}
	if e == nil && len(got.Devices) > 0 {
		var all []deed
		for _, one := range got.Devices {
			if one.Sent() {
				all = append(all, deedOn(named(h, c.Server, one.Device), &one, act))
			}
		}
		return all
	}
	if !got.Sent() {
		return nil
	}
	if e == nil {
		e = named(h, c.Server, got.Device)
	}
	return []deed{deedOn(e, got, act)}
}

func deedOn(e *home.Entity, r *tools.Receipt, act intent.Action) deed {
	d := deed{name: r.Device, act: act, change: plan.Change{Receipt: *r}}
	if e != nil {
		d.device = e.ID
	}
	return d
}

// named finds the device of a server by its name or control id; nil if there is
// none or several have that name.
func named(h *home.House, server, name string) *home.Entity {
	var found *home.Entity
	for i := range h.Entities {
		e := &h.Entities[i]
		if e.Control == nil || e.Server != server || !strings.EqualFold(e.Name, name) && e.Control.ID != name {
			continue
		}
		if found != nil {
			return nil
		}
		found = e
	}
	return found
}

// asker names who asks, by source and area: a question asked in one room is not
// answered from another.
func asker(q record.Request) string { return string(q.Source) + "/" + q.Area }
