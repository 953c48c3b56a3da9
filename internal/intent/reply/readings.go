package reply

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// truths map what sensors of two states report to on (what they watch for is
// there) or off (it is not there). Any other word means neither.
var truths = map[string]string{
	"on": "on", "true": "on", "detected": "on", "motion": "on", "open": "on",
	"off": "off", "false": "off", "clear": "off", "idle": "off", "closed": "off",
}

// openings are the classes of things that can be open. A question for either of
// their states is answered with yes or no.
var openings = []string{"window", "door", "garage_door", "opening", "garage", "gate", "hatch"}

// readings are the words of a language for what things report: their states, what
// sensors of two states watch for, and units.
type readings struct {
	states  map[string]map[string]string
	sensors map[string]map[string]string // by class, then on and off
	units   map[string]string
	scales  map[home.Scale]string // degrees with their scale
	// conditions are the states that are said of several things, each in one form or in four:
	// see condition.
	conditions map[string]forms
	point      string            // what stands before the part of a number; "" is a point
	single     map[string]string // units of one thing, by the units of several
	oneUpTo    float64           // below how much the singular is used; 0 for one alone
}

// isOne reports whether the unit of a number is in the singular.
func (r *readings) isOne(value any) bool {
	number, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	number = math.Abs(number)
	return err == nil && (number == 1 || number < r.oneUpTo)
}

// sensed reads what a sensor of two states reports; ok is false if the step is
// about something else.
func (r *readings) sensed(s *plan.Step, got tools.Result) (sense, bool) {
	o, known := observe(s, got)
	class, word, ok := r.subject(s, &o)
	if !ok {
		return sense{}, false
	}
	_, alarm := r.sensors[class]
	out := sense{alarm: alarm, opens: slices.Contains(openings, class), away: o.Reachable != nil && !*o.Reachable, reading: o}
	if known {
		out.truth = truths[strings.ToLower(sayValue(word))]
	}
	out.told = r.sense(class, out.truth)
	return out, true
}

// subject returns the class of what a reading is about, and the word it reports.
// A named thing that does not watch for what was asked reports nothing about it.
func (r *readings) subject(s *plan.Step, o *observation) (class string, word any, ok bool) {
	asked, _ := s.Action.Slots["device_class"].(string)
	_, alarm := r.sensors[asked]
	binary, own := s.Entity.Domain == "binary_sensor", s.Entity.DeviceClass()
	_, isNumber := o.State.(float64)
	switch {
	case alarm && !binary && !isNumber:
		return asked, o.Values[asked], true
	case alarm && (o.Sensor == asked || o.Sensor == "" && own == asked):
		return asked, o.State, true
	case alarm && s.Action.Slots["name"] != nil:
		return asked, nil, true
	case binary && (!isNumber || asked == ""):
		return cmp.Or(own, asked), o.State, true
	}
	return "", nil, false
}

// sense returns how a class of sensors says that what it watches for is there or
// not.
func (r *readings) sense(class, truth string) string {
	if told, ok := r.sensors[class]; ok {
		return told[truth]
	}
	table := r.states["other"]
	if slices.Contains(openings, class) {
		table = r.states["opening"]
	}
	return cmp.Or(table[truth], truth)
}

// state returns a device's state as a word.
func (r *readings) state(e *home.Entity, state any) string {
	word := strings.ToLower(sayValue(state))
	if truth := truths[word]; truth != "" && e.Domain == "binary_sensor" {
		return r.sense(e.DeviceClass(), truth)
	}
	table := "other"
	switch {
	case e.Domain == "climate":
		table = "climate"
	case e.Domain == "alarm_control_panel":
		table = "alarm"
	case e.DeviceClass() == "button":
		table = "button"
	}
	return cmp.Or(r.states[table][word], r.states["other"][word], word)
}

// form returns how a value is said: as a measure, as yes or no, or as it is.
func (r *readings) form(s *plan.Step, value, unit string) string {
	asked, isYesNo := s.Action.Slots["state"].(string)
	switch {
	case unit != "":
		return "measured"
	case !isYesNo:
		return "state"
	case r.state(s.Entity, asked) == value, asked == "on" && r.runs(value):
		return "state_yes"
	case between(value, r.states["other"]) && !slices.Contains(resting, cmp.Or(opened[asked], asked)):
		return "state"
	}
	return "state_no"
}

// running are the states of players and robots that are on.
var running = []string{"playing", "paused", "idle", "buffering", "cleaning", "mowing", "returning"}

// runs reports whether a state, as it is said, is that of a player or a robot that is on.
func (r *readings) runs(value string) bool {
	return slices.ContainsFunc(running, func(state string) bool { return r.states["other"][state] == value })
}

// between reports whether a state is on its way between two: no yes and no no is
// true of it.
func between(value string, words map[string]string) bool {
	return slices.ContainsFunc([]string{"opening", "closing", "stopped", "jammed"}, func(state string) bool { return words[state] == value })
}

// value picks what the question was about: a measured number with its unit, or
// the state.
func (r *readings) value(s *plan.Step, o observation) (value, unit string) {
	class := classAsked(s)
	if v, ok := o.Values[class]; ok && s.Entity.Domain != "binary_sensor" {
		unit = o.Unit
		if u, ok := o.Values["unit"].(string); ok && unit == "" && class == string(home.Temperature) {
			unit = u
		}
		return sayValue(v), r.unitOf(s, unit, class)
	}
	if number, ok := o.State.(float64); ok {
		if u, ok := s.Entity.Attributes["unit"].(string); ok && o.Unit == "" {
			o.Unit = u
		}
		return sayValue(number), r.unitOf(s, o.Unit, class)
	}
	return r.state(s.Entity, o.State), ""
}

// slotAbout is the slot for which of a thing's values a question is about, where no class of
// sensors measures it: its volume, what it plays, what stands on it.
const slotAbout = "about"

// classAsked is which of a thing's values a question is about; "" for its state.
func classAsked(s *plan.Step) string {
	for _, slot := range []string{"device_class", slotAbout} {
		if class, ok := s.Action.Slots[slot].(string); ok {
			return class
		}
	}
	return ""
}

// unitOf is a unit as it is spoken. The scale of degrees is said if the question named
// another one.
func (r *readings) unitOf(s *plan.Step, unit, class string) string {
	scale := home.ScaleOf(unit)
	if scale == "" && unit == "" && class == string(home.Temperature) {
		scale = s.Entity.Scale
	}
	if scale != "" {
		return r.degrees(scale, namesScale(s))
	}
	return r.unit(unit, class)
}

// namesScale reports whether a sentence named another scale than the one that the house
// speaks of.
func namesScale(s *plan.Step) bool { return s.Action.Slots["scale"] != nil }

// degrees is the word for degrees, with their scale where it is to be named.
func (r *readings) degrees(scale home.Scale, named bool) string {
	if scale == "" {
		scale = home.Celsius
	}
	if named && r.scales[scale] != "" {
		return r.scales[scale]
	}
	return r.units[string(scale)]
}

// degreesOf is the word for the degrees of the thing of a step.
func (r *readings) degreesOf(s *plan.Step) string {
	return r.degrees(s.Entity.Scale, namesScale(s))
}

func (r *readings) unit(unit, class string) string {
	if word, ok := r.units[unit]; ok {
		return word
	}
	if unit != "" {
		return unit
	}
	switch class {
	case "temperature":
		return r.units["°C"]
	case "battery", "brightness", "humidity", "position", "speed", "volume":
		return r.units["%"]
	}
	return ""
}
