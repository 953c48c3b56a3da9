package mind

import (
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/dialogue"
)

// maxAsked is how many questions in a row a model may ask before the user has to say the
// wake word again: a television answers questions too.
const maxAsked = 2

// modelQuestion is a question that a language model asked back.
type modelQuestion struct {
	text   string
	mayAct bool // the text it is about may act
	count  int  // questions in a row, this one included
}

// askedBack keeps the question with which a model's reply ended: its answer needs no wake
// word. said is the model's last sentence. A turn that did something asks nothing: the
// user may want to correct what was done.
func (m *Mind) askedBack(x *Exchange, o *Order, t *turn, mayAct bool, said dialogue.Part) {
	if !said.Asks() || !t.did.Idle() || t.rec.Outcome != record.Done {
		return
	}
	q := modelQuestion{text: said.Sentence, mayAct: mayAct, count: 1}
	if x.FollowUp && o.Answers != nil {
		q.count += o.Answers.count
	}
	if q.count > maxAsked {
		return
	}
	t.rec.Outcome = record.Asked
	m.memory.ask(x.Request, question{thought: &q, text: x.Text}, confirmTime+Speaking(t.rec.Reply))
}

// forModel reports whether a text after a model's question is its answer. It is not if it
// is a sentence for the house, or one of the words about the turn before.
func (u *understanding) forModel(x Exchange) bool {
	switch u.choosing.Amendment(x.Text) {
	case choosing.Not, choosing.Halt, choosing.Undo, choosing.Wrong, choosing.Keep:
		return false
	case choosing.Other, choosing.NoAmendment:
	}
	return u.choosing.Yes(x.Text) || x.Alone.Route != intent.Local && x.Alone.Route != intent.Ask
}

// completes reports whether the answer to a model's question completes an order
// (REQUIREMENTS U9), is itself an order, or says yes to an offer to do something.
func (u *understanding) completes(x Exchange, q *modelQuestion) bool {
	if u.choosing.Yes(x.Text) {
		return q.mayAct || choosing.Offers(q.text)
	}
	act := u.speechAct(x)
	return act.MayAct() || q.mayAct && !act.Asks() && !act.Forbids()
}

// mayAct reports whether a text orders something. It may be the answer to a model's
// question.
func (u *understanding) mayAct(x Exchange, answers *modelQuestion) bool {
	if answers != nil {
		return u.completes(x, answers)
	}
	return u.speechAct(x).MayAct()
}
