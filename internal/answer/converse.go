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

// conversed answers small talk where no language model answers, for the reason missing,
// and reports whether it did. What only a model could answer is told to be missing only
// where none is set up.
func (a *Answerer) conversed(ctx context.Context, x *exchange, missing error) bool {
	reader, err := smalltalk.Ours(a.phrases.Language())
	if err != nil || x.Source == record.FromTimer { // what a timer carries is an order
		return false
	}
	at := x.At
	if at.IsZero() {
		at = time.Now()
	}
	said, ok := reader.Answer(x.Text, at.Local(), a.match.House())
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
