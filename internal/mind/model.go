package mind

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
	"voicegateway/internal/mind/moment"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/mind/teaching"
)

// thought is the step of the language model. After a question of ours, a text
// without a wake word that only a model might understand is ignored: it was probably
// not said to the house. After a question of the model it is the answer.
func (a *Answerer) thought(ctx context.Context, x *exchange) bool {
	if x.FollowUp && x.question == nil {
		x.rec.Outcome = record.Ignored
		return true
	}
	did := a.think(ctx, x)
	a.memory.keep(x.Request, x.rec.ID, did, x.rec.Reply)
	return true
}

// think asks the language model, if one answers.
func (a *Answerer) think(ctx context.Context, x *exchange) past.Turn {
	x.rec.Route = record.RouteModel
	if x.DryRun {
		if ready, _ := a.model.Ready(); !ready {
			x.rec.Route = record.RouteNone
		}
		x.rec.Outcome = record.Ignored // what a model would do cannot be known in advance
		return past.Turn{}
	}
	x.waits()
	p := x.prompt(a.match, a.choosing)
	p.Read = func(calls []dialogue.Call) string { return errand.Reading(p.House, a.phrases, calls) }
	p.Look = func(ctx context.Context, things []string) string { return a.look(ctx, x, things) }
	g := &gate{a: a, x: x, confirmed: map[string]map[string]string{}}
	if p.MayAct {
		p.Act = g.act
	}
	wait := moment.New(x.say, a.phrases.Phrase("one_moment", nil))
	defer wait.End()
	x.say = wait.Pass
	var said []string
	var model heard
	tell := func(sentence string) {
		if sentence = speech.Speakable(sentence); sentence != "" {
			said = append(said, sentence)
			x.say(sentence)
		}
	}
	x.rec.Outcome = record.Done
	for part, err := range a.model.Reply(ctx, p) {
		switch {
		case err != nil:
			if a.failed(ctx, x, err, len(said) == 0) {
				return past.Turn{}
			}
			tell(a.modelFailed(x, err, len(said) > 0))
		case part.Call != nil:
			g.note(*part.Call)
		default:
			tell(part.Sentence)
			model.note(part)
		}
	}
	tell(g.end())
	if len(said) == 0 && g.did.Idle() {
		tell(a.nothingSaid(x))
	}
	x.rec.Reply = strings.Join(said, " ")
	a.memory.askedBack(x, p.MayAct, !g.did.Idle(), model.own)
	g.complain()
	x.leave(&p, model.undone)
	if x.alone(model.own) {
		teaching.Offer(a.match, a.phrases, x.Request, x.rec, x.done, x.say)
	}
	return g.did.As(x.Text)
}

// heard is what was heard of a model's reply.
type heard struct {
	own    []string // the model's own sentences
	undone bool     // it was said that nothing came of what was asked
}

func (h *heard) note(part dialogue.Part) {
	h.undone = h.undone || part.Undone
	if !part.Receipt {
		h.own = append(h.own, part.Sentence)
	}
}

// leave notes that nothing was done that was asked: such a turn is not done, whatever the
// model has said (REQUIREMENTS U10).
func (x *exchange) leave(p *dialogue.Prompt, undone bool) {
	undone = undone || p.MayAct && !errand.Talks(x.Text)
	if undone && x.rec.Outcome == record.Done && len(x.done) == 0 {
		x.rec.Outcome, x.rec.Error = record.Failed, "the language model did nothing of what was asked"
	}
}

// look reads things of the house that a model has told of, and returns how they are; "" if
// that cannot be known now.
func (a *Answerer) look(ctx context.Context, x *exchange, things []string) string {
	asked := intent.Action{Intent: catalogue.GetState, Devices: things, Slots: map[string]any{}}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{asked}}, a.match.House(), "")
	if err != nil {
		return ""
	}
	place := a.calls.Take(steps)
	defer place.Leave()
	done := a.calls.All(ctx, place, steps)
	read := record.Record{}
	done.Into(&read, x.watch)
	x.rec.Calls = append(x.rec.Calls, read.Calls...)
	if !slices.ContainsFunc(done.Ends, record.Outcome.Happened) {
		return ""
	}
	return a.phrases.Told(steps, done.Results, done.Errs...)
}

// nothingSaid returns the sentence that replaces the words of a model that ended without
// any, although nothing was done; "" if the turn has failed for another reason.
func (a *Answerer) nothingSaid(x *exchange) string {
	if x.rec.Outcome != record.Done {
		return ""
	}
	x.rec.Outcome, x.rec.Error = record.Failed, "the language model said nothing"
	return a.phrases.Phrase("model_nonsense", nil)
}

// failed notes why a model gave no answer. If no model could be reached and nothing was
// said yet, small talk is answered in its place, which ends the turn.
func (a *Answerer) failed(ctx context.Context, x *exchange, err error, silent bool) (ended bool) {
	x.rec.Outcome, x.rec.Error = record.Failed, err.Error()
	if !none(err) || len(x.rec.Calls) > 0 || !silent {
		return false
	}
	x.rec.Route, x.rec.Error = record.RouteNone, "no sentence fits, and "+err.Error()
	return a.converse(ctx, x, err)
}

// alone reports whether a text is not the answer to a question, and the model said
// nothing.
func (x *exchange) alone(own []string) bool { return len(own) == 0 && !x.asked && x.question == nil }

// none reports whether there is no model, or it cannot be reached.
func none(err error) bool {
	failed, ok := errors.AsType[*dialogue.ModelError](err)
	return errors.Is(err, dialogue.ErrNoModel) || ok && failed.Failure == dialogue.Unreachable
}

// modelFailed says why there is no answer. If some of it was spoken, the family only
// needs to hear that there is no more. Without a model, the sentence says of a command
// for later why it was left, and of a forbidding text that it was not an order.
func (a *Answerer) modelFailed(x *exchange, err error, begun bool) string {
	failed, ok := errors.AsType[*dialogue.ModelError](err)
	act := x.act(a.match)
	switch {
	case errors.Is(err, dialogue.ErrNoModel) && act.Withholds():
		return a.phrases.Phrase(cmp.Or(a.unawaited(x, act), "no_order"), nil)
	case errors.Is(err, dialogue.ErrNoModel):
		return a.phrases.Phrase("no_model", nil)
	case ok && begun:
		return a.phrases.Phrase("model_rest", nil)
	case ok:
		if text := a.phrases.Phrase("model_"+string(failed.Failure), nil); text != "" {
			return text
		}
	}
	return a.phrases.Apology(err)
}

// act is what the text does, as the matcher has decided. A matcher that decides
// nothing about it is helped by the words of English.
func (x *exchange) act(match Matcher) intent.SpeechAct {
	if x.local.Act == "" {
		x.local.Act = intent.English().SpeechAct(x.Text)
		if m, ok := match.(interface {
			SpeechAct(text string) intent.SpeechAct
		}); ok {
			x.local.Act = m.SpeechAct(x.Text)
		}
	}
	x.rec.SpeechAct = string(x.local.Act)
	return x.local.Act
}
