package guard

import (
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Hopeless replaces a question by a refusal, if another part of the sentence is dangerous
// and never done: the question would be useless, because a sentence is done as a whole or
// not at all.
func Hopeless(d intent.Decision, h *home.House, area string) intent.Decision {
	if len(d.Beside) == 0 {
		return d
	}
	rest := intent.Decision{Route: intent.Local, Reason: intent.BySentences, Actions: d.Beside}
	if steps, err := plan.Calls(rest, h, area); err == nil && Highest(steps) == tools.Dangerous {
		return rest
	}
	return d
}
