package answer

import (
	"slices"
	"time"

	"voicegateway/internal/dialogue/moment"
	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/followup"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
)

// subject is what an asker's next short sentence may be about, with what was done. It
// does not change once it is kept.
type subject struct {
	followup.Subject
	did []past.Deed
}

// subject returns what an asker's last sentence was about, nil if nothing is
// remembered.
func (m *memory) subject(q record.Request) *subject {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.subjects[asker(q)]
	if !ok || !t.Fresh(false) {
		return nil
	}
	return &t
}

// turnTo remembers what an asker's last sentence was about.
func (m *memory) turnTo(q record.Request, t subject) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.subjects == nil {
		m.subjects = map[string]subject{}
	}
	makeRoom(m.subjects, func(t subject) time.Time { return t.At.Add(followup.TalkTime) })
	m.subjects[asker(q)] = t
}

// deedsNow returns what the turn at hand did to devices.
func (m *memory) deedsNow(q record.Request) []past.Deed {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.past[asker(q)]; p != nil && p.latest {
		return p.Deeds
	}
	return nil
}

// heed remembers what a turn was about, for the short sentences that may follow.
func heed(a *Answerer, x *exchange) {
	if x.DryRun {
		return
	}
	next := x.subject
	if next == nil {
		next = subjectOf(a, x)
	}
	if next == nil {
		return
	}
	next.At = time.Now()
	if x.Source == record.FromMic || x.Source == record.FromFile {
		next.At = next.At.Add(moment.Speaking(x.rec.Reply))
	}
	a.memory.turnTo(x.Request, *next)
}

// subjectOf finds what a turn was about; nil leaves what is remembered as it is.
func subjectOf(a *Answerer, x *exchange) *subject {
	last, deeds := a.memory.subject(x.Request), a.memory.deedsNow(x.Request)
	switch {
	case x.rec.Route == record.RouteModel || x.rec.Route == record.RouteNone:
		t := subjectOfDeeds(deeds)
		if t == nil && last != nil {
			last.Talked = true
			t = last
		}
		return t
	case x.meant.Route == intent.Reject && x.meant.Would != nil:
		return &subject{Subject: followup.Subject{Acts: []intent.Action{*x.meant.Would}, Lost: true}}
	case x.meant.Route != intent.Local || len(x.meant.Actions) == 0:
		return nil
	}
	switch x.meant.Actions[0].Intent {
	case catalogue.Undo:
		if last != nil {
			last.did = nil
		}
		return last
	case catalogue.Other:
		return subjectOfDeeds(deeds)
	}
	return subjectOfActs(a, x, deeds)
}

// subjectOfActs is the subject of what was understood as a whole decision; nil if that
// was about nothing that can be referred to.
func subjectOfActs(a *Answerer, x *exchange, deeds []past.Deed) *subject {
	t := &subject{did: deeds}
	for _, act := range x.meant.Actions {
		if followup.Accounts(act) { // what is asked next is how things are
			act = intent.Action{Intent: catalogue.GetState, Slots: map[string]any{"name": act.Slots["name"]}, Devices: act.Devices}
		}
		in := catalogue.Of(act.Intent)
		if len(act.Devices) > 0 && in.Plan != catalogue.Before || in.Plan == catalogue.Tool && in.Undo == catalogue.Final {
			t.Acts = append(t.Acts, act)
		}
	}
	if len(t.Acts) == 0 {
		return nil
	}
	t.Waits = x.rec.Outcome == record.Asked
	for _, d := range deeds {
		if lowered(d.Change) {
			t.Lowered = append(t.Lowered, d.Device)
		}
	}
	t.Things, t.Apart = standsFor(a, t, x.rec.Reply)
	return t
}

// lowered reports whether a change moved something down.
func lowered(c plan.Change) bool {
	before, known := c.BeforeLevel.(float64)
	now, ok := c.Value.(float64)
	return known && ok && now < before
}

// subjectOfDeeds is the subject of acts that are known only by what they did; nil if
// they did nothing.
func subjectOfDeeds(deeds []past.Deed) *subject {
	t := &subject{did: deeds}
	for _, d := range deeds {
		if d.Act.Intent != "" && d.Device != "" {
			act := d.Act
			act.Devices = []string{d.Device}
			t.Acts, t.Things = append(t.Acts, act), append(t.Things, d.Device)
		}
	}
	if len(t.Acts) == 0 {
		return nil
	}
	t.Apart = len(t.Acts) > 1
	return t
}

// standsFor finds the things that "it" means after a sentence: those it was about,
// or after a question about several things those that the answer names. They are
// apart if they are no group of one kind.
func standsFor(a *Answerer, t *subject, said string) (things []string, apart bool) {
	for _, act := range t.Acts {
		for _, id := range act.Devices {
			if !slices.Contains(things, id) {
				things = append(things, id)
			}
		}
	}
	if len(things) < 2 {
		return things, false
	}
	if !t.Asks() {
		slots := t.Acts[0].Slots
		return things, len(t.Acts) > 1 || slots["domain"] == nil && slots["area"] == nil && slots["kind"] == nil && slots["device_class"] == nil
	}
	var named []string
	for _, e := range a.choosing.Named(said, entitiesOf(a.match.House(), things)) {
		named = append(named, e.ID)
	}
	if len(named) > 0 {
		things = named
	}
	return things, len(things) > 1
}
