package intent

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
)

// gates are covers that keep people out: opening them is dangerous. The first
// four are device classes too; the others are what families of our languages
// call them.
var gates = []string{
	"garage", "garage_door", "gate", "door",
	"tor", "garagentor", "hoftor", "gartentor", "einfahrtstor", "rolltor", "tür", "haustür", "garagentür",
	"puerta", "portón", "garaje", "porte", "portail",
}

// hot are things that must not be started by a misheard word.
var hot = []string{
	"oven", "stove", "cooker", "hob", "siren", "ofen", "backofen", "herd", "kochfeld", "sirene", "horno", "vitrocerámica",
	"sirena", "cuisinière", "sirène",
}

// frenchOven is a number in English, so it counts only where a French name
// begins: "four de la cuisine".
const frenchOven = "four"

// Dangerous reports whether an action on an entity is one of those that are off
// by default (DESIGN S1): unlocking, opening a garage, gate, door or valve,
// disarming, oven and siren. Their opposites are not.
func Dangerous(a Action, e *home.Entity) bool {
	if e == nil {
		return false
	}
	on := a.Intent == "HassTurnOn" || a.Intent == "HassToggle" ||
		a.Intent == "HassSetPosition" && !isZero(a.Slots["position"])
	switch e.Domain {
	case "lock":
		return a.Intent == "HassTurnOff" || a.Intent == "HassToggle"
	case "cover":
		return on && (slices.Contains(gates, e.DeviceClass()) || e.DeviceClass() == "" && isNamed(e, gates))
	case "valve", "siren":
		return on
	case "alarm_control_panel":
		return a.Intent == "LocalAlarmDisarm" || a.Intent == "HassTurnOff"
	}
	return on && isHot(e)
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

func isNamed(e *home.Entity, words []string) bool {
	for _, n := range append([]string{e.Name}, e.Aliases...) {
		for _, w := range names.Normalise(n) {
			if slices.Contains(words, w) {
				return true
			}
		}
	}
	return false
}

func isHot(e *home.Entity) bool {
	words := names.Normalise(e.Name)
	return isNamed(e, hot) || len(words) > 0 && words[0] == frenchOven
}
