package mind

import (
	"slices"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// subject is what an asker's next short sentence may be about, with what was done. It
// does not change once it is kept.
type subject struct {
	followup.Subject
	did     []past.Deed
	started []string // the ids of the timers, alarms and reminders that were set
}

// subject returns what an asker's last sentence was about, nil if nothing is
// remembered.
func (m *memories) subject(q record.Request) *subject {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.subjects[asker(q)]
	if !ok || !t.Fresh(false) {
		return nil
	}
	return &t
}

// turnTo remembers what an asker's last sentence was about.
func (m *memories) turnTo(q record.Request, t subject) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.subjects == nil {
		m.subjects = map[string]subject{}
	}
	makeRoom(m.subjects, func(t subject) time.Time { return t.At.Add(followup.TalkTime) })
	m.subjects[asker(q)] = t
}

// deedsNow returns what the turn at hand did to devices.
func (m *memories) deedsNow(q record.Request) []past.Deed {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.past[asker(q)]; p != nil && p.latest {
		return p.Deeds
	}
	return nil
}

// timersStarted returns the ids of what the turn at hand has set: timers, alarms, reminders.
func (m *memories) timersStarted(q record.Request) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.past[asker(q)]; p != nil && p.latest {
		return p.Started
	}
	return nil
}

// recent reports whether a subject is an act of a short while ago.
func (t *subject) recent() bool { return t != nil && t.Fresh(true) && !t.Asks() }

// heed remembers what a turn was about, for the short sentences that may follow.
func (m *Mind) heed(x *Exchange, o *Order, rec *record.Record) {
	if x.DryRun {
		return
	}
	next := o.Subject
	if next == nil {
		next = m.subject(x, o, rec)
	}
	if next == nil {
		return
	}
	next.At, next.Less = time.Now(), o.Less
	if last := m.memory.subject(x.Request); last.recent() && len(next.Earlier) == 0 {
		if next.Earlier = last.Things; slices.Equal(last.Things, next.Things) {
			next.Earlier = last.Earlier
		}
	}
	if x.Source == record.FromMic || x.Source == record.FromFile {
		next.At = next.At.Add(Speaking(rec.Reply))
	}
	m.memory.turnTo(x.Request, *next)
}

// subject finds what a turn was about; nil leaves the remembered subject unchanged.
func (m *Mind) subject(x *Exchange, o *Order, rec *record.Record) *subject {
	last, deeds := m.memory.subject(x.Request), m.memory.deedsNow(x.Request)
	switch {
	case rec.Route == record.RouteModel || rec.Route == record.RouteNone:
		if t := followup.OfDeeds(deeds); t != nil {
			return &subject{Subject: *t, did: deeds}
		}
		if last != nil {
			last.Talked = true
		}
		return last
	case o.Meant.Route == intent.Reject && o.Meant.Would != nil:
		return &subject{Subject: followup.Subject{Acts: []intent.Action{*o.Meant.Would}, Lost: true}}
	case o.Meant.Route != intent.Local || len(o.Meant.Actions) == 0:
		return nil
	}
	switch o.Meant.Actions[0].Intent {
	case catalogue.Undo, catalogue.Wrong:
		if last != nil {
			last.did = nil
		}
		return last
	case catalogue.Other:
		if t := followup.OfDeeds(deeds); t != nil {
			return &subject{Subject: *t, did: deeds}
		}
		return nil
	}
	t := followup.OfActs(o.Meant.Actions, deeds, func(things []string) []string {
		var named []string
		for _, e := range m.choosing.ThingsIn(rec.Reply, m.match.House().Some(things)) {
			named = append(named, e.ID)
		}
		return named
	})
	if t == nil {
		return nil
	}
	t.Waits = rec.Outcome == record.Asked
	return &subject{Subject: *t, did: deeds, started: m.memory.timersStarted(x.Request)}
}
