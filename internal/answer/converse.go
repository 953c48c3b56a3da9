package answer

import (
	"context"
	"errors"
	"time"

	"voicegateway/internal/dialogue"
	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/smalltalk"
	"voicegateway/internal/record"
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
	reader, err := smalltalk.Ours(a.phrases.Language())
	if err != nil {
		return false
	}
	said, ok := reader.Answer(x.Text, x.at(), a.match.House())
	return ok && said.Repeat == "" && !said.Needs
}

// at is when a text arrived, by the clock of the house.
func (x *exchange) at() time.Time {
	if x.At.IsZero() {
		return time.Now()
	}
	return x.At.Local()
}

// conversed answers small talk where no language model answers, for the reason missing,
// and reports whether it did. What only a model could answer is told to be missing only
// where none is set up.
func (a *Answerer) conversed(ctx context.Context, x *exchange, missing error) bool {
	reader, err := smalltalk.Ours(a.phrases.Language())
	if err != nil || x.Source == record.FromTimer { // what a timer carries is an order
		return false
	}
	said, ok := reader.Answer(x.Text, x.at(), a.match.House())
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
