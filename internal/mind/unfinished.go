package mind

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/doubt"
	"voicegateway/internal/language/speech"
)

// doubts reads texts that may have been misheard or are not complete (REQUIREMENTS H11).
func (u *understanding) doubts(x Exchange, m Memory, h *home.House) *doubt.Reader {
	alone := func(text string) intent.Decision { return u.match.Match(text, x.Area) }
	means := func(text string) intent.Decision {
		meant := alone(text)
		if after, ok := u.after(x, m, h, text, meant); ok {
			return after.Decision
		}
		return meant
	}
	return &doubt.Reader{Match: alone, Means: means, House: h, Area: x.Area, Words: u.choosing, Phrases: u.phrases}
}

// cleared takes the text for the answer to a question about what was said. What it
// makes of both is how the text is read, so that the next steps understand it as if it
// had been said at once. Otherwise the text is no such answer.
func (u *understanding) cleared(x Exchange, m Memory, h *home.House, asked *doubt.Question) (Order, bool) {
	if u.choosing.Amendment(x.Text) != choosing.NoAmendment {
		return Order{}, false
	}
	if u.choosing.None(x.Text) {
		return u.order(x, m, h, plainDecision(catalogue.No)), true
	}
	overheard := x.FollowUp // without a wake word
	x.FollowUp = false      // a text that completes a command is meant for the house
	r := u.doubts(x, m, h)
	text, ok := r.Answered(asked, x.Text)
	switch {
	case ok:
	case x.Unfinished && asked.Beginning != "" && overheard:
		text = r.Plain(asked.Beginning, x.Text)
	default:
		return Order{}, false
	}
	var others []string
	for _, other := range x.Others {
		if also, ok := r.Answered(asked, other); ok && also != text {
			others = append(others, also)
		}
	}
	x = u.as(x, text)
	x.Others, x.Unfinished = others, x.Unfinished && asked.Beginning != ""
	if overheard { // who says the wake word again is asked again
		x.Doubts = asked.Count
	}
	return Order{Read: &x}, false
}

// halfSaid is the step for a text that is only the beginning of a sentence. Nothing is
// done and no model is asked: the gateway asks for the rest. A whole command before a
// hanging "and" is done, because the missing part is another command; after the "and" of
// a foreign sentence, the missing part may belong to it.
func (u *understanding) halfSaid(x Exchange, m Memory, h *home.House) (Order, bool) {
	if !x.Unfinished || u.choosing.Amendment(x.Text) != choosing.NoAmendment {
		return Order{}, false
	}
	r := u.doubts(x, m, h)
	if h.Empty() {
		return u.order(x, m, h, intent.Decision{Route: intent.Reject, Reason: intent.UnknownName, NeedHouse: true}), true
	}
	if whole := u.choosing.WithoutJoin(x.Text); whole != "" {
		if d := r.Means(whole); d.Route == intent.Local && !d.Foreign {
			x = u.as(x, whole)
			x.Others = nil
			return Order{Read: &x}, false
		}
	}
	meant := r.Whole(x.Text)
	switch {
	case meant.Route == intent.Local && (!r.Acts(meant) || u.match.Judge(x.Text) == speech.Closed):
		return Order{}, false // what may follow changes nothing
	case x.FollowUp || x.Doubts >= maxAsked: // a television has half sentences, too
		return ignore(), true
	}
	return u.askDoubt(x, m, h, u.rest(x, r, meant), doubt.Question{Beginning: x.Text}), true
}

// rest returns the question for the rest of a sentence, depending on what the beginning
// means alone.
func (u *understanding) rest(x Exchange, r *doubt.Reader, meant intent.Decision) intent.Decision {
	ask := intent.Decision{Route: intent.Ask, Reason: intent.Unfinished}
	switch {
	case meant.Route == intent.Ask && len(meant.Options) > 0:
		return meant
	case meant.Reason == intent.BareName && r.Names(meant.Heard):
		ask.Reason, ask.Heard, ask.Question = intent.BareName, meant.Heard, u.phrases.Refusal(meant)
	case meant.Route == intent.Local:
		ask.Question = u.phrases.Phrase("unfinished_all", nil)
	default:
		ask.Question = r.Missing(x.Text)
	}
	return ask
}

// uncertain is the step for a text with other readings that are nearly as likely. If they
// mean different things, it asks which is meant.
func (u *understanding) uncertain(x Exchange, m Memory, h *home.House) (Order, bool) {
	if len(x.Others) == 0 {
		return Order{}, false
	}
	readings, question := u.doubts(x, m, h).Either(x.Text, x.Others)
	switch {
	case len(readings) == 0, len(readings) == 1 && x.FollowUp:
		return Order{}, false
	case x.Doubts >= maxAsked:
		return u.order(x, m, h, intent.Decision{Route: intent.Reject, Reason: intent.NotUnderstood}), true
	}
	return u.either(x, m, h, readings, question), true
}

// either asks which of two readings is meant.
func (u *understanding) either(x Exchange, m Memory, h *home.House, readings []string, question string) Order {
	return u.askDoubt(x, m, h, intent.Decision{Route: intent.Ask, Reason: intent.Uncertain, Question: question}, doubt.Question{Readings: readings})
}

// unclear asks a question for one of several things again, if the answer names one of
// them and another reading of it names another.
func (u *understanding) unclear(x Exchange, m Memory, h *home.House, q question) (Order, bool) {
	options := h.Some(q.decision.Options)
	chosen := u.choosing.Choose(x.Text, options)
	if len(chosen) == 0 || !slices.ContainsFunc(x.Others, func(other string) bool {
		also := u.choosing.Choose(other, options)
		return len(also) > 0 && !slices.Equal(also, chosen)
	}) {
		return Order{}, false
	}
	if q.repeated {
		return u.order(x, m, h, intent.Decision{Route: intent.Reject, Reason: intent.NotUnderstood}), true
	}
	o := u.order(x, m, h, intent.Decision{Route: intent.Ask, Reason: q.decision.Reason, Question: u.question(q.decision, h)})
	q.repeated = true
	o.Ask = &q
	return o, true
}

// askDoubt asks a question about what was said, and keeps it for its answer.
func (u *understanding) askDoubt(x Exchange, m Memory, h *home.House, meant intent.Decision, about doubt.Question) Order {
	o := u.order(x, m, h, meant)
	about.Count = x.Doubts + 1
	o.Ask = &question{text: x.Text, doubt: &about, turn: x.Turn}
	if len(meant.Options) > 0 || meant.Reason == intent.BareName {
		o.Ask.decision = meant
	}
	return o
}
