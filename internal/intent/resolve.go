package intent

import (
	"maps"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
)

// meaning is a parse with its slots filled, on the way to devices.
type meaning struct {
	m      *Matcher
	p      *parse
	action Action
	mic    string // the microphone's area
	area   string // the area the sentence names
	floor  string
	named  bool    // a {name} was said
	it     bool    // it was a pronoun
	items  []int32 // entities of that name
}

// slotAsks names the question that a sentence leaves open: how_long or when.
const slotAsks = "asks"

// opens is the question that a sentence leaves open, with the day that it says.
func (m *Matcher) opens(key string, slots map[string]any) string {
	day, _ := slots["day"].(string)
	if text := m.pack.Texts[key+"_"+day]; text != "" {
		return text
	}
	return m.pack.Texts[key]
}

// resolve finds the devices a parse is about.
func (m *Matcher) resolve(p *parse, mic string) Decision {
	x := meaning{m: m, p: p, mic: mic, action: Action{Intent: p.block.Intent, Slots: make(map[string]any, p.n+len(p.block.Slots))}}
	x.fill()
	if zone, ok := x.action.Slots["zone"].(string); ok && (m.saysWhen(zone) || m.parts(zone) != nil) {
		return Decision{Route: Model, Reason: NoSentence} // "in five minutes" is no place
	}
	if key, ok := x.action.Slots[slotAsks].(string); ok {
		delete(x.action.Slots, slotAsks)
		return Decision{Route: Ask, Reason: Reason(key), Question: m.opens(key, x.action.Slots), Would: &x.action}
	}
	x.action.source = &source{p.block, maps.Clone(x.action.Slots), x.named}
	switch {
	case x.it:
		return x.all()
	case x.named:
		return x.byName()
	case x.movedWindows():
		return x.windows()
	}
	if x.action.Slots[slotCompare] != nil {
		return x.comparison()
	}
	if task, ok := x.action.Slots[slotTask].(string); ok {
		return x.task(task)
	}
	if kind, ok := x.action.Slots[slotKind].(string); ok {
		if p.block.Intent == catalogue.ListDevices {
			return x.ofKind(kind)
		}
		if !p.block.Meta.Question {
			return x.everything()
		}
		return x.findAsked(kind)
	}
	return x.byKind()
}

// fill turns captures into slots.
func (x *meaning) fill() {
	for i := range x.p.n {
		c := &x.p.captures[i]
		value := x.value(c)
		if c.at.slot != "" && value != nil {
			x.action.Slots[c.at.slot] = value
		}
	}
	for key, value := range x.p.block.Slots {
		if _, ok := x.action.Slots[key]; !ok {
			x.action.Slots[key] = value
		}
	}
	x.leaveOpen()
	if x.p.block.NeedsArea && x.area == "" {
		x.area = x.mic
		x.action.Slots["area"] = x.mic
	}
}

// slotShut is how far something is to be closed, in percent.
const slotShut = "shut"

// leaveOpen sets the position of what is to be closed by a part: three quarters leave a
// quarter open.
func (x *meaning) leaveOpen() {
	const full = 100 // percent
	var shut float64
	switch n := x.action.Slots[slotShut].(type) {
	case int:
		shut = float64(n)
	case float64:
		shut = n
	default:
		return
	}
	delete(x.action.Slots, slotShut)
	x.action.Slots["position"] = number(full - shut)
}

func (x *meaning) value(c *capture) any {
	text := x.p.text[c.start:c.end]
	switch c.at.op {
	case opName:
		x.named, x.it = true, c.pronoun
		for _, e := range c.items {
			if x.m.allowed[x.p.block.order][e] {
				x.items = append(x.items, e)
			}
		}
		return nil
	case opArea:
		if !c.unknown {
			x.area = x.m.areas[c.value]
		}
		return x.area
	case opFloor:
		x.floor = x.m.house.Floors[c.value].Name
		return x.floor
	case opValue:
		if v := c.at.list.values[c.value].Out; v != nil {
			return v
		}
	case opNumber:
		return number(c.number)
	case opWild, opEnd, opText, opChoice:
	}
	return text
}

// number returns a whole number as int, anything else as float64.
func number(v float64) any {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return int(v)
	}
	return v
}

// byName resolves a sentence that names a thing.
func (x *meaning) byName() Decision {
	items := x.place(x.items)
	if len(items) == 0 {
		return x.reject(UnknownName, x.nameWords())
	}
	if d, ok := x.here(items); ok {
		return d
	}
	if len(items) > 1 {
		items = x.keepExact(items)
	}
	if near := x.in(items, x.mic); len(items) > 1 && len(near) > 0 {
		items = near
	}
	if class, _ := x.action.Slots["device_class"].(string); len(items) > 1 && class != "" {
		if own := x.keep(items, func(e *home.Entity) bool { return e.DeviceClass() == class }); len(own) == 1 {
			items = own // the battery of a remote that has buttons as well
		}
	}
	if len(items) > 1 {
		items = x.withoutMeters(items)
	}
	if len(items) > 1 {
		d, _ := x.oneOrAll(items, nil)
		return d
	}
	items = x.ofClass(items)
	if !x.chooseOwn(items[0]) {
		return Decision{Route: Model, Reason: NoSentence}
	}
	x.action.Slots["name"] = x.m.house.Entities[items[0]].Name
	x.tell(items, x.span(opName))
	return x.finish(items)
}

// keepExact keeps the things whose whole name was said, if there are any: the front door,
// not the front door lock, of which the name is a part.
func (x *meaning) keepExact(items []int32) []int32 {
	said := x.m.index.Plain(x.span(opName))
	whole := x.keep(items, func(e *home.Entity) bool {
		return slices.ContainsFunc(append([]string{e.Name}, e.Aliases...), func(n string) bool { return x.m.index.Plain(n) == said })
	})
	if len(whole) == 0 {
		return items
	}
	return whole
}

// withoutMeters leaves out the measurements of things if the things themselves may be
// meant: the pond pump, not the pond pump energy.
func (x *meaning) withoutMeters(items []int32) []int32 {
	return x.keep(items, func(e *home.Entity) bool {
		return e.Domain != "sensor" || !slices.ContainsFunc(items, func(i int32) bool {
			o := &x.m.house.Entities[i]
			return o.Control != nil && len(e.Name) > len(o.Name) && strings.EqualFold(e.Name[:len(o.Name)], o.Name)
		})
	})
}

// byKind resolves a sentence with a kind of thing and perhaps a place, or without
// anything of the house.
func (x *meaning) byKind() Decision {
	domain, _ := x.action.Slots["domain"].(string)
	class, _ := x.action.Slots["device_class"].(string)
	if domain == "" && x.action.Slots["device_class"] == nil {
		return x.finish(nil)
	}
	all := x.m.ofKind(domain, x.action.Slots["device_class"])
	if domain == "valve" && class == "water" {
		return x.several(x.m.mains(all))
	}
	if domain == "cover" && (x.p.block.Meta.Question || len(x.place(all)) == 0) {
		all = x.m.kindredCovers(class)
	}
	items := all
	switch {
	case len(all) > 0 && x.movesRoom():
		return x.ask(all)
	case x.p.block.Meta.Where != "":
		items = x.m.sensorsFirst(x.m.outside(all))
	case x.area != "" || x.floor != "":
		items = x.m.sensorsFirst(x.place(all))
	case x.p.block.Meta.Scope == "house":
	default:
		return x.inRoom(all)
	}
	return x.several(items)
}

// inRoom looks in the microphone's room. Elsewhere it takes a thing only if that
// is the only one of its kind in the house.
func (x *meaning) inRoom(all []int32) Decision {
	if d, ok := x.onlyReports(x.in(x.m.every(x.contact), x.mic)); ok && len(x.in(all, x.mic)) == 0 {
		return d
	}
	if len(all) == 1 {
		x.tell(all, "")
		return x.finish(all)
	}
	if x.mic == "" {
		if len(all) == 0 || x.p.block.Meta.One || x.asksState() {
			return x.several(all)
		}
		x.m.sensorsFirst(all)
		return Decision{Route: Ask, Reason: WhichArea, Question: x.m.pack.Texts["which_area"], Heard: x.kindWords(), Would: &x.action}
	}
	items := x.m.sensorsFirst(x.in(all, x.mic))
	if len(items) == 0 && x.asksState() && !x.p.block.Meta.One {
		return x.several(all)
	}
	if len(items) == 0 && len(all) > 0 && (x.p.block.Meta.One || !x.p.block.Meta.Question) {
		return x.elsewhere(all)
	}
	return x.several(items)
}

// asksState reports whether a sentence asks how things are, which may be answered
// of the whole house where no room is known.
func (x *meaning) asksState() bool {
	return x.p.block.Meta.Question && x.action.Slots[slotState] != nil
}

// elsewhere asks which of the things is meant if none is in the room; by the room if
// there are more than one question may name.
func (x *meaning) elsewhere(all []int32) Decision {
	if len(all) > names.MaxCandidates && !x.p.block.Meta.One {
		return Decision{Route: Ask, Reason: WhichArea, Question: x.m.pack.Texts["which_area"], Heard: x.kindWords(), Would: &x.action}
	}
	return x.ask(all)
}

func (x *meaning) several(items []int32) Decision {
	switch {
	case len(items) == 0:
		if d, ok := x.onlyReports(x.place(x.m.every(x.contact))); ok {
			return d
		}
		heard := x.kindWords()
		if r := x.m.index.ResolveLiteral(heard, nil); heard != "" && r.Verdict == names.Exact && r.Whole { // "the bedroom temperature" is what a sensor is called
			if d, ok := x.onlyReports([]int32{int32(r.Items[0])}); ok {
				return d
			}
		}
		if heard == "" && x.action.Slots["domain"] == "valve" {
			heard, _, _ = strings.Cut(x.m.pack.Texts["water"], " ")
		}
		return x.reject(NoDevice, heard)
	case len(items) > 1 && x.p.block.Meta.One:
		if near := x.in(items, x.mic); len(near) == 1 {
			return x.finish(near)
		}
		return x.ask(items)
	}
	return x.finish(items)
}

// place keeps the things that stand in the area or on the floor the sentence
// names.
func (x *meaning) place(items []int32) []int32 {
	if x.area != "" {
		items = x.in(items, x.area)
	}
	if x.floor != "" {
		items = x.keep(items, func(e *home.Entity) bool { return x.m.house.OnFloor(e.Area, x.floor) })
	}
	return items
}

func (x *meaning) in(items []int32, area string) []int32 {
	return x.keep(items, func(e *home.Entity) bool { return e.In(area) })
}

func (x *meaning) keep(items []int32, fits func(*home.Entity) bool) []int32 {
	var out []int32
	for _, i := range items {
		if fits(&x.m.house.Entities[i]) {
			out = append(out, i)
		}
	}
	return out
}

func (x *meaning) finish(items []int32) Decision {
	for _, i := range items {
		x.action.Devices = append(x.action.Devices, x.m.house.Entities[i].ID)
	}
	return Decision{Route: Local, Reason: BySentence, Actions: []Action{x.action}}
}

func (x *meaning) reject(reason Reason, heard string) Decision {
	return Decision{Route: Reject, Reason: reason, Heard: heard, NeedHouse: x.m.house.Empty()}
}

// ask asks which of the things that fit is meant, and names up to three.
func (x *meaning) ask(items []int32) Decision {
	items = items[:min(len(items), 3)]
	d := Decision{Route: Ask, Reason: Ambiguous, Heard: x.nameWords()}
	if x.action.Intent != "" {
		d.Would = &Action{Intent: x.action.Intent, Slots: x.action.Slots}
	}
	var options []string
	for _, i := range items {
		e := &x.m.house.Entities[i]
		d.Options = append(d.Options, e.ID)
		options = append(options, strings.TrimSpace(x.m.pack.Texts["the"]+" "+strings.ToLower(e.Name)))
	}
	text := options[0]
	if n := len(options); n > 1 {
		text = strings.Join(options[:n-1], ", ") + " " + x.m.pack.Texts["or"] + " " + options[n-1]
	}
	d.Question = strings.ReplaceAll(x.m.pack.Texts["which"], "{options}", text)
	return d
}

// nameWords returns the words that stood where a name is expected.
func (x *meaning) nameWords() string { return x.span(opName, opArea) }

// kindWords returns the words that named a kind of thing and a place.
func (x *meaning) kindWords() string {
	start, end, kind := len(x.p.text), 0, false
	for i := range x.p.n {
		c := &x.p.captures[i]
		if op := c.at.op; op != opValue && op != opArea && op != opFloor || c.at.slot == slotState {
			continue
		}
		start, end, kind = min(start, c.start), max(end, c.end), kind || c.at.op == opValue
	}
	heard := x.p.text[min(start, end):end]
	if heard == "" || kind {
		return heard
	}
	return x.withNoun(heard)
}

// withNoun adds to the words for a place the thing that the sentence names beside
// them: "the office thermostat", "das Thermostat im Büro". Without such a thing it
// is "", because the house does know the place.
func (x *meaning) withNoun(place string) string {
	before, after, _ := strings.Cut(x.p.text, place)
	words := strings.Fields(after)
	if len(words) > 0 && x.m.index.Household(words[0]) {
		return place + " " + words[0]
	}
	words = strings.Fields(before)
	for i := len(words) - 1; i >= max(len(words)-4, 0); i-- {
		if x.m.index.Household(words[i]) {
			return strings.Join(words[i:], " ") + " " + place
		}
	}
	return ""
}

// span returns the text from the first capture of such steps to the last.
func (x *meaning) span(ops ...opcode) string { return x.p.span(ops...) }

// isKind reports whether an entity is of the domain and class a sentence asks
// for. Families name a blind "blind" whether or not the class attribute says so.
func isKind(e *home.Entity, domain, class string) bool {
	if domain != "" && e.Domain != domain {
		return false
	}
	if class == "" || e.DeviceClass() == class || domain == "valve" {
		return true
	}
	if domain == "" { // a sensor by what it measures
		if e.Domain == "climate" && class == "temperature" {
			return true
		}
		return e.Domain == "sensor" && e.DeviceClass() == "" && (e.Can(home.Ability(class)) || hasWord(e, class))
	}
	return hasWord(e, class)
}

func hasWord(e *home.Entity, word string) bool {
	for _, n := range append([]string{e.Name}, e.Aliases...) {
		if slices.Contains(names.Normalise(n), word) {
			return true
		}
	}
	return false
}
