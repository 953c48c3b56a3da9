package mind

import (
	"context"
	"maps"
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// confirmTime is how long a question waits for its answer. It counts from the
// moment the reply is made, so it includes the few seconds it takes to speak the
// question.
const confirmTime = 15 * time.Second

// remember keeps a question for the time a person takes to answer.
func (a *Answerer) remember(q record.Request, d intent.Decision) {
	if !q.DryRun {
		a.memory.ask(q, pending{decision: d, text: q.Text, until: time.Now().Add(confirmTime)})
	}
}

// completed is the step for the answer to a question.
func (a *Answerer) completed(ctx context.Context, x *exchange) bool {
	p, asked := a.memory.answer(x.Request)
	x.asked = asked
	if asked && x.Unfinished && !x.DryRun {
		a.memory.halved(x.Request, x.rec.ID, p)
	}
	d := doubting{a, x}
	switch q := p.thought; {
	case !asked:
		return false
	case q != nil && !x.Unfinished && q.forModel(x, a.match, a.choosing):
		x.question = q
		return a.thought(ctx, x)
	case q != nil:
		return false
	case p.doubt != nil && d.cleared(ctx, p.doubt):
		return x.rec.Outcome != "" // "neither" is answered, anything else is the text to understand
	case p.doubt != nil && p.decision.Route == "":
		return false
	case d.unclear(p):
		return true
	case followup.AsksForAlarm(a.match.Match(x.Text, x.Area)):
		return false
	}
	return answered(ctx, a, x, p)
}

// answered carries out what an answer comes to.
func answered(ctx context.Context, a *Answerer, x *exchange, p pending) bool {
	d, ok := a.answerTo(x.Request, p)
	x.begun = p.begun
	switch {
	case !ok:
		return false
	case d.Route == intent.Model: // the first text, matched with the room from the answer, needs the model
		x.local = d
		return a.thought(ctx, x)
	}
	x.ordered = len(p.steps) == 0 && p.decision.Reason != intent.PlannedByModel && !x.Unfinished
	a.perform(x, d, func() past.Turn {
		if len(p.steps) > 0 {
			return a.carry(ctx, x, d, p.steps)
		}
		return a.carryOut(ctx, x, d)
	})
	return true
}

// answerTo completes the waiting decision with the answer: a yes, a thing or a
// room, said without a verb. If the answer still fits several devices, the question
// is asked once more.
func (a *Answerer) answerTo(q record.Request, p pending) (d intent.Decision, answered bool) {
	switch d = p.decision; {
	case d.Reason == intent.WhatMeant && (a.choosing.Yes(q.Text) || a.choosing.All(q.Text)): // that names nothing
	case d.Route == intent.Local && len(d.Options) == 0:
		d.Confirmed = true
		return d, a.choosing.Yes(q.Text)
	case d.Reason == intent.WhichArea:
		d, answered = a.inRoom(q, p)
	case slices.Contains([]intent.Reason{intent.HowLong, intent.When, intent.RemindOf, intent.WhichTimer}, d.Reason):
		d, answered = a.aboutTimers(q, &p)
	case d.Reason == intent.BareName:
		d, answered = a.withVerb(q, p)
	case d.Route == intent.Local || d.Would != nil:
		d, answered = a.withThing(q, p)
	}
	if answered && d.Route == intent.Ask { // the answer to the second question completes the first text
		q.Text = p.text
		a.remember(q, d)
	}
	return d, answered
}

// aboutTimers completes a sentence about timers with its time, with the text of the
// reminder, or with the timer that is meant. A further question is about the longer text.
func (a *Answerer) aboutTimers(q record.Request, p *pending) (d intent.Decision, answered bool) {
	alone := func(text string) intent.Decision { return a.match.Match(text, q.Area) }
	switch asked := p.decision; asked.Reason {
	case intent.RemindOf:
		r := followup.RemindAnswer{Asked: p.text, Text: q.Text, Remind: a.choosing.Reminding(p.text, q.Text, len(asked.Would.Slots) == 0), Match: alone}
		d, p.text, answered = r.Completed()
	case intent.WhichTimer:
		t := followup.TimerAnswer{Text: q.Text, All: a.choosing.All(q.Text), Place: a.choosing.Nth(q.Text, len(p.timers)), ByLength: a.choosing.ByLength(q.Text), Match: alone}
		d, answered = t.Completed(a.phrases, *asked.Would, p.timers)
	default:
		t := followup.TimeAnswer{Asked: p.text, Text: q.Text, Match: alone}
		if asked.Reason == intent.When {
			t.AtTime = a.choosing.AtTime(q.Text)
		}
		d, answered = t.Completed(asked.Would)
		p.text += " " + q.Text
	}
	return d, answered
}

// inRoom matches the first text again with the room that the answer names.
func (a *Answerer) inRoom(q record.Request, p pending) (intent.Decision, bool) {
	if area := a.choosing.Place(q.Text, a.match.House()); area != "" {
		return a.match.Match(p.text, area), true
	}
	return p.decision, a.choosing.Yes(q.Text)
}

// withThing completes an act with the device or devices that the answer names.
func (a *Answerer) withThing(q record.Request, p pending) (intent.Decision, bool) {
	options := a.match.House().Some(p.decision.Options)
	chosen := a.choosing.Choose(q.Text, options)
	switch {
	case a.choosing.None(q.Text):
		return plainDecision(catalogue.No), true
	case len(chosen) == 0 && a.choosing.Yes(q.Text): // a bare yes is about all the options
		chosen = options
	case len(chosen) == 0:
		return p.decision, false
	}
	act := wanted(p.decision)
	act.Devices = nil
	for _, e := range chosen {
		act.Devices = append(act.Devices, e.ID)
	}
	if len(chosen) > 1 && !a.choosing.All(q.Text) { // "the kitchen one", and there are two
		d := intent.Decision{Route: intent.Ask, Reason: intent.Ambiguous, Question: a.phrases.Which(chosen), Options: act.Devices}
		act.Devices = nil
		d.Would = &act
		return d, true
	}
	if act.Slots = maps.Clone(act.Slots); len(chosen) == 1 {
		act.Slots["name"] = chosen[0].Name
	}
	act = onto(act, chosen)
	return intent.Decision{Route: intent.Local, Reason: intent.ByAnswer, Actions: []intent.Action{act}}, true
}

// onto gives the things that were chosen to the act that has an end; any other act is
// left as it is.
func onto(act intent.Action, chosen []*home.Entity) intent.Action {
	if act.Intent != catalogue.Until || len(act.Later) != 1 {
		return act
	}
	inner := act.Later[0]
	inner.Devices, inner.Slots = act.Devices, maps.Clone(inner.Slots)
	delete(act.Slots, "name")
	if len(chosen) == 1 {
		inner.Slots["name"] = chosen[0].Name
	}
	act.Devices, act.Later = nil, []intent.Action{inner}
	return act
}

// questionOf returns the question to ask back. The things that may be meant are named by
// the rules for the whole house, because only their rooms may tell them apart.
func questionOf(d intent.Decision, h *home.House, phrases *reply.Phrases) string {
	if things := h.Some(d.Options); d.Reason == intent.Ambiguous && len(things) > 0 && len(things) == len(d.Options) {
		return phrases.Which(things)
	}
	return d.Question
}

// plainDecision is the decision for something that needs no device.
func plainDecision(name string) intent.Decision {
	return intent.Decision{Route: intent.Local, Reason: intent.BySentence, Actions: []intent.Action{{Intent: name, Slots: map[string]any{}}}}
}

// wanted returns the act that a question was about, without its device.
func wanted(d intent.Decision) intent.Action {
	if d.Route == intent.Local {
		return d.Actions[0]
	}
	return *d.Would
}
