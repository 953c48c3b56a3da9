package record

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"voicegateway/internal/tools"
)

// badness orders the ends of a turn's calls: the turn ends as the worst of them.
var badness = map[Outcome]int{Done: 1, Accepted: 2, Interrupted: 3, Failed: 4}

// Worse reports whether an end is worse than another one.
func (o Outcome) Worse(than Outcome) bool { return badness[o] > badness[than] }

// Carried reports whether a turn came to carry something out, whatever came of it.
func (o Outcome) Carried() bool { return badness[o] > 0 }

// Happened reports whether a call that ended so did something, or may still.
func (o Outcome) Happened() bool { return o == Done || o == Accepted }

// OutcomeOf says how one call ended. A call that acts on a device has ended well only
// with a receipt.
func OutcomeOf(res tools.Result, err error, acts bool) Outcome {
	switch r := res.Receipt; {
	case err != nil:
		return Failed
	case r.Pending():
		return Accepted
	case r != nil && r.Reason == tools.Overtaken:
		return Interrupted
	case res.Failed, acts && !r.Done():
		return Failed
	}
	return Done
}

// NewCall is the record's account of a call that took so long.
func NewCall(c tools.Call, r tools.Result, took time.Duration) CallMade {
	args := c.Args
	if len(bytes.TrimSpace(args)) == 0 || !json.Valid(args) {
		args = json.RawMessage("{}")
	}
	m := CallMade{Tool: c.Tool, Server: c.Server, Args: args, OK: !r.Failed, MS: Millis(took), Receipt: (*Receipt)(r.Receipt)}
	if r.Failed {
		m.Because(r.Text)
	}
	return m
}

// mostReason is how many bytes of a reason a record keeps.
const mostReason = 300

// Because notes why a call was not made, or why it came to nothing.
func (c *CallMade) Because(why string) {
	c.Reason = strings.ToValidUTF8(why[:min(len(why), mostReason)], "")
}

// riskOrder sorts risks as a record has them.
var riskOrder = map[string]int{"": 0, "read": 1, "reversible": 2, "costly": 3, "dangerous": 4}

// Partly adds to the reply which part of the request was not possible.
func (r *Record) Partly(said, why string) {
	r.Reply += " " + said
	if Failed.Worse(r.Outcome) {
		r.Outcome, r.Error = Failed, why
	}
}

// Add appends the results of commands that were added to a turn. The timings stay those
// of the first commands, for which the user waited.
func (r *Record) Add(more Record, intents []Intent) {
	if r.Intent != nil {
		if len(r.Intents) == 0 {
			r.Intents = []Intent{*r.Intent}
		}
		r.Intents = append(r.Intents, intents...)
		r.Intent = &r.Intents[0]
	}
	r.Calls = append(r.Calls, more.Calls...)
	r.Judgements = append(r.Judgements, more.Judgements...)
	r.Reply = strings.TrimSpace(r.Reply + " " + more.Reply)
	if more.Outcome.Worse(r.Outcome) || r.Outcome == Done {
		r.Outcome, r.Error = more.Outcome, more.Error
	}
	if riskOrder[more.Risk] > riskOrder[r.Risk] {
		r.Risk = more.Risk
	}
}
