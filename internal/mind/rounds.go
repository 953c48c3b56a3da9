package mind

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/calling"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// rounds are what is kept of a model's rounds of calls for as long as its turn lasts.
type rounds struct {
	counted   bool                         // the turn counts as a command of its source
	barred    bool                         // and is over what the source may send
	refusals  []string                     // that the user has heard
	confirmed map[string]map[string]string // by device: its last acts in this turn, with what the user heard of them
	held      errand.Outcomes              // refused by their devices because of the arguments; reported at the end if the model does not correct them
	complaint string                       // about the last calls of the model, as long as it has not mended them
	stopped   string                       // why the task was stopped
	lost      string                       // which call that reads came to nothing last, and why
}

// once returns a refusal, or "" if the user has heard it in this turn.
func (r *rounds) once(text string) string {
	if slices.Contains(r.refusals, text) {
		return ""
	}
	r.refusals = append(r.refusals, text)
	return text
}

// round is one round of a model's calls that change something.
type round struct {
	*errand.Round
	begun    past.Turn // what the turn did before it
	why      string    // for the record: why a call was refused; "": none was
	say      []string  // what the user hears of what was refused
	told     string    // and of what was done
	question string    // that he is asked
	stop     bool      // the task was stopped
	took     time.Duration
}

// round carries the calls of one round out, all at once, as the order that they are.
func (m *Mind) round(ctx context.Context, x *Exchange, t *turn, asked []dialogue.Call) dialogue.Acted {
	r := &round{Round: m.read(ctx, t, asked), begun: t.did.As(x.Text)}
	part := t.part()
	part.waiting = nil // it waits already
	o := Order{By: "a round of the model", Manner: Planned, Round: r}
	m.carry(ctx, *x, o, part)
	t.enter(r, part)
	t.rounds.complaint = r.Complaint()
	say := slices.DeleteFunc(slices.Concat([]string{r.told}, r.say, []string{r.question}), func(s string) bool { return s == "" })
	return dialogue.Acted{
		Calls: r.Answers(m.english, r.took), Say: strings.Join(say, " "), Stop: r.stop || r.question != "", Left: t.rounds.complaint != "",
	}
}

// read reads the calls of a round back into acts. While no device of a tool is known
// that seems to act on one, its server may be about to tell of them.
func (m *Mind) read(ctx context.Context, t *turn, asked []dialogue.Call) *errand.Round {
	reader := errand.Reader{
		House: m.match.House(), Words: m.names,
		Done: func(device, key string) (told string, ok bool) {
			told, ok = t.rounds.confirmed[device][key]
			return told, ok
		},
	}
	if reader.Unknown(asked) {
		wait, cancel := context.WithTimeout(ctx, calling.Budget)
		defer cancel()
		m.calls.Await(wait, Need{House: true, Again: true})
		reader.House = m.match.House()
	}
	return reader.Round(asked)
}

// enter adds a round to a turn, and what it has done.
func (t *turn) enter(r *round, part *turn) {
	rec := part.rec
	if r.why != "" && record.Failed.Worse(rec.Outcome) {
		rec.Outcome, rec.Error = record.Failed, r.why
	}
	for _, c := range r.Unsent() {
		why := c.Complaint
		for _, i := range c.Errands {
			why = cmp.Or(why, r.Errands[i].Refusal)
		}
		rec.Calls = append(rec.Calls, record.NewCall(errand.InServer(c.Call), tools.Result{Failed: true, Text: why}, 0))
	}
	rec.Outcome, rec.Reply = cmp.Or(rec.Outcome, record.Done), ""
	rec.Risk = string(guard.Highest(r.Steps(r.All())))
	t.rec.Add(*rec, nil)
	if r.question != "" {
		t.rec.Outcome, t.rec.Error = record.Asked, ""
	}
	if t.rounds.barred {
		t.rec.Route = record.RouteRefused
	}
	times := &t.rec.Timings
	times.FirstPublish, times.Confirmed = cmp.Or(times.FirstPublish, rec.Timings.FirstPublish), cmp.Or(rec.Timings.Confirmed, times.Confirmed)
	t.did.Deeds, t.did.Rest, t.did.Sound = append(t.did.Deeds, part.did.Deeds...), t.did.Rest || part.did.Rest, cmp.Or(t.did.Sound, part.did.Sound)
	t.made, t.reconnects = part.made, part.reconnects
}

// tellRound keeps what a round has done and what the user hears of it.
func (m *Mind) tellRound(o *Order, t *turn, done calling.Made, stopped *record.Task) {
	r := o.Round
	for i, which := range r.Remaining() {
		e := &r.Errands[which]
		e.Step, e.Result, e.Lost = o.Do[i], done.Results[i], done.Errs[i]
	}
	m.keepRound(t, o.Do, done)
	r.told = m.roundTold(t.rounds, o.Do, done)
	done.Into(t.rec, t.watch)
	if stopped != nil {
		text, kept := m.stop(*stopped, done.Cause(), t.rec)
		t.rounds.stopped, r.stop = t.rec.Error, true
		if kept {
			r.told = text
		}
	}
}

// keepRound remembers what a round has done, so that the same is not done again.
func (m *Mind) keepRound(t *turn, steps []plan.Step, done calling.Made) {
	fresh := map[string]bool{}
	failed := 0
	for i, s := range steps {
		if !done.Ends[i].Happened() {
			failed++
			continue
		}
		t.made = append(t.made, s)
		if s.Entity == nil {
			continue
		}
		device := s.Entity.ID
		if !fresh[device] {
			fresh[device], t.rounds.confirmed[device] = true, map[string]string{}
		}
		if done.Results[i].Receipt.Done() {
			t.rounds.confirmed[device][errand.Key(&s)] = errand.In(m.english, &s, done.Results[i], nil)
		}
	}
	m.rate.GiveBack(failed)
}

// aboutArguments are the reasons of a device's refusal that the model can correct.
var aboutArguments = []tools.Reason{tools.RefusedValue, tools.RefusedAction, tools.UnknownDevice, tools.AmbiguousDevice}

// roundTold returns what the user hears of a round. For a device with several acts, that is
// the last act that succeeded. A refusal because of the arguments is held back, and does
// not count as a failure yet.
func (m *Mind) roundTold(kept *rounds, steps []plan.Step, done calling.Made) string {
	var shown errand.Outcomes
	for i, s := range steps {
		if r := done.Results[i].Receipt; r != nil && r.Outcome == tools.Refused && slices.Contains(aboutArguments, r.Reason) {
			kept.held.Add(s, done.Results[i], nil)
			done.Ends[i] = record.Done
			continue
		}
		if !done.Results[i].Receipt.Done() || !bettered(i, steps, done) {
			shown.Add(s, done.Results[i], done.Errs[i])
		}
	}
	return shown.Say(m.phrases)
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

// noteCall puts a call that only reads, or that was refused before it was read, into the
// record.
func (t *turn) noteCall(call dialogue.Call) {
	m := record.NewCall(errand.InServer(call), call.Result, call.Took)
	if call.Err != nil {
		m.OK = false
		m.Because(call.Err.Error())
	}
	if !m.OK && call.Took > 0 {
		t.rounds.lost = m.Tool + ": " + m.Reason
	}
	t.rec.Calls = append(t.rec.Calls, m)
	writes := call.Spec.Risk == tools.Reversible || call.Spec.Risk == tools.Costly
	if call.Took == 0 && call.Result.Failed && writes {
		t.rounds.complaint = call.Result.Text
	}
}

// endRounds closes a model's turn: it returns what the user has not heard yet, the refusals
// that the model did not mend.
func (m *Mind) endRounds(t *turn) string {
	var left errand.Outcomes
	for i, s := range t.rounds.held.Steps {
		if len(t.rounds.confirmed[s.Entity.ID]) == 0 {
			left.Add(s, t.rounds.held.Results[i], nil)
		}
	}
	if len(t.rounds.refusals) > 0 && len(t.made) == 0 {
		t.rec.Route = record.RouteRefused
	}
	switch {
	case t.rounds.stopped != "":
		t.rec.Outcome, t.rec.Error = record.Failed, t.rounds.stopped
	case t.rec.Outcome != record.Done:
	case len(left.Steps) > 0:
		t.rec.Outcome, t.rec.Error = record.Failed, cmp.Or(left.Results[0].Text, "the device refused it")
	}
	return left.Say(m.phrases)
}
