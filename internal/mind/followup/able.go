package followup

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// able reports whether an action may be done to a thing: with the same verb, and by
// what the thing can do.
func able(act intent.Action, first, e *home.Entity) bool {
	in := catalogue.Of(act.Intent)
	switch in.Plan { //nolint:exhaustive // the other plans are about no device
	case catalogue.Question:
		class, _ := act.Slots["device_class"].(string)
		return e.Read != nil && (class == "" || e.DeviceClass() == class || e.Can(home.Ability(class)) || class == "window" || class == "door")
	case catalogue.Switch:
		return e.Control != nil && verbOf(e.Domain) == verbOf(domainOf(act, first))
	case catalogue.Command, catalogue.Adjust:
		return e.Control != nil && slices.ContainsFunc(in.Sets, func(s catalogue.Setting) bool { return (len(e.Abilities) == 0 || e.Can(s.Ability)) })
	}
	return false
}

// domainOf is the domain of the things that an action was said of.
func domainOf(act intent.Action, first *home.Entity) string {
	if first != nil {
		return first.Domain
	}
	domain, _ := act.Slots["domain"].(string)
	return domain
}

// verbOf groups domains by the verbs for their things: what is turned on and off is
// neither opened nor locked.
func verbOf(domain string) string {
	if slices.Contains([]string{"lock", "cover", "valve", "scene", "vacuum", "alarm_control_panel"}, domain) {
		return domain
	}
	return ""
}
