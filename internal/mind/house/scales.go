package house

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
	"voicegateway/internal/tools"
)

// Speak sets the scale in which degrees are spoken; "" takes it from the house.
func (h *House) Speak(scale home.Scale) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if scale == h.scale {
		return nil
	}
	h.scale = scale
	return h.rebuild()
}

// setScale gives a house and its things the scale that their degrees are spoken of in.
func (h *House) setScale(all *home.House) {
	all.Scale = h.scale
	if all.Scale == "" && h.base != nil {
		all.Scale = h.base.Scale
	}
	all.Scale = all.Degrees()
	for i := range all.Entities {
		all.Entities[i].Scale = all.Scale
	}
}

// setPoints are the properties that are set in degrees.
var setPoints = []home.Ability{home.Setpoint, home.HeatsTo, home.CoolsTo}

// isSetPoint reports whether a property is set in degrees.
func isSetPoint(property string) bool {
	return slices.Contains(setPoints, home.Ability(property))
}

// Convert converts a set point to the scale of the thing that is set. The house speaks of
// degrees in one scale only: here they leave it, and in Got they enter it.
func (h *House) Convert(c tools.Call) json.RawMessage {
	args := arguments(c)
	if args["action"] != "setpoint" {
		return c.Args
	}
	spoken := h.House().Degrees()
	own := spoken
	e := h.thingOfCall(c, args)
	if e != nil {
		own = e.Counts()
	}
	switch v := args["value"].(type) {
	case float64:
		switch {
		case e == nil && h.countsOtherwise(c.Server, spoken): // several things at once: each converts it
			args["value"] = strconv.FormatFloat(v, 'f', -1, 64) + " " + string(spoken)
		default:
			args["value"] = spoken.Command(v, own)
		}
	case string: // "heat 20": which of two set points it is
		word, number, _ := strings.Cut(v, " ")
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return c.Args
		}
		args["value"] = word + " " + strconv.FormatFloat(spoken.Command(n, own), 'f', -1, 64)
	default:
		return c.Args
	}
	made, err := json.Marshal(args)
	if err != nil {
		return c.Args
	}
	return made
}

// countsOtherwise reports whether a thermostat of a server counts in another scale.
func (h *House) countsOtherwise(server string, spoken home.Scale) bool {
	return slices.ContainsFunc(h.House().Entities, func(e home.Entity) bool {
		return e.Server == server && e.Domain == "climate" && e.Counts() != "" && e.Counts() != spoken
	})
}

// Got converts the degrees in a result to the scale that the house speaks of: what a
// sensor measures, what a thermostat is set to, and what a receipt tells of it.
func (h *House) Got(c tools.Call, r tools.Result) tools.Result {
	var data map[string]any
	if len(r.Data) == 0 || json.Unmarshal(r.Data, &data) != nil {
		return r
	}
	t := translation{to: h.House().Degrees()}
	if e := h.thingOfCall(c, arguments(c)); e != nil {
		t.own = e.Counts()
	}
	t.receipt(data)
	t.sensor(data)
	t.state(data)
	if members, ok := data["devices"].([]any); ok && data["outcome"] != nil {
		t.group(h, c.Server, members)
	}
	if !t.changed {
		return r
	}
	made, err := json.Marshal(data)
	if err != nil {
		return r
	}
	r.Data, r.Text = made, t.text(r.Text)
	if r.Receipt != nil {
		at := r.Receipt.PublishedAt
		if r.Receipt = tools.ReadReceipt(made); r.Receipt != nil {
			r.Receipt.PublishedAt = at
		}
	}
	return r
}

// translation converts the degrees of one result.
type translation struct {
	own, to home.Scale // the thing's own scale, and the one that is spoken of
	changed bool
	setting bool // it is about a set point
}

// convert converts a member of an object, if it is a number.
func (t *translation) convert(in map[string]any, key string, from home.Scale, setting bool) {
	n, ok := in[key].(float64)
	if !ok || from == "" || from == t.to {
		return
	}
	if setting {
		in[key] = from.Setting(n, t.to)
	} else {
		in[key] = from.Reading(n, t.to)
	}
	t.changed = true
}

// inText are degrees in the sentence of a result: without a scale they are Celsius.
var inText = regexp.MustCompile(`(-?\d+(?:\.\d+)?) degrees( Fahrenheit)?`)

// text converts the degrees in the sentence of a result, as a model reads it.
func (t *translation) text(sentence string) string {
	return inText.ReplaceAllStringFunc(sentence, func(said string) string {
		number, rest, _ := strings.Cut(said, " ")
		n, err := strconv.ParseFloat(number, 64)
		from := home.Celsius
		if strings.HasSuffix(rest, "Fahrenheit") {
			from = home.Fahrenheit
		}
		if err != nil || from == t.to {
			return said
		}
		if t.setting {
			n = from.Setting(n, t.to)
		} else {
			n = math.Round(from.Reading(n, t.to)*10) / 10
		}
		said = strconv.FormatFloat(n, 'f', -1, 64) + " degrees"
		if t.to == home.Fahrenheit {
			said += " Fahrenheit"
		}
		return said
	})
}

// receipt converts a receipt of a set point.
func (t *translation) receipt(data map[string]any) {
	property, _ := data["property"].(string)
	if data["outcome"] == nil || !isSetPoint(property) {
		return
	}
	t.setting = true
	t.convert(data, "before", t.own, true)
	t.convert(data, "value", t.own, true)
	limits, _ := data["limits"].([]any)
	for i, limit := range limits {
		one := map[string]any{"limit": limit}
		t.convert(one, "limit", t.own, true)
		limits[i] = one["limit"]
	}
}

// sensor converts what a sensor measures.
func (t *translation) sensor(data map[string]any) {
	unit, _ := data["unit"].(string)
	if from := home.ScaleOf(unit); from != "" && from != t.to {
		t.convert(data, "value", from, false)
		data["unit"] = string(t.to)
	}
}

// state converts what a thing's state tells: what it measures, and what it is set to.
func (t *translation) state(data map[string]any) {
	values, ok := data["values"].(map[string]any)
	if !ok {
		return
	}
	const ofSensor = "temperature_unit" // of a thing that has no set point
	from := t.own
	for _, key := range []string{ofSensor, "unit"} {
		if unit, _ := values[key].(string); home.ScaleOf(unit) != "" {
			from = home.ScaleOf(unit)
		}
	}
	t.convert(values, string(home.Temperature), from, false)
	for _, p := range setPoints {
		t.convert(values, string(p), from, true)
	}
	if data["domain"] == "climate" { // one without a mode is what it is set to
		t.convert(data, "state", from, true)
	}
	for _, key := range []string{ofSensor, "unit"} {
		if values[key] != nil && t.changed {
			values[key] = string(t.to)
		}
	}
}

// group converts the receipts of several things.
func (t *translation) group(h *House, server string, members []any) {
	for _, m := range members {
		member, ok := m.(map[string]any)
		if !ok {
			continue
		}
		name, _ := member["device"].(string)
		one := translation{to: t.to}
		if e := h.thing(server, name); e != nil {
			one.own = e.Counts()
		}
		one.receipt(member)
		t.changed = t.changed || one.changed
	}
}

// arguments returns the arguments of a call, empty if they are not an object.
func arguments(c tools.Call) map[string]any {
	args := map[string]any{}
	if json.Unmarshal(c.Args, &args) != nil || args == nil {
		return map[string]any{}
	}
	return args
}

// thingOfCall is the thing that a call is about; nil where it is not known.
func (h *House) thingOfCall(c tools.Call, args map[string]any) *home.Entity {
	name, _ := args["device_name"].(string)
	return h.thing(c.Server, name)
}

// thing returns the thing of a server that has this identifier or name, or nil.
func (h *House) thing(server, name string) *home.Entity {
	if name == "" {
		return nil
	}
	house := h.House()
	for i := range house.Entities {
		e := &house.Entities[i]
		control := e.Control != nil && e.Control.ID == name
		if e.Server == server && (control || e.Read != nil && e.Read.ID == name || text.Same(e.Name, name)) {
			return e
		}
	}
	return nil
}
