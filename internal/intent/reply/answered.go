package reply

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// oldAfter is when a value is old enough to say so, in seconds.
const oldAfter = 15 * 60

// observation is the structured answer of a reading tool: of a device's state or
// of one sensor.
type observation struct {
	Sensor    string         `json:"sensor"`
	State     any            `json:"state"`
	Values    map[string]any `json:"values"`
	Value     any            `json:"value"`
	Unit      string         `json:"unit"`
	Age       int64          `json:"age_seconds"`
	Reachable *bool          `json:"reachable"`
}

// answered replies to a question.
func (p *Phrases) answered(steps []plan.Step, results []tools.Result) string {
	if len(steps) == 1 {
		return p.one(&steps[0], results[0])
	}
	asked, _ := steps[0].Action.Slots["state"].(string)
	if asked == "" {
		var said []string
		for i := range steps[:min(len(steps), 3)] {
			said = append(said, p.one(&steps[i], results[i]))
		}
		return strings.Join(said, " ")
	}
	return p.which(steps, results, asked)
}

// which lists the devices that are in the asked state.
func (p *Phrases) which(steps []plan.Step, results []tools.Result, asked string) string {
	var senses []sense
	for i := range steps {
		if got, ok := p.sensed(&steps[i], results[i]); ok {
			senses = append(senses, got)
		}
	}
	if len(senses) == len(steps) && truths[asked] != "" {
		return p.several(steps, senses)
	}
	var names, unknown []string
	want := ""
	for i := range steps {
		e := steps[i].Entity
		want = p.state(e, asked)
		o, ok := observe(&steps[i], results[i])
		switch {
		case !ok:
			unknown = append(unknown, p.spoken(e))
		case p.state(e, o.State) == want:
			names = append(names, p.spoken(e))
		}
	}
	text := p.Phrase("none_are", map[string]any{"things": p.thing(steps, 2), "value": want})
	switch {
	case len(names) == 1:
		text = p.Phrase("state", map[string]any{"Name": capital(names[0]), "is": p.words["is"], "value": want})
	case len(names) > 4:
		text = p.Phrase("several_are", map[string]any{"count": len(names), "things": p.thing(steps, 2), "are": p.words["are"], "value": want})
	case len(names) > 1:
		text = p.Phrase("state", map[string]any{"Name": capital(p.list(names)), "is": p.words["are"], "value": want})
	}
	if len(unknown) > 0 {
		if len(names) == 0 {
			text = ""
		}
		text += " " + p.Phrase("unknown_state", map[string]any{"name": p.list(unknown[:min(len(unknown), 3)])})
	}
	return strings.TrimSpace(text)
}

// observe reads a result; a sensor's value counts as its state. It is not ok
// when nothing is known.
func observe(s *plan.Step, r tools.Result) (observation, bool) {
	var o observation
	if s.Err != nil || r.Failed || json.Unmarshal(r.Data, &o) != nil {
		return o, false
	}
	if o.State == nil {
		o.State = o.Value
	}
	return o, o.State != nil || len(o.Values) > 0
}

// one answers about a single device.
func (p *Phrases) one(s *plan.Step, r tools.Result) string {
	args := p.about(s)
	o, ok := observe(s, r)
	if !ok {
		switch {
		case s.Err != nil:
			return p.Apology(s.Err)
		case r.Text != "" && p.english():
			return r.Text
		}
		return p.Phrase("unknown_state", args)
	}
	asks := s.Action.Slots["device_class"] != nil || s.Action.Slots["state"] != nil
	if set, ok := o.Values[string(home.Setpoint)]; ok && s.Entity.Domain == "climate" && !asks {
		args["value"] = said(set)
		return p.Phrase("done_setpoint", args)
	}
	if got, ok := p.sensed(s, r); ok {
		return p.senseOf(s, got)
	}
	value, unit := p.value(s, o)
	args["value"], args["unit"] = value, unit
	if o.Reachable != nil && !*o.Reachable {
		args["value"] = strings.TrimSpace(value + " " + unit)
		return p.Phrase("unreachable", args)
	}
	text := p.Phrase(p.form(s, value, unit), args)
	if o.Age > oldAfter {
		text += " " + p.Phrase("old", map[string]any{"ago": p.ago(o.Age)})
	}
	return text
}

// form is how a value is said: as a measure, as yes or no, or as it is.
func (p *Phrases) form(s *plan.Step, value, unit string) string {
	asked, isYesNo := s.Action.Slots["state"].(string)
	switch {
	case unit != "":
		return "measured"
	case !isYesNo:
		return "state"
	case p.state(s.Entity, asked) == value:
		return "state_yes"
	}
	return "state_no"
}

// value picks what the question was about: a measured number with its unit, or
// the state.
func (p *Phrases) value(s *plan.Step, o observation) (value, unit string) {
	class, _ := s.Action.Slots["device_class"].(string)
	if v, ok := o.Values[class]; ok && s.Entity.Domain != "binary_sensor" {
		unit = o.Unit
		if u, ok := o.Values["unit"].(string); ok && unit == "" {
			unit = u
		}
		return said(v), p.unit(unit, class)
	}
	if number, ok := o.State.(float64); ok {
		if u, ok := s.Entity.Attributes["unit"].(string); ok && o.Unit == "" {
			o.Unit = u
		}
		return said(number), p.unit(o.Unit, class)
	}
	return p.state(s.Entity, o.State), ""
}

func (p *Phrases) unit(unit, class string) string {
	if word, ok := p.units[unit]; ok {
		return word
	}
	if unit != "" {
		return unit
	}
	switch class {
	case "temperature":
		return p.units["°C"]
	case "battery", "brightness", "humidity", "position", "speed":
		return p.units["%"]
	}
	return ""
}

// state is a device's state as a word.
func (p *Phrases) state(e *home.Entity, state any) string {
	word := strings.ToLower(said(state))
	if truth := truths[word]; truth != "" && e.Domain == "binary_sensor" {
		return p.sense(e.DeviceClass(), truth)
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
	return cmp.Or(p.states[table][word], p.states["other"][word], word)
}

// ago says an age in its largest unit.
func (p *Phrases) ago(seconds int64) string {
	n, word := seconds, "second"
	switch {
	case seconds >= 48*3600:
		n, word = seconds/86400, "day"
	case seconds >= 2*3600:
		n, word = seconds/3600, "hour"
	case seconds >= 60:
		n, word = seconds/60, "minute"
	}
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, p.words[word])
}
