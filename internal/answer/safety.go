package answer

import (
	"errors"
	"fmt"
	"slices"

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
	asking, floor := slices.DeleteFunc(slices.Clone(steps), isLightOff), false
	for _, step := range asking {
		floor = floor || step.Risk != tools.Read && step.Action.Slots["floor"] != nil
	}
	n := len(acting(asking))
	return s.FanOutLimit > 0 && (n > s.FanOutLimit || floor && n > 1)
}

func isLightOff(s plan.Step) bool {
	return s.Action.Intent == catalogue.TurnOff && s.Entity != nil && s.Entity.Domain == "light"
}

// acting lists what the steps change: each device once, and what is about no
// device.
func acting(steps []plan.Step) []string {
	var all []string
	for i, s := range steps {
		name := fmt.Sprint("step ", i)
		if s.Entity != nil {
			name = s.Entity.ID
		}
		if s.Risk != tools.Read && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
