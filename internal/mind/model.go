package mind

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
)

// thought is the step of the language model. After a question of ours, a text
// without a wake word that only a model might understand is ignored: it was probably
// not said to the house.
func (u *understanding) thought(x Exchange, m Memory, _ *home.House) (Order, bool) {
	if x.FollowUp {
		return ignore(), true
	}
	return Order{Think: true, Alone: !m.Asked}, true
}

// spoken is what was said of a model's reply so far.
type spoken struct {
	turn *turn
	own  dialogue.Part // the last sentence of the model itself

	undone bool // it was said that nothing came of what was asked
	lost   bool // it was said which server came to nothing
}

// tell says a sentence.
func (s *spoken) tell(sentence string) {
	if sentence = speech.Speakable(sentence); sentence != "" {
		s.turn.said, s.turn.asks = append(s.turn.said, sentence), false
		s.turn.say(sentence)
	}
}

// think asks the language model and says its reply, sentence by sentence. Its calls that
// change something are orders of their own. Missing is why none could be asked: then
// nothing was said.
func (m *Mind) think(ctx context.Context, x *Exchange, o *Order, t *turn) (missing error) {
	t.rec.Route = record.RouteModel
	if x.DryRun {
		if !x.Ready {
			t.rec.Route = record.RouteNone
		}
		t.rec.Outcome = record.Ignored // what a model would do cannot be known in advance
		return nil
	}
	t.waits()
	p := m.prompt(*x, m.match.House(), o.Answers)
	if o.Answers == nil || !m.choosing.Yes(x.Text) {
		t.rec.SpeechAct = string(m.speechAct(*x))
	}
	p.Read = func(calls []dialogue.Call) string { return errand.Reading(p.House, m.phrases, calls) }
	p.Look = func(ctx context.Context, things []string) string { return m.look(ctx, t, things) }
	t.rounds = &rounds{confirmed: map[string]map[string]string{}}
	if p.MayAct {
		p.Act = func(ctx context.Context, calls []dialogue.Call) dialogue.Acted { return m.round(ctx, x, t, calls) }
	}
	t.moment.Think(m.phrases.Phrase("one_moment", nil))
	defer t.moment.Think("")
	s := &spoken{turn: t}
	t.rec.Outcome = record.Done
	for part, err := range m.model.Reply(ctx, p) {
		if missing = m.hear(x, s, p.House, part, err); missing != nil {
			return missing
		}
	}
	m.endReply(x, o, s, p.MayAct)
	return nil
}

// hear takes the next piece of a model's reply. It returns the error of a model that could
// not be asked, if the reply begins with that.
func (m *Mind) hear(x *Exchange, s *spoken, h *home.House, part dialogue.Part, err error) (missing error) {
	t := s.turn
	switch {
	case err != nil:
		t.rec.SpeechAct = string(m.speechAct(*x))
		if none(err) && len(t.rec.Calls) == 0 && len(s.turn.said) == 0 {
			return err
		}
		t.rec.Outcome, t.rec.Error = record.Failed, err.Error()
		s.tell(m.unanswered(*x, h, err, len(s.turn.said) > 0))
	case part.Call != nil:
		t.noteCall(*part.Call)
	default:
		s.tell(part.Sentence)
		s.undone, s.lost = s.undone || part.Undone, s.lost || part.Lost
		if t.asks = part.Asks(); !part.Receipt {
			s.own = part
		}
	}
	return nil
}

// endReply says what a model's reply has left to say, and keeps what the reply asks.
func (m *Mind) endReply(x *Exchange, o *Order, s *spoken, mayAct bool) {
	t := s.turn
	s.tell(m.endRounds(t))
	if len(s.turn.said) == 0 && t.did.Idle() {
		s.tell(m.nothingSaid(t.rec))
	}
	t.rec.Reply = strings.Join(s.turn.said, " ")
	m.askedBack(x, o, t, mayAct, s.own)
	if t.rounds.complaint != "" && t.rec.Outcome == record.Done { // the model has not asked the user about it
		t.rec.Outcome, t.rec.Error = record.Failed, t.rounds.complaint
	}
	if s.lost && t.rec.Outcome == record.Done {
		t.rec.Outcome, t.rec.Error = record.Failed, t.rounds.lost
	}
	// A turn in which nothing was done that was asked is not done, whatever the model has
	// said (REQUIREMENTS U10).
	if (s.undone || mayAct && !errand.Talks(x.Text)) && t.rec.Outcome == record.Done && len(t.made) == 0 {
		t.rec.Outcome, t.rec.Error = record.Failed, "the language model did nothing of what was asked"
	}
	if o.Alone && s.own == (dialogue.Part{}) {
		m.teacher.Offer(x.Request, t.rec, t.made, t.say)
	}
	t.did = t.did.As(x.Text)
}

// look reads things of the house that a model has told of, and returns how they are; "" if
// that cannot be known now.
func (m *Mind) look(ctx context.Context, t *turn, things []string) string {
	asked := intent.Action{Intent: catalogue.GetState, Devices: things, Slots: map[string]any{}}
	steps, err := plan.Calls(intent.Decision{Route: intent.Local, Actions: []intent.Action{asked}}, m.match.House(), "")
	if err != nil {
		return ""
	}
	place := m.calls.Take(steps)
	defer place.Leave()
	done := m.calls.All(ctx, place, steps)
	read := record.Record{}
	done.Into(&read, t.watch)
	t.rec.Calls = append(t.rec.Calls, read.Calls...)
	if !slices.ContainsFunc(done.Ends, record.Outcome.Happened) {
		return ""
	}
	return m.phrases.SayResults(steps, done.Results, done.Errs...)
}

// nothingSaid returns the sentence that replaces the words of a model that ended without
// any, although nothing was done; "" if the turn has failed for another reason.
func (m *Mind) nothingSaid(rec *record.Record) string {
	if rec.Outcome != record.Done {
		return ""
	}
	rec.Outcome, rec.Error = record.Failed, "the language model said nothing"
	return m.phrases.Phrase("model_nonsense", nil)
}

// none reports whether there is no model, or it cannot be reached.
func none(err error) bool {
	failed, ok := errors.AsType[*dialogue.ModelError](err)
	return errors.Is(err, dialogue.ErrNoModel) || ok && failed.Failure == dialogue.Unreachable
}

// unanswered says why a model gave no answer. If some of it was spoken, the family only
// needs to hear that there is no more. Without a model, the sentence says of a command
// for later why it was left, and of a forbidding text that it was not an order.
func (u *understanding) unanswered(x Exchange, h *home.House, err error, begun bool) string {
	failed, ok := errors.AsType[*dialogue.ModelError](err)
	act := u.speechAct(x)
	switch {
	case errors.Is(err, dialogue.ErrNoModel) && act.Withholds():
		return u.phrases.Phrase(cmp.Or(u.unawaitedKey(x, h, act), "no_order"), nil)
	case errors.Is(err, dialogue.ErrNoModel):
		return cmp.Or(u.unknownStorey(x, h), u.knownThing(x, h), u.phrases.Phrase("no_model", nil))
	case ok && begun:
		return u.phrases.Phrase("model_rest", nil)
	case ok:
		if text := u.phrases.Phrase("model_"+string(failed.Failure), nil); text != "" {
			return text
		}
	}
	return u.phrases.Apology(err)
}

// speechAct is what a text does, as the matcher has decided. A matcher that decides
// nothing about it is helped by the words of English.
func (u *understanding) speechAct(x Exchange) intent.SpeechAct {
	if x.Alone.Act != "" {
		return x.Alone.Act
	}
	if m, ok := u.match.(interface {
		SpeechAct(text string) intent.SpeechAct
	}); ok {
		return m.SpeechAct(x.Text)
	}
	return intent.English().SpeechAct(x.Text)
}
