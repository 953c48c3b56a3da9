package mind

import (
	"context"
	"slices"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/doubt"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/past"
)

// doubting is a text that may have been misheard or that is not complete (REQUIREMENTS
// H11).
type doubting struct {
	*Answerer
	x *exchange
}

// reader reads doubtful texts for this turn.
func (d doubting) reader() *doubt.Reader {
	alone := func(text string) intent.Decision { return d.match.Match(text, d.x.Area) }
	before := d.memory.subject(d.x.Request)
	means := func(text string) intent.Decision {
		meant := alone(text)
		if after, ok := after(d.Answerer, d.x, before, text, meant); ok {
			return after.Decision
		}
		return meant
	}
	return &doubt.Reader{Match: alone, Means: means, House: d.match.House(), Area: d.x.Area, Words: d.choosing, Phrases: d.phrases}
}

// cleared takes the text for the answer to a question about what was said. What it
// makes of both becomes the text of the turn, which the next steps understand as if it
// had been said at once. It returns false if the text is no such answer.
func (d doubting) cleared(ctx context.Context, asked *doubt.Question) bool {
	x := d.x
	if d.choosing.Amendment(x.Text) != choosing.NoAmendment {
		return false
	}
	if d.choosing.None(x.Text) {
		no := plainDecision(catalogue.No)
		d.perform(x, no, func() past.Turn { return d.carryOut(ctx, x, no) })
		return true
	}
	overheard := x.FollowUp // without a wake word
	x.FollowUp = false      // a text that completes a command is meant for the house
	r := d.reader()
	text, ok := r.Answered(asked, x.Text)
	switch {
	case ok:
	case x.Unfinished && asked.Beginning != "" && overheard:
		text = r.Plain(asked.Beginning, x.Text)
	default:
		x.FollowUp = overheard
		return false
	}
	var others []string
	for _, other := range x.Others {
		if also, ok := r.Answered(asked, other); ok && also != text {
			others = append(others, also)
		}
	}
	x.Text, x.Others = text, others
	x.Unfinished = x.Unfinished && asked.Beginning != ""
	if overheard { // who says the wake word again is asked again
		x.doubts = asked.Count
	}
	return true
}

// halfSaid is the step for a text that is only the beginning of a sentence. Nothing is
// done and no model is asked: the gateway asks for the rest. A whole command before a
// hanging "and" is done, because the missing part is another command; after the "and" of
// a foreign sentence, the missing part may belong to it.
func halfSaid(_ context.Context, a *Answerer, x *exchange) bool {
	if !x.Unfinished || a.choosing.Amendment(x.Text) != choosing.NoAmendment {
		return false
	}
	d := doubting{a, x}
	r := d.reader()
	if r.House.Empty() {
		a.perform(x, intent.Decision{Route: intent.Reject, Reason: intent.UnknownName, NeedHouse: true}, nil)
		return true
	}
	if whole := a.choosing.WithoutJoin(x.Text); whole != "" {
		if d := r.Means(whole); d.Route == intent.Local && !d.Foreign {
			x.Text, x.Others = whole, nil
			return false
		}
	}
	meant := r.Whole(x.Text)
	switch {
	case meant.Route == intent.Local && (!r.Acts(meant) || a.match.Judge(x.Text) == speech.Closed):
		return false // what may follow changes nothing
	case x.FollowUp || x.doubts >= maxAsked: // a television has half sentences, too
		x.rec.Outcome = record.Ignored
		return true
	}
	d.ask(d.rest(r, meant), doubt.Question{Beginning: x.Text})
	return true
}

// rest returns the question for the rest of a sentence, depending on what the beginning
// means alone.
func (d doubting) rest(r *doubt.Reader, meant intent.Decision) intent.Decision {
	ask := intent.Decision{Route: intent.Ask, Reason: intent.Unfinished}
	switch {
	case meant.Route == intent.Ask && len(meant.Options) > 0:
		return meant
	case meant.Reason == intent.BareName && r.Names(meant.Heard):
		ask.Reason, ask.Heard, ask.Question = intent.BareName, meant.Heard, d.phrases.Refusal(meant)
	case meant.Route == intent.Local:
		ask.Question = d.phrases.Phrase("unfinished_all", nil)
	default:
		ask.Question = r.Missing(d.x.Text)
	}
	return ask
}

// uncertain is the step for a text with other readings that are nearly as likely. If they
// mean different things, it asks which is meant.
func uncertain(_ context.Context, a *Answerer, x *exchange) bool {
	if len(x.Others) == 0 {
		return false
	}
	d := doubting{a, x}
	readings, question := d.reader().Either(x.Text, x.Others)
	switch {
	case len(readings) == 0, len(readings) == 1 && x.FollowUp:
		return false
	case x.doubts >= maxAsked:
		a.perform(x, intent.Decision{Route: intent.Reject, Reason: intent.NotUnderstood}, nil)
		return true
	}
	d.ask(intent.Decision{Route: intent.Ask, Reason: intent.Uncertain, Question: question}, doubt.Question{Readings: readings})
	return true
}

// unclear asks a question for one of several things again, if the answer names one of
// them and another reading of it names another. It reports whether it asked.
func (d doubting) unclear(p pending) bool {
	x := d.x
	options := d.match.House().Some(p.decision.Options)
	chosen := d.choosing.Choose(x.Text, options)
	if len(chosen) == 0 || !slices.ContainsFunc(x.Others, func(other string) bool {
		also := d.choosing.Choose(other, options)
		return len(also) > 0 && !slices.Equal(also, chosen)
	}) {
		return false
	}
	if p.repeated {
		d.perform(x, intent.Decision{Route: intent.Reject, Reason: intent.NotUnderstood}, nil)
		return true
	}
	p.repeated, p.until = true, time.Now().Add(confirmTime)
	if !x.DryRun {
		d.memory.ask(x.Request, p)
	}
	d.perform(x, intent.Decision{Route: intent.Ask, Reason: p.decision.Reason, Question: questionOf(p.decision, d.match.House(), d.phrases)}, nil)
	return true
}

// ask asks a question about what was said, and keeps it for its answer.
func (d doubting) ask(meant intent.Decision, about doubt.Question) {
	x := d.x
	about.Count = x.doubts + 1
	kept := pending{text: x.Text, doubt: &about, turn: x.rec.ID, until: time.Now().Add(confirmTime)}
	if len(meant.Options) > 0 || meant.Reason == intent.BareName {
		kept.decision = meant
	}
	if !x.DryRun {
		d.memory.ask(x.Request, kept)
	}
	d.perform(x, meant, nil)
}
