package zwave

import (
	"math"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// modes in which a thermostat keeps a room between two set points, from the Thermostat
// Mode class, and the one in which it does nothing.
const (
	modeOff            = 0
	modeAuto           = 3
	modeAutoChangeover = 10
)

// between reports whether two set points count at once: the mode has no set point of its
// own, and the thermostat heats to one and cools to the other.
func (e *entity) between(mode any) bool {
	n, ok := number(mode)
	if !ok || n != modeAuto && n != modeAutoChangeover {
		return false
	}
	_, own := e.parts[setpointPart(strconv.Itoa(int(n)))]
	_, heats := e.parts[partHeat]
	_, cools := e.parts[partCool]
	return !own && heats && cools
}

// target is the set point that a command is for, and what it is called in the receipt.
func (r request) target(word string, want func(unit string) float64) (wire.ValueID, home.Ability) {
	e := r.entity
	mode := r.read(e.parts[partMode]).value
	heat, cool := e.parts[partHeat], e.parts[partCool]
	switch {
	case word == form.Heating && heat != (wire.ValueID{}):
		return heat, home.HeatsTo
	case word == form.Cooling && cool != (wire.ValueID{}):
		return cool, home.CoolsTo
	case !e.between(mode):
		return e.setpoint(mode), home.Setpoint
	}
	unit := r.model.value(heat).Unit
	degrees := want(unit)
	low, isLow := number(r.read(heat).value)
	high, isHigh := number(r.read(cool).value)
	room, isRoom := r.model.roomTemperature(e, unit, r.read)
	switch {
	case isLow && degrees <= low:
		return heat, home.HeatsTo
	case isHigh && degrees >= high:
		return cool, home.CoolsTo
	case isRoom && degrees < room, !isRoom && isLow && isHigh && high-degrees < degrees-low:
		return cool, home.CoolsTo
	}
	return heat, home.HeatsTo
}

// roomTemperature is what a thermostat itself measures, in a unit.
func (m *model) roomTemperature(e *entity, unit string, read func(wire.ValueID) reading) (float64, bool) {
	for _, s := range e.sensors {
		if n, ok := number(read(s.id).value); ok && s.kind == home.Temperature {
			return home.ScaleOf(m.value(s.id).Unit).Reading(n, home.ScaleOf(unit)), true
		}
	}
	return 0, false
}

func planSetpoint(r request) (step, error) {
	if err := r.able(home.Setpoint, "be set to a temperature"); err != nil {
		return step{}, err
	}
	word, rest := form.CutCounting(r.value)
	if _, ok := form.Temperature(rest, ""); !ok {
		return step{}, form.RefuseFor(tools.RefusedValue, "%s needs a temperature, such as 21.", r.entity.Name)
	}
	id, property := r.target(word, func(unit string) float64 { n, _ := form.Temperature(rest, unit); return n })
	v := r.model.value(id)
	want, _ := form.Temperature(rest, v.Unit)
	low, high := v.bounds(r.read(id).value)
	if want < low {
		return step{}, form.RefuseBeyond(low, high, "%s goes down to %s at most.", r.entity.Name, form.SayState(low, v.Unit))
	}
	if want > high {
		return step{}, form.RefuseBeyond(low, high, "%s goes up to %s at most.", r.entity.Name, form.SayState(high, v.Unit))
	}
	return step{
		target: id, value: want, check: id, property: string(property), unit: v.Unit,
		// Thermostats round, some to whole degrees Fahrenheit and back.
		done: func(got any) bool { n, ok := number(got); return ok && math.Abs(n-want) < 0.3 },
		say:  func(raw any) any { return raw },
	}, nil
}

// Temperatures that people set in a house: from frost protection to the warmest
// that thermostats offer.
const (
	coldestC, warmestC = 4, 35
	coldestF, warmestF = 40, 95
	// A bound beyond these is a placeholder of the protocol, not the device's own.
	leastC, mostC = -10, 60
	leastF, mostF = 14, 140
	// What begins above the temperatures of rooms heats water.
	boilingC, boilingF = 100, 212
)

// bounds returns the range of a setpoint: the device's own where that is plausible,
// else what people set in a house. A range that the present value is outside of is not
// the device's own: some tell one in the other scale, or of another device.
func (v *value) bounds(now any) (low, high float64) {
	low, high = coldestC, warmestC
	least, most, boiling := float64(leastC), float64(mostC), float64(boilingC)
	if v.Unit == string(home.Fahrenheit) {
		low, high = coldestF, warmestF
		least, most, boiling = leastF, mostF, boilingF
	}
	if n, ok := number(now); ok && !v.inRange(n) {
		return low, high
	}
	usual := [2]float64{low, high}
	if v.Min != nil && *v.Min >= high {
		most = boiling
	}
	if v.Min != nil && *v.Min >= least && *v.Min <= most {
		low = *v.Min
	}
	if v.Max != nil && *v.Max >= least && *v.Max <= most {
		high = *v.Max
	}
	if low >= high {
		return usual[0], usual[1]
	}
	return low, high
}

func planMode(r request) (step, error) {
	word, ok := r.value.(string)
	if !ok {
		return step{}, form.RefuseFor(tools.RefusedValue, "%s needs a mode such as heat or off.", r.entity.Name)
	}
	return planModeWord(r, word)
}

// planModeWord sets the first of the modes that the thermostat knows; "fan auto" is a
// mode of its fan. Modes are sent as numbers, because the gateway refuses their words.
func planModeWord(r request, modes ...string) (step, error) {
	if fan, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(modes[0])), "fan "); ok && r.entity.parts[partFanMode] != (wire.ValueID{}) {
		return r.planChoice(r.entity.parts[partFanMode], "fan mode", fan)
	}
	if err := r.able(home.Mode, "change its mode"); err != nil {
		return step{}, err
	}
	return r.planChoice(r.entity.parts[partMode], "mode", modes...)
}

// planChoice makes a step that writes the first of the wanted words that a value
// knows.
func (r request) planChoice(id wire.ValueID, what string, wanted ...string) (step, error) {
	states := r.model.value(id).States
	for _, want := range wanted {
		for _, s := range states {
			if form.Fold(want) == form.Fold(s.Text) {
				return step{
					target: id, value: s.Value, check: id, done: equals(s.Value), property: string(home.Mode),
					say: func(raw any) any { return r.model.word(id, raw) },
				}, nil
			}
		}
	}
	return step{}, form.RefuseFor(tools.RefusedValue, "%s has no %s %q; it knows %s.", r.entity.Name, what, wanted[0], strings.Join(stateWords(states), ", "))
}
