// Package errand translates the calls of a language model back into acts on the house, so
// that a model's acts obey the same rules as a spoken sentence: a call of a tool that
// controls an entity is an act on it. It is separate from the mind that carries the acts
// out, because it is pure: it knows the house and the words for its things, and makes no
// calls. A model's new way to name devices is a case in Reader.meant.
package errand

import (
	"slices"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// Round is one round of a model's calls that change something.
type Round struct {
	Calls   []Call
	Errands []Errand
}

// Call is one call of a model.
type Call struct {
	dialogue.Call
	Errands   []int  // what it asks for; several for a group of devices
	Complaint string // why it cannot be read back, for the model alone
}

// Errand is one act that a model asks for, in one call or in several that are the
// same.
type Errand struct {
	plan.Step
	Refusal string // why it is not made, for the model; "" where it is made
	Before  bool   // it is not made because this turn has done it before
	Result  tools.Result
	Lost    error // why its call got no answer
}

// All lists the errands.
func (r *Round) All() []int {
	all := make([]int, len(r.Errands))
	for i := range all {
		all[i] = i
	}
	return all
}

// Remaining lists the errands that are not refused.
func (r *Round) Remaining() []int {
	return slices.DeleteFunc(r.All(), func(i int) bool { return r.Errands[i].Refusal != "" })
}

// OnDevices lists those of them that act on devices.
func (r *Round) OnDevices() []int {
	return slices.DeleteFunc(r.Remaining(), func(i int) bool { return r.Errands[i].Entity == nil })
}

// Refuse refuses some errands for a reason.
func (r *Round) Refuse(which []int, why string) {
	for _, i := range which {
		r.Errands[i].Refusal = why
	}
}

// Steps returns the steps of some errands.
func (r *Round) Steps(which []int) []plan.Step {
	steps := make([]plan.Step, len(which))
	for i, n := range which {
		steps[i] = r.Errands[n].Step
	}
	return steps
}

// Unsent lists the calls that have sent nothing to a server.
func (r *Round) Unsent() []Call {
	var calls []Call
	for _, c := range r.Calls {
		made := func(i int) bool { return r.Errands[i].Refusal == "" || r.Errands[i].Before }
		if c.Complaint != "" || !slices.ContainsFunc(c.Errands, made) {
			calls = append(calls, c)
		}
	}
	return calls
}

// Complaint is the first complaint of a round; "" if every call could be read back.
func (r *Round) Complaint() string {
	for _, c := range r.Calls {
		if c.Complaint != "" {
			return c.Complaint
		}
	}
	return ""
}

// Key tells the acts of a turn apart.
func Key(s *plan.Step) string {
	c := s.PlannedCall()
	return c.Server + "\n" + c.Tool + "\n" + string(c.Args)
}
