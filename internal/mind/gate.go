package mind

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/mind/safety"
	"voicegateway/internal/tools"
)

// gate carries out what a model calls in one turn, by the rules that a sentence
// obeys (REQUIREMENTS U11): risk, the question about many devices, receipts, undo,
// and one short sentence. One goroutine uses it.
type gate struct {
	a *Answerer
	x *exchange

	did       past.Turn
	counted   bool                         // the turn counts as a command of its source
	barred    bool                         // and is over what the source may send
	refusals  []string                     // that the user has heard
	confirmed map[string]map[string]string // by device: its last acts in this turn, with what the user heard of them
	held      errand.Outcomes              // refused by their devices because of the arguments; reported at the end if the model does not correct them
	complaint string                       // about the last calls of the model, as long as it has not mended them
	stopped   string                       // why the task was stopped
}

// round is one round of a model's calls that change something.
type round struct {
	*errand.Round
	record record.Record // what the round adds to the record of the turn
	took   time.Duration
}

// act carries out the calls of one round, all at once.
func (g *gate) act(ctx context.Context, asked []dialogue.Call) dialogue.Acted {
	r := g.read(ctx, asked)
	var say []string
	say = append(say, g.deny(r), g.admit(r))
	question := cmp.Or(g.askFirst(r), g.ask(r))
	say = append(say, g.limit(r))
	told, stop := g.carry(ctx, r)
	say = slices.DeleteFunc(append([]string{told}, append(say, question)...), func(s string) bool { return s == "" })
	g.complaint = r.Complaint()
	return dialogue.Acted{
		Calls: r.Answers(g.a.english, r.took), Say: strings.Join(say, " "), Stop: stop || question != "", Left: g.complaint != "",
	}
}

// read reads the calls of a round back into acts. While no device of a tool is known
// that seems to act on one, its server may be about to tell of them.
func (g *gate) read(ctx context.Context, asked []dialogue.Call) *round {
	reader := errand.Reader{
		House: g.a.match.House(), Words: g.a.names,
		Done: func(device, key string) (told string, ok bool) {
			told, ok = g.confirmed[device][key]
			return told, ok
		},
	}
	if reader.Unknown(asked) {
		wait, cancel := context.WithTimeout(ctx, calling.Budget)
		defer cancel()
		g.a.calls.Await(wait, Need{House: true, Again: true})
		reader.House = g.a.match.House()
	}
	return &round{Round: reader.Round(asked), record: record.Record{Verdict: record.Verdict{Calls: []record.CallMade{}}}}
}

// deny refuses dangerous acts and returns what the user hears of it, which is said once
// in a turn. The rest of the round is done.
func (g *gate) deny(r *round) string {
	var said []string
	for i := range r.Errands {
		e := &r.Errands[i]
		if e.Risk != tools.Dangerous {
			continue
		}
		e.Refusal = g.a.english.Denied([]plan.Step{e.Step})
		no := g.a.guard.Denied([]plan.Step{e.Step})
		g.fail(r, no.Why)
		if text := g.once(no.Said); text != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, " ")
}

// once returns a refusal, or "" if the user has heard it in this turn.
func (g *gate) once(text string) string {
	if slices.Contains(g.refusals, text) {
		return ""
	}
	g.refusals = append(g.refusals, text)
	return text
}

// admit counts the turn as a command of its source when it first acts, and refuses
// the round if the source has sent too many.
func (g *gate) admit(r *round) string {
	if len(r.Left()) == 0 {
		return ""
	}
	if !g.counted {
		g.counted, g.barred = true, !g.a.rate.Admit(g.x.Source, time.Now())
	}
	if !g.barred {
		return ""
	}
	g.x.rec.Route = record.RouteRefused
	g.fail(r, tooManyCommands)
	r.Refuse(r.Left(), g.a.english.Phrase("too_many_commands", nil))
	return g.once(g.a.phrases.Phrase("too_many_commands", nil))
}

// ask returns the question about many devices, if this turn acts on so many. The
// answer yes then does what is left to do on devices, without the model.
func (g *gate) ask(r *round) string {
	which := r.OnDevices()
	if len(which) == 0 || !g.a.limits.MustAsk(slices.Concat(g.x.done, r.Steps(which))) || !g.room() {
		return ""
	}
	steps := r.Steps(which)
	r.Refuse(which, "Not done: the user has been asked whether to act on so many devices.")
	g.a.askAboutMany(g.x, intent.Decision{Route: intent.Local, Reason: intent.PlannedByModel, Actions: errand.Actions(steps)}, steps, g.did.As(g.x.Text))
	return g.x.rec.Reply
}

// askFirst returns the question about a call that is asked about before it is made
// (REQUIREMENTS M16): that of a tool of others which may do anything. The answer yes
// makes it, without the model.
func (g *gate) askFirst(r *round) string {
	which := slices.DeleteFunc(r.Left(), func(i int) bool { return r.Errands[i].Risk != tools.Costly })
	if len(which) == 0 || !g.room() {
		return ""
	}
	steps := r.Steps(which[:1])
	r.Refuse(r.Left(), "Not done: the user has been asked whether to make the call of "+steps[0].Planned().Tool+".")
	call := steps[0].Planned()
	g.a.memory.ask(g.x.Request, pending{
		decision: intent.Decision{Route: intent.Local, Reason: intent.PlannedByModel}, steps: steps, text: g.x.Text, begun: g.did.As(g.x.Text), until: time.Now().Add(confirmTime),
	})
	said := strings.NewReplacer("_", " ", "-", " ").Replace(call.Tool)
	g.x.rec.Outcome, g.x.rec.Reply = record.Asked, g.a.phrases.Phrase("ask_server", map[string]any{"tool": said, "server": call.Server})
	return g.x.rec.Reply
}

// room reports whether one more act of a model is within the limit.
func (g *gate) room() bool {
	n := g.a.rate.Reserve(time.Now(), 1)
	g.a.rate.GiveBack(n)
	return n > 0
}

// limit refuses acts above the number that a model may plan within a minute. The others
// count until they turn out to have failed.
func (g *gate) limit(r *round) string {
	which := r.Left()
	over := which[g.a.rate.Reserve(time.Now(), len(which)):]
	if len(over) == 0 {
		return ""
	}
	count := map[string]any{"count": safety.ActsAMinute}
	g.fail(r, tooManyActs)
	r.Refuse(over, "Not done. "+g.a.english.Phrase("too_many_acts", count))
	return g.once(g.a.phrases.Phrase("too_many_acts", count))
}

// fail lets the turn end as failed.
func (g *gate) fail(r *round, why string) {
	r.record.Outcome, r.record.Error = record.Failed, why
}

// carry makes the calls that are left in a round and returns what the user hears of
// them, and whether the turn ends with it.
func (g *gate) carry(ctx context.Context, r *round) (said string, stop bool) {
	which := r.Left()
	if len(which) == 0 {
		g.enter(r)
		return "", false
	}
	steps := r.Steps(which)
	x := *g.x
	x.rec = &record.Record{ID: g.x.rec.ID, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	began := time.Now()
	done, task := g.a.makeCalls(ctx, &x, steps)
	r.took = max(1, time.Since(began))
	for i := range steps {
		r.Errands[which[i]].Step, r.Errands[which[i]].Result, r.Errands[which[i]].Lost = steps[i], done.Results[i], done.Errs[i]
	}
	g.x.reconnects = x.reconnects
	g.keep(steps, done)
	said = g.told(steps, done)
	done.Into(x.rec, x.watch)
	if task != nil {
		text, kept := g.a.stop(*task, done.Cause(), x.rec)
		g.stopped, stop = x.rec.Error, true
		if kept {
			said = text
		}
	}
	refused := r.record
	r.record = *x.rec
	if refused.Outcome == record.Failed && record.Failed.Worse(r.record.Outcome) {
		r.record.Outcome, r.record.Error = refused.Outcome, refused.Error
	}
	g.enter(r)
	return said, stop
}

// enter adds a round to the record of the turn.
func (g *gate) enter(r *round) {
	for _, c := range r.Unsent() {
		r.record.Calls = append(r.record.Calls, record.NewCall(errand.InServer(c.Call), tools.Result{Failed: true}, 0))
	}
	if r.record.Outcome == "" {
		r.record.Outcome = record.Done
	}
	r.record.Risk = string(safety.Highest(r.Steps(r.All())))
	asked := g.x.rec.Outcome == record.Asked
	g.x.rec.Add(r.record, nil)
	if asked {
		g.x.rec.Outcome, g.x.rec.Error = record.Asked, ""
	}
	t := &g.x.rec.Timings
	t.FirstPublish, t.Confirmed = cmp.Or(t.FirstPublish, r.record.Timings.FirstPublish), cmp.Or(r.record.Timings.Confirmed, t.Confirmed)
}

// keep remembers what a round has done: for an undo, for the question about many
// devices, and so that the same is not done again.
func (g *gate) keep(steps []plan.Step, done calling.Made) {
	fresh := map[string]bool{}
	failed := 0
	did := past.Of(g.a.match.House(), g.x.Text, steps, done.Results, done.Problems)
	g.did.Deeds, g.did.Rest = append(g.did.Deeds, did.Deeds...), g.did.Rest || did.Rest
	for i, s := range steps {
		if !done.Ends[i].Happened() {
			failed++
			continue
		}
		g.x.done = append(g.x.done, s)
		g.x.doneBefore = append(g.x.doneBefore, past.TaskStep(s))
		if s.Entity == nil {
			continue
		}
		device := s.Entity.ID
		if !fresh[device] {
			fresh[device], g.confirmed[device] = true, map[string]string{}
		}
		if done.Results[i].Receipt.Done() {
			g.confirmed[device][errand.Key(&s)] = errand.In(g.a.english, &s, done.Results[i], nil)
		}
	}
	g.a.rate.GiveBack(failed)
}

// aboutArguments are the reasons of a device's refusal that the model can correct.
var aboutArguments = []tools.Reason{tools.RefusedValue, tools.RefusedAction, tools.UnknownDevice, tools.AmbiguousDevice}

// told returns what the user hears of a round. For a device with several acts, that is
// the last act that succeeded. A refusal because of the arguments is held back, and does
// not count as a failure yet.
func (g *gate) told(steps []plan.Step, done calling.Made) string {
	var shown errand.Outcomes
	for i, s := range steps {
		if r := done.Results[i].Receipt; r != nil && r.Outcome == tools.Refused && slices.Contains(aboutArguments, r.Reason) {
			g.held.Add(s, done.Results[i], nil)
			done.Ends[i] = record.Done
			continue
		}
		if !done.Results[i].Receipt.Done() || !bettered(i, steps, done) {
			shown.Add(s, done.Results[i], done.Errs[i])
		}
	}
	return shown.Told(g.a.phrases)
}

// bettered reports whether the device of a step has done something else after it.
func bettered(i int, steps []plan.Step, done calling.Made) bool {
	for j := i + 1; j < len(steps); j++ {
		if steps[i].Entity != nil && steps[j].Entity == steps[i].Entity && done.Results[j].Receipt.Done() {
			return true
		}
	}
	return false
}

// note puts a call that only reads, or that never came to the gate, into the record.
func (g *gate) note(call dialogue.Call) {
	m := record.NewCall(errand.InServer(call), call.Result, call.Took)
	m.OK = m.OK && call.Err == nil
	g.x.rec.Calls = append(g.x.rec.Calls, m)
	if call.Took == 0 && call.Result.Failed && g.writes(call) {
		g.complaint = call.Result.Text
	}
}

// writes reports whether a call was to change something.
func (g *gate) writes(call dialogue.Call) bool {
	return call.Spec.Risk == tools.Reversible || call.Spec.Risk == tools.Costly
}

// end closes the turn: it returns what the user has not heard yet, the refusals that
// the model did not mend.
func (g *gate) end() string {
	rec := g.x.rec
	var left errand.Outcomes
	for i, s := range g.held.Steps {
		if len(g.confirmed[s.Entity.ID]) == 0 {
			left.Add(s, g.held.Results[i], nil)
		}
	}
	if len(g.refusals) > 0 && len(g.x.done) == 0 {
		rec.Route = record.RouteRefused
	}
	switch {
	case g.stopped != "":
		rec.Outcome, rec.Error = record.Failed, g.stopped
	case rec.Outcome != record.Done:
	case len(left.Steps) > 0:
		rec.Outcome, rec.Error = record.Failed, cmp.Or(left.Results[0].Text, "the device refused it")
	}
	return left.Told(g.a.phrases)
}

// complain lets a turn fail whose last calls were refused for their arguments, unless
// the model has asked the user about it.
func (g *gate) complain() {
	if rec := g.x.rec; g.complaint != "" && rec.Outcome == record.Done {
		rec.Outcome, rec.Error = record.Failed, g.complaint
	}
}
