package zwave

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// full is the highest level of a Multilevel Switch and of a Window Covering.
const full = 99

// barrier states beyond 1..99 percent, from the Barrier Operator class.
const (
	barrierClosed  = 0
	barrierClosing = 252
	barrierStopped = 253
	barrierOpening = 254
	barrierOpen    = 255
)

// toPercent makes people's 0..100 of the radio's 0..99. Only the two ends differ,
// so that what was set to 50 reads 50.
func toPercent(raw float64) float64 {
	if raw >= full {
		return 100
	}
	return math.Round(raw)
}

// fromPercent is the inverse of toPercent. A percentage above 0 never becomes 0,
// because 0 switches off.
func fromPercent(p float64) float64 {
	if p > 0 && p < 1 {
		return 1
	}
	return min(math.Round(p), full)
}

// number reads a JSON number.
func number(v any) (float64, bool) {
	n, ok := v.(float64)
	return n, ok
}

// state returns an entity's state as a word or number for people; nil means
// unknown.
func (m *model) state(e *entity, raw any) any {
	if raw == nil {
		return nil
	}
	if isSensor(e) {
		return m.sensorState(e.sensors[0], raw)
	}
	n, isNumber := number(raw)
	yes, isBool := raw.(bool)
	switch e.main.Class {
	case wire.BinarySwitch:
		if !isBool {
			return nil
		}
		return onOff(e, yes)
	case wire.DoorLock:
		return lockState(n, isNumber)
	case wire.Lock:
		if !isBool {
			return nil
		}
		return either(yes, "locked", "unlocked")
	case wire.BarrierOperator:
		if !isNumber {
			return nil
		}
		return barrierState(n)
	case wire.ThermostatMode:
		return m.word(e.main, raw)
	}
	switch {
	case !isNumber:
		return raw
	case e.Domain == "cover":
		return openClosed(n > 0)
	case e.Domain == "climate":
		return n
	default:
		return onOff(e, n > 0)
	}
}

func onOff(e *entity, on bool) string {
	if e.Domain == "valve" {
		return openClosed(on)
	}
	return either(on, "on", "off")
}

func openClosed(open bool) string { return either(open, "open", "closed") }

func either(yes bool, word, otherwise string) string {
	if yes {
		return word
	}
	return otherwise
}

// lockSecured is the only mode of the Door Lock class in which a door is locked from both
// sides.
const lockSecured = 255

// lockState returns a lock's state in words; nil for a lock that does not know how
// it stands.
func lockState(mode float64, isNumber bool) any {
	switch {
	case !isNumber:
		return nil
	case mode == lockSecured:
		return "locked"
	case slices.Contains([]float64{0, 1, 16, 17, 32, 33}, mode):
		return "unlocked"
	default: // 254 means unknown
		return nil
	}
}

func barrierState(n float64) any {
	switch {
	case n == barrierClosed:
		return "closed"
	case n == barrierClosing:
		return "closing"
	case n == barrierStopped:
		return "stopped"
	case n == barrierOpening:
		return "opening"
	case n == barrierOpen, n > barrierClosed && n <= full:
		return "open"
	default:
		return nil
	}
}

// word returns the word of an enumeration's value in lower case, or the number
// where it has no word.
func (m *model) word(id wire.ValueID, raw any) any {
	for _, s := range m.value(id).States {
		if s.Value == raw {
			return strings.ToLower(s.Text)
		}
	}
	return raw
}

// The events of a heat alarm that report cold, with and without a location: they
// do not mean fire.
const (
	underheatAt = 5
	underheat   = 6
)

// sensorState returns a reading in words for people: a number, or open or closed,
// detected or clear.
func (m *model) sensorState(s sensor, raw any) any {
	on, isBool := raw.(bool)
	n, isNumber := number(raw)
	switch {
	case raw == nil:
		return nil
	case s.id.Class == wire.CentralScene:
		return pressKind(n)
	case s.id.Class == wire.Notification && isNumber:
		return m.event(s, n)
	case isBool && s.kind == home.Contact:
		return openClosed(on)
	case isBool:
		return either(on, "detected", "clear")
	default:
		return raw
	}
}

// event is the meaning of the newest event of a kind: 0 means that there is none.
func (m *model) event(s sensor, n float64) any {
	switch {
	case s.kind == home.Contact:
		return m.contact(s.id, n)
	case s.class == "heat" && (n == underheatAt || n == underheat):
		return m.word(s.id, n)
	}
	return either(n != 0, "detected", "clear")
}

// contact reads the two dialects of doors and windows: "Door state" is 22 for open
// (with a position from 5632 on) and 23 for closed, "Opening state" 1 for open, 2
// for tilted and 0 for closed. Anything else is neither open nor closed.
func (m *model) contact(id wire.ValueID, n float64) any {
	switch n {
	case 1, 2, 22, 5632, 5633:
		return openClosed(true)
	case 0, 23:
		return openClosed(false)
	default:
		return m.word(id, n)
	}
}

// pressKind returns what happened to a button, from the Central Scene class: 0
// pressed, 1 released, 2 held down, then 3 for twice and so on.
func pressKind(n float64) string {
	switch n {
	case 0:
		return "pressed"
	case 1:
		return "released"
	case 2:
		return "held"
	default:
		return fmt.Sprintf("pressed %.0f times", n-1)
	}
}

// values returns everything readable about an entity in people's units, by
// ability.
func (m *model) values(e *entity, read func(wire.ValueID) reading) map[string]any {
	out := map[string]any{}
	put := func(name string, v any) {
		if v != nil {
			out[name] = v
		}
	}
	if level, ok := e.level(); ok {
		put(string(level), percentOf(read(e.main).value))
	}
	if id, ok := e.parts[partColour]; ok {
		if hex, ok := colour(id, read).value.(string); ok {
			put(string(home.Colour), "#"+hex)
		}
	}
	if e.Domain == "climate" {
		if id, ok := e.parts[partMode]; ok {
			put(string(home.Mode), m.word(id, read(id).value))
		}
		if id, ok := e.parts[partActivity]; ok {
			put("activity", m.word(id, read(id).value))
		}
		if id, ok := e.parts[partFanMode]; ok {
			put("fan_mode", m.word(id, read(id).value))
		}
		if id, ok := e.parts[partFan]; ok {
			put("fan", m.word(id, read(id).value))
		}
		for name, v := range m.setPoints(e, read) {
			put(name, v)
		}
	}
	for _, s := range e.sensors {
		v := m.sayReading(s, read(s.id).value, read)
		if n, ok := number(v); ok && s.kind == home.Temperature {
			v = m.inUnitOf(out, s.id, n)
		}
		put(string(s.kind), v)
	}
	if e.main.Class == wire.DoorLock {
		put("bolt", read(e.main.With("boltStatus", "")).value)
	}
	put("child_lock", m.word(protection(e), read(protection(e)).value))
	return out
}

// setPoints returns the set point of a thermostat with its unit; if two set points count
// at once, these two as well.
func (m *model) setPoints(e *entity, read func(wire.ValueID) reading) map[string]any {
	mode := read(e.parts[partMode]).value
	id := e.setpoint(mode)
	out := map[string]any{string(home.Setpoint): read(id).value, "unit": m.value(id).Unit}
	if e.between(mode) {
		out[string(home.HeatsTo)] = read(e.parts[partHeat]).value
		out[string(home.CoolsTo)] = read(e.parts[partCool]).value
	}
	return out
}

// inUnitOf returns a measured temperature in the unit that the set points of an entity
// have; the values of one without set points get the unit of the sensor.
func (m *model) inUnitOf(values map[string]any, id wire.ValueID, degrees float64) float64 {
	own := m.value(id).Unit
	unit, _ := values["unit"].(string)
	if unit == "" {
		values["temperature_unit"] = own
		return degrees
	}
	return home.ScaleOf(own).Reading(degrees, home.ScaleOf(unit))
}

// level returns the ability that an entity's state sets in percent; ok is false
// if there is none.
func (e *entity) level() (home.Ability, bool) {
	switch {
	case e.Domain == "light":
		return home.Brightness, true
	case e.Domain == "fan":
		return home.Speed, true
	case e.Domain == "cover" && e.main.Class != wire.BarrierOperator:
		return home.Position, true
	default:
		return "", false
	}
}

// protection returns the value that says whether a device's own buttons are
// locked.
func protection(e *entity) wire.ValueID {
	return wire.ValueID{Node: e.node.ID, Class: wire.Protection, Property: "local"}
}

// setpoint returns the setpoint that counts in a mode. Thermostats number
// setpoints as the modes they belong to (2 cooling, 11 and 12 saving energy);
// automatic modes have no setpoint of their own.
func (e *entity) setpoint(mode any) wire.ValueID {
	if n, ok := number(mode); ok {
		if id, has := e.parts[setpointPart(strconv.FormatFloat(n, 'f', -1, 64))]; has {
			return id
		}
	}
	for _, p := range []part{partHeat, partCool} {
		if id, has := e.parts[p]; has {
			return id
		}
	}
	for _, v := range e.node.setpoints(e.main.Endpoint) {
		return v.Address
	}
	return wire.ValueID{}
}

// reports returns "reports" or "report", to agree with a name.
func reports(name string) string {
	if form.Verb(name) == "are" {
		return "report"
	}
	return "reports"
}
