package mind

import (
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
)

// step is one way of understanding a text: it makes an order of the text, or leaves it,
// perhaps read in another way, to the next step. It calls, says, locks and writes
// nothing.
type step struct {
	name       string
	understand func(Exchange, Memory, *home.House) (Order, bool)
}

// understanding makes orders of texts. It knows the words and the sentences, and changes
// nothing.
type understanding struct {
	match    Matcher
	phrases  *reply.Phrases
	choosing *choosing.Words
	rules    guard.Rules
	tasks    bool                  // stopped tasks are kept
	learns   bool                  // something is learnt from what is said of a turn
	kinds    func() reader.Learned // of orders in other words; nil: none were learned
}

// steps lists the ways of understanding a text, in the order in which they are tried. The
// last one takes every text.
func (u *understanding) steps() []step {
	return []step{
		{"the words of a challenge", u.challenged},
		{"an act that was ordered without words", u.controlled},
		{"a wish to hear the answer again", u.repeated},
		{"the answer to a question", u.completed},
		{"a sentence that was not finished", u.halfSaid},
		{"a word about the timers that were told", u.cancelledListed},
		{"a word about the turn before", u.amended},
		{"a task that was stopped", u.resumed},
		{"a typed sentence with slips", u.respelt},
		{"a sentence that may have been another one", u.uncertain},
		{"a short sentence after another", u.followed},
		{"a local sentence", u.matched},
		{"a sentence in other words", u.reread},
		{"the language model", u.thought},
	}
}

// looseSteps lists the ways of understanding a text that a recogniser wrote by itself and that
// fits no sentence. Whatever else it may mean, it is not for the house.
func (u *understanding) looseSteps() []step {
	return []step{
		{"a sentence in other words", u.reread},
		{"nothing", func(Exchange, Memory, *home.House) (Order, bool) { return ignore(), true }},
	}
}

// as is an exchange with another text in its place.
func (u *understanding) as(x Exchange, text string) Exchange {
	x.Text, x.Alone = text, u.match.Match(text, x.Area)
	return x
}

// order makes the order that a decision comes to.
func (u *understanding) order(x Exchange, m Memory, h *home.House, d intent.Decision) Order {
	if x.overheard(m.Asked, d) {
		d = intent.Decision{Route: intent.Reject, Reason: intent.Overheard}
	}
	o := Order{Meant: d}
	switch d.Route {
	case intent.Local:
		return u.acts(o, x, m, h)
	case intent.Ask:
		return o.say(u.question(d, h), record.Asked, "")
	case intent.Reject, intent.Model:
		return o.say(u.phrases.Refusal(d), record.Failed, past.Reason(d))
	}
	return o
}

// acts plans what a decision asks for. An intent of a foreign pack is recorded and not
// carried out.
func (u *understanding) acts(o Order, x Exchange, m Memory, h *home.House) Order {
	if o.Meant.Foreign {
		return o.say("", record.Ignored, "")
	}
	if len(o.Meant.Actions) == 1 {
		switch act := o.Meant.Actions[0]; act.Intent {
		case catalogue.Undo:
			return u.undo(o, m, h)
		case catalogue.Other:
			return u.other(o, x, m, h)
		case catalogue.Why, catalogue.Since, catalogue.WhatDone, catalogue.WhoDid, catalogue.Happened:
			return u.explain(o, x, h)
		case catalogue.Wrong, catalogue.Remember:
			if act.Intent == catalogue.Wrong && (m.Before != nil && m.Before.latest || !u.learns) {
				o = u.undo(o, m, h)
			}
			o.Learn = &act
			return o
		}
	}
	return u.plan(o, x, h)
}

// plan plans the calls of a decision.
func (u *understanding) plan(o Order, x Exchange, h *home.House) Order {
	var err error
	if o.Do, err = plan.Calls(o.Meant, h, x.Area); err != nil {
		return o.say(u.phrases.Apology(err), record.Failed, err.Error())
	}
	return o
}

// question returns the question to ask back. The things that may be meant are named by
// the rules for the whole house, because only their rooms may tell them apart.
func (u *understanding) question(d intent.Decision, h *home.House) string {
	if things := h.Some(d.Options); d.Reason == intent.Ambiguous && len(things) > 0 && len(things) == len(d.Options) {
		return u.phrases.Which(things)
	}
	return d.Question
}

// matched is the step for sentences that need no model. It waits for the house only if
// the house could change the answer: the time of day is said while the servers still
// start.
func (u *understanding) matched(x Exchange, m Memory, h *home.House) (Order, bool) {
	d := x.Alone
	if unsettled(d) && !x.Settled && !u.talksOnly(x, h) {
		return Order{Await: true}, true
	}
	if x.mistaken() {
		return Order{}, false
	}
	var ask *question
	switch d.Route {
	case intent.Ask:
		if d = guard.Hopeless(d, h, x.Area); d.Route == intent.Ask {
			ask = &question{decision: d, text: x.Text}
		}
	case intent.Model:
		return Order{}, false
	case intent.Reject:
		if o, ok := u.reread(x, m, h); ok {
			return o, true
		}
		if d.Reason == intent.BareName {
			ask = &question{decision: d, text: x.Text}
		}
	case intent.Local:
	}
	o := u.order(x, m, h, d)
	o.Ask, o.Alone, o.Homeless = ask, !x.Unfinished, lacksHouse(d, h)
	return o, true
}
