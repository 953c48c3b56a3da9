package mind

import (
	"context"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/account"
	"voicegateway/internal/mind/past"
)

// explanation is the answer to one question about what was done.
type explanation struct {
	*Answerer
	account.Account

	x *exchange
}

// explained answers a question about what was done before, from the ledger and from
// what the devices report.
func explained(ctx context.Context, a *Answerer, x *exchange, d intent.Decision) past.Turn {
	x.rec.Outcome = record.Done
	ex := explanation{a, accountFor(a, x), x}
	act := d.Actions[0]
	switch {
	case x.DryRun:
		x.rec.Outcome = record.Ignored
	case act.Intent == catalogue.WhatDone:
		x.rec.Reply = ex.Last(ex.Mine, true)
	case act.Intent == catalogue.WhoDid:
		x.rec.Reply = ex.Who()
	default:
		x.rec.Reply = ex.why(ctx, act)
	}
	return past.Turn{}
}

// accountFor returns the account of the past for the user who asks.
func accountFor(a *Answerer, x *exchange) account.Account {
	return account.Account{
		House: a.match.House(), Acts: &a.ledger, Reports: &a.Reports, Phrases: a.phrases, Area: x.Area,
		Mine: func(e *past.Entry) bool {
			return asker(record.Request{Source: e.Source, Area: e.Area}) == asker(x.Request)
		},
	}
}

// whatIsWrong adds to the state of the house which things did not answer their last
// command.
func whatIsWrong(a *Answerer, x *exchange, act *intent.Action) {
	remembered := accountFor(a, x)
	if failed := remembered.Failures(); failed != "" && act.Slots["state"] == "right" && act.Slots["ask"] == "which" && x.rec.Outcome == record.Done {
		x.rec.Reply += " " + failed
	}
}

// why says, for each thing in the question, who changed it, or that no one asked for the
// change and what the thing itself reported.
func (ex explanation) why(ctx context.Context, act intent.Action) string {
	state, _ := act.Slots["state"].(string)
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{
		{Intent: catalogue.GetState, Slots: map[string]any{}, Devices: act.Devices},
	}}, ex.House, ex.x.Area)
	if err != nil {
		return ex.phrases.Apology(err)
	}
	ex.x.waits()
	done := ex.calls.All(ctx, ex.calls.Take(nil), steps)
	done.Into(ex.x.rec, ex.x.watch)
	ex.x.rec.Outcome, ex.x.rec.Error = record.Done, ""
	var things []*home.Entity
	var told, others []string
	for i := range steps {
		if steps[i].Entity == nil {
			continue
		}
		seen := ex.By().Sight(&steps[i], done.Results[i], state)
		text := ex.Why(act, steps[i].Entity, seen, state)
		if len(steps) > 1 && seen.Known && !seen.Is {
			others = append(others, text) // not the one that is meant
			continue
		}
		things, told = append(things, steps[i].Entity), append(told, text)
	}
	switch {
	case len(told) > 0:
		return ex.By().Each(things, told)
	case len(others) > 0:
		return others[0]
	}
	return ex.phrases.Phrase("nothing_lately", nil)
}
