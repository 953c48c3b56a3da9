package reply

import (
	"encoding/json"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// oldAfter is the age from which a value is reported with its age, in seconds.
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

// which lists the devices that are in the state asked for.
func (p *Phrases) which(steps []plan.Step, results []tools.Result, asked string) string {
	var senses []sense
	for i := range steps {
		if got, ok := p.readings.sensed(&steps[i], results[i]); ok {
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
		want = p.readings.state(e, asked)
		o, ok := observe(&steps[i], results[i])
		switch {
		case !ok:
			unknown = append(unknown, p.grammar.spoken(e))
		case p.readings.state(e, o.State) == want:
			names = append(names, p.grammar.spoken(e))
		}
	}
	text := p.Phrase("none_are", map[string]any{"things": p.grammar.thing(steps, 2), "value": want})
	switch {
	case len(names) == 1:
		text = p.Phrase("state", map[string]any{"Name": capital(names[0]), "is": p.grammar.words["is"], "value": want})
	case len(names) > 4:
		text = p.Phrase("several_are", map[string]any{"count": len(names), "things": p.grammar.thing(steps, 2), "are": p.grammar.words["are"], "value": want})
	case len(names) > 1:
		text = p.Phrase("state", map[string]any{"Name": capital(p.grammar.list(names)), "is": p.grammar.words["are"], "value": want})
	}
	if len(unknown) > 0 {
		if len(names) == 0 {
			text = ""
		}
		text += " " + p.Phrase("unknown_state", map[string]any{"name": p.grammar.list(unknown[:min(len(unknown), 3)])})
	}
	return strings.TrimSpace(text)
}

// observe reads a result; a sensor's value counts as its state. ok is false when
// nothing is known.
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
	args := p.grammar.about(s)
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
	if got, ok := p.readings.sensed(s, r); ok {
		return p.senseOf(s, got)
	}
	value, unit := p.readings.value(s, o)
	args["value"], args["unit"] = value, unit
	if o.Reachable != nil && !*o.Reachable {
		args["value"] = strings.TrimSpace(value + " " + unit)
		return p.Phrase("unreachable", args)
	}
	text := p.Phrase(p.readings.form(s, value, unit), args)
	if o.Age > oldAfter {
		text += " " + p.Phrase("old", map[string]any{"ago": p.grammar.ago(o.Age)})
	}
	return text
}
