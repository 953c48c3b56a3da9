package zwave

import (
	"voicegateway/internal/home"
	"voicegateway/internal/zwave/wire"
)

const (
	// lowBattery is the charge below which most makers begin to warn, in percent.
	lowBattery = 20
	// chargedBattery is the level in percent from which a battery that was low no longer
	// counts as low, so that a level that goes up and down by one is reported once.
	chargedBattery = 25
	// lowCharge is the report of a battery that is low and does not say how low.
	lowCharge = "low"
)

// chargeOf returns the report of a battery: its level in percent, or lowCharge. In the
// class Battery the level 255 is the code for a low battery and the other numbers above
// 100 are reserved, so none of them is a percentage, and a battery with such a level
// never counts as a good one. saysLow is the value isLow of the same battery: it counts
// even if the level looks good.
func chargeOf(raw, saysLow any) any {
	level, isNumber := number(raw)
	switch {
	case isNumber && (level < 0 || level > 100):
		return lowCharge
	case saysLow == true && (!isNumber || level > lowBattery):
		return lowCharge
	}
	return raw
}

// lowFlag is the value with which a battery reports that it is low.
func lowFlag(level wire.ValueID) wire.ValueID { return level.With("isLow", "") }

// sayReading returns a sensor's reading in words for people, as sensorState does; for a
// battery, its own report that it is low counts as well.
func (m *model) sayReading(s sensor, raw any, read func(wire.ValueID) reading) any {
	if s.kind == home.Battery {
		return chargeOf(raw, read(lowFlag(s.id)).value)
	}
	return m.sensorState(s, raw)
}

// charge returns the level of a battery only if it has become low, or is no longer low;
// else the level that was reported last.
func charge(w *watched, s sensor) func(map[wire.ValueID]any) any {
	return func(raw map[wire.ValueID]any) any {
		level := chargeOf(raw[s.id], raw[lowFlag(s.id)])
		if w.known && level != nil && isLow(level, w.state) == isLow(w.state, nil) {
			return w.state
		}
		return level
	}
}

// isLow reports whether a battery is low at a level, after it was at another.
func isLow(level, before any) bool {
	if level == lowCharge {
		return true
	}
	n, isNumber := number(level)
	if old, known := number(before); before == lowCharge || known && old <= lowBattery {
		return n < chargedBattery
	}
	return isNumber && n <= lowBattery
}
