package mind

import (
	"strings"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/moment"
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

// askedBack notes that a model's reply ended with a question, whose answer needs no wake
// word. said are the model's own sentences. A turn that did something asks nothing: the
// user may want to correct what was done.
func (m *memory) askedBack(x *exchange, mayAct, acted bool, said []string) {
	if len(said) == 0 || acted || x.rec.Outcome != record.Done {
		return
	}
	last := said[len(said)-1]
	if !strings.HasSuffix(strings.TrimRight(last, ` "'”’»)`), "?") {
		return
	}
	q := modelQuestion{text: last, mayAct: mayAct, count: 1}
	if x.FollowUp && x.question != nil {
		q.count += x.question.count
	}
	if q.count > maxAsked {
		return
	}
	x.rec.Outcome = record.Asked
	speaking := moment.Speaking(x.rec.Reply)
	m.ask(x.Request, pending{thought: &q, text: x.Text, until: time.Now().Add(confirmTime + speaking)})
}

// forModel reports whether a text after a model's question is its answer. It is not if it
// is a sentence for the house, or one of the words about the turn before.
func (q *modelQuestion) forModel(x *exchange, match Matcher, words *choosing.Words) bool {
	switch words.Amendment(x.Text) {
	case choosing.Not, choosing.Halt, choosing.Undo, choosing.Wrong, choosing.Keep:
		return false
	case choosing.Other, choosing.NoAmendment:
	}
	if words.Yes(x.Text) {
		return true
	}
	d := match.Match(x.Text, x.Area)
	return d.Route != intent.Local && d.Route != intent.Ask
}

// completes reports whether the answer to a model's question completes an order
// (REQUIREMENTS U9), is itself an order, or says yes to an offer to do something.
func (q *modelQuestion) completes(x *exchange, match Matcher, words *choosing.Words) bool {
	if words.Yes(x.Text) {
		return q.mayAct || choosing.Offers(q.text)
	}
	act := x.act(match)
	return act.MayAct() || q.mayAct && !act.Asks() && !act.Forbids()
}

// mayAct reports whether a text orders something.
func mayAct(x *exchange, match Matcher, words *choosing.Words) bool {
	if x.question != nil {
		return x.question.completes(x, match, words)
	}
	return x.act(match).MayAct()
}
