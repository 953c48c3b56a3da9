package intent

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
)

// kindNouns lists the words of a pack for kinds of things, in the form for comparing
// names, with the kind in a question about them: "lamp" is a light.
func (m *Matcher) kindNouns() map[string]string {
	out := make(map[string]string)
	endings := append(sentences.List{""}, sentences.WordsOf(m.pack.Language).Names.Endings...)
	for name, l := range m.pack.Lists {
		if !strings.HasPrefix(name, askedLists) {
			continue
		}
		for i := range l.Values {
			kind, ok := l.Values[i].Out.(string)
			if !ok || kind == "device" || kind == "sensor" {
				continue
			}
			if one := singular[kind]; one != "" {
				kind = one
			}
			for _, text := range l.Values[i].Texts {
				noun := m.index.Normalise(text)
				for _, ending := range endings { // "thermostate", "radiadores", "lichter"
					if one, ok := strings.CutSuffix(noun, ending); ok && out[one] == "" {
						out[one] = kind
					}
				}
			}
		}
	}
	all := slices.Collect(maps.Keys(out))
	maps.DeleteFunc(out, func(noun, kind string) bool { // a "Haustür" is one door, and "Tür" any
		return slices.ContainsFunc(all, func(o string) bool { return m.index.EndsIn(noun, o) && out[o] == kind })
	})
	return out
}

// thingsInRoom finds the things of a room that a name may mean: those whose names have all
// its words or, if the name is only that of a kind ("the lamp"), the things of that kind.
func (m *Matcher) thingsInRoom(heard, room string, b *block) []int32 {
	if room == "" || m.index == nil {
		return nil
	}
	allow := func(i int) bool { return m.allowed[b.order][i] && m.house.Entities[i].In(room) }
	if domain := m.kinds[m.index.Plain(heard)]; domain != "" { // "the light" is all light of a room
		return m.everyIn(room, b, func(e *home.Entity) bool { return e.Domain == domain })
	}
	var items []int32
	for _, i := range m.index.Holding(heard, allow) {
		items = append(items, int32(i))
	}
	noun := m.index.Normalise(heard)
	kind := m.nouns[noun]
	switch {
	case len(items) > 0:
		return items
	case m.index.AnyStrip(heard):
		return m.everyIn(room, b, func(e *home.Entity) bool { return switches(e) && m.index.IsStrip(m.index.WithoutNumber(e.Name)) })
	case kind == "", kind == "switch": // what is switched need not be a plug
		return nil
	}
	items = m.everyIn(room, b, func(e *home.Entity) bool { return isOfKind(e, kind) })
	if ending := slices.DeleteFunc(slices.Clone(items), func(i int32) bool { // "Schlafzimmerlampe" is a "Lampe" first
		return !slices.ContainsFunc(names.Normalise(m.house.Entities[i].Name), func(w string) bool { return strings.HasSuffix(w, noun) })
	}); len(ending) > 0 {
		return ending
	}
	return items
}

// everyIn lists the things of a room that a sentence of the block may be about.
func (m *Matcher) everyIn(room string, b *block, belongs fits) []int32 {
	there := m.every(func(e *home.Entity) bool { return e.In(room) && belongs(e) })
	return slices.DeleteFunc(there, func(i int32) bool { return !m.allowed[b.order][i] })
}

// isGeneric reports whether words name only a kind of thing, of which every room may
// have one.
func (m *Matcher) isGeneric(heard string) bool {
	return m.nouns[m.index.Normalise(heard)] != "" || m.kinds[m.index.Plain(heard)] != "" || m.index.OnlyKinds(heard) || m.index.IsOneWord(heard)
}

// here chooses, for a name without a room, between the things of that name and those of
// the speaker's room; for a plural, also in a room that the sentence names. Nothing is
// chosen by likeness, so a dangerous act is asked about.
func (x *meaning) here(items []int32) (Decision, bool) {
	heard := x.span(opName)
	room := cmp.Or(x.area, x.mic)
	if x.m.pack.Exact || room == "" || x.floor != "" || x.m.namesRoom(heard) {
		return Decision{}, false
	}
	known := len(x.in(items, room))
	plural := slices.ContainsFunc(items, func(i int32) bool { return x.m.index.PluralOf(heard, x.m.house.Entities[i].Name) })
	if !plural && (x.area != "" || known > 0) {
		return Decision{}, false
	}
	if warm := x.heats(heard, room, items); len(warm) > 0 {
		return x.ask(append(warm, items...)), true
	}
	near := x.near(heard, room, items, plural)
	switch {
	case len(near) == 0 && x.area == "":
		return x.onlySensor(heard)
	case len(near) <= known:
		return Decision{}, false
	}
	return x.oneOrAll(near, items)
}

// near are the things of a room that may be meant by a name that things elsewhere have.
func (x *meaning) near(heard, room string, items []int32, plural bool) []int32 {
	var near []int32
	if !plural {
		near = x.m.thingsInRoom(heard, room, x.p.block)
	} else {
		for _, i := range x.m.index.HoldingPart(heard, func(i int) bool { return x.m.allowed[x.p.block.order][i] && x.m.house.Entities[i].In(room) }) {
			near = append(near, int32(i))
		}
	}
	if first := items[0]; x.m.coverClass[first] != "" { // what is called a blind comes before a shutter of the room
		near = slices.DeleteFunc(near, func(i int32) bool { return x.m.coverClass[i] != x.m.coverClass[first] })
	}
	return near
}

// heats are what heats a room, where the name of one thing elsewhere is only a word for
// that: "the heater" of a room with a thermostat is not the underfloor heating of another
// one.
func (x *meaning) heats(heard, room string, items []int32) []int32 {
	if len(items) != 1 || len(x.in(items, room)) > 0 || !slices.Contains(strings.Split(x.m.pack.Texts["heaters"], "|"), heard) ||
		x.m.index.Plain(x.m.house.Entities[items[0]].Name) == x.m.index.Plain(heard) {
		return nil
	}
	return x.m.every(func(e *home.Entity) bool { return e.Domain == "climate" && e.In(room) })
}

// oneOrAll acts on the only thing of those that fit, or on all of them if several are
// meant. Otherwise it asks, and names the others besides if the act is dangerous.
func (x *meaning) oneOrAll(near, others []int32) (Decision, bool) {
	heard := x.span(opName)
	all := len(near) == 1 || x.meansAll(heard, near)
	if all {
		y := *x
		if len(near) == 1 {
			y.action.Slots["name"] = x.m.house.Entities[near[0]].Name
		}
		if d := y.finish(near); !x.m.dangerous(d) {
			return d, true
		}
		near = append(slices.Clone(near), others...)
	}
	return x.ask(near), true
}

// switches reports whether a thing may be an outlet.
func switches(e *home.Entity) bool { return e.Domain == "switch" || e.Domain == "outlet" }

// meansAll reports whether a name stands for all of several things in one room: it is the
// plural of a word that all of them have, it is a word for all things of a kind, or the
// things are the outlets of one strip.
func (x *meaning) meansAll(heard string, items []int32) bool {
	first := &x.m.house.Entities[items[0]]
	fits := func(one func(*home.Entity) bool) bool {
		return !slices.ContainsFunc(items, func(i int32) bool { return !one(&x.m.house.Entities[i]) })
	}
	switch {
	case !fits(func(e *home.Entity) bool { return strings.EqualFold(e.Area, first.Area) }):
		return false // who is asked which one hears of the rooms
	case x.m.kinds[x.m.index.Plain(heard)] != "":
		return true
	case x.m.index.IsStrip(heard):
		strip := x.m.index.WithoutNumber(first.Name)
		return strip != "" && fits(func(e *home.Entity) bool { return switches(e) && x.m.index.WithoutNumber(e.Name) == strip })
	}
	return fits(func(e *home.Entity) bool {
		return slices.ContainsFunc(append([]string{e.Name}, e.Aliases...), func(n string) bool { return x.m.index.PluralOf(heard, n) })
	})
}

// namesRoom reports whether a room of the house is called within the words.
func (m *Matcher) namesRoom(heard string) bool {
	t := &m.lists.area.trie
	if t.empty() {
		return false
	}
	for start := range len(heard) {
		if start > 0 && heard[start-1] != ' ' {
			continue
		}
		for node, end := int32(0), start; end < len(heard); end++ {
			if node = t.follow(node, heard[end]); node < 0 {
				break
			}
			if len(t.endingAt(node)) > 0 && (end+1 == len(heard) || heard[end+1] == ' ') {
				return true
			}
		}
	}
	return false
}

// tell marks an action on one thing of another room, if only its kind was said: then
// the reply names the room.
func (x *meaning) tell(items []int32, heard string) {
	if len(items) != 1 || x.mic == "" || x.area != "" || x.floor != "" || x.m.index == nil {
		return
	}
	e := &x.m.house.Entities[items[0]]
	x.action.Elsewhere = e.Area != "" && !e.In(x.mic) && (heard == "" || x.m.isGeneric(heard))
}

// reporting are the domains of things that are only read.
var reporting = []string{"binary_sensor", "sensor"}

// changes reports whether an intent is a command that changes a thing of the house.
func changes(intent string) bool {
	in := catalogue.Of(intent)
	return in.Plan == catalogue.Switch || (in.Plan == catalogue.Command || in.Plan == catalogue.Adjust) && len(in.Sets) > 0
}

// onlyReports answers a command to things that only report, if nothing else fits: it is
// planned like any other, and the plan says why it cannot be done.
func (x *meaning) onlyReports(items []int32) (Decision, bool) {
	items = x.keep(items, func(e *home.Entity) bool { return slices.Contains(reporting, e.Domain) && e.Control == nil })
	if len(items) == 0 || x.p.block.Meta.Question || !changes(x.action.Intent) {
		return Decision{}, false
	}
	return x.finish(items[:min(len(items), names.MaxCandidates)]), true
}

// calledThere finds the thing of a room that is meant although the name is that of a
// thing in another room: "the lamp in the kitchen" is the kitchen lamp.
func (m *Matcher) calledThere(p *parse, area string) (Decision, bool) {
	for i := range p.n {
		c := &p.captures[i]
		if c.at.op != opName {
			continue
		}
		if c.items = m.thingsInRoom(p.text[c.start:c.end], m.placeOf(p), p.block); len(c.items) > 0 {
			d := m.resolve(p, area)
			return d, !m.dangerous(d)
		}
	}
	return Decision{}, false
}

// reported answers a command to a thing that only reports: the one in the speaker's room
// with these words in its name, the one with exactly this name, or the only such thing of
// the house.
func (m *Matcher) reported(p *parse, heard, place, area string) (Decision, bool) {
	x := meaning{m: m, p: p, action: *p.would(m)}
	reports := func(i int) bool {
		e := &m.house.Entities[i]
		return slices.Contains(reporting, e.Domain) && e.DeviceClass() != "battery"
	}
	there := func(i int) bool { return place == "" || m.house.Entities[i].In(place) }
	r := m.index.ResolveLiteral(heard, there)
	named := r.Verdict == names.Exact && r.Whole
	if named && !slices.Contains(reporting, m.house.Entities[r.Items[0]].Domain) {
		return Decision{}, false // "open the front door" is about the lock of that name, not about its contact
	}
	if near := m.index.Holding(heard, func(i int) bool {
		return place == "" && area != "" && m.house.Entities[i].In(area) && reports(i)
	}); len(near) == 1 {
		return x.onlyReports([]int32{int32(near[0])})
	}
	if named {
		return x.onlyReports([]int32{int32(r.Items[0])})
	}
	if items := m.sensorsCalled(heard, there, reports); len(items) > 0 {
		if near := x.in(items, area); len(near) > 0 {
			items = near
		}
		return x.onlyReports(items[:1])
	}
	return Decision{}, false
}

// sensorsCalled finds the sensors whose names begin with the words, such as the name of a
// device that measures several things, or that the word for their kind means. It finds
// none if the words also mean something that can be controlled.
func (m *Matcher) sensorsCalled(heard string, there, reports func(int) bool) []int32 {
	kind := m.nouns[m.index.Normalise(heard)]
	watches := []string{"temperature", "humidity", "illuminance", "motion", "moisture", "smoke", "carbon_monoxide", "door", "window", "opening", "button"}
	var out []int32
	for _, i := range m.index.Holding(heard, there) {
		switch {
		case m.house.Entities[i].Control != nil:
			return nil
		case reports(i) && slices.Contains(watches, m.house.Entities[i].DeviceClass()):
			out = append(out, int32(i))
		}
	}
	for i := range m.house.Entities {
		if e := &m.house.Entities[i]; alarms[kind] != nil && there(i) && isOfKind(e, kind) && !slices.Contains(out, int32(i)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// contact reports whether a thing is a sensor on an opening of the kind that a command
// is about.
func (x *meaning) contact(e *home.Entity) bool {
	class, _ := x.action.Slots["device_class"].(string)
	want := openings[class]
	return want != 0 && e.Domain == "binary_sensor" && e.Opening()&want != 0
}

// movedWindows reports whether a question is about the windows of a place of which one
// has a motor, so that contacts alone do not answer it.
func (x *meaning) movedWindows() bool {
	class := x.action.Slots["device_class"]
	return class == "window" && x.action.Slots["domain"] == "binary_sensor" && x.p.block.Meta.Question && x.p.block.Intent == catalogue.GetState && len(x.place(x.m.every(func(e *home.Entity) bool {
		return e.Domain == "cover" && e.Opening()&home.Window != 0
	}))) > 0
}

// windows answers a question about the window by all that is one.
func (x *meaning) windows() Decision {
	x.action.Slots[slotState] = map[any]string{"on": "open", "off": "closed"}[x.action.Slots[slotState]]
	delete(x.action.Slots, "domain")
	delete(x.action.Slots, "device_class")
	x.action.Slots[slotKind] = "window"
	return x.findAsked("window")
}

// inThisRoom reads the words for the speaker's room, those of one of the pack's texts, as
// its name: "the lamp in here". It returns false if that makes no sentence about things.
func (m *Matcher) inThisRoom(words, text, area string) (Decision, bool) {
	if area == "" {
		return Decision{}, false
	}
	padded := " " + text + " "
	for here := range strings.SplitSeq(m.pack.Texts[words], "|") {
		before, after, ok := strings.Cut(padded, " "+here+" ")
		if here == "" || !ok {
			continue
		}
		said := strings.Join(strings.Fields(before+" "+m.pack.Texts["in"]+" "+strings.ToLower(area)+" "+after), " ")
		if there := m.match(said, area); there.aboutThings() {
			return there, true
		}
	}
	return Decision{}, false
}

// onlySensor answers a command to the window or door of this room, if it only reports:
// no window of another room is meant.
func (x *meaning) onlySensor(heard string) (Decision, bool) {
	want := openings[x.m.nouns[x.m.index.Normalise(heard)]]
	if want == 0 {
		return Decision{}, false
	}
	return x.onlyReports(x.in(x.m.every(func(e *home.Entity) bool { return e.Domain == "binary_sensor" && e.Opening()&want != 0 }), x.mic))
}

// aboutThings reports whether a decision acts on things, asks which, or tells how they
// are.
func (d *Decision) aboutThings() bool {
	about := func(a Action) bool {
		domain, _ := a.Slots["domain"].(string)
		return a.Slots["name"] != nil || a.Slots[slotKind] != nil || domain != "" && !slices.Contains(reporting, domain)
	}
	return d.Route == Local && slices.ContainsFunc(d.Actions, about) || d.Route == Ask && d.Would != nil && about(*d.Would)
}

// kindHere takes words for a kind of thing, if the house has no thing with that name, for
// the things of that kind in the room. It never does so for a dangerous act.
func (m *Matcher) kindHere(p *parse, c *capture, room, area string) (Decision, bool) {
	items := m.thingsInRoom(p.text[c.start:c.end], room, p.block)
	if len(items) == 0 {
		return Decision{}, false
	}
	before := *c
	c.items, c.unknown = items, false
	if d := m.resolve(p, area); !m.dangerous(d) && (d.Route == Local || d.Route == Ask) {
		return d, true
	}
	*c = before
	return Decision{}, false
}
