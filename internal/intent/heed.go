package intent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/template"
)

// holdsName reports whether a name or an area may stand in a template.
func (c *compiler) holdsName(n *template.Node) bool {
	switch n.Kind {
	case template.List:
		return n.Name == "name" || n.Name == "area"
	case template.Rule:
		body, err := c.rule(n.Name)
		return err == nil && c.holdsName(body)
	case template.Text, template.Sequence, template.Choice, template.Range, template.Shuffle:
	}
	return slices.ContainsFunc(n.Items, c.holdsName)
}

// later is the slot for a command for another time, and rest the part behind a time in
// the middle of it: "schalte um acht die Lampe ein".
const (
	later = "conversation_command"
	rest  = "conversation_rest"
)

// checkDelayed checks a command that a timer is to carry out. What cannot be done at
// once cannot be done later, and a text that only sounds like a command ("we will
// be back in two minutes") goes to the model.
func (m *Matcher) checkDelayed(d Decision, p *parse, area string, steps *int) Decision {
	a := d.one()
	if a == nil {
		return d
	}
	text, ok := a.Slots[later].(string)
	switch {
	case !ok && a.Intent == catalogue.Until && d.Route == Local:
		return keeping(d)
	case !ok:
		return d
	}
	if more, ok := a.Slots[rest].(string); ok {
		text += " " + more
		a.Slots[later] = text
		delete(a.Slots, rest)
	}
	first := strings.HasSuffix(strings.TrimRight(p.text, " "), text) // the time was said first
	carried, ok := carriedBy(m, text, area, first, steps)
	if ended, special := untilOf(d, carried, p); ok && special {
		return ended
	}
	if no := checkCarried(carried, ok); no.Route != "" {
		return no
	}
	a.Later = carried.Actions
	if d.Route == Ask && m.dangerous(carried) { // it is refused whatever the time
		return Decision{Route: Reject, Reason: NotLater}
	}
	return d
}

// untilOf handles an act with an end if its command asks for the thing or the room, or
// is for later itself; special is false for any other decision.
func untilOf(d, carried Decision, p *parse) (ended Decision, special bool) {
	if d.Route != Local || d.Actions[0].Intent != catalogue.Until {
		return d, false
	}
	a := d.Actions[0]
	switch {
	case carried.Route == Ask && carried.Reason == WhichArea: // it is matched again, in the room
		carried.Would = &a
		return carried, true
	case carried.asksWhich():
		a.Later = []Action{*carried.Would}
		carried.Would = &a
		return carried, true
	case carried.Route == Local && len(carried.Actions) == 1 && len(carried.Actions[0].Later) > 0:
		return laterUntil(d, carried, p), true
	}
	return d, false
}

// ofDevices reports whether an action does something to things of the house.
func ofDevices(a Action) bool {
	return slices.Contains([]catalogue.Plan{catalogue.Switch, catalogue.Command, catalogue.Adjust, catalogue.Lasting}, catalogue.Of(a.Intent).Plan)
}

// ofSound reports whether an action changes how loud the gateway speaks.
func ofSound(a Action) bool {
	return slices.Contains([]string{catalogue.SetVolume, catalogue.SetVolumeRelative, catalogue.MediaPlayerMute, catalogue.MediaPlayerUnmute}, a.Intent)
}

// keeping makes the act of a sentence that names its things itself: "keep the fan on for
// ten minutes".
func keeping(d Decision) Decision {
	a := d.Actions[0]
	inner := Action{Intent: catalogue.TurnOn, Slots: map[string]any{}, Devices: a.Devices, Elsewhere: a.Elsewhere, source: a.source}
	if name, ok := a.Slots["name"]; ok {
		inner.Slots["name"] = name
	}
	a.Later, a.Devices = []Action{inner}, nil
	d.Actions = []Action{a}
	return d
}

// laterUntil is a command for later that has an end: "turn on the light at eight for ten
// minutes". The timer carries the command with its end.
func laterUntil(d, carried Decision, p *parse) Decision {
	outer, end := carried.Actions[0], d.Actions[0]
	text, _ := outer.Slots[later].(string)
	outer.Slots = maps.Clone(outer.Slots)
	outer.Slots[later] = strings.Join(strings.Fields(text+" "+p.beside(later, rest)), " ")
	end.Later, outer.Later = outer.Later, nil
	outer.Later = []Action{end}
	d.Actions = []Action{outer}
	return d
}

// beside is the text of a parse without what fills some slots.
func (p *parse) beside(slots ...string) string {
	text := []byte(p.text)
	for i := range p.n {
		if c := &p.captures[i]; slices.Contains(slots, c.at.slot) {
			for n := c.start; n < c.end; n++ {
				text[n] = ' '
			}
		}
	}
	return string(text)
}

// asksWhich reports whether a decision asks which of several things is meant.
func (d *Decision) asksWhich() bool {
	return d.Route == Ask && d.Would != nil && len(d.Options) > 0 && !d.timed()
}

// one returns the only action of a decision, or the action whose time is asked for; nil
// if there is none.
func (d *Decision) one() *Action {
	switch {
	case d.Route == Local && len(d.Actions) == 1:
		return &d.Actions[0]
	case d.Route == Ask:
		return d.Would
	}
	return nil
}

// checkCarried is the decision on a command for later that cannot be carried; without a
// route if it can.
func checkCarried(carried Decision, known bool) Decision {
	none := Decision{Route: Model, Reason: NoSentence}
	switch {
	case !known:
		return none
	case carried.Route == Ask && !carried.timed(): // it is carried out by its words, which must name its thing
		return Decision{Route: Reject, Reason: LaterWhich}
	case carried.Route == Reject && carried.Reason.stopsAll():
		return carried
	case carried.Route != Local:
		return none
	case slices.ContainsFunc(carried.Actions, ofSound): // no timer carries it, and nothing puts it back
		return Decision{Route: Reject, Reason: SoundNow}
	}
	if slices.ContainsFunc(carried.Actions, func(inner Action) bool {
		return inner.Intent != catalogue.Until && (inner.Slots[later] != nil || len(inner.Devices) == 0) || !ofDevices(inner)
	}) {
		return none
	}
	return Decision{}
}

// carriedBy understands a command for later. A time at the end of several commands is
// that of the last one, and one command for several things is one: "turn off the
// lamp and the fan in ten minutes".
func carriedBy(m *Matcher, text, area string, timeFirst bool, steps *int) (Decision, bool) {
	one, known := m.part(text, area, steps)
	parts := m.parts(text)
	if known && one.Route == Local || len(parts) < 2 {
		return one, known
	}
	if timeFirst {
		return newJoined(m, area, true, steps).all(parts)
	}
	j := newJoined(m, area, true, steps)
	for _, understood := range []func([]string) (Decision, bool){j.ended, j.group} {
		if d, ok := understood(parts); ok && j.shared(parts[1:]) {
			return d, true
		}
	}
	return one, known
}

// part understands a text that is one of several commands, or the command of a timer. A
// name that is written differently in the house is accepted if there is no doubt which
// one is meant.
func (m *Matcher) part(text, area string, steps *int) (Decision, bool) {
	if d, ok := m.known(text, area, steps); ok {
		return d, true
	}
	return m.unknown(m.strip(text), area, steps)
}

// writtenNames are the names of the house as they are written, in lower case.
func writtenNames(h *home.House) map[string]bool {
	out := make(map[string]bool)
	for i := range h.Entities {
		for _, n := range append([]string{h.Entities[i].Name}, h.Entities[i].Aliases...) {
			if texts := names.SpokenForms(n); len(texts) > 0 {
				out[texts[0]] = true
			}
		}
	}
	return out
}

// kindWords are the words with which sentences name kinds of things, with the domain.
// None of them is taken for the name of one thing. Lists that begin with allLists hold
// words that name a kind only behind "all".
func kindWords(pack *Pack) map[string]string {
	const allLists = "all_"
	out := make(map[string]string)
	for name, l := range pack.Lists {
		if strings.HasPrefix(name, allLists) {
			continue
		}
		for i := range l.Values {
			v := &l.Values[i]
			if v.Out != "light" && v.Out != "fan" {
				continue
			}
			for _, text := range v.Texts {
				out[text] = fmt.Sprint(v.Out)
			}
		}
	}
	return out
}

// onlyPlural reports whether a name was said in the plural while the house has it
// in the singular: "the bedroom lights" means all lights of the bedroom rather
// than the one called bedroom light.
func (k *specialWords) onlyPlural(p *parse) bool {
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op != opName || c.unknown {
			continue
		}
		said := p.text[c.start:c.end]
		one, ends := strings.CutSuffix(said, "s")
		return ends && k.written[one] && !k.written[said]
	}
	return false
}

// saysIs reports whether the last word of an unknown name ends as the language shortens
// "is": "the kitchen light's on" tells that the light is on and is not a command.
func (p *parse) saysIs(is string) bool {
	for i := range p.n {
		if c := &p.captures[i]; c.unknown && is != "" && strings.HasSuffix(p.text[c.start:c.end], is) {
			return true
		}
	}
	return false
}

// ofClass replaces a thing by its sensor, if there is one: the battery of the front door
// is reported by the sensor with the name front door battery.
func (x *meaning) ofClass(items []int32) []int32 {
	class, _ := x.action.Slots["device_class"].(string)
	if class == "" || len(items) != 1 {
		return items
	}
	of := &x.m.house.Entities[items[0]]
	if of.DeviceClass() == class {
		return items
	}
	head := names.Normalise(of.Name)
	for i := range x.m.house.Entities {
		e := &x.m.house.Entities[i]
		words := names.Normalise(e.Name)
		if e.DeviceClass() == class && len(words) > len(head) && slices.Equal(words[:len(head)], head) {
			return []int32{int32(i)}
		}
	}
	said := names.Normalise(x.span(opName)) // "the battery of the weather station": what it measures has names of their own
	for i := range x.m.house.Entities {
		e := &x.m.house.Entities[i]
		words := names.Normalise(e.Name)
		if of.Domain == "sensor" && e.DeviceClass() == class && e.In(of.Area) && len(said) > 0 && len(words) > len(said) && slices.Equal(words[:len(said)], said) {
			return []int32{int32(i)}
		}
	}
	return items
}
