package zwave

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"voicegateway/internal/home"
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

func fromPercent(p float64) float64 { return min(math.Round(p), full) }

// number reads a JSON number.
func number(v any) (float64, bool) {
	n, ok := v.(float64)
	return n, ok
}

// state is an entity's state as a word or number for people; nil is unknown.
func (m *model) state(e *entity, raw any) any {
	if raw == nil {
		return nil
	}
	if isSensor(e) {
		return m.sensorState(e.sensors[0], raw)
	}
	n, isNumber := number(raw)
	switch e.main.Class {
	case wire.BinarySwitch:
		return onOff(e, raw == true)
	case wire.DoorLock:
		if raw == float64(255) {
			return "locked"
		}
		return "unlocked"
	case wire.BarrierOperator:
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
	switch {
	case e.Domain == "valve":
		return openClosed(on)
	case on:
		return "on"
	default:
		return "off"
	}
}

func openClosed(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}

func barrierState(n float64) string {
	switch n {
	case barrierClosed:
		return "closed"
	case barrierClosing:
		return "closing"
	case barrierStopped:
		return "stopped"
	case barrierOpening:
		return "opening"
	default:
		return "open"
	}
}

// word gives an enumeration's word, lower case; the number where it has none.
func (m *model) word(id wire.ValueID, raw any) any {
	for _, s := range m.value(id).States {
		if s.Value == raw {
			return strings.ToLower(s.Text)
		}
	}
	return raw
}

// sensorState is a reading for people: a number, or open and closed, detected and
// clear.
func (m *model) sensorState(s sensor, raw any) any {
	on, isBool := raw.(bool)
	n, isNumber := number(raw)
	switch {
	case raw == nil:
		return nil
	case s.id.Class == wire.Notification && s.kind == home.Contact:
		return openClosed(n != 23 && n != 0) // 23 is closed in every dialect of "Door state"
	case s.id.Class == wire.Notification && isNumber:
		return detected(n != 0)
	case isBool && s.kind == home.Contact:
		return openClosed(on)
	case isBool:
		return detected(on)
	default:
		return raw
	}
}

func detected(yes bool) string {
	if yes {
		return "detected"
	}
	return "clear"
}

// values is everything readable about an entity in people's units, by ability.
func (m *model) values(e *entity, read func(wire.ValueID) reading) map[string]any {
	out := map[string]any{}
	put := func(name string, v any) {
		if v != nil {
			out[name] = v
		}
	}
	raw := read(e.main).value
	if n, ok := number(raw); ok {
		switch e.Domain {
		case "light":
			put(string(home.Brightness), toPercent(n))
		case "fan":
			put(string(home.Speed), toPercent(n))
		case "cover":
			if e.main.Class != wire.BarrierOperator {
				put(string(home.Position), toPercent(n))
			}
		}
	}
	if id, ok := e.parts[partColour]; ok {
		if hex, ok := read(id).value.(string); ok {
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
		id := e.setpoint(read(e.parts[partMode]).value)
		put(string(home.Setpoint), read(id).value)
		put("unit", m.value(id).Unit)
	}
	for _, s := range e.sensors {
		put(string(s.kind), m.sensorState(s, read(s.id).value))
	}
	return out
}

// setpoint is the setpoint that counts in a mode: cooling when it cools.
func (e *entity) setpoint(mode any) wire.ValueID {
	heat, hasHeat := e.parts[partHeat]
	cool, hasCool := e.parts[partCool]
	if hasCool && (!hasHeat || mode == float64(2)) {
		return cool
	}
	return heat
}

// spoken spells a state for a sentence.
func spoken(v any, unit string) string {
	switch v := v.(type) {
	case nil:
		return "unknown"
	case float64:
		text := strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
		switch unit {
		case "%":
			return text + " percent"
		case "°C", "°F":
			return text + " degrees"
		case "":
			return text
		default:
			return text + " " + unit
		}
	default:
		return fmt.Sprint(v)
	}
}

// verb agrees with names such as "Living Room Blinds".
func verb(name string) string {
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && !strings.HasSuffix(lower, "'s") {
		return "are"
	}
	return "is"
}

// is says "Kitchen Light is on.".
func is(name, what string) string { return name + " " + verb(name) + " " + what + "." }
