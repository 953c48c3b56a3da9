package zwave

import (
	"math"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

func planSetpoint(r request) (step, error) {
	if err := r.able(home.Setpoint, "be set to a temperature"); err != nil {
		return step{}, err
	}
	id := r.entity.setpoint(r.read(r.entity.parts[partMode]).value)
	v := r.model.value(id)
	want, ok := asTemperature(r.value, v.Unit)
	if !ok {
		return step{}, refuseFor(tools.RefusedValue, "%s needs a temperature, such as 21.", r.entity.Name)
	}
	low, high := v.bounds()
	if want < low {
		return step{}, refuseBeyond(low, high, "%s goes down to %s at most.", r.entity.Name, spoken(low, v.Unit))
	}
	if want > high {
		return step{}, refuseBeyond(low, high, "%s goes up to %s at most.", r.entity.Name, spoken(high, v.Unit))
	}
	return step{
		target: id, value: want, check: id, property: string(home.Setpoint), unit: v.Unit,
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
)

// bounds returns the range of a setpoint: the device's own where that is
// plausible, else what people set in a house.
func (v *value) bounds() (low, high float64) {
	low, high = coldestC, warmestC
	least, most := float64(leastC), float64(mostC)
	if v.Unit == "°F" {
		low, high = coldestF, warmestF
		least, most = leastF, mostF
	}
	if v.Min != nil && *v.Min >= least && *v.Min <= most {
		low = *v.Min
	}
	if v.Max != nil && *v.Max >= least && *v.Max <= most {
		high = *v.Max
	}
	return low, high
}

// asTemperature reads a temperature in a thermostat's own unit. A number alone is
// in that unit; one said in the other scale is converted to the nearest half.
func asTemperature(v any, unit string) (float64, bool) {
	want, ok := asNumber(v, "celsius", "fahrenheit", "degrees", "degree", "°c", "°f", "°", "c", "f")
	text, _ := v.(string)
	text = strings.ToLower(strings.TrimSpace(text))
	switch {
	case !ok:
		return 0, false
	case unit == "°C" && (strings.HasSuffix(text, "f") || strings.HasSuffix(text, "fahrenheit")):
		want = math.Round((want-32)/1.8*2) / 2
	case unit == "°F" && (strings.HasSuffix(text, "c") || strings.HasSuffix(text, "celsius")):
		want = math.Round(want*1.8 + 32)
	}
	return want, true
}

func planMode(r request) (step, error) {
	word, ok := r.value.(string)
	if !ok {
		return step{}, refuseFor(tools.RefusedValue, "%s needs a mode such as heat or off.", r.entity.Name)
	}
	return planModeWord(r, word)
}

// planModeWord sets the first of the modes the thermostat knows; "fan auto" is a
// mode of its fan. Modes are sent as numbers, because the gateway refuses their
// words.
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
			if fold(want) == fold(s.Text) {
				return step{
					target: id, value: s.Value, check: id, done: equals(s.Value), property: string(home.Mode),
					say: func(raw any) any { return r.model.word(id, raw) },
				}, nil
			}
		}
	}
	return step{}, refuseFor(tools.RefusedValue, "%s has no %s %q; it knows %s.", r.entity.Name, what, wanted[0], strings.Join(words(states), ", "))
}
