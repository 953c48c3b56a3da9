package guard

import (
	"errors"
	"fmt"
	"slices"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Limits say what is never done, and what is done only after a confirmation.
type Limits struct {
	Dangerous   string `yaml:"dangerous"`     // Deny or Challenge
	FanOutLimit int    `yaml:"fan_out_limit"` // the most devices a command may change without being confirmed
}

// What becomes of dangerous acts (REQUIREMENTS S1): they are refused, or done once a
// person has said two words back.
const (
	Deny      = "deny"
	Challenge = "challenge"
)

// Challenges reports whether dangerous acts are done after a challenge.
func (l Limits) Challenges() bool { return l.Dangerous == Challenge }

// Default denies dangerous acts, and asks before a command for more than five
// devices.
func Default() Limits { return Limits{Dangerous: Deny, FanOutLimit: 5} }

// Validate reports everything that is wrong, each with its key and what was
// expected.
func (l Limits) Validate() error {
	var errs []error
	if l.Dangerous != Deny && l.Dangerous != Challenge {
		errs = append(errs, fmt.Errorf("safety.dangerous: %q is unknown; expected deny or challenge", l.Dangerous))
	}
	if l.FanOutLimit < 1 {
		errs = append(errs, fmt.Errorf("safety.fan_out_limit: %d is too small; expected 1 or more devices", l.FanOutLimit))
	}
	return errors.Join(errs...)
}

// MustAsk reports whether to ask before acting on many devices or on a whole floor
// (S3). Turning lights off is never asked about, because it is harmless, and
// questions change nothing.
func (l Limits) MustAsk(steps []plan.Step) bool {
	asking, floor := slices.DeleteFunc(slices.Clone(steps), isLightOff), false
	for _, step := range asking {
		floor = floor || step.Risk != tools.Read && step.Action.Slots["floor"] != nil
	}
	n := len(Acting(asking))
	return l.FanOutLimit > 0 && (n > l.FanOutLimit || floor && n > 1)
}

func isLightOff(s plan.Step) bool {
	return s.Action.Intent == catalogue.TurnOff && s.Entity != nil && s.Entity.Domain == "light"
}

// Acting lists what the steps change: each device once, and what is about no
// device.
func Acting(steps []plan.Step) []string {
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

// Highest is the highest risk of some steps; an unknown risk is dangerous.
func Highest(steps []plan.Step) tools.Risk {
	order := map[tools.Risk]int{tools.Read: 1, tools.Reversible: 2, tools.Costly: 3, tools.Dangerous: 4}
	worst := tools.Read
	for _, s := range steps {
		risk := s.Risk
		if order[risk] == 0 {
			risk = tools.Dangerous
		}
		if order[risk] > order[worst] {
			worst = risk
		}
	}
	return worst
}
