package intent

import (
	"slices"

	"voicegateway/internal/home"
)

// Dangerous reports whether an action on an entity is one of those that are off
// by default (DESIGN S1): unlocking, opening a garage, gate, door or valve,
// disarming, oven and siren. Their opposites are not. What an entity may do is
// told by all its names and its class (home.Entity.Hazards).
func Dangerous(a Action, e *home.Entity) bool {
	if e == nil {
		return false
	}
	switch e.Domain {
	case "lock":
		return a.Intent == "HassTurnOff" || a.Intent == "HassToggle"
	case "alarm_control_panel":
		return a.Intent == "LocalAlarmDisarm" || a.Intent == "HassTurnOff"
	}
	return starts(a) && e.Hazards() != 0
}

// starts says whether an action opens, switches on or turns up what it is done to;
// a level of 0 closes or switches off.
func starts(a Action) bool {
	switch a.Intent {
	case "HassTurnOn", "HassToggle", "HassClimateSetTemperature":
		return true
	case "LocalBrightnessAdjust", "LocalFanAdjust", "LocalClimateAdjust":
		return a.Slots["direction"] != "down"
	case "LocalClimateMode":
		return a.Slots["mode"] != "off"
	case "HassSetPosition":
		return !isZero(a.Slots["position"])
	case "HassLightSet":
		return !isZero(a.Slots["brightness"])
	case "HassFanSetSpeed":
		return !slices.ContainsFunc([]string{"percentage", "speed"}, func(slot string) bool { return isZero(a.Slots[slot]) })
	}
	return false
}

func isZero(v any) bool {
	switch n := v.(type) {
	case int:
		return n == 0
	case float64:
		return n == 0
	}
	return false
}
