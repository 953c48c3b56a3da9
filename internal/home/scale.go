package home

import (
	"math"
	"strings"
)

// Scale is a scale of temperatures, by its sign.
type Scale string

// The scales that devices count in. The zero value is a scale that is not known.
const (
	Celsius    Scale = "°C"
	Fahrenheit Scale = "°F"
)

// ScaleOf returns the scale that a unit names; "" for a unit of something else.
func ScaleOf(unit string) Scale {
	switch strings.ToLower(strings.TrimSpace(unit)) {
	case "°c", "c", "celsius":
		return Celsius
	case "°f", "f", "fahrenheit":
		return Fahrenheit
	}
	return ""
}

// Reading converts a measured temperature from one scale to another, to a hundredth of a
// degree. If a scale is not known, or both are the same, it returns the number unchanged.
func (s Scale) Reading(degrees float64, to Scale) float64 {
	switch {
	case s == Celsius && to == Fahrenheit:
		degrees = degrees*1.8 + 32
	case s == Fahrenheit && to == Celsius:
		degrees = (degrees - 32) / 1.8
	default:
		return degrees
	}
	return math.Round(degrees*100) / 100
}

// Setting converts a set point to the other scale: a whole number to whole degrees
// Fahrenheit or half degrees Celsius, any other number to half degrees Fahrenheit or
// tenths of a degree Celsius. Command converts it back to the same number.
func (s Scale) Setting(degrees float64, to Scale) float64 {
	whole := degrees == math.Trunc(degrees)
	switch {
	case to == Fahrenheit && whole:
		return s.convertRounded(degrees, to, 1)
	case to == Celsius && !whole:
		return s.convertRounded(degrees, to, 10) // half degrees Fahrenheit are less than half degrees Celsius
	}
	return s.convertRounded(degrees, to, 2)
}

// Command converts a set point to the scale of the device that is set, in its steps: most
// count in halves of a degree Celsius, or in whole degrees Fahrenheit.
func (s Scale) Command(degrees float64, to Scale) float64 {
	if halves := degrees * 2; to == Fahrenheit && halves == math.Trunc(halves) {
		return s.convertRounded(degrees, to, 1)
	}
	return s.convertRounded(degrees, to, 2)
}

// convertRounded converts to a fraction of a degree, such as 2 for halves.
func (s Scale) convertRounded(degrees float64, to Scale, fraction float64) float64 {
	if s == to || s == "" || to == "" {
		return degrees
	}
	return math.Round(s.Reading(degrees, to)*fraction) / fraction
}

// Usual is the range of temperatures that people set in a house.
func (s Scale) Usual() (low, high float64) {
	if s == Fahrenheit {
		return 40, 95
	}
	return 5, 35
}

// Degrees returns the scale for speaking of this house: the chosen one, else the scale of
// most of its thermostats, else that of most of its thermometers, else Celsius.
func (h *House) Degrees() Scale {
	if h.Scale != "" {
		return h.Scale
	}
	var thermostats, thermometers int // more of Fahrenheit than of Celsius
	for i := range h.Entities {
		e := &h.Entities[i]
		lead := map[Scale]int{Celsius: -1, Fahrenheit: 1}[e.Counts()]
		if e.Domain == "climate" {
			thermostats += lead
		}
		thermometers += lead
	}
	if thermostats > 0 || thermostats == 0 && thermometers > 0 {
		return Fahrenheit
	}
	return Celsius
}

// Counts returns the scale in which a thing counts degrees; "" if it does not say.
func (e *Entity) Counts() Scale {
	unit, _ := e.Attributes["unit"].(string)
	return ScaleOf(unit)
}

// Takes returns the range of set points that a thing accepts, in the spoken scale. ok is
// false if the thing names no range, or an empty one.
func (e *Entity) Takes(spoken Scale) (low, high float64, ok bool) {
	low, isLow := e.Attributes["min"].(float64)
	high, isHigh := e.Attributes["max"].(float64)
	if !isLow || !isHigh || low >= high || e.Domain != "climate" {
		return 0, 0, false
	}
	return e.Counts().Setting(low, spoken), e.Counts().Setting(high, spoken), true
}
