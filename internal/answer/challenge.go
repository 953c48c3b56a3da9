package answer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/dialogue/challenge"
	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// order is a dangerous act that waits for the words of its challenge.
type order struct {
	decision   intent.Decision
	device     string // the id of its one device
	text, area string // as it was given
}

// The reasons in a record for a dangerous act that is not done.
const (
	dangerousOff    = "dangerous acts are off (safety.dangerous: deny)"
	dangerousOnly   = "a dangerous act is done only as a spoken command of its own for one device, after its challenge (safety.dangerous: challenge)"
	dangerousServer = "the server of the device does not allow dangerous acts (ZWAVE_ALLOW_DANGEROUS)"
)

// denied is what is said of dangerous acts that are not done, and why.
func (a *Answerer) denied(steps []plan.Step) (said, why string) {
	if a.limits.Challenges() {
		return a.phrases.Phrase("challenge_only", nil), dangerousOnly
	}
	return a.phrases.Denied(steps), dangerousOff
}

// dangerous answers a plan that holds a dangerous act: it asks for the words of a
// challenge, if the plan is a spoken command for one device, and else refuses. nothing
// is added to a refusal.
func (a *Answerer) dangerous(x *exchange, d intent.Decision, steps []plan.Step, nothing string) {
	refuse := func(said, why string) {
		x.rec.Route, x.rec.Outcome, x.rec.Reply, x.rec.Error = record.RouteRefused, record.Failed, said+nothing, why
	}
	said, why := a.denied(steps)
	switch {
	case !a.limits.Challenges(), x.Source != record.FromMic, !x.ordered, d.Confirmed, len(d.Actions) != 1, len(steps) != 1, steps[0].Entity == nil:
		refuse(said, why)
		return
	case steps[0].Err != nil:
		refuse(a.phrases.Apology(steps[0].Err), steps[0].Err.Error())
		return
	}
	if _, allowed := steps[0].Allowed(); !allowed {
		refuse(a.phrases.Denied(steps), dangerousServer)
		return
	}
	if x.DryRun {
		rehearse(x.rec, steps)
		return
	}
	o := order{d, steps[0].Entity.ID, x.Text, x.Area}
	pair, err := a.challenges.Ask(x.rec.ID, o, namesHold(a.match.House()), time.Now())
	if rest, resting := errors.AsType[*challenge.RestError](err); resting {
		refuse(a.phrases.Phrase("challenge_rest", map[string]any{"count": max(2, int(math.Ceil(rest.Left.Minutes())))}), err.Error())
		return
	}
	if err != nil {
		refuse(a.phrases.Denied(steps), err.Error())
		return
	}
	x.rec.Outcome, x.rec.Challenge = record.Asked, true
	x.rec.Reply = a.phrases.Challenge(&steps[0], a.phrases.Phrase("challenge_words", nil))
	x.aloud = a.phrases.Challenge(&steps[0], pair.String())
}

// namesHold tells the words that a house uses for its things and rooms.
func namesHold(h *home.House) func(word string) bool {
	var names strings.Builder
	for _, e := range h.Entities {
		fmt.Fprintf(&names, " %s %s %s", e.Name, strings.Join(e.Aliases, " "), e.Area)
	}
	for _, area := range h.AreaNames() {
		names.WriteString(" " + area)
	}
	words := strings.Fields(strings.ToLower(names.String()))
	return func(word string) bool { return slices.Contains(words, word) }
}

// challenged is the step for speech that answers a challenge. Whatever was said, it is
// nothing else, and what was said goes no further.
func (a *Answerer) challenged(ctx context.Context, x *exchange) bool {
	if x.Challenge == "" {
		return false
	}
	said := append([]string{x.Text}, x.Others...)
	x.Text, x.Others = "", nil
	x.rec.Risk = string(tools.Dangerous)
	x.rec.Transcript = &record.Transcript{Text: record.ChallengeAnswer}
	o, verdict := a.challenges.Answer(x.Challenge, said, x.After, time.Now())
	if x.Source != record.FromMic {
		verdict = challenge.None
	}
	if verdict == challenge.Passed {
		x.Text, x.Area = o.text, o.area
		a.perform(x, o.decision, func() past.Turn { return a.carryAllowed(ctx, x, o) })
		return true
	}
	key := "challenge_wrong"
	if verdict == challenge.Late {
		key = "challenge_late"
	}
	x.rec.Route, x.rec.Outcome, x.rec.Error = record.RouteRefused, record.Failed, "the challenge was not passed: "+string(verdict)
	x.rec.Reply = a.phrases.Phrase(key, nil)
	x.say(x.rec.Reply)
	return true
}

// carryAllowed does the act of an order whose challenge was passed, once: it is neither
// tried anew after a lost connection nor kept for later. It is planned again, because
// the house may have changed; it is done only if it is still that act.
func (a *Answerer) carryAllowed(ctx context.Context, x *exchange, o order) past.Turn {
	x.rec.Risk = string(tools.Dangerous)
	steps, err := plan.Calls(o.decision, a.match.House(), o.area)
	if err == nil && (len(steps) != 1 || steps[0].Entity == nil || steps[0].Entity.ID != o.device) {
		err = &plan.Error{Text: "That device is gone.", Key: "cannot_gone"}
	}
	if err == nil {
		err = steps[0].Err
	}
	if err != nil {
		x.rec.Outcome, x.rec.Reply, x.rec.Error = record.Failed, a.phrases.Apology(err), err.Error()
		return past.Turn{}
	}
	step, allowed := steps[0].Allowed()
	if !allowed {
		x.rec.Route, x.rec.Outcome, x.rec.Reply, x.rec.Error = record.RouteRefused, record.Failed, a.phrases.Denied(steps), dangerousServer
		return past.Turn{}
	}
	steps[0] = step
	place := a.calls.Take(steps)
	defer place.Leave()
	x.waits()
	done := a.calls.All(ctx, place, steps)
	done.Into(x.rec, x.watch)
	x.rec.Reply = a.phrases.Told(steps, done.Results, done.Errs...)
	return past.Of(a.match.House(), x.Text, steps, done.Results, done.Problems)
}
