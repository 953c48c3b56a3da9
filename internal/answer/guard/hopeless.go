package guard

import (
	"voicegateway/internal/dialogue/safety"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Hopeless turns a question back into the refusal of what else the sentence asks
// for, if that is never done: the question would be asked for nothing, because all
// of a sentence is done or none.
func Hopeless(d intent.Decision, h *home.House, area string) intent.Decision {
	if len(d.Beside) == 0 {
		return d
	}
	rest := intent.Decision{Route: intent.Local, Reason: "sentences", Actions: d.Beside}
	if steps, err := plan.Calls(rest, h, area); err == nil && safety.Highest(steps) == tools.Dangerous {
		return rest
	}
	return d
}
