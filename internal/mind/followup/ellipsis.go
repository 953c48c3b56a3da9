package followup

import (
	"maps"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// rewritten makes a whole decision of a sentence without a verb and the decision
// before it.
func (s *Sentence) rewritten(said intent.Decision) intent.Decision {
	if said.Route == intent.Ask && said.Would != nil {
		said = s.narrow(said)
	}
	if s.names(said) {
		said = s.amongThem(said)
	}
	if said.Route != intent.Local {
		return said
	}
	act := said.Actions[0]
	if s.Subject.Lost && act.Intent != catalogue.Rather {
		return s.ask()
	}
	if d, ok := s.byValue(act); ok {
		return s.lasting(d, act)
	}
	return s.complete(act)
}

// complete is what a short sentence comes to by what it is.
func (s *Sentence) complete(act intent.Action) intent.Decision {
	switch act.Intent {
	case catalogue.Also:
		return s.elsewhere(act)
	case catalogue.Rather:
		if says(act, spans) {
			return s.until(intent.Action{Intent: catalogue.Until, Slots: without(act.Slots, slotOf)})
		}
		return s.instead(act)
	case catalogue.Except:
		return s.except(act)
	case catalogue.More:
		return s.more(act)
	case catalogue.Again:
		return local(s.Subject.Acts...)
	case catalogue.Until:
		return s.until(act)
	}
	if catalogue.Of(act.Intent).Plan == catalogue.Adjust {
		if d, ok := s.stepped(act); ok {
			return d
		}
	}
	return s.ask()
}

// stepped goes a step with what can be set so, else with what was acted on.
func (s *Sentence) stepped(act intent.Action) (d intent.Decision, ok bool) {
	if d, ok = s.step(act); ok {
		return d, true
	}
	way, ok := act.Slots["direction"].(string)
	if !ok {
		return d, false
	}
	return s.toward(way)
}

// instead does to other things what was done before, and takes that back.
func (s *Sentence) instead(act intent.Action) intent.Decision {
	if !s.Subject.Asks() {
		s.meaning.Back = s.Subject.devices()
	}
	return s.elsewhere(act)
}

// until gives an end to what was done before.
func (s *Sentence) until(said intent.Action) intent.Decision {
	if s.Subject.Asks() {
		return s.ask()
	}
	if d, ok := s.newTime(said); ok && isTimed(s.last()) {
		return d
	}
	said.Later = s.Subject.Acts
	return local(said)
}

// names reports whether a sentence leaves out, or means alone, what its words name among
// the things that were acted on.
func (s *Sentence) names(said intent.Decision) bool {
	return said.Would != nil && said.Would.Intent == catalogue.Except && !s.forgot() && len(s.Choose(said.Heard, things(s.House, s.Subject.devices()))) == 1
}

// amongThem finds what is left out, or alone meant, among the things that were acted on:
// "just the spots".
func (s *Sentence) amongThem(said intent.Decision) intent.Decision {
	found := s.Choose(said.Heard, things(s.House, s.Subject.devices()))
	act := *said.Would
	act.Devices = idsOf(found)
	return local(act)
}

// narrow keeps of the things that a sentence may name those that the act before
// can be done to. If one is left, it is meant.
func (s *Sentence) narrow(d intent.Decision) intent.Decision {
	options := slices.DeleteFunc(slices.Clone(d.Options), func(id string) bool {
		return s.onto(s.Subject.Acts[0], []string{id}).Route != intent.Local
	})
	if len(options) == 1 {
		act := *d.Would
		act.Devices = options
		return local(act)
	}
	if len(options) > 1 {
		d.Options = options
	}
	if act := s.onto(s.Subject.Acts[0], d.Options[:1]); act.Route == intent.Local { // what the chosen thing is for
		would := act.Actions[0]
		would.Devices = nil
		d.Would = &would
	}
	return d
}

// elsewhere does what was done before in another room or to other things.
func (s *Sentence) elsewhere(said intent.Action) intent.Decision {
	var all []intent.Action
	var refused *intent.Decision
	for _, act := range s.Subject.Acts {
		var d intent.Decision
		if area, ok := said.Slots["area"].(string); ok && len(said.Devices) == 0 && said.Intent == catalogue.Rather && s.allIn(act, area) {
			return s.ask() // it was done there
		}
		if area, ok := said.Slots["area"].(string); ok && len(said.Devices) == 0 {
			d = s.Words.Elsewhere(act, area)
		} else {
			d = s.onto(act, said.Devices)
		}
		if d.Route == intent.Local {
			all = append(all, d.Actions...)
		} else if refused == nil {
			refused = &d
		}
	}
	switch {
	case len(all) > 0:
		return local(all...)
	case refused != nil:
		return *refused
	}
	return s.ask()
}

// allIn reports whether an act was about things of one area.
func (s *Sentence) allIn(act intent.Action, area string) bool {
	all := things(s.House, act.Devices)
	return len(all) > 0 && !slices.ContainsFunc(all, func(e *home.Entity) bool { return !e.In(area) })
}

// onto is an act on other things, if each of them can do it.
func (s *Sentence) onto(act intent.Action, ids []string) intent.Decision {
	h := s.House
	var first *home.Entity
	if len(act.Devices) > 0 {
		first = h.Entity(act.Devices[0])
	}
	next := things(h, ids)
	for _, e := range next {
		switch asks := !Acts(act); {
		case able(act, first, e):
		case asks && e.Read != nil && len(next) == 1: // how is it, then
			return local(intent.Action{Intent: catalogue.GetState, Slots: map[string]any{"name": e.Name}, Devices: ids})
		default:
			return s.wrongKind(e)
		}
	}
	if len(next) == 0 {
		return intent.Decision{Route: intent.Reject, Reason: intent.NoDevice}
	}
	act.Slots = maps.Clone(act.Slots)
	for _, slot := range []string{"area", "floor", "domain", "kind", "ask", "name"} {
		delete(act.Slots, slot)
	}
	if state, ok := act.Slots["state"].(string); ok && first != nil {
		act.Slots["state"] = stateFor(state, first, next[0])
	}
	if len(next) == 1 {
		act.Slots["name"] = next[0].Name
	}
	act.Devices = ids
	return local(act)
}

// stateFor translates the state in a question about one thing into the word for another:
// a window that is "on" is "open" for a cover.
func stateFor(state string, first, next *home.Entity) string {
	if first.Domain == next.Domain {
		return state
	}
	open := map[string]bool{"unlocked": true, "open": true, "locked": false, "closed": false}
	if first.Domain == "binary_sensor" {
		open = map[string]bool{"on": true, "off": false}
	}
	is, known := open[state]
	switch {
	case !known:
		return state
	case next.Domain == "binary_sensor":
		return map[bool]string{true: "on", false: "off"}[is]
	case next.Domain == "lock" || next.Domain == "cover" || next.Domain == "valve":
		return map[bool]string{true: "open", false: "closed"}[is]
	}
	return state
}

// except leaves some things out of what was asked before, or all but some: what was done
// to them is taken back, what was not done yet is done without them.
func (s *Sentence) except(said intent.Action) intent.Decision {
	h := s.House
	area, _ := said.Slots["area"].(string)
	named := func(id string) bool {
		if len(said.Devices) > 0 {
			return slices.Contains(said.Devices, id)
		}
		e := h.Entity(id)
		return e != nil && e.In(area)
	}
	only := said.Slots[slotOnly] != nil
	if only && !slices.ContainsFunc(s.Subject.devices(), named) {
		return intent.Decision{Route: intent.Reject, Reason: intent.NoDevice}
	}
	out := func(id string) bool { return named(id) != only }
	var rest []intent.Action
	var left []string
	for _, act := range s.Subject.Acts {
		act.Devices = slices.DeleteFunc(slices.Clone(act.Devices), func(id string) bool {
			if out(id) {
				left = append(left, id)
			}
			return out(id)
		})
		if len(act.Devices) > 0 {
			rest = append(rest, act)
		}
	}
	switch {
	case len(left) == 0:
		return intent.Decision{Route: intent.Reject, Reason: intent.NoDevice}
	case (s.Subject.Waits || s.Subject.Asks()) && len(rest) > 0:
		d := local(rest...)
		d.Confirmed = s.Subject.Waits // who leaves one out means the others
		return d
	}
	next := *s.Subject
	next.Acts = rest
	s.meaning.Back, s.meaning.Next = left, &next
	said.Devices = left
	return local(said)
}

// more goes a step further in what was done before, or a step back.
func (s *Sentence) more(said intent.Action) intent.Decision {
	way, _ := said.Slots["direction"].(string)
	act := s.last()
	act.Slots = maps.Clone(act.Slots)
	switch plan := catalogue.Of(act.Intent).Plan; {
	case plan == catalogue.Adjust && said.Slots[slotBack] != nil:
		act.Slots["direction"] = s.backward(act.Slots["direction"])
		return local(act)
	case plan == catalogue.Adjust:
		act.Slots["direction"] = s.onward(act.Slots["direction"], way)
		return local(act)
	case act.Intent == catalogue.SetVolumeRelative && said.Slots[slotBack] != nil:
		act.Slots["volume_step"] = s.backward(act.Slots["volume_step"])
		return local(act)
	case plan == catalogue.Tool:
		return s.louder(act, way)
	case act.Intent == catalogue.SetPosition:
		return s.further(act, way)
	}
	name := s.adjusting(act)
	if name == "" {
		return s.ask()
	}
	d, ok := s.step(intent.Action{Intent: name, Slots: map[string]any{"direction": way}})
	if !ok {
		return s.ask()
	}
	s.meaning.Less = way == "down"
	return d
}

// slotBack is the slot of a sentence that finds a step too large: "not so much", "too much".
const slotBack = "back"

// onward is the direction of the next step: "more" goes on in the direction before, after
// "less" up again. "Less" never goes up.
func (s *Sentence) onward(before any, way string) any {
	switch {
	case way == "down":
		s.meaning.Less = true
		return "down"
	case s.Subject.Less:
		return "up"
	}
	return before
}

// backward is the direction of a step after one that was too large: back, and where it was
// still too much, further.
func (s *Sentence) backward(before any) any {
	if s.Subject.Less {
		s.meaning.Less = true
		return before
	}
	way := opposite(before)
	s.meaning.Less = way == "down"
	return way
}

// louder is a step of the volume.
func (s *Sentence) louder(act intent.Action, way string) intent.Decision {
	switch act.Intent {
	case catalogue.SetVolumeRelative:
		act.Slots["volume_step"] = s.onward(act.Slots["volume_step"], way)
		return local(act)
	case catalogue.SetVolume:
		s.meaning.Less = way == "down"
		return local(intent.Action{Intent: catalogue.SetVolumeRelative, Slots: map[string]any{"volume_step": way}})
	}
	return s.ask()
}

// adjusting returns the intent that continues in steps what an act has set or switched;
// "" if there is none.
func (s *Sentence) adjusting(act intent.Action) string {
	switch act.Intent {
	case catalogue.LightSet:
		return catalogue.BrightnessAdjust
	case catalogue.FanSetSpeed:
		return catalogue.FanAdjust
	case catalogue.ClimateSetTemperature:
		return catalogue.ClimateAdjust
	case catalogue.TurnOn:
		if e := s.House.Entity(act.Devices[0]); e != nil {
			return map[string]string{"light": catalogue.BrightnessAdjust, "fan": catalogue.FanAdjust, "climate": catalogue.ClimateAdjust}[e.Domain]
		}
	}
	return ""
}

// furtherBy is one step of a cover, in percent.
const furtherBy = 20

// further moves a cover further in the direction in which it was moved, or back.
func (s *Sentence) further(act intent.Action, way string) intent.Decision {
	at, ok := numberOf(act.Slots["position"])
	if !ok || len(act.Devices) == 0 {
		return s.ask()
	}
	by := float64(furtherBy)
	if way == "down" || slices.Contains(s.Subject.Lowered, act.Devices[0]) && !s.Subject.Less {
		by = -by
	}
	s.meaning.Less = way == "down"
	act.Slots["position"] = min(max(at+by, 0), 100)
	return local(act)
}

// numberOf reads a number of a slot or a receipt.
func numberOf(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// opposite turns a direction round.
func opposite(way any) string {
	if way == "down" {
		return "up"
	}
	return "down"
}

// accounts reports whether a decision asks for an account of what was done before.
func accounts(d intent.Decision) bool {
	return len(d.Actions) == 1 && Accounts(d.Actions[0]) || d.Would != nil && Accounts(*d.Would)
}

// Accounts reports whether an action asks for an account of what was done before.
func Accounts(act intent.Action) bool {
	return slices.Contains([]string{catalogue.Why, catalogue.Since, catalogue.WhatDone, catalogue.WhoDid}, act.Intent)
}
