package mind

import (
	"maps"
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/doubt"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/past"
)

// confirmTime is how long a question waits for its answer. It counts from the
// moment the reply is made, so it includes the few seconds it takes to speak the
// question.
const confirmTime = 15 * time.Second

// question is a question that waits for its answer.
type question struct {
	decision intent.Decision // what is done after a yes, or with the chosen device
	steps    []plan.Step     // of the decision, where they are planned already
	timers   []reply.Timer   // which of them is meant
	thought  *modelQuestion  // a model asked, and gets the answer
	server   *parked         // a server asked in the middle of a call, and gets the answer
	text     string          // the text that led to the question
	doubt    *doubt.Question // it is about what was said
	turn     string          // the id of the turn that has asked what was said
	reworded *rewording      // it is whether a sentence of ours was meant; nil: it is not
	repeated bool            // it was asked once more, because the answer was not clear
	begun    past.Turn       // what was done before the question
	wait     time.Duration   // the time to answer it
	until    time.Time
}

// completed is the step for the answer to a question.
func (u *understanding) completed(x Exchange, m Memory, h *home.House) (Order, bool) {
	q := m.Question
	if q == nil {
		return Order{}, false
	}
	if q.server != nil {
		return u.replied(x, q.server)
	}
	if q.thought != nil {
		return Order{Think: true, Answers: q.thought}, !x.Unfinished && u.forModel(x)
	}
	if q.doubt != nil {
		if o, ok := u.cleared(x, m, h, q.doubt); ok || o.Read != nil {
			return o, ok
		}
		if q.decision.Route == "" {
			return Order{}, false
		}
	}
	if q.reworded != nil {
		return u.reworded(x, m, h, *q.reworded)
	}
	if saidAgain(x, q) {
		return Order{}, false
	}
	if o, ok := u.unclear(x, m, h, *q); ok {
		return o, true
	}
	if followup.AsksForAlarm(x.Alone) {
		return Order{}, false
	}
	return u.answered(x, m, h, q)
}

// saidAgain reports whether a text is the sentence that led to a question, once more. It
// chooses nothing, and the house may know more by now than when it was asked.
func saidAgain(x Exchange, q *question) bool {
	return q.text != "" && intent.Plain(x.Text) == intent.Plain(q.text)
}

// answered is the order that an answer comes to.
func (u *understanding) answered(x Exchange, m Memory, h *home.House, q *question) (Order, bool) {
	d, again, ok := u.answerTo(x, h, q)
	switch {
	case !ok:
		return Order{}, false
	case d.Route == intent.Model: // the first text, matched with the room from the answer, needs the model
		x.Alone = d
		o, ok := u.thought(x, m, h)
		o.Read = &x
		return o, ok
	}
	var o Order
	if len(q.steps) > 0 {
		o = Order{Meant: d, Do: q.steps}
	} else {
		o = u.order(x, m, h, d)
		o.Alone = q.decision.Reason != intent.PlannedByModel && !x.Unfinished
	}
	o.Ask = again
	if u.names(x, h, q) && careful(o, h) {
		o.Teaches = q.text
	}
	if o.Leaves == nil {
		o.Leaves = func(did past.Turn) past.Turn { return did.After(q.begun) }
	}
	return o, true
}

// names reports whether a yes has told what words mean that the house has in part of one name
// only: "mach mir einen Kaffee" is the coffee machine. The question must be the same in the
// room of the thing; in another room it may be about the room.
func (u *understanding) names(x Exchange, h *home.House, q *question) bool {
	asked := q.decision
	if !asked.AsksAboutOne() || !u.choosing.Yes(x.Text) {
		return false
	}
	e := h.Entity(asked.Options[0])
	if e == nil {
		return false
	}
	near := u.match.Match(q.text, e.Area)
	return near.AsksAboutOne() && slices.Equal(near.Options, asked.Options)
}

// answerTo completes the waiting decision with the answer: a yes, a thing or a
// room, said without a verb. If the answer still fits several devices, the question
// is asked again.
func (u *understanding) answerTo(x Exchange, h *home.House, q *question) (d intent.Decision, again *question, answered bool) {
	text := q.text
	switch d = q.decision; {
	case d.Reason == intent.WhatMeant && (u.choosing.Yes(x.Text) || u.choosing.All(x.Text)): // that names nothing
	case d.Route == intent.Local && len(d.Options) == 0:
		d.Confirmed = true
		return d, nil, u.choosing.Yes(x.Text)
	default:
		d, text, answered = u.complete(x, h, q)
	}
	if answered && d.Route == intent.Ask { // the answer to the second question completes the first text
		again = &question{decision: d, text: text}
	}
	return d, again, answered
}

// complete completes a decision by what it lacks; text is what was said so far.
func (u *understanding) complete(x Exchange, h *home.House, q *question) (d intent.Decision, text string, answered bool) {
	d, text = q.decision, q.text
	switch d.Reason {
	case intent.WhichArea:
		d, answered = u.inRoom(x, h, q)
	case intent.HowLong, intent.When, intent.RemindOf, intent.WhichTimer:
		d, text, answered = u.aboutTimers(x, q)
	case intent.BareName:
		d, answered = u.withVerb(x, h, q)
	default:
		if d.Route == intent.Local || d.Would != nil {
			d, answered = u.withThing(x, h, q)
		}
	}
	return d, text, answered
}

// aboutTimers completes a sentence about timers with its time, with the text of the
// reminder, or with the timer that is meant. A further question is about the longer text.
func (u *understanding) aboutTimers(x Exchange, q *question) (d intent.Decision, text string, answered bool) {
	alone := func(text string) intent.Decision { return u.match.Match(text, x.Area) }
	switch asked := q.decision; asked.Reason {
	case intent.RemindOf:
		r := followup.RemindAnswer{Asked: q.text, Text: x.Text, Remind: u.choosing.Reminding(q.text, x.Text, len(asked.Would.Slots) == 0), Match: alone}
		return r.Completed()
	case intent.WhichTimer:
		t := followup.TimerAnswer{Text: x.Text, All: u.choosing.All(x.Text), Place: u.choosing.Nth(x.Text, len(q.timers)), ByLength: u.choosing.ByLength(x.Text), Match: alone}
		d, answered = t.Completed(u.phrases, *asked.Would, q.timers)
		return d, q.text, answered
	default:
		t := followup.TimeAnswer{Asked: q.text, Text: x.Text, Match: alone}
		if asked.Reason == intent.When {
			t.AtTime = u.choosing.AtTime(x.Text)
		}
		d, answered = t.Completed(asked.Would)
		return d, q.text + " " + x.Text, answered
	}
}

// inRoom matches the first text again with the room that the answer names.
func (u *understanding) inRoom(x Exchange, h *home.House, q *question) (intent.Decision, bool) {
	if area := u.choosing.Place(x.Text, h); area != "" {
		return u.match.Match(q.text, area), true
	}
	return q.decision, u.choosing.Yes(x.Text)
}

// withThing completes an act with the device or devices that the answer names.
func (u *understanding) withThing(x Exchange, h *home.House, q *question) (intent.Decision, bool) {
	options := h.Some(q.decision.Options)
	chosen := u.choosing.Choose(x.Text, options)
	switch {
	case u.choosing.None(x.Text):
		return plainDecision(catalogue.No), true
	case len(chosen) == 0 && u.choosing.Yes(x.Text): // a bare yes is about all the options
		chosen = options
	case len(chosen) == 0:
		return q.decision, false
	}
	act := wantedAction(q.decision)
	act.Devices = nil
	for _, e := range chosen {
		act.Devices = append(act.Devices, e.ID)
	}
	if len(chosen) > 1 && !u.choosing.All(x.Text) { // "the kitchen one", and there are two
		d := intent.Decision{Route: intent.Ask, Reason: intent.Ambiguous, Question: u.phrases.Which(chosen), Options: act.Devices}
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

// withVerb completes a name that was said alone with the answer that says what to do:
// "on", "turn it off", "50 percent". The answer must be about the thing with that name,
// so that a new command is not taken for an answer.
func (u *understanding) withVerb(x Exchange, h *home.House, q *question) (intent.Decision, bool) {
	called := func(e *home.Entity) bool { return len(u.choosing.Choose(q.decision.Heard, []*home.Entity{e})) > 0 }
	var own []string
	for i := range h.Entities {
		if e := &h.Entities[i]; called(e) {
			own = append(own, e.ID)
		}
	}
	for _, text := range u.choosing.About(x.Text, q.decision.Heard) {
		d := u.match.Match(text, x.Area)
		if d.Route == intent.Local && len(d.Actions) == 1 && len(d.Actions[0].Devices) > 0 &&
			!slices.ContainsFunc(d.Actions[0].Devices, func(id string) bool { return !slices.Contains(own, id) }) {
			return d, true
		}
	}
	return q.decision, false
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

// plainDecision is the decision for something that needs no device.
func plainDecision(name string) intent.Decision {
	return intent.Decision{Route: intent.Local, Reason: intent.BySentence, Actions: []intent.Action{{Intent: name, Slots: map[string]any{}}}}
}

// wantedAction returns the act that a question was about, without its device.
func wantedAction(d intent.Decision) intent.Action {
	if d.Route == intent.Local {
		return d.Actions[0]
	}
	return *d.Would
}
