package answer

import (
	"errors"
	"fmt"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Safety says what is never done, and what is done only after a confirmation.
type Safety struct {
	Dangerous   string `yaml:"dangerous"`     // only deny: allowing would need a spoken confirmation
	FanOutLimit int    `yaml:"fan_out_limit"` // the most devices a command may change without being confirmed
}

// DefaultSafety denies dangerous acts, and asks before a command for more than five
// devices.
func DefaultSafety() Safety { return Safety{Dangerous: "deny", FanOutLimit: 5} }

// Validate reports everything that is wrong, each with its key and what was
// expected.
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

// mustAsk reports whether to ask before acting on many devices or on a whole floor
// (S3). Turning lights off is never asked about, because it is harmless, and
// questions change nothing.
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
