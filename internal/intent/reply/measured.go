package reply

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
)

// sayCharge answers how full the battery of one thing is, and whether it is low; ""
// for another question, or where the battery cannot be reached.
func (p *Phrases) sayCharge(s *plan.Step, o *observation) string {
	if s.Action.Slots["device_class"] != "battery" || o.Reachable != nil && !*o.Reachable {
		return ""
	}
	state, level := charge(s, o)
	switch {
	case state == "" && !s.Entity.Can(home.Battery) && s.Entity.DeviceClass() != "battery":
		return p.Phrase("no_sensor", nil)
	case state == "":
		return p.Phrase("unknown_state", p.grammar.about(s))
	}
	key := map[string]string{"low": "asked_battery", "full": "asked_battery_full"}[state]
	if level != "" {
		key = "asked_battery_level"
	}
	c := &census{p, question{kind: "battery"}}
	prefix := ""
	if asked, ok := s.Action.Slots["state"].(string); ok {
		prefix = map[bool]string{true: "yes", false: "no"}[asked == state]
	}
	return p.addAge(c.beginWith(prefix, p.Phrase(key, map[string]any{"names": p.grammar.callThing(poweredThing(s.Entity)), "value": level})), o)
}

// setTo answers what a thermostat is set to; "" for another question.
func (p *Phrases) setTo(s *plan.Step, o *observation) string {
	set, ok := o.Values[string(home.Setpoint)]
	if !ok || s.Entity.Domain != "climate" || s.Action.Slots["device_class"] != nil || s.Action.Slots["state"] != nil {
		return ""
	}
	args := p.grammar.about(s)
	args["value"], args["degrees"] = sayValue(set), p.readings.degreesOf(s)
	key := "done_setpoint"
	low, heats := o.Values[string(home.HeatsTo)]
	if high, cools := o.Values[string(home.CoolsTo)]; heats && cools {
		key, args["low"], args["high"] = "set_between", sayValue(low), sayValue(high)
	}
	if o.Reachable == nil || *o.Reachable {
		text := p.Phrase(key, args)
		if o.State == "off" || o.Values[string(home.Mode)] == "off" {
			text = p.butOff(text)
		}
		return p.addAge(text, o)
	}
	args["value"] = sayValue(set) + " " + p.readings.degreesOf(s)
	return cmp.Or(p.sayCause(s, o, args), p.Phrase("unreachable", args))
}

// butOff adds to what a thermostat is set to that it is off.
func (p *Phrases) butOff(text string) string {
	return p.Phrase("but_off", map[string]any{"text": strings.TrimRight(text, " .")})
}

// Slots of the question whether it is warmer or colder than so many degrees.
const (
	slotAbove = "above"
	slotBelow = "below"
)

// asksWarmth reports whether a question compares a temperature.
func asksWarmth(s *plan.Step) bool {
	return s.Action.Slots[slotAbove] != nil || s.Action.Slots[slotBelow] != nil
}

// sayComparison answers whether a temperature is above or below another one, with the
// temperature itself.
func (p *Phrases) sayComparison(s *plan.Step, args map[string]any) string {
	args["Name"] = args["name"]
	text := p.Phrase("measures", args)
	measured, err := strconv.ParseFloat(fmt.Sprint(args["value"]), 64)
	if err != nil {
		return capital(text)
	}
	yes := false
	if above, ok := degrees(s.Action.Slots[slotAbove]); ok {
		yes = measured > above
	} else if below, ok := degrees(s.Action.Slots[slotBelow]); ok {
		yes = measured < below
	}
	key := map[bool]string{true: "answer_yes", false: "answer_no"}[yes]
	return p.Phrase(key, map[string]any{"text": text})
}

// degrees reads the number of degrees in a slot.
func degrees(slot any) (float64, bool) {
	switch n := slot.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}
