package answer

import (
	"errors"
	"fmt"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Safety is what is never done, or not without asking.
type Safety struct {
	Dangerous   string `yaml:"dangerous"`     // deny; allowing comes with a spoken confirmation
	FanOutLimit int    `yaml:"fan_out_limit"` // a command for more devices than this is asked back
}

// DefaultSafety does nothing dangerous.
func DefaultSafety() Safety { return Safety{Dangerous: "deny", FanOutLimit: 5} }

// Validate says everything that is wrong, each with the key and what would be
// right.
func (s Safety) Validate() error {
	var errs []error
	if s.Dangerous != "deny" {
		errs = append(errs, fmt.Errorf("safety.dangerous: %q is unknown; expected deny", s.Dangerous))
	}
	if s.FanOutLimit < 1 {
		errs = append(errs, fmt.Errorf("safety.fan_out_limit: %d is too small; expected 1 or more devices", s.FanOutLimit))
	}
	return errors.Join(errs...)
}

// mustAsk: many devices at once and whole floors are asked about first, except
// for turning lights off, which harms nobody (S3). Questions act on nothing.
func (s Safety) mustAsk(steps []plan.Step) bool {
	acting, floor := 0, false
	for _, step := range steps {
		off := step.Action.Intent == catalogue.TurnOff && step.Entity != nil && step.Entity.Domain == "light"
		if step.Risk != tools.Read && !off {
			acting++
			floor = floor || step.Action.Slots["floor"] != nil
		}
	}
	return s.FanOutLimit > 0 && (acting > s.FanOutLimit || floor && acting > 1)
}
