package reply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/tools"
)

// SayResults says the results of steps. results have the same indexes as steps, and so have
// errs, which may be left out: why a call got no answer.
func (p *Phrases) SayResults(steps []plan.Step, results []tools.Result, errs ...error) string {
	errs = append(slices.Clone(errs), make([]error, max(0, len(steps)-len(errs)))...)
	steps, results, errs, lost := apart(steps[:min(len(steps), len(results))], results, errs)
	var said []string
	for start := 0; start < len(steps); {
		end := start + 1
		for end < len(steps) && sameAction(&steps[start], &steps[end]) {
			end++
		}
		if text := p.action(steps[start:end], results[start:end], errs[start:end]); text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
		start = end
	}
	if text := (acts{p}).sayActs(lost.steps, lost.results, lost.errs); text != "" {
		said = append(said, text)
	}
	return strings.Join(said, " ")
}

// unanswered are the acts of all commands of a sentence that got no answer.
type unanswered struct {
	steps   []plan.Step
	results []tools.Result
	errs    []error
}

// apart separates the acts that got no answer: they are said together, last, whatever the
// commands were. Steps that only prepare another act are left out.
func apart(steps []plan.Step, results []tools.Result, errs []error) (s []plan.Step, r []tools.Result, e []error, lost unanswered) {
	for i := range steps {
		if steps[i].Ahead && errs[i] == nil && (steps[i].Call.Tool == "" || results[i].Receipt.Sent()) {
			continue // the act after it tells
		}
		if errs[i] != nil && steps[i].Err == nil && steps[i].Entity != nil && steps[i].Risk != tools.Read {
			lost.steps, lost.results, lost.errs = append(lost.steps, steps[i]), append(lost.results, results[i]), append(lost.errs, errs[i])
			continue
		}
		s, r, e = append(s, steps[i]), append(r, results[i]), append(e, errs[i])
	}
	return s, r, e, lost
}

// sameAction reports whether two steps came from one command. Two commands of one
// intent about different things differ in their devices.
func sameAction(a, b *plan.Step) bool {
	if a.Action.Slots["item"] != b.Action.Slots["item"] {
		return false // each of two things on a list is told
	}
	if a.Again || b.Again {
		return a.Again == b.Again // everything that is taken back is said together
	}
	if a.Joint && b.Joint {
		return true
	}
	if a.Timer() {
		return false // each of two timers is told
	}
	return a.Action.Intent == b.Action.Intent && slices.Equal(a.Action.Devices, b.Action.Devices)
}

func (p *Phrases) action(steps []plan.Step, results []tools.Result, errs []error) string {
	first := &steps[0]
	switch {
	case catalogue.Of(first.Action.Intent).Plan == catalogue.List:
		return p.listThings(steps)
	case first.Entity == nil && first.Err != nil:
		return p.Apology(first.Err)
	case first.Entity == nil:
		return acts{p}.sayPlainly(first, results[0], errs[0])
	case first.Risk == tools.Read && first.Err == nil || first.Action.Intent == catalogue.GetState:
		return p.answered(steps, unread(results, errs))
	}
	return acts{p}.sayActs(steps, results, errs)
}

// Why a reading got no answer that is not its thing's fault: the call was lost, or the
// server is away.
const (
	lostReading tools.Reason = "lost"
	serverAway  tools.Reason = "server_away"
)

// unread replaces the results of readings that got no answer. Their things count as out
// of reach, whatever stopped the call or its answer, unless there was only no time to
// ask. A server that answers none of several readings counts as away.
func unread(results []tools.Result, errs []error) []tools.Result {
	out := slices.Clone(results)
	away := true
	for _, err := range errs {
		away = away && (noAnswer(err) && len(errs) > 1 || errors.Is(err, tools.ErrNotConnected))
	}
	for i := range out {
		switch {
		case errors.Is(errs[i], tools.ErrNotConnected), away:
			out[i] = unreadBecause(serverAway)
		case errors.Is(errs[i], tools.ErrNotAsked):
			out[i] = tools.Result{Data: json.RawMessage(`{"reason":"` + string(lostReading) + `"}`)}
		case noAnswer(errs[i]):
			out[i] = unreadBecause(lostReading)
		}
	}
	return out
}

func noAnswer(err error) bool {
	return slices.ContainsFunc([]error{tools.ErrNotConnected, tools.ErrNoAnswer, context.DeadlineExceeded}, func(why error) bool { return errors.Is(err, why) })
}

func unreadBecause(r tools.Reason) tools.Result {
	return tools.Result{Data: json.RawMessage(`{"reachable":false,"reason":"` + string(r) + `"}`)}
}

func (p acts) sayPlainly(s *plan.Step, r tools.Result, err error) string {
	in := catalogue.Of(s.Action.Intent)
	switch {
	case in.Plan == catalogue.Words:
		return p.Phrase(in.Reply, s.Action.Slots)
	case s.Call.Server != "" || r.Untrusted:
		return p.elsewhere(s, r, err)
	}
	if text, ok := p.SayDone(s, r); ok && s.Timer() {
		return text
	}
	if text := own(p).sayAnswer(s, in.Reply, r); text != "" {
		return text
	}
	if r.Text != "" && (p.english() || r.Data == nil && r.Failed) {
		return r.Text
	}
	if r.Failed || s.Err != nil {
		return p.Phrase("failed", nil)
	}
	return p.Phrase("done", nil)
}

// elsewhere says the result of a call that is not about a thing of the house. Its text
// comes from outside and is not spoken: a program may write anything there, even that a
// door is locked.
func (p acts) elsewhere(s *plan.Step, r tools.Result, err error) string {
	server := map[string]any{"server": capital(speech.Speakable(s.Call.Server))}
	silent := ""
	if s.Call.Server != "" {
		silent = capital(p.Phrase("server_silent", map[string]any{"server": speech.Speakable(s.Call.Server)})) + " "
	}
	switch {
	case errors.Is(err, tools.ErrNoAnswer):
		return silent + p.Phrase("fate_unknown", nil)
	case errors.Is(err, tools.ErrNotConnected) && silent != "":
		return silent + p.Phrase("nothing_done", nil)
	case errors.Is(err, tools.ErrNotConnected):
		return p.Phrase("not_sent", nil)
	case errors.Is(err, context.DeadlineExceeded):
		return silent + p.Phrase("timeout", nil)
	case s.Call.Server == "" && (r.Failed || err != nil):
		return p.Phrase("failed", nil)
	case s.Call.Server == "":
		return p.Phrase("done", nil)
	case r.Failed || err != nil:
		return p.Phrase("server_failed", server)
	case r.Receipt != nil && !r.Receipt.Done():
		return p.Phrase("server_not_sure", server)
	}
	return p.Phrase("server_done", server)
}

func (p *Phrases) listThings(steps []plan.Step) string {
	const most = 8 // more names at once are too many to listen to
	var names []home.Called
	for _, s := range steps {
		if s.Entity == nil {
			continue
		}
		name := p.grammar.callThing(s.Entity)
		if !slices.ContainsFunc(names, func(n home.Called) bool { return n.String() == name.String() }) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return p.Phrase("nothing_here", nil)
	}
	act := steps[0].Action
	key := "things_here"
	switch {
	case act.Slots["ask"] != nil:
		key = "things_counted"
	case act.Slots["area"] != nil || len(act.Devices) > 0:
		key = "things_known"
	}
	if rest := len(names) - most; rest > 0 && key != "things_here" {
		key += "_more"
	}
	return p.Phrase(key, map[string]any{"names": p.grammar.join(names[:min(len(names), most)], "and"), "n": len(names), "rest": len(names) - most})
}

// Which asks for one of several things: "Do you mean the lamp or the light?", things of
// the same name by their rooms, things in one room by their servers. It is an open
// question if there are no things, if nothing tells two apart, or if there are too many
// to listen to.
func (p *Phrases) Which(things []*home.Entity) string {
	const most = 3
	if len(things) == 0 || len(things) > most {
		return p.Phrase("which_other", nil)
	}
	var names []home.Called
	for _, e := range things {
		name := p.grammar.among(e, things)
		if name.String() == "" || slices.ContainsFunc(names, func(n home.Called) bool { return n.String() == name.String() }) {
			return p.Phrase("which_other", nil) // nothing tells the two apart
		}
		names = append(names, name)
	}
	return p.Phrase("which_one", map[string]any{"names": p.grammar.join(names, "or")})
}

// sayValue is a value as it is spoken: at most one decimal, no quotes.
func sayValue(v any) string {
	switch n := v.(type) {
	case nil:
		return ""
	case float64:
		return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0")
	}
	return fmt.Sprint(v)
}
