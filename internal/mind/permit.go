package mind

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/errand"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// permit reports whether the acts of an order may be done at once; if not, the record says
// why and what the person hears. Of a model's round, what may not be done is left out.
func (m *Mind) permit(x *Exchange, o *Order, t *turn) bool {
	switch o.Manner {
	case Explained, Due:
		return true
	case Passed:
		return m.endable(x, t, o.Do)
	case Planned:
		return m.permitEach(x, o, t)
	case Mending:
		return o.Mend.meant == nil || m.permitAll(x, o, t, o.Mend.meant)
	case Ordinary, Resuming:
	}
	return m.permitAll(x, o, t, o.Do)
}

// permitAll judges the acts of a sentence, of which all are done or none.
func (m *Mind) permitAll(x *Exchange, o *Order, t *turn, steps []plan.Step) bool {
	nothing := "" // said only if a user may think that a part was done
	if len(o.Meant.Actions) > 1 {
		nothing = " " + m.phrases.Phrase("nothing_done", nil)
	}
	all := plan.Flatten(steps)
	t.rec.Risk = string(guard.Highest(all))
	acts := t.rec.Risk != string(tools.Read)
	if acts && !x.DryRun && !o.Meant.Confirmed && !m.rate.Admit(x.Source, time.Now()) {
		t.rec.Route = record.RouteRefused
		return t.fail(m.phrases.Phrase("too_many_commands", nil), tooManyCommands)
	}
	if err := plan.CheckDeferrable(steps); err != nil {
		t.rec.Route = record.RouteRefused
		return t.fail(m.phrases.Apology(err), err.Error())
	}
	if t.rec.Risk == string(tools.Dangerous) {
		m.challenge(x, o, t, steps, nothing)
		return false
	}
	return m.endable(x, t, steps) && m.feasible(x, o, t, steps, nothing)
}

// feasible reports whether a plan that is allowed can be carried out at once, or only
// after a question.
func (m *Mind) feasible(x *Exchange, o *Order, t *turn, steps []plan.Step, nothing string) bool {
	// Several commands in one sentence are carried out together or not at all (U2).
	if i := slices.IndexFunc(steps, impossible); i >= 0 && len(o.Meant.Actions) > 1 {
		return t.fail(m.phrases.Apology(steps[i].Err)+nothing, steps[i].Err.Error())
	}
	var many bool
	var costly []string
	if !o.Meant.Confirmed && !x.Confirmed {
		many, costly = m.tooMany(x, t, steps), nameCostly(plan.Flatten(steps))
	}
	asks := many || len(costly) > 0
	// A command for later is judged by a dry run, and asked about like a command for now.
	if x.DryRun && (x.Source != record.FromTimer || !asks) {
		past.Rehearse(t.rec, steps)
		return false
	}
	if asks {
		m.askAbout(x, o, t, steps, many, costly)
		return false
	}
	if o.Meant.Reason == intent.PlannedByModel && m.rate.Reserve(time.Now(), 1) == 0 {
		return t.fail(m.phrases.Phrase("too_many_acts", map[string]any{"count": guard.ActsAMinute}), tooManyActs)
	}
	return true
}

func impossible(s plan.Step) bool { return s.Err != nil }

// askAbout asks whether to act on so many devices, to start what is costly, or both.
func (m *Mind) askAbout(x *Exchange, o *Order, t *turn, steps []plan.Step, many bool, costly []string) {
	if len(costly) == 0 {
		m.askAboutMany(x, t, o.Meant, steps, past.Turn{})
		return
	}
	m.memory.ask(x.Request, question{decision: o.Meant, text: x.Text}, confirmTime)
	t.rec.Outcome, t.rec.Reply = record.Asked, m.askToRun(costly)
	if others := len(guard.Acting(acting(x, t, steps))) - len(costly); many && others > 1 {
		t.rec.Reply = m.phrases.Phrase("run_costly_many", map[string]any{"count": others, "names": strings.Join(costly, ", ")})
	}
}

// nameCostly lists the things that steps start and of which nobody knows what they do.
func nameCostly(steps []plan.Step) (names []string) {
	for _, s := range steps {
		if s.Risk == tools.Costly && s.Entity != nil && s.Err == nil {
			names = append(names, s.Entity.Name)
		}
	}
	return names
}

// askToRun is the question whether to start costly things.
func (m *Mind) askToRun(names []string) string {
	return m.phrases.Phrase("run_costly", map[string]any{"names": strings.Join(names, ", ")})
}

// challenge asks for the words of a challenge before a dangerous act, or refuses the act;
// a refusal cannot be extended.
func (m *Mind) challenge(x *Exchange, o *Order, t *turn, steps []plan.Step, nothing string) {
	wanted := guard.Wanted{Request: x.Request, Turn: x.Turn, Alone: o.Alone, Decision: o.Meant, Steps: steps}
	asked, no := m.guard.Ask(wanted, m.match.House())
	switch {
	case no != nil:
		t.rec.Route = record.RouteRefused
		t.fail(no.Said+nothing, no.Why)
	case x.DryRun:
		past.Rehearse(t.rec, steps)
	default:
		t.rec.Outcome, t.rec.Challenge, t.rec.Reply, t.aloud = record.Asked, true, asked.Reply, asked.Aloud
	}
}

// The reasons in a record for what is over a limit.
const (
	tooManyCommands = "over 60 commands within a minute from this source"
	tooManyActs     = "over 10 acts of a model within a minute"
)

// acting are all steps of a sentence that act on devices, with those that were made for it
// before.
func acting(x *Exchange, t *turn, steps []plan.Step) []plan.Step {
	return slices.Concat(x.Made, t.made, plan.Flatten(steps))
}

// tooMany reports whether a sentence acts on so many devices that it is asked about.
func (m *Mind) tooMany(x *Exchange, t *turn, steps []plan.Step) bool {
	return m.limits.MustAsk(acting(x, t, steps))
}

// askAboutMany asks whether to act on so many devices, and keeps what the sentence
// has done before, so that an undo after a yes takes back all of it.
func (m *Mind) askAboutMany(x *Exchange, t *turn, d intent.Decision, steps []plan.Step, begun past.Turn) {
	m.memory.ask(x.Request, question{decision: d, text: x.Text, begun: begun}, confirmTime)
	count := len(guard.Acting(acting(x, t, steps)))
	t.rec.Outcome, t.rec.Reply = record.Asked, m.phrases.Phrase("many_devices", map[string]any{"count": count})
}

// permitEach judges the acts of a model's round one by one (REQUIREMENTS U11), and leaves
// in the order those that may be done. What the others were refused for is in the round.
func (m *Mind) permitEach(x *Exchange, o *Order, t *turn) bool {
	r := o.Round
	m.deny(r, t)
	m.admit(x, r, t)
	r.question = cmp.Or(m.askFirst(x, r), m.askWhole(x, r, t))
	m.limit(r, t)
	o.Do = r.Steps(r.Remaining())
	return len(o.Do) > 0
}

// deny refuses dangerous acts. The rest of the round is done.
func (m *Mind) deny(r *round, t *turn) {
	for i := range r.Errands {
		e := &r.Errands[i]
		if e.Risk != tools.Dangerous {
			continue
		}
		e.Refusal = m.english.SayDenied([]plan.Step{e.Step})
		no := m.guard.Deny([]plan.Step{e.Step})
		r.why = no.Why
		r.say = append(r.say, t.rounds.once(no.Said))
	}
}

// admit counts the turn as a command of its source when it first acts, and refuses
// the round if the source has sent too many.
func (m *Mind) admit(x *Exchange, r *round, t *turn) {
	if len(r.Remaining()) == 0 {
		return
	}
	if !t.rounds.counted {
		t.rounds.counted, t.rounds.barred = true, !m.rate.Admit(x.Source, time.Now())
	}
	if t.rounds.barred {
		r.why = tooManyCommands
		r.Refuse(r.Remaining(), m.english.Phrase("too_many_commands", nil))
		r.say = append(r.say, t.rounds.once(m.phrases.Phrase("too_many_commands", nil)))
	}
}

// askWhole returns the question about many devices, if this turn acts on so many. The
// answer yes then does what is left to do on devices, without the model.
func (m *Mind) askWhole(x *Exchange, r *round, t *turn) string {
	which := r.OnDevices()
	if len(which) == 0 || !m.tooMany(x, t, r.Steps(which)) || !m.room() {
		return ""
	}
	steps := r.Steps(which)
	r.Refuse(which, "Not done: the user has been asked whether to act on so many devices.")
	m.askAboutMany(x, t, intent.Decision{Route: intent.Local, Reason: intent.PlannedByModel, Actions: errand.Actions(steps)}, steps, r.begun)
	return t.rec.Reply
}

// askFirst returns the question about a call that is asked about before it is made
// (REQUIREMENTS M16): that of a tool of others, or a thing, which may do anything. The answer
// yes makes it, without the model.
func (m *Mind) askFirst(x *Exchange, r *round) string {
	which := slices.DeleteFunc(r.Remaining(), func(i int) bool { return r.Errands[i].Risk != tools.Costly })
	if len(which) == 0 || !m.room() {
		return ""
	}
	steps := r.Steps(which[:1])
	call := steps[0].PlannedCall()
	r.Refuse(r.Remaining(), "Not done: the user has been asked whether to make the call of "+call.Tool+".")
	asked := intent.Decision{Route: intent.Local, Reason: intent.PlannedByModel}
	m.memory.ask(x.Request, question{decision: asked, steps: steps, text: x.Text, begun: r.begun}, confirmTime)
	if costly := nameCostly(steps); len(costly) > 0 {
		return m.askToRun(costly)
	}
	return m.phrases.AskServer(call)
}

// room reports whether one more act of a model is within the limit.
func (m *Mind) room() bool {
	n := m.rate.Reserve(time.Now(), 1)
	m.rate.GiveBack(n)
	return n > 0
}

// limit refuses acts above the number that a model may plan within a minute. The others
// count until they turn out to have failed.
func (m *Mind) limit(r *round, t *turn) {
	which := r.Remaining()
	over := which[m.rate.Reserve(time.Now(), len(which)):]
	if len(over) == 0 {
		return
	}
	count := map[string]any{"count": guard.ActsAMinute}
	r.why = tooManyActs
	r.Refuse(over, "Not done. "+m.english.Phrase("too_many_acts", count))
	r.say = append(r.say, t.rounds.once(m.phrases.Phrase("too_many_acts", count)))
}
