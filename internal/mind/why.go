package mind

import (
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/past"
)

// explain is the order for a question about what was done before. Why and since when a
// thing is as it is, is answered from what the thing reports as well, so it is read.
func (u *understanding) explain(o Order, x Exchange, h *home.House) Order {
	o.Manner = Explained
	act := o.Meant.Actions[0]
	if act.Intent == catalogue.WhatDone || act.Intent == catalogue.WhoDid || act.Intent == catalogue.Happened || x.DryRun {
		return o
	}
	var err error
	o.Do, err = plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{
		{Intent: catalogue.GetState, Slots: map[string]any{}, Devices: act.Devices},
	}}, h, x.Area)
	if err != nil {
		return o.say(u.phrases.Apology(err), record.Done, "")
	}
	return o
}

// account is the account of the past for the user who asks.
func (m *Mind) account(x *Exchange) past.Account {
	return past.Account{
		House: m.match.House(), Acts: &m.ledger, Reports: &m.Reports, Phrases: m.phrases, Area: x.Area,
		Mine: func(e *past.Entry) bool {
			return asker(record.Request{Source: e.Source, Area: e.Area}) == asker(x.Request)
		},
	}
}

// failures says, after the state of the house, which things did not answer their last
// command; "" for any other order.
func (m *Mind) failures(x *Exchange, o *Order, rec *record.Record) string {
	if len(o.Meant.Actions) != 1 || rec.Outcome != record.Done {
		return ""
	}
	if slots := o.Meant.Actions[0].Slots; slots["state"] != "right" || slots["ask"] != "which" {
		return ""
	}
	remembered := m.account(x)
	return remembered.Failures()
}

// explain answers a question about what was done before, from the ledger and from what
// the devices report.
func (m *Mind) explain(x *Exchange, o *Order, t *turn, done calling.Made) {
	remembered := m.account(x)
	act := o.Meant.Actions[0]
	if len(o.Do) > 0 {
		done.Into(t.rec, t.watch)
	}
	t.rec.Outcome, t.rec.Error = record.Done, ""
	switch {
	case x.DryRun:
		t.rec.Outcome = record.Ignored
	case act.Intent == catalogue.WhatDone:
		t.rec.Reply = remembered.Last(remembered.Mine, true)
	case act.Intent == catalogue.WhoDid:
		t.rec.Reply = remembered.Who()
	case act.Intent == catalogue.Happened:
		area, _ := act.Slots["area"].(string)
		from, to := plan.SpanBefore(act, time.Now())
		t.rec.Reply = remembered.SayHappened(from, to, m.began, area)
	default:
		t.rec.Reply = m.why(&remembered, act, o.Do, done)
	}
}

// why says, for each thing in the question, who changed it, or that no one asked for the
// change and what the thing itself reported.
func (m *Mind) why(remembered *past.Account, act intent.Action, steps []plan.Step, done calling.Made) string {
	state, _ := act.Slots["state"].(string)
	var things []*home.Entity
	var told, others []string
	for i := range steps {
		if steps[i].Entity == nil {
			continue
		}
		seen := remembered.By().Sight(&steps[i], done.Results[i], state)
		text := remembered.Why(act, steps[i].Entity, seen, state)
		if len(steps) > 1 && seen.Known && !seen.Is {
			others = append(others, text) // not the one that is meant
			continue
		}
		things, told = append(things, steps[i].Entity), append(told, text)
	}
	switch {
	case len(told) > 0:
		return remembered.By().Each(things, told)
	case len(others) > 0:
		return others[0]
	}
	return m.phrases.Phrase("nothing_lately", nil)
}
