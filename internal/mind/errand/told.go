package errand

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// Actions joins the acts of steps that differ only in their devices.
func Actions(steps []plan.Step) []intent.Action {
	var all []intent.Action
	for _, s := range steps {
		i := slices.IndexFunc(all, func(a intent.Action) bool { return sameAct(&a, &s.Action) })
		if i < 0 || s.Entity == nil {
			s.Action.Devices = slices.Clone(s.Action.Devices)
			all = append(all, s.Action)
			continue
		}
		all[i].Devices = append(all[i].Devices, s.Action.Devices...)
	}
	return all
}

func sameAct(a, b *intent.Action) bool {
	return a.Intent == b.Intent && a.Intent != "" && reflect.DeepEqual(a.Slots, b.Slots)
}

// mostTold is how many different acts are reported one by one. If there are more, only
// their number is said.
const mostTold = 3

// Outcomes are steps with what came of them.
type Outcomes struct {
	Steps   []plan.Step
	Results []tools.Result
	Errs    []error // why a call got no answer
}

// Add adds a step.
func (o *Outcomes) Add(s plan.Step, r tools.Result, err error) {
	o.Steps, o.Results, o.Errs = append(o.Steps, s), append(o.Results, r), append(o.Errs, err)
}

// Say says briefly what came of the steps.
func (o *Outcomes) Say(p *reply.Phrases) string {
	sorted := o.group()
	return p.SayResults(sorted.Steps, sorted.Results, sorted.Errs...)
}

// group puts steps together that are reported in one sentence. If the acts on devices
// are too many to report one by one, they are all reported together.
func (o *Outcomes) group() Outcomes {
	groups := Actions(o.Steps)
	var out Outcomes
	for _, g := range groups {
		for i, s := range o.Steps {
			if s.Entity == nil && slices.Equal(s.Action.Devices, g.Devices) || s.Entity != nil && sameAct(&s.Action, &g) {
				s.Action.Devices = g.Devices
				out.Add(s, o.Results[i], o.Errs[i])
			}
		}
	}
	onDevices := slices.DeleteFunc(slices.Clone(o.Steps), func(s plan.Step) bool { return s.Entity == nil })
	if len(Actions(onDevices)) > mostTold {
		for i := range out.Steps {
			out.Steps[i].Joint = out.Steps[i].Entity != nil
		}
	}
	return out
}

// Answers are what the model gets back for the calls of a round, which took so long.
// The phrases are those of the model's language.
func (r *Round) Answers(p *reply.Phrases, took time.Duration) []dialogue.Call {
	all := make([]dialogue.Call, len(r.Calls))
	for i := range r.Calls {
		all[i] = r.answer(&r.Calls[i], p, took)
	}
	return all
}

func (r *Round) answer(c *Call, p *reply.Phrases, took time.Duration) dialogue.Call {
	call := c.Call
	if c.Complaint != "" {
		call.Result = tools.Result{Failed: true, Text: c.Complaint}
		return call
	}
	var said []string
	for _, i := range c.Errands {
		e := &r.Errands[i]
		if e.Refusal != "" {
			said = append(said, e.Refusal)
			call.Result.Failed = call.Result.Failed || !e.Before
			continue
		}
		call.Took = took
		if e.Entity == nil {
			call.Result, call.Err = e.Result, e.Lost
			return call
		}
		said = append(said, In(p, &e.Step, e.Result, e.Lost))
		call.Result.Receipt = with(call.Result.Receipt, e.Result.Receipt)
		call.Result.Failed = call.Result.Failed || e.Result.Failed
		if len(c.Errands) == 1 {
			call.Err = e.Lost
		}
	}
	call.Result.Text = strings.Join(said, " ")
	return call
}

// with adds the receipt of one more device to those of a group.
func with(group, one *tools.Receipt) *tools.Receipt {
	switch {
	case one == nil:
		return group
	case group == nil:
		return one
	case len(group.Devices) == 0:
		group = &tools.Receipt{Device: group.Device, Outcome: group.Outcome, Devices: []tools.Receipt{*group}}
	}
	group.Devices = append(group.Devices, *one)
	if one.Outcome != tools.Confirmed {
		group.Outcome = one.Outcome
	}
	return group
}

// In says what came of one step.
func In(p *reply.Phrases, s *plan.Step, r tools.Result, err error) string {
	return p.SayResults([]plan.Step{*s}, []tools.Result{r}, err)
}
