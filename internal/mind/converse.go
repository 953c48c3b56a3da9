package mind

import (
	"errors"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/smalltalk"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/dialogue"
)

// talksOnly reports whether a text that fits no sentence is small talk that no model will
// answer, and that no house still to come could make anything else of.
func (u *understanding) talksOnly(x Exchange, h *home.House) bool {
	if x.Alone.Route != intent.Model || x.Ready {
		return false
	}
	said, ok := u.smallTalk(x, h)
	return ok && said.Repeat == "" && !said.Needs
}

// smallTalk reads a text as small talk; ok is false if it is not.
func (u *understanding) smallTalk(x Exchange, h *home.House) (said smalltalk.Answer, ok bool) {
	reader, err := smalltalk.Ours(u.phrases.Language())
	if err != nil {
		return said, false
	}
	at := x.At.Local()
	if x.At.IsZero() {
		at = time.Now()
	}
	return reader.Answer(x.Text, at, h)
}

// unthought is the order for a text that a language model should have answered, and none
// did, for the reason missing: small talk is answered in its place. That a model is
// missing is said only if none is set up.
func (u *understanding) unthought(x Exchange, m Memory, h *home.House, missing error) Order {
	none := Order{By: "small talk without a model", Say: &answer{reply: u.unanswered(x, h, missing, false), end: record.Failed, why: "no sentence fits, and " + missing.Error(), route: record.RouteNone}}
	said, ok := u.smallTalk(x, h)
	switch {
	case !ok, x.Source == record.FromTimer: // what a timer carries is an order
	case said.Needs && !errors.Is(missing, dialogue.ErrNoModel):
	case said.Repeat != "":
		if d := u.match.Match(said.Repeat, x.Area); d.Route == intent.Local {
			return u.order(x, m, h, d)
		}
	case said.Needs:
		none.Say.reply = said.Say
	default:
		none.Say = &answer{reply: said.Say, end: record.Done, route: record.RouteLocal}
	}
	return none
}
