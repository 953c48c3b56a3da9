package mind

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/smalltalk"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/past"
)

// talksOnly reports whether a text that fits no sentence is small talk that no model will
// answer, and that no house still to come could make anything else of.
func (a *Answerer) talksOnly(x *exchange, d intent.Decision) bool {
	if d.Route != intent.Model {
		return false
	}
	if ready, _ := a.model.Ready(); ready {
		return false
	}
	said, ok := a.smallTalk(x)
	return ok && said.Repeat == "" && !said.Needs
}

// smallTalk reads a text as small talk; ok is false if it is not.
func (a *Answerer) smallTalk(x *exchange) (said smalltalk.Answer, ok bool) {
	reader, err := smalltalk.Ours(a.phrases.Language())
	if err != nil {
		return said, false
	}
	at := x.At.Local()
	if x.At.IsZero() {
		at = time.Now()
	}
	return reader.Answer(x.Text, at, a.match.House())
}

// converse answers small talk if no language model answers, for the reason missing, and
// reports whether it did. It says that a model is missing only if none is set up.
func (a *Answerer) converse(ctx context.Context, x *exchange, missing error) bool {
	if x.Source == record.FromTimer { // what a timer carries is an order
		return false
	}
	said, ok := a.smallTalk(x)
	switch {
	case !ok, said.Needs && !errors.Is(missing, dialogue.ErrNoModel):
		return false
	case said.Repeat != "":
		d := a.match.Match(said.Repeat, x.Area)
		if d.Route != intent.Local {
			return false
		}
		x.rec.Error = ""
		a.perform(x, d, func() past.Turn { return a.carryOut(ctx, x, d) })
		return true
	case !said.Needs:
		x.rec.Route, x.rec.Outcome, x.rec.Error = record.RouteLocal, record.Done, ""
	}
	x.rec.Reply = said.Say
	x.say(said.Say)
	return true
}
