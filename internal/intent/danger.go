package intent

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
)

// Dangerous reports whether an action on an entity is one of those that are off by
// default (REQUIREMENTS S1): unlocking, opening a garage, gate, door or valve, disarming,
// oven and siren. Their opposites are not dangerous. All names of an entity and its class
// say what it is (home.Entity.Hazards).
func Dangerous(a Action, e *home.Entity) bool {
	if e == nil {
		return false
	}
	in := catalogue.Of(a.Intent)
	if e.Domain == "lock" || e.Domain == "alarm_control_panel" {
		return slices.Contains(in.Releases, e.Domain)
	}
	return in.Starts != nil && in.Starts(a.Slots) && e.Hazards() != 0
}
