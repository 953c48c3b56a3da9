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

// How long what was done can be taken back: from the end of the reply. A
// microphone that nobody has woken is open for much less (REQUIREMENTS U5); who
// wakes it, or writes, needs a moment more.
const (
	undoTime = 30 * time.Second
	letter   = time.Second / 12 // what a voice needs for it
)

// mostAskers bounds how many sources and areas something is kept of. An area is
// whatever the sender of a text calls it.
const mostAskers = 64

// memory is what the answerer keeps between turns, by asker. It is safe for
// concurrent use.
type memory struct {
	mu      sync.Mutex
	pending map[string]pending // a question back, waiting for its answer
	past    map[string]*past   // the last turn that did something
	offered offered            // the stopped task that was offered last
}

// pending is a question back.
type pending struct {
	decision intent.Decision // what is done on yes, or with what is chosen
	text     string          // of the turn that was asked back
	until    time.Time
}

// past is what a turn did. Nothing of it changes once it is kept.
type past struct {
	text    string // of the turn
	deeds   []deed
	origin  *deed // the act for which another device may have been meant
	rest    bool  // something was done that is no device's state
	undone  int   // how often it was taken back already: 1 undone, 2 done again
	latest  bool  // no other turn came since
	asked   bool  // the reply was a question: a "no" answers that
	at      time.Time
	expires time.Time
}

// deed is what was done to one device.
type deed struct {
	device string        // its id; "" where the house does not know it
	name   string        // as its receipt calls it
	act    intent.Action // Intent is "" where nothing like it can be planned
	change plan.Change
}

// recall gives what the asker's last turn did, and notes that another turn is
// here. It is nil where there is nothing any more.
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

// holds reports whether anything is kept of an asker.
func (m *memory) holds(who string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, did := m.past[who]
	question, asked := m.pending[who]
	now := time.Now()
	return did && p.latest && now.Before(p.expires) || asked && now.Before(question.until)
}

// claim hands what is to be taken back over to one turn only.
func (m *memory) claim(q record.Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.past[asker(q)]
	delete(m.past, asker(q))
	return ok
}

// keep remembers what a turn did; a turn that did nothing leaves what was before.
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

// makeRoom forgets what is over, and the oldest where there is too much.
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

// ask keeps a question back.
func (m *memory) ask(q record.Request, p pending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending == nil {
		m.pending = map[string]pending{}
	}
	makeRoom(m.pending, func(old pending) time.Time { return old.until })
	m.pending[asker(q)] = p
}

// answer takes the question back that waits for this asker. Whatever is said
// next drops it, except a dry run, which changes nothing.
func (m *memory) answer(q record.Request) (pending, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pending[asker(q)]
	if !q.DryRun {
		delete(m.pending, asker(q))
	}
	return p, ok && !time.Now().After(p.until)
}

// deedsOf reads what a call did to devices. The entity is nil where only the
// result tells which ones it was.
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

// named finds the one device of a server that is called so; nil where several are.
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

// asker is who asks, by source and room: what one was asked, another does not answer.
func asker(q record.Request) string { return string(q.Source) + "/" + q.Area }
