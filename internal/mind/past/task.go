package past

import (
	"cmp"
	"fmt"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// OpenSteps plans the open calls of a task again. A device that the house has lost keeps
// the name that the call uses.
func OpenSteps(h *home.House, open []record.TaskStep) []plan.Step {
	steps := make([]plan.Step, len(open))
	for i, s := range open {
		call := tools.Call{Tool: s.Tool, Server: s.Server, Args: s.Args}
		act, _ := plan.Repeat(call)
		steps[i] = plan.Step{Action: act, Call: call, Risk: tools.Reversible, Entity: h.Entity(s.Device)}
		if name := DeviceOf(s.Args); steps[i].Entity == nil && name != "" {
			steps[i].Entity = cmp.Or(FindByName(h, s.Server, name), &home.Entity{Name: name})
		}
		switch e := steps[i].Entity; {
		case e == nil:
			steps[i].Action.Devices = []string{fmt.Sprint(i)} // an index keeps it apart from the others
		case intent.Dangerous(act, e): // it is another thing by now
			steps[i].Risk = tools.Dangerous
		}
	}
	return steps
}

// ResumedTurn returns what the open calls of a task changed; a person can take it back
// like the changes of any turn.
func ResumedTurn(h *home.House, task record.Task, results []tools.Result) Turn {
	var p Turn
	for i, s := range task.Open {
		p.Add(h, tools.Call{Tool: s.Tool, Server: s.Server, Args: s.Args}, results[i], h.Entity(s.Device))
	}
	return p.As(task.Asked)
}

// Repeatable leaves out the steps that may have been carried out and must not be
// carried out twice.
func Repeatable(open []record.TaskStep) []record.TaskStep {
	return slices.DeleteFunc(open, func(s record.TaskStep) bool { return s.Sent && (s.Once || Flips(s.Args)) })
}

// TaskStep describes a step of a plan as one of a task.
func TaskStep(s plan.Step) record.TaskStep {
	call := s.PlannedCall()
	step := record.TaskStep{Tool: call.Tool, Server: call.Server, Args: call.Args, Once: s.Once}
	if s.Entity != nil {
		step.Device = s.Entity.ID
	}
	return step
}
