package past

import (
	"encoding/json"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// PlanUndo plans to restore every device that was changed. Steps that would be dangerous
// are returned in denied. A preparation is taken back after the act it prepared: a lamp
// gets its old colour before it goes off again.
func PlanUndo(h *home.House, deeds []Deed) (steps, denied []plan.Step) {
	var last []plan.Step
	for _, d := range mergeDeeds(deeds) {
		if !d.Change.Moved() {
			continue
		}
		e := h.Entity(d.Device)
		if e == nil {
			e = &home.Entity{Name: d.Name} // the device is gone or could not be identified
			d.Change.Before = nil
		}
		s := plan.Restore(e, d.Change)
		switch {
		case s.Risk == tools.Dangerous:
			denied = append(denied, s)
		case d.Ahead:
			last = append(last, s)
		default:
			s.Ahead = slices.ContainsFunc(last, func(l plan.Step) bool { return l.Entity == e })
			steps = append(steps, s)
		}
	}
	return append(steps, last...), denied
}

// mergeDeeds joins several changes of the same property of a device into one: from the
// value before the first change to the value after the last.
func mergeDeeds(deeds []Deed) []Deed {
	var out []Deed
	at := map[string]int{}
	for _, d := range deeds {
		key := d.Device + "\n" + setBy(d.Change.Property) + "\n" + d.Change.Item
		i, ok := at[key]
		if !ok || d.Device == "" {
			at[key] = len(out)
			out = append(out, d)
			continue
		}
		last := d.Change.Receipt
		out[i].Change.Last = &last
	}
	return out
}

// setBy groups the properties of a device that are set together: a lamp's level and
// whether it is on share one key; mode, set points and colour have their own.
func setBy(property string) string {
	switch home.Ability(property) {
	case home.Mode, home.Setpoint, home.HeatsTo, home.CoolsTo, home.Colour:
		return property
	default:
		return ""
	}
}

// DeviceOf returns the name of the device that a call acts on; "" if it acts on
// none. It knows the arguments of a tool that acts on a device of the house
// (REQUIREMENTS Z1). Such tools answer with a receipt.
func DeviceOf(args json.RawMessage) string {
	var a struct {
		Device string `json:"device_name"`
		Action string `json:"action"`
	}
	if json.Unmarshal(args, &a) != nil || a.Action == "" {
		return ""
	}
	return a.Device
}

// Flips reports whether making a call twice undoes it.
func Flips(args json.RawMessage) bool {
	var a struct {
		Action string `json:"action"`
	}
	return json.Unmarshal(args, &a) == nil && a.Action == "toggle"
}
